#include "tiling/placement.h"
#include "tiling/row_bits.h"
#include <omp.h>
#include <stdlib.h>

/* Layers of windows that a thread takes at a time; the side[2] - 1 slices before are read again. */
enum { SLAB = 32 };

/* A thread's buffers. Bit e of a row, row e of a plane, plane e: the window that ends there. */
typedef struct {
  int nx, ny, nz;
  const int *side;
  int words;          /* of a row of nx + side[0] - 1 bits */
  int rows;           /* ny + side[1] - 1 */
  uint64_t *along_x;  /* [side[1] - 1 + rows][words] rows of a slice, side[1] - 1 of zeros on top
                         and below */
  uint64_t *plane;    /* [side[2]][rows][words] the last slices, slice z in z mod side[2] */
  int *plane_is_full; /* [side[2]] 0: nothing in it */
} window;

/* ---- windows of a slice ---- */

/* OR-s into each bit those of the `side` - 1 before it; side is a power of 2. */
static void widen_row(int words, int side, uint64_t *bits) {
  for (int step = 1; step < side; step *= 2) {
    for (int w = words - 1; w >= 0; w--) {
      uint64_t before = w > 0 ? bits[w - 1] >> (64 - step) : 0;
      bits[w] |= bits[w] << step | before;
    }
  }
}

static int64_t count_row(int words, const uint64_t *bits) {
  int64_t count = 0;
  for (int w = 0; w < words; w++) count += __builtin_popcountll(bits[w]);
  return count;
}

/* Fluid voxels of the slice. */
static int64_t scan_rows(const window *at, const uint8_t *slice) {
  int64_t nodes = 0;
  for (int y = 0; y < at->ny; y++) {
    uint64_t *row = at->along_x + (size_t)(at->side[1] - 1 + y) * at->words;
    ht_row_bits(slice + (size_t)y * at->nx, at->nx, 0, at->words, row);
    int64_t here = count_row(at->words, row);
    if (here) widen_row(at->words, at->side[0], row);
    nodes += here;
  }
  return nodes;
}

static void stack_rows(const window *at, uint64_t *plane) {
  int64_t size = (int64_t)at->rows * at->words;
  memcpy(plane, at->along_x, (size_t)size * sizeof *plane);
  for (int i = 1; i < at->side[1]; i++) {
    const uint64_t *row = at->along_x + (size_t)i * at->words;
    for (int64_t w = 0; w < size; w++) plane[w] |= row[w];
  }
}

static int64_t scan_slice(const window *at, const ht_mask *mask, int z) {
  int slot = z % at->side[2];
  at->plane_is_full[slot] = 0;
  if (z >= at->nz) return 0;
  int64_t nodes = scan_rows(at, mask->inside + (size_t)at->nx * at->ny * z);
  if (nodes) stack_rows(at, at->plane + (size_t)slot * at->rows * at->words);
  at->plane_is_full[slot] = nodes > 0;
  return nodes;
}

/* ---- counting ---- */

/* Bits 0, side, 2 side, ... of a word. */
static uint64_t every(int side) {
  uint64_t bits = 1;
  for (int step = side; step < 64; step *= 2) bits |= bits << step;
  return bits;
}

/* Adds the windows of a row that are not empty: those that end at bit e to the origin (-1 - e) mod
 * side. */
static void count_windows(const window *at, int row, int64_t *of_origin) {
  int side = at->side[0];
  int64_t *count = of_origin + (size_t)((at->side[1] - 1 - row % at->side[1]) * side);
  uint64_t stride = every(side);
  for (int w = 0; w < at->words; w++) {
    uint64_t any = 0;
    for (int i = 0; i < at->side[2]; i++)
      if (at->plane_is_full[i]) any |= at->plane[((size_t)i * at->rows + row) * at->words + w];
    if (!any) continue;
    for (int k = 0; k < side; k++) count[side - 1 - k] += __builtin_popcountll((any >> k) & stride);
  }
}

static int any_plane(const window *at) {
  for (int i = 0; i < at->side[2]; i++)
    if (at->plane_is_full[i]) return 1;
  return 0;
}

static int64_t count_slab(const window *at, const ht_mask *mask, int first, int last,
                          ht_placement *placement) {
  int64_t nodes = 0;
  size_t origins = (size_t)at->side[0] * at->side[1];
  memset(at->plane_is_full, 0, (size_t)at->side[2] * sizeof(int));
  int begin = first - at->side[2] + 1;
  for (int end = begin < 0 ? 0 : begin; end < last; end++) {
    int64_t here = scan_slice(at, mask, end);
    if (end < first) continue;
    nodes += here;
    if (!any_plane(at)) continue;
    for (int y = 0; y < at->rows; y++) count_windows(at, y, placement->of_end + end * origins);
  }
  return nodes;
}

/* ---- all of it ---- */

static void window_free(window *at, int threads) {
  for (int t = 0; at && t < threads; t++) {
    free(at[t].along_x);
    free(at[t].plane);
    free(at[t].plane_is_full);
  }
  free(at);
}

static ht_status window_make(const ht_mask *mask, const int *side, window *at) {
  const int *dim = mask->grid.dim;
  at->nx = dim[0], at->ny = dim[1], at->nz = dim[2], at->side = side;
  at->words = (dim[0] + side[0] - 1 + 63) / 64;
  at->rows = dim[1] + side[1] - 1;
  size_t word = sizeof(uint64_t);
  HT_TRY(ht_alloc((void **)&at->along_x, (size_t)(at->rows + side[1] - 1) * at->words, word,
                  "the rows of a slice"));
  HT_TRY(ht_alloc((void **)&at->plane, (size_t)side[2] * at->rows * at->words, word,
                  "the slices of a tile"));
  return ht_alloc((void **)&at->plane_is_full, (size_t)side[2], sizeof(int), "the slices");
}

static ht_status check_sides(const int side[3]) {
  for (int a = 0; a < 3; a++)
    if (side[a] < 1 || side[a] > HT_PLACEMENT_SIDE || (side[a] & (side[a] - 1)))
      return ht_fail(HT_ERR_USAGE,
                     "a box of %d x %d x %d voxels; each side has to be a power of 2 "
                     "from 1 to %d",
                     side[0], side[1], side[2], HT_PLACEMENT_SIDE);
  return HT_OK;
}

static void sum_layers(ht_placement *placement) {
  size_t origins = (size_t)placement->side[0] * placement->side[1];
  for (int end = 0; end < placement->ends; end++) {
    int oz = placement->side[2] - 1 - end % placement->side[2];
    for (size_t o = 0; o < origins; o++)
      placement->boxes[oz * origins + o] += placement->of_end[end * origins + o];
  }
}

static ht_status count_all(const ht_mask *mask, ht_placement *placement, int threads, window *at) {
  int64_t nodes = 0;
  for (int t = 0; t < threads; t++) HT_TRY(window_make(mask, placement->side, &at[t]));
#pragma omp parallel for schedule(dynamic) reduction(+ : nodes) num_threads(threads)
  for (int first = 0; first < placement->ends; first += SLAB) {
    int last = first + SLAB < placement->ends ? first + SLAB : placement->ends;
    nodes += count_slab(&at[omp_get_thread_num()], mask, first, last, placement);
  }
  placement->nodes = nodes;
  sum_layers(placement);
  return HT_OK;
}

ht_status ht_placement_count(const ht_mask *mask, const int side[3], ht_placement *placement) {
  memset(placement, 0, sizeof *placement);
  HT_TRY(check_sides(side));
  int threads = omp_get_max_threads();
  window *at = NULL;
  ht_status status = HT_OK;
  memcpy(placement->side, side, sizeof placement->side);
  placement->ends = mask->grid.dim[2] + side[2] - 1;
  size_t origins = (size_t)side[0] * side[1];
  HT_TRY_DONE(ht_alloc((void **)&placement->of_end, placement->ends * origins, sizeof(int64_t),
                       "the layers of tiles"));
  HT_TRY_DONE(
      ht_alloc((void **)&placement->boxes, origins * side[2], sizeof(int64_t), "the origins"));
  HT_TRY_DONE(ht_alloc((void **)&at, (size_t)threads, sizeof *at, "the threads"));
  status = count_all(mask, placement, threads, at);
done:
  window_free(at, threads);
  if (status != HT_OK) ht_placement_free(placement);
  return status;
}

void ht_placement_free(ht_placement *placement) {
  if (!placement) return;
  free(placement->of_end);
  free(placement->boxes);
  memset(placement, 0, sizeof *placement);
}
