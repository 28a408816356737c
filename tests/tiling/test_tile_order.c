/* Orders of tiles: each is a permutation that keeps every tile's nodes and neighbours. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "tests/tiling/random_mask.h"
#include "tiling/tile_order.h"
#include "tiling/tiling.h"
#include <stdlib.h>

/* Tiles are identified by their position, which `map` finds. */
static void check_same_tiles(const ht_tiling *tiling, const ht_tiling *raster) {
  int dim[3];
  int32_t *map;
  assert_int_equal(ht_tiling_map(tiling, dim, &map), HT_OK);
  assert_int_equal(tiling->tiles, raster->tiles);
  for (int64_t r = 0; r < raster->tiles; r++) {
    int64_t t = map[ht_voxel_index(dim, raster->position + 3 * r)];
    assert_in_range(t, 0, tiling->tiles - 1);
    assert_true(tiling->inside[t] == raster->inside[r]);
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
      int32_t there = raster->neighbour[HT_TILE_NEIGHBOURS * r + i];
      int64_t expected = there < 0 ? -1 : map[ht_voxel_index(dim, raster->position + 3 * there)];
      assert_int_equal(tiling->neighbour[HT_TILE_NEIGHBOURS * t + i], expected);
    }
  }
  free(map);
}

static void test_permutation(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 150; trial++) {
    ht_mask mask = ht_random_mask(25);
    ht_tiling raster, tiling;
    assert_int_equal(ht_tiling_build(&mask, NULL, &raster), HT_OK);
    for (int order = 0; ht_tile_order_words[order]; order++) {
      ht_tiling_options options = {.order = (ht_tile_order)order};
      for (int a = 0; a < 3; a++) options.first_voxel[a] = ht_random_below(mask.grid.dim[a]);
      assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_OK);
      assert_int_equal(tiling.order, order);
      check_same_tiles(&tiling, &raster);
      assert_int_equal(ht_tiling_sort(&tiling, HT_ORDER_RASTER, NULL), HT_OK);
      assert_memory_equal(tiling.position, raster.position,
                          (size_t)raster.tiles * 3 * sizeof(int32_t));
      ht_tiling_free(&tiling);
    }
    ht_tiling_free(&raster);
    ht_mask_free(&mask);
  }
}

static void full_cube(int tiles, ht_tile_order order, ht_tiling *tiling) {
  ht_mask mask;
  const int side = 4 * tiles;
  ht_tiling_options options = {.order = order};
  assert_int_equal(ht_geometry_box((int[3]){side, side, side}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, &options, tiling), HT_OK);
  assert_int_equal(tiling->tiles, tiles * tiles * tiles);
  ht_mask_free(&mask);
}

static int steps_between(const int32_t *a, const int32_t *b) {
  return abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]);
}

/* The Hilbert curve goes from a tile to one with a common face, and fills each octant of the cube,
 * and of the octant, before the next. */
static void test_hilbert(void **unused) {
  (void)unused;
  for (int tiles = 2; tiles <= 16; tiles *= 2) {
    ht_tiling tiling;
    full_cube(tiles, HT_ORDER_HILBERT, &tiling);
    for (int64_t t = 1; t < tiling.tiles; t++)
      assert_int_equal(steps_between(tiling.position + 3 * t - 3, tiling.position + 3 * t), 1);
    for (int side = 2; side < tiles; side *= 2)
      for (int64_t t = 0; t < tiling.tiles; t++) {
        int64_t first = t - t % (side * side * side);
        for (int a = 0; a < 3; a++)
          assert_int_equal(tiling.position[3 * t + a] / side,
                           tiling.position[3 * first + a] / side);
      }
    ht_tiling_free(&tiling);
  }
}

static void test_morton(void **unused) {
  (void)unused;
  ht_tiling tiling;
  full_cube(8, HT_ORDER_MORTON, &tiling);
  for (int t = 0; t < 512; t++)
    for (int a = 0; a < 3; a++) {
      int expected = ((t >> a) & 1) | ((t >> (a + 3)) & 1) << 1 | ((t >> (a + 6)) & 1) << 2;
      assert_int_equal(tiling.position[3 * t + a], expected);
    }
  ht_tiling_free(&tiling);
  assert_true(ht_morton_key((int32_t[3]){0x1fffff, 0x1fffff, 0x1fffff}, 21) == UINT64_MAX >> 1);
}

/* Boxes 6 tiles long along one axis. */
static void test_sweep(void **unused) {
  (void)unused;
  for (int slowest = 0; slowest < 3; slowest++) {
    int dim[3] = {12, 12, 16};
    ht_mask mask;
    ht_tiling tiling;
    ht_tiling_options options = {.order = HT_ORDER_SWEEP};
    dim[slowest] = 24;
    assert_int_equal(ht_geometry_box(dim, &mask), HT_OK);
    assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_OK);
    int fast = slowest == 0, middle = slowest == 2 ? 1 : 2;
    for (int64_t t = 0; t < tiling.tiles; t++) {
      const int32_t *at = tiling.position + 3 * t;
      assert_int_equal(t, at[fast] + dim[fast] / 4 * (at[middle] + dim[middle] / 4 * at[slowest]));
    }
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* A pipe along z with its first tile at the far end: the order goes down the pipe. In a full cube
 * the distance from the first tile never falls. */
static void test_breadth(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling_options options = {.order = HT_ORDER_BREADTH, .first_voxel = {0, 0, 79}};
  ht_tiling tiling;
  assert_int_equal(ht_geometry_box((int[3]){4, 4, 80}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_OK);
  for (int t = 0; t < 20; t++) assert_int_equal(tiling.position[3 * t + 2], 19 - t);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
  full_cube(8, HT_ORDER_RASTER, &tiling);
  assert_int_equal(ht_tiling_sort(&tiling, HT_ORDER_BREADTH, (int[3]){13, 14, 15}), HT_OK);
  const int32_t *first = tiling.position;
  assert_memory_equal(first, ((int32_t[3]){3, 3, 3}), 3 * sizeof(int32_t));
  for (int t = 1; t < 512; t++)
    assert_true(steps_between(first, first + 3 * t) >= steps_between(first, first + 3 * t - 3));
  ht_tiling_free(&tiling);
}

static void test_refused(void **unused) {
  (void)unused;
  ht_mask mask = ht_random_mask(9);
  ht_tiling_options options = {.order = (ht_tile_order)5};
  ht_tiling tiling;
  assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_ERR_USAGE);
  assert_null(tiling.position);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_permutation), cmocka_unit_test(test_hilbert),
      cmocka_unit_test(test_sweep),       cmocka_unit_test(test_morton),
      cmocka_unit_test(test_breadth),     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
