/* A mask of 2048^3 voxels, more than 2^32 of them: a box in the middle and one in the last corner,
 * and a vessel along its diagonal. Zeros that are never written take no memory here, so the test
 * runs on a machine with less than 9 GB; if the allocation is refused, it is skipped. */
#include "tests/check.h"
#include "tiling/tiling.h"
#include <string.h>

enum { SIDE = 2048, TUBE = 6 };

static void fill_box(ht_mask *mask, const int from[3], int side) {
  for (int z = from[2]; z < from[2] + side; z++)
    for (int y = from[1]; y < from[1] + side; y++) {
      const int at[3] = {from[0], y, z};
      memset(mask->inside + ht_voxel_index(mask->grid.dim, at), 1, (size_t)side);
    }
}

static void make_mask(ht_mask *mask) {
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  if (ht_mask_alloc(&grid, mask) != HT_OK) skip();
}

static int64_t tile_of_voxel(const ht_tiling *tiling, int64_t t) {
  const int32_t *p = tiling->position + 3 * t;
  return p[0] + (int64_t)512 * (p[1] + (int64_t)512 * p[2]);
}

static void test_boxes(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  make_mask(&mask);
  fill_box(&mask, (int[3]){1000, 1004, 1008}, 16);
  fill_box(&mask, (int[3]){SIDE - 8, SIDE - 8, SIDE - 8}, 8);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(tiling.nodes, 16 * 16 * 16 + 8 * 8 * 8);
  assert_int_equal(tiling.tiles, 64 + 8);
  assert_true(tiling.utilisation == 1);
  for (int64_t t = 1; t < tiling.tiles; t++)
    assert_true(tile_of_voxel(&tiling, t) > tile_of_voxel(&tiling, t - 1));
  assert_int_equal(tile_of_voxel(&tiling, 71), (int64_t)512 * 512 * 512 - 1);
  assert_int_equal(tiling.neighbour[27 * 71], 64);
  assert_int_equal(tiling.neighbour[27 * 71 + 14], -1);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* The union of cubes along the diagonal: each step adds three faces of it. */
static void test_diagonal(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  ht_tiling_options options = {.order = HT_ORDER_HILBERT};
  make_mask(&mask);
  for (int i = 0; i <= SIDE - TUBE; i++) fill_box(&mask, (int[3]){i, i, i}, TUBE);
  int64_t whole = TUBE * TUBE * TUBE, kept = (TUBE - 1) * (TUBE - 1) * (TUBE - 1);
  assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_OK);
  assert_int_equal(tiling.nodes, whole + (SIDE - TUBE) * (whole - kept));
  int64_t bits = 0;
  for (int64_t t = 0; t < tiling.tiles; t++) bits += __builtin_popcountll(tiling.inside[t]);
  assert_int_equal(bits, tiling.nodes);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_diagonal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
