/* Masks made thinner and thicker: the distance, and the ends. */
#include "tests/check.h"
#include "segment/openings/border.h"
#include "segment/surface/offset.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"

static const double spacing_mm = 0.4; /* of ht_tube_grid */

/* Mean radius, in voxels, of a tube that runs through the grid along z. */
static double radius_of(const ht_mask *mask) {
  return sqrt((double)ht_mask_count(mask) / mask->grid.dim[2] / HT_PI);
}

static void test_the_wall_moves_by_the_offset(void **unused) {
  (void)unused;
  const double offsets[6] = {-4, -1, -0.5, 0.5, 1, 4}; /* voxels */
  ht_grid grid = ht_tube_grid(40, 40, 30);
  ht_openings none = {0};
  for (int k = 0; k < 6; k++) {
    ht_tube tube = ht_tube_through((double[3]){19.3, 20.1, 15}, (double[3]){0.1, 0.15, 1}, 9);
    ht_mask mask = ht_tube_mask(&grid, &tube, 1), moved;
    ht_assert_ok(ht_mask_offset(&mask, &none, NULL, offsets[k] * spacing_mm, NULL, &moved, NULL));
    double by = radius_of(&moved) - radius_of(&mask);
    if (fabs(by - offsets[k]) > (fabs(offsets[k]) < 1 ? 0.1 : 0.2))
      fail_msg("moved by %.3f, not %.3f", by, offsets[k]);
    ht_openings openings;
    int ignored;
    ht_assert_ok(ht_openings_at_border(&moved, &openings, &ignored));
    assert_int_equal(openings.count, 2); /* and no side of it reaches the border */
    assert_int_equal(ignored, 0);
    ht_mask_free(&mask);
    ht_mask_free(&moved);
  }
}

/* The plane of a cut stays where it is; the wall next to it moves. */
static void test_cut_planes_stay(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 40, 60);
  for (int side = -1; side <= 1; side += 2) {
    ht_tube tube = ht_tube_through((double[3]){19.3, 20.1, 15}, (double[3]){0.1, 0.15, 1}, 9);
    ht_mask mask = ht_tube_mask(&grid, &tube, 1), moved;
    ht_openings cut = {.count = 1};
    double at[3], out[3], up[3] = {0.1, 0.15, 1};
    ht_grid_position(&grid, (double[3]){21, 22.5, 31.3}, at);
    ht_grid_to_lps(&grid, up, out);
    ht_assert_ok(ht_openings_cut(&mask, at, out, 0, &cut.item[0]));
    ht_assert_ok(ht_mask_offset(&mask, &cut, NULL, side * 1.5 * spacing_mm, NULL, &moved, NULL));
    double highest[2] = {-INFINITY, -INFINITY};
    for (int m = 0; m < 2; m++) {
      const ht_mask *one = m ? &moved : &mask;
      for (int64_t v = 0; v < ht_grid_voxels(&one->grid); v++) {
        double p[3], along = 0;
        if (!one->inside[v]) continue;
        ht_grid_voxel_position(&one->grid, v, p);
        for (int r = 0; r < 3; r++)
          along += (p[r] - cut.item[0].centre_mm[r]) * cut.item[0].normal[r];
        highest[m] = fmax(highest[m], along / spacing_mm);
      }
    }
    assert_near(highest[1], highest[0], 0.3);
    ht_mask_free(&mask);
    ht_mask_free(&moved);
  }
}

static void test_nothing_left(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(20, 20, 20);
  ht_openings none = {0};
  ht_tube tube = ht_tube_through((double[3]){10, 10, 10}, (double[3]){0, 0, 1}, 3);
  ht_mask mask = ht_tube_mask(&grid, &tube, 1), moved;
  assert_int_equal(ht_mask_offset(&mask, &none, NULL, -4 * spacing_mm, NULL, &moved, NULL),
                   HT_ERR_VESSEL);
  assert_null(moved.inside);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_wall_moves_by_the_offset),
      cmocka_unit_test(test_cut_planes_stay),
      cmocka_unit_test(test_nothing_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
