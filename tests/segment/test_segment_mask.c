#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include <math.h>
#include "tests/check.h"
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static ht_segment_options as_drawn(void) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.nodes_across = 0;
  return options;
}

static int64_t voxel(const ht_grid *grid, int i, int j, int k) {
  return i + (int64_t)grid->dim[0] * (j + (int64_t)grid->dim[1] * k);
}

/* Every voxel of `mask` has, at the same place in `drawn`, the same value; and none is missing. */
static void same_voxels(const ht_mask *drawn, const ht_mask *mask) {
  const ht_grid *grid = &mask->grid;
  assert_int_equal(ht_mask_count(mask), ht_mask_count(drawn));
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++) {
        double index[3] = {i, j, k}, p[3], at[3];
        if (!mask->inside[voxel(grid, i, j, k)]) continue;
        ht_grid_position(grid, index, p);
        ht_grid_index(&drawn->grid, p, at);
        for (int a = 0; a < 3; a++) assert_near(at[a], round(at[a]), 1e-9);
        assert_int_equal(drawn->inside[voxel(&drawn->grid, (int)round(at[0]), (int)round(at[1]),
                                             (int)round(at[2]))],
                         1);
      }
}

HT_TEST(an_isotropic_mask_stays_as_drawn) {
  tube_scan make = tube_scan_default();
  ht_mask drawn, mask;
  ht_segment_report report;
  ht_segment_options options = as_drawn();
  make.spacing_mm[2] = 0.5;
  tube_scan_mask(&make, &drawn);
  ok(ht_segment_mask(&drawn, &options, NULL, &mask, &report));
  same_voxels(&drawn, &mask);
  assert_int_equal(mask.grid.dim[2], drawn.grid.dim[2]); /* still to the border */
  assert_true(mask.grid.dim[0] < drawn.grid.dim[0]);
  assert_string_equal(report.method, "mask, as drawn");
  assert_true(report.spacing_mm == 0.5 && report.components == 1 && report.kept_fraction == 1);
  drawn.inside[0] = 7; /* a stray voxel, and any value but 0 is vessel */
  ht_mask_free(&mask);
  ok(ht_segment_mask(&drawn, &options, NULL, &mask, &report));
  assert_int_equal(report.components, 2);
  drawn.inside[0] = 0;
  same_voxels(&drawn, &mask);
  ht_mask_free(&mask);
  ht_mask_free(&drawn);
}

HT_TEST(a_resampled_mask_keeps_its_volume) {
  const double radius_mm[] = {2.5, 1.5, 1};
  for (int n = 0; n < 3; n++) {
    tube_scan make = tube_scan_default();
    ht_mask drawn, mask;
    ht_segment_options options = as_drawn();
    options.spacing_mm = 0.25;
    make.tube[0].radius_mm = radius_mm[n];
    tube_scan_mask(&make, &drawn);
    ok(ht_segment_mask(&drawn, &options, NULL, &mask, NULL));
    const double *s = drawn.grid.spacing_mm;
    double volume = (double)ht_mask_count(&drawn) * s[0] * s[1] * s[2];
    double ratio = (double)ht_mask_count(&mask) * pow(options.spacing_mm, 3) / volume;
    if (fabs(ratio - 1) > 0.01) fail_msg("radius %g: volume ratio %g", radius_mm[n], ratio);
    assert_int_equal(tube_scan_wrong(&make, &mask, 0.5), 0); /* a voxel of the drawing */
    assert_memory_equal(mask.grid.direction, drawn.grid.direction, sizeof mask.grid.direction);
    ht_mask_free(&mask);
    ht_mask_free(&drawn);
  }
}

/* The smoothed surface is nearer to the truth than the stairs of the drawing. */
HT_TEST(resampling_takes_the_stairs_away) {
  tube_scan make = tube_scan_default();
  ht_mask drawn, smooth;
  ht_segment_options options = as_drawn();
  options.spacing_mm = 0.2;
  tube_scan_mask(&make, &drawn);
  ok(ht_segment_mask(&drawn, &options, NULL, &smooth, NULL));
  int64_t wrong = tube_scan_wrong(&make, &smooth, 0), stairs = 0;
  const ht_grid *grid = &smooth.grid;
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++) {
        double index[3] = {i, j, k}, p[3], at[3];
        ht_grid_position(grid, index, p);
        ht_grid_index(&drawn.grid, p, at);
        int inside = 1;
        for (int a = 0; a < 3; a++) inside &= at[a] > -0.5 && at[a] < drawn.grid.dim[a] - 0.5;
        if (!inside) continue;
        int is = drawn.inside[voxel(&drawn.grid, (int)round(at[0]), (int)round(at[1]),
                                    (int)round(at[2]))];
        stairs += is != (tube_scan_distance(&make, p) <= 0);
      }
  if (wrong > 0.7 * (double)stairs) fail_msg("%d wrong, stairs %d", (int)wrong, (int)stairs);
  ht_mask_free(&smooth);
  ht_mask_free(&drawn);
}

/* A line one voxel thick, with bends, is still one piece and as thick. */
HT_TEST(a_thin_vessel_is_kept) {
  ht_grid grid = ht_grid_make(24, 24, 24);
  ht_mask drawn, mask;
  ht_segment_options options = as_drawn();
  ht_segment_report report;
  int length = 0;
  options.spacing_mm = 0.25;
  ok(ht_mask_alloc(&grid, &drawn));
  for (int i = 0; i < 24; i++) drawn.inside[voxel(&grid, i, 6 + i / 2, 12)] = 1;
  for (int i = 1; i < 24; i += 2) drawn.inside[voxel(&grid, i, 7 + i / 2, 12)] = 1;
  length = (int)ht_mask_count(&drawn);
  ok(ht_segment_mask(&drawn, &options, NULL, &mask, &report));
  assert_int_equal(report.components, 1);
  assert_true(mask.grid.dim[0] == 4 * 24); /* from border to border */
  if (fabs(report.volume_ml * 1000 / length - 1) > 0.2)
    fail_msg("volume ratio %g", report.volume_ml * 1000 / length);
  ht_mask_free(&mask);
  ht_mask_free(&drawn);
}

HT_TEST(a_full_mask_stays_full) {
  ht_grid grid = ht_grid_make(8, 8, 16);
  ht_mask drawn, mask;
  ht_segment_options options = as_drawn();
  options.spacing_mm = 0.5;
  ok(ht_mask_alloc(&grid, &drawn));
  memset(drawn.inside, 1, 8 * 8 * 16);
  ok(ht_segment_mask(&drawn, &options, NULL, &mask, NULL));
  assert_int_equal(ht_mask_count(&mask), 16 * 16 * 32);
  assert_int_equal(ht_grid_voxels(&mask.grid), 16 * 16 * 32);
  ht_mask_free(&mask);
  ht_mask_free(&drawn);
}

HT_TEST(refuses_an_empty_mask) {
  ht_grid grid = ht_grid_make(8, 8, 8);
  ht_mask drawn, mask;
  ht_segment_options options = as_drawn();
  ok(ht_mask_alloc(&grid, &drawn));
  assert_int_equal(ht_segment_mask(&drawn, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  assert_null(mask.inside);
  assert_non_null(strstr(ht_error_message(), "no vessel voxel"));
  drawn.inside[0] = 1;
  options.has_region = 1;
  for (int a = 0; a < 3; a++) options.region_min_mm[a] = 3, options.region_max_mm[a] = 5;
  assert_int_equal(ht_segment_mask(&drawn, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "in the region"));
  ht_mask_free(&drawn);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_isotropic_mask_stays_as_drawn),
      cmocka_unit_test(a_resampled_mask_keeps_its_volume),
      cmocka_unit_test(resampling_takes_the_stairs_away),
      cmocka_unit_test(a_thin_vessel_is_kept),
      cmocka_unit_test(a_full_mask_stays_full),
      cmocka_unit_test(refuses_an_empty_mask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
