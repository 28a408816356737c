/* Rows and slabs with shifts of their own, against tiles counted one by one. */
#include "tests/check.h"
#include "tests/tiling/random_mask.h"
#include "tests/tiling/shifted_tiles.h"
#include "tiling/tiling.h"
#include <string.h>

/* A part of a mask: rows y to y + 3 (ny: all) of slices z to z + 3. */
static ht_mask cut(const ht_mask *mask, int y, int ny, int z) {
  const int *dim = mask->grid.dim;
  ht_mask part;
  ht_grid grid = ht_grid_make(dim[0], ny, 4);
  assert_int_equal(ht_mask_alloc(&grid, &part), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    at[1] += y, at[2] += z;
    if (ht_voxel_in_grid(dim, at)) part.inside[v] = mask->inside[ht_voxel_index(dim, at)];
  }
  return part;
}

/* Fewest tiles of a row of 4 x 4 voxels across. */
static int64_t best_row(const ht_mask *row) {
  static const int sides[3] = {4, 4, 4};
  int64_t best = INT64_MAX;
  for (int o = 0; o < 4; o++) {
    int64_t tiles = ht_count_boxes(row, (int[3]){o, 0, 0}, sides);
    if (tiles < best) best = tiles;
  }
  return best;
}

static int64_t best_rows_of_slab(const ht_mask *mask, int oy, int z) {
  int64_t sum = 0;
  for (int y = -oy; y < mask->grid.dim[1]; y += 4) {
    ht_mask row = cut(mask, y, 4, z);
    sum += best_row(&row);
    ht_mask_free(&row);
  }
  return sum;
}

static int64_t best_slab(const ht_mask *mask, int z) {
  static const int sides[3] = {4, 4, 4};
  int64_t best = INT64_MAX;
  ht_mask slab = cut(mask, 0, mask->grid.dim[1], z);
  for (int o = 0; o < 16; o++) {
    int64_t tiles = ht_count_boxes(&slab, (int[3]){o & 3, o >> 2, 0}, sides);
    if (tiles < best) best = tiles;
  }
  ht_mask_free(&slab);
  return best;
}

static void brute(const ht_mask *mask, ht_shifted_tiles *tiles) {
  tiles->rows = tiles->slabs = tiles->slab_rows = INT64_MAX;
  for (int oz = 0; oz < 4; oz++) {
    int64_t rows[4] = {0}, slabs = 0, slab_rows = 0;
    for (int z = -oz; z < mask->grid.dim[2]; z += 4) {
      int64_t least = INT64_MAX;
      for (int oy = 0; oy < 4; oy++) {
        int64_t here = best_rows_of_slab(mask, oy, z);
        rows[oy] += here;
        if (here < least) least = here;
      }
      slab_rows += least;
      slabs += best_slab(mask, z);
    }
    for (int oy = 0; oy < 4; oy++)
      if (rows[oy] < tiles->rows) tiles->rows = rows[oy];
    if (slabs < tiles->slabs) tiles->slabs = slabs;
    if (slab_rows < tiles->slab_rows) tiles->slab_rows = slab_rows;
  }
}

static void test_against_search(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 60; trial++) {
    ht_mask mask = ht_random_mask(13);
    ht_shifted_tiles found, expected;
    ht_tiling tiling;
    assert_int_equal(ht_shifted_count(&mask, &found), HT_OK);
    assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
    brute(&mask, &expected);
    assert_int_equal(found.grid, tiling.tiles);
    assert_int_equal(found.rows, expected.rows);
    assert_int_equal(found.slabs, expected.slabs);
    assert_int_equal(found.slab_rows, expected.slab_rows);
    assert_true(found.free_rows <= found.rows && found.slab_free <= found.slab_rows);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* All subsets of 16 bits: free tiles are the fewest intervals of 4 that cover the set bits. */
static void test_free_row(void **unused) {
  (void)unused;
  static int8_t fewest[1 << 16];
  for (uint64_t bits = 0; bits < 1 << 16; bits++) {
    int64_t shift[4], free_tiles;
    if (bits) fewest[bits] = 99;
    /* A tile has to cover the lowest bit: tries all that do. */
    for (int from = -3; bits && from <= 0; from++) {
      int first = __builtin_ctzll(bits) + from;
      uint64_t tile = first < 0 ? (uint64_t)15 >> -first : (uint64_t)15 << first;
      int count = 1 + fewest[bits & ~tile];
      if (count < fewest[bits]) fewest[bits] = (int8_t)count;
    }
    ht_shifted_row(&bits, 1, shift, &free_tiles);
    assert_int_equal(free_tiles, fewest[bits]);
  }
}

static void test_permute(void **unused) {
  (void)unused;
  ht_mask mask = ht_random_mask(9), turned;
  assert_int_equal(ht_mask_permute(&mask, (int[3]){2, 0, 1}, &turned), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    int at[3];
    ht_voxel_place(mask.grid.dim, v, at);
    int64_t there = ht_voxel_index(turned.grid.dim, (int[3]){at[2], at[0], at[1]});
    assert_int_equal(turned.inside[there], mask.inside[v]);
  }
  ht_mask_free(&turned);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_search),
                                     cmocka_unit_test(test_free_row),
                                     cmocka_unit_test(test_permute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
