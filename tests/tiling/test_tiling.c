/* Tile placement against brute force, and the paper's closed results. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tiling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static ht_mask random_mask(void) {
  ht_mask mask;
  ht_grid grid = ht_grid_make(1 + next() % 13, 1 + next() % 13, 1 + next() % 13);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  int one_in = 1 + (int)(next() % 20);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask.inside[v] = next() % one_in == 0 ? 1 + next() % 2 : 0;
  mask.inside[next() % ht_grid_voxels(&grid)] = 1;
  return mask;
}

static int tile_is_empty(const ht_mask *mask, const int first[3]) {
  const int *dim = mask->grid.dim;
  for (int n = 0; n < 64; n++) {
    int x = first[0] + (n & 3), y = first[1] + ((n >> 2) & 3), z = first[2] + (n >> 4);
    if (x < 0 || y < 0 || z < 0 || x >= dim[0] || y >= dim[1] || z >= dim[2]) continue;
    if (mask->inside[x + dim[0] * (y + (int64_t)dim[1] * z)]) return 0;
  }
  return 1;
}

static int64_t count_brute(const ht_mask *mask, const int origin[3]) {
  int64_t tiles = 0;
  const int *dim = mask->grid.dim;
  for (int z = -origin[2]; z < dim[2]; z += 4)
    for (int y = -origin[1]; y < dim[1]; y += 4)
      for (int x = -origin[0]; x < dim[0]; x += 4) tiles += !tile_is_empty(mask, (int[3]){x, y, z});
  return tiles;
}

static void test_all_origins_equal_brute_force(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 300; trial++) {
    ht_mask mask = random_mask();
    ht_tiling tiling;
    assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
    double best = 0;
    for (int o = 0; o < 64; o++) {
      int origin[3] = {o & 3, (o >> 2) & 3, o >> 4};
      double exact = (double)tiling.nodes / (64.0 * (double)count_brute(&mask, origin));
      assert_true(fabs(tiling.utilisation_of[o] - exact) <= 1e-15);
      best = fmax(best, exact);
    }
    assert_true(tiling.utilisation == best);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* Every fluid voxel is in exactly one tile, under the bit that says so; neighbours are symmetric.
 */
static void test_cover(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 300; trial++) {
    ht_mask mask = random_mask();
    ht_tiling_options options = {.fixed_origin = 1, .origin = {next() % 4, next() % 4, next() % 4}};
    ht_tiling tiling;
    int map_dim[3];
    int32_t *map;
    assert_int_equal(ht_tiling_build(&mask, &options, &tiling), HT_OK);
    assert_int_equal(ht_tiling_map(&tiling, map_dim, &map), HT_OK);
    int64_t bits = 0;
    for (int64_t t = 0; t < tiling.tiles; t++) {
      bits += __builtin_popcountll(tiling.inside[t]);
      for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
        int32_t there = tiling.neighbour[HT_TILE_NEIGHBOURS * t + i];
        if (there >= 0)
          assert_int_equal(tiling.neighbour[HT_TILE_NEIGHBOURS * (int64_t)there + 26 - i], t);
      }
      assert_int_equal(tiling.neighbour[HT_TILE_NEIGHBOURS * t + 13], t);
    }
    assert_int_equal(bits, ht_mask_count(&mask));
    const int *dim = mask.grid.dim;
    for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
      int voxel[3];
      ht_voxel_place(dim, v, voxel);
      int64_t tile;
      int local;
      ht_tiling_find(&tiling, map, voxel, &tile, &local);
      int found = tile >= 0 && ((tiling.inside[tile] >> local) & 1);
      assert_int_equal(found, mask.inside[v] != 0);
    }
    free(map);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* An 8x8 channel along z (Tomczak & Szafran, section 3.4): over the 16 placements across it, 9
 * tilings have utilisation 0.44, 6 have 0.67 and 1 has 1.0; the mean is 0.56. */
static void test_square_channel(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  ht_grid grid = ht_grid_make(8, 8, 4);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  memset(mask.inside, 1, (size_t)ht_grid_voxels(&grid));
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
  assert_true(fabs(mean - 0.5625) < 1e-12);
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
      cmocka_unit_test(test_square_channel),
      cmocka_unit_test(test_empty_and_one_voxel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
