/* Parts of a tiling: each tile in one part, none empty, the cost shared out. */
#include "tests/check.h"
#include "phantom/geometry.h"
#include "tests/tiling/random_mask.h"
#include "tiling/tile_parts.h"
#include "tiling/tiling.h"
#include <stdlib.h>

static void check_parts(const ht_tiling *tiling, const int32_t *with, int parts) {
  int32_t *part = malloc((size_t)tiling->tiles * sizeof *part);
  int *seen = calloc((size_t)parts, sizeof *seen);
  assert_non_null(part);
  assert_non_null(seen);
  assert_int_equal(ht_tile_parts_cut(tiling, NULL, with, parts, part), HT_OK);
  for (int64_t t = 0; t < tiling->tiles; t++) {
    assert_in_range(part[t], 0, parts - 1);
    if (with) assert_int_equal(part[t], part[with[t]]);
    seen[part[t]] = 1;
  }
  for (int p = 0; p < parts; p++) assert_true(seen[p]);
  free(part);
  free(seen);
}

static void test_random(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 60; trial++) {
    ht_mask mask = ht_random_mask(25);
    ht_tiling tiling;
    assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
    int32_t *with = malloc((size_t)tiling.tiles * sizeof *with);
    assert_non_null(with);
    int free_tiles = 0;
    for (int64_t t = 0; t < tiling.tiles; t++) {
      with[t] = (int32_t)(t % 3 == 1 ? t - 1 : t);
      free_tiles += with[t] == t;
    }
    check_parts(&tiling, NULL, 1 + ht_random_below((int)tiling.tiles));
    check_parts(&tiling, NULL, (int)tiling.tiles);
    check_parts(&tiling, with, 1 + ht_random_below(free_tiles));
    free(with);
    ht_tiling_free(&tiling);
    ht_mask_free(&mask);
  }
}

/* A full cube of 8 x 8 x 8 tiles in 2 parts: one plane between them. A tile has 16 nodes at it, and
 * a part receives of each adjacent tile at most the 5 values of D3Q19 that cross a face. */
static void test_cube(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  int32_t part[512];
  ht_tile_parts_figures figures;
  assert_int_equal(ht_geometry_box((int[3]){32, 32, 32}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(tiling.tiles, 512);
  assert_int_equal(ht_tile_parts_cut(&tiling, NULL, NULL, 2, part), HT_OK);
  assert_int_equal(ht_tile_parts_measure(&tiling, NULL, 2, part, &figures), HT_OK);
  assert_true(figures.imbalance < 1e-12);
  assert_int_equal(figures.most_neighbours, 1);
  assert_true(figures.shared_values > 0);
  assert_true(figures.shared_values <= 2 * 5 * 32 * 32);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void test_refused(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  int32_t part[8];
  assert_int_equal(ht_geometry_box((int[3]){8, 8, 8}, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  assert_int_equal(ht_tile_parts_cut(&tiling, NULL, NULL, 0, part), HT_ERR_USAGE);
  assert_int_equal(ht_tile_parts_cut(&tiling, NULL, NULL, 9, part), HT_ERR_USAGE);
  assert_int_equal(ht_tile_parts_cut(&tiling, NULL, NULL, 8, part), HT_OK);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_cube),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
