/* The vessel between points where it runs along the border of the scan. */
#include "segment/segment.h"
#include "tests/check.h"
#include "tests/segment/tube_scan.h"
#include <math.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* Points on the tube, which runs along the image's third axis, 9 mm to both sides of its middle. */
static ht_segment_options between(const tube *t) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.spacing_mm = 0.4;
  options.points = 2;
  for (int p = 0; p < 2; p++)
    for (int r = 0; r < 3; r++) options.point_mm[p][r] = t->through[r] + (p ? 9 : -9) * t->along[r];
  return options;
}

/* A vessel along a side of the scan: where it reaches the border its wall is closed between the
 * points, and it has no opening there; where its axis comes too near it is refused. */
HT_TEST(test_along_border) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  make.tilt = 0;
  const ht_grid grid = tube_scan_grid(&make);
  const double face_mm = grid.origin_mm[0] - 0.5 * make.spacing_mm[0];
  tube_scan_axis(&make, 2, make.tube[0].along);
  make.tube[0].through[0] = face_mm + 0.8 * make.tube[0].radius_mm;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0]);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_true(report.closed_border > 0);
  assert_true(report.closed_border_mm[0] < face_mm + make.spacing_mm[0]);
  int64_t inside = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&mask.grid, v, p);
    if (!mask.inside[v] || fabs(p[2] - make.tube[0].through[2]) > 7) continue;
    assert_true(p[0] > face_mm + 0.5 * make.spacing_mm[0]);
    inside++;
  }
  assert_true(inside > 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
  make.tube[0].through[0] = face_mm + 0.3 * make.tube[0].radius_mm;
  tube_scan_volume(&make, &scan);
  options = between(&make.tube[0]);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "runs along the scan's border"));
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_along_border)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
