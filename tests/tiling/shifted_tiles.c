#include "tests/tiling/shifted_tiles.h"
#include "tiling/row_bits.h"
#include <stdlib.h>

typedef struct {
  const ht_mask *mask;
  int words;
  uint64_t *slab; /* [ny][words] OR of 4 slices */
  uint64_t *row;  /* [words] of 4 rows of it */
} slab;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t least_of(const int64_t *count, int n) {
  int64_t best = count[0];
  for (int i = 1; i < n; i++) best = least(best, count[i]);
  return best;
}

void ht_shifted_row(const uint64_t *bits, int words, int64_t of_shift[4], int64_t *free_tiles) {
  uint64_t before = 0, one_before = 0;
  int64_t covered = 0; /* bits below are */
  *free_tiles = 0;
  for (int k = 0; k < 4; k++) of_shift[k] = 0;
  for (int w = 0; w < words; w++) {
    uint64_t two = bits[w] | bits[w] << 1 | before >> 63;
    uint64_t four = two | two << 2 | one_before >> 62;
    before = bits[w], one_before = two;
    for (int k = 0; k < 4; k++)
      of_shift[3 - k] += __builtin_popcountll((four >> k) & 0x1111111111111111u);
    for (uint64_t left = bits[w]; left; left &= left - 1) {
      int64_t at = (int64_t)64 * w + __builtin_ctzll(left);
      if (at < covered) continue;
      covered = at + 4;
      ++*free_tiles;
    }
  }
}

/* ORs the slices z to z + 3 into at->slab. */
static void read_slab(const slab *at, int z) {
  const int *dim = at->mask->grid.dim;
  memset(at->slab, 0, (size_t)dim[1] * at->words * sizeof *at->slab);
  for (int s = z < 0 ? 0 : z; s < z + 4 && s < dim[2]; s++)
    for (int y = 0; y < dim[1]; y++) {
      uint64_t *to = at->slab + (size_t)y * at->words;
      ht_row_bits(at->mask->inside + ((size_t)s * dim[1] + y) * dim[0], dim[0], 0, at->words,
                  at->row);
      for (int w = 0; w < at->words; w++) to[w] |= at->row[w];
    }
}

static void read_row(const slab *at, int y) {
  memset(at->row, 0, (size_t)at->words * sizeof *at->row);
  for (int r = y < 0 ? 0 : y; r < y + 4 && r < at->mask->grid.dim[1]; r++)
    for (int w = 0; w < at->words; w++) at->row[w] |= at->slab[(size_t)r * at->words + w];
}

/* Sums over the slabs of one origin along z. */
typedef struct {
  int64_t grid[16], rows[4], free_rows[4]; /* for each origin along y (and x) */
  ht_shifted_tiles sum;
} of_oz;

static void count_slab(const slab *at, of_oz *all) {
  int64_t grid[16] = {0}, rows[4] = {0}, free_rows[4] = {0};
  for (int oy = 0; oy < 4; oy++) {
    for (int y = -oy; y < at->mask->grid.dim[1]; y += 4) {
      int64_t shift[4], free_tiles;
      read_row(at, y);
      ht_shifted_row(at->row, at->words, shift, &free_tiles);
      for (int k = 0; k < 4; k++) grid[4 * oy + k] += shift[k];
      rows[oy] += least_of(shift, 4);
      free_rows[oy] += free_tiles;
    }
    all->rows[oy] += rows[oy];
    all->free_rows[oy] += free_rows[oy];
  }
  for (int o = 0; o < 16; o++) all->grid[o] += grid[o];
  all->sum.slabs += least_of(grid, 16);
  all->sum.slab_rows += least_of(rows, 4);
  all->sum.slab_free += least_of(free_rows, 4);
}

static void keep_least(const of_oz *one, int first, ht_shifted_tiles *tiles) {
  ht_shifted_tiles here = one->sum;
  here.grid = least_of(one->grid, 16);
  here.rows = least_of(one->rows, 4);
  here.free_rows = least_of(one->free_rows, 4);
  if (first) *tiles = here;
  tiles->grid = least(tiles->grid, here.grid);
  tiles->rows = least(tiles->rows, here.rows);
  tiles->free_rows = least(tiles->free_rows, here.free_rows);
  tiles->slabs = least(tiles->slabs, here.slabs);
  tiles->slab_rows = least(tiles->slab_rows, here.slab_rows);
  tiles->slab_free = least(tiles->slab_free, here.slab_free);
}

ht_status ht_shifted_count(const ht_mask *mask, ht_shifted_tiles *tiles) {
  const int *dim = mask->grid.dim;
  slab at = {.mask = mask, .words = (dim[0] + 3 + 63) / 64};
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&at.slab, (size_t)dim[1] * at.words, sizeof(uint64_t), "a slab"));
  HT_TRY_DONE(ht_alloc((void **)&at.row, (size_t)at.words, sizeof(uint64_t), "a row"));
  for (int oz = 0; oz < 4; oz++) {
    of_oz one = {0};
    for (int z = -oz; z < dim[2]; z += 4) {
      read_slab(&at, z);
      count_slab(&at, &one);
    }
    keep_least(&one, oz == 0, tiles);
  }
done:
  free(at.slab);
  free(at.row);
  return status;
}

ht_status ht_mask_permute(const ht_mask *mask, const int from[3], ht_mask *permuted) {
  const int *dim = mask->grid.dim;
  ht_grid grid = ht_grid_make(dim[from[0]], dim[from[1]], dim[from[2]]);
  HT_TRY(ht_mask_alloc(&grid, permuted));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int to[3], at[3];
    ht_voxel_place(grid.dim, v, to);
    for (int a = 0; a < 3; a++) at[from[a]] = to[a];
    permuted->inside[v] = mask->inside[ht_voxel_index(dim, at)];
  }
  return HT_OK;
}
