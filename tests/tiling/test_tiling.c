/* Tile placement against brute force, and the paper's closed results. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "tests/tiling/random_mask.h"
#include "tiling/tiling.h"
#include <stdlib.h>
#include <string.h>

static void test_all_origins_equal_brute_force(void **unused) {
  (void)unused;
  static const int sides[3] = {4, 4, 4};
  for (int trial = 0; trial < 1000; trial++) {
    ht_mask mask = ht_random_mask(13);
    ht_tiling tiling;
    assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
    double best = 0;
    for (int o = 0; o < 64; o++) {
      int origin[3] = {o & 3, (o >> 2) & 3, o >> 4};
      double exact = (double)tiling.nodes / (64.0 * (double)ht_count_boxes(&mask, origin, sides));
      assert_near(tiling.utilisation_of[o], exact, 1e-15);
      best = fmax(best, exact);
    }
    assert_true(tiling.utilisation == best);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* Every neighbour is what the map has there, and the tile is a neighbour of its neighbours. */
static void check_neighbours(const ht_tiling *tiling, const int map_dim[3], const int32_t *map) {
  for (int64_t t = 0; t < tiling->tiles; t++) {
    const int32_t *neighbour = tiling->neighbour + HT_TILE_NEIGHBOURS * t;
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
      const int32_t *p = tiling->position + 3 * t;
      const int at[3] = {p[0] + i % 3 - 1, p[1] + i / 3 % 3 - 1, p[2] + i / 9 - 1};
      int inside = ht_voxel_in_grid(map_dim, at);
      assert_int_equal(neighbour[i], inside ? map[ht_voxel_index(map_dim, at)] : -1);
      if (neighbour[i] >= 0)
        assert_int_equal(tiling->neighbour[HT_TILE_NEIGHBOURS * (int64_t)neighbour[i] + 26 - i], t);
    }
    assert_int_equal(neighbour[13], t);
  }
}

/* Every fluid voxel has its bit in its tile, and there are no other bits. */
static void check_nodes(const ht_tiling *tiling, const ht_mask *mask, const int32_t *map) {
  int64_t bits = 0;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    bits += __builtin_popcountll(tiling->inside[t]);
    assert_true(tiling->inside[t] != 0);
  }
  assert_int_equal(bits, ht_mask_count(mask));
  assert_int_equal(tiling->nodes, bits);
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    int voxel[3], local;
    int64_t tile;
    ht_voxel_place(mask->grid.dim, v, voxel);
    ht_tiling_find(tiling, map, voxel, &tile, &local);
    int found = tile >= 0 && ((tiling->inside[tile] >> local) & 1);
    assert_int_equal(found, mask->inside[v] != 0);
  }
}

static void check_cover(const ht_mask *mask, const ht_tiling_options *options) {
  ht_tiling tiling;
  int map_dim[3];
  int32_t *map;
  assert_int_equal(ht_tiling_build(mask, options, &tiling), HT_OK);
  assert_int_equal(ht_tiling_map(&tiling, map_dim, &map), HT_OK);
  check_neighbours(&tiling, map_dim, map);
  check_nodes(&tiling, mask, map);
  free(map);
  ht_tiling_free(&tiling);
}

static void test_cover(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 1000; trial++) {
    ht_mask mask = ht_random_mask(13);
    ht_tiling_options options = {
        .fixed_origin = 1, .origin = {ht_random_below(4), ht_random_below(4), ht_random_below(4)}};
    check_cover(&mask, &options);
    ht_mask_free(&mask);
  }
}

/* Rows of tiles of several words: 64 tiles or 16 tiles are where these end. */
static void test_cover_long(void **unused) {
  (void)unused;
  static const int dims[][3] = {{300, 5, 4}, {256, 4, 4}, {261, 7, 5}, {6, 270, 5}, {5, 6, 290}};
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    ht_mask mask;
    ht_grid grid = ht_grid_make(dims[i][0], dims[i][1], dims[i][2]);
    assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
    for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) mask.inside[v] = ht_random_below(50) == 0;
    for (int o = 0; o < 4; o++)
      check_cover(&mask, &(ht_tiling_options){.fixed_origin = 1, .origin = {o, o, o}});
    ht_mask_free(&mask);
  }
}

/* 20 x 12 x 8 full voxels fit 5 x 3 x 2 tiles; any other origin needs one more along its axis. */
static void test_full(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  assert_int_equal(ht_geometry_box((int[3]){20, 12, 8}, &mask), HT_OK);
  memset(mask.inside, 255, (size_t)ht_grid_voxels(&mask.grid)); /* any value but 0 is fluid */
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(tiling.tiles, 30);
  assert_true(tiling.utilisation == 1);
  for (int t = 0; t < 30; t++) assert_true(tiling.inside[t] == UINT64_MAX);
  for (int o = 0; o < 64; o++) {
    int tiles = (5 + ((o & 3) > 0)) * (3 + ((o >> 2 & 3) > 0)) * (2 + (o >> 4 > 0));
    assert_true(tiling.utilisation_of[o] == 1920.0 / 64 / tiles);
  }
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* An 8x8 channel along z (Tomczak & Szafran, section 3.4): over the 16 placements across it, 9
 * tilings have utilisation 0.44, 6 have 0.67 and 1 has 1.0; the mean is 0.56. */
static void test_square_channel(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  assert_int_equal(ht_geometry_box((int[3]){8, 8, 4}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  int low = 0, middle = 0, full = 0;
  double mean = 0;
  for (int o = 0; o < 16; o++) {
    double u = tiling.utilisation_of[o];
    low += fabs(u - 4.0 / 9) < 1e-12;
    middle += fabs(u - 2.0 / 3) < 1e-12;
    full += u == 1;
    mean += u / 16;
  }
  assert_int_equal(low, 9);
  assert_int_equal(middle, 6);
  assert_int_equal(full, 1);
  assert_near(mean, 0.5625, 1e-12);
  assert_true(tiling.utilisation == 1);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void test_empty_and_one_voxel(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  ht_grid grid = ht_grid_make(5, 6, 7);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_ERR_VESSEL);
  assert_null(tiling.inside);
  mask.inside[17] = 1;
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(tiling.tiles, 1);
  assert_true(tiling.utilisation == 1.0 / 64);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_origins_equal_brute_force),
      cmocka_unit_test(test_cover),
      cmocka_unit_test(test_cover_long),
      cmocka_unit_test(test_full),
      cmocka_unit_test(test_square_channel),
      cmocka_unit_test(test_empty_and_one_voxel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
