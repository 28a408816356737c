#include "segment/openings/border.h"
#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include <math.h>
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static void message_has(const char *part) {
  if (!strstr(ht_error_message(), part)) fail_msg("'%s' is not in: %s", part, ht_error_message());
}

static ht_segment_options with_spacing(double spacing_mm) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.spacing_mm = spacing_mm;
  return options;
}

/* Faces that the mask touches (bit 2a: first layer along a, 2a + 1: last); checks that all others
 * are at least two voxels off. */
static int faces_touched(const ht_mask *mask) {
  const int *dim = mask->grid.dim;
  int low[3] = {dim[0], dim[1], dim[2]}, high[3] = {-1, -1, -1}, touched = 0;
  const uint8_t *inside = mask->inside;
  for (int v = 0; v < dim[0] * dim[1] * dim[2]; v++) {
    if (!inside[v]) continue;
    int at[3];
    ht_voxel_place(dim, v, at);
    for (int a = 0; a < 3; a++) {
      if (at[a] < low[a]) low[a] = at[a];
      if (at[a] > high[a]) high[a] = at[a];
    }
  }
  for (int a = 0; a < 3; a++) {
    touched |= (low[a] == 0) << 2 * a | (high[a] == dim[a] - 1) << (2 * a + 1);
    assert_true(low[a] == 0 || low[a] >= 2);
    assert_true(high[a] == dim[a] - 1 || high[a] <= dim[a] - 3);
  }
  return touched;
}

static void has_radius(const ht_mask *mask, int count, double radius_mm, double share) {
  ht_openings openings;
  int ignored;
  ok(ht_openings_at_border(mask, &openings, &ignored));
  assert_int_equal(openings.count, count);
  for (int i = 0; i < count; i++) {
    double error = openings.item[i].radius_mm / radius_mm - 1;
    if (fabs(error) > share) fail_msg("radius %g, off by %.3f", openings.item[i].radius_mm, error);
  }
}

static void has_volume(const tube_scan *make, const ht_mask *mask, double share) {
  double error = tube_scan_volume_ratio(make, mask) - 1;
  if (fabs(error) > share) fail_msg("the volume is off by %.2f %%", 100 * error);
}

/* The loss is that of partial volume and linear interpolation on a surface of radius R: about a
 * twelfth of the squared voxel over 2 R each, 1 % of the radius here. */
HT_TEST(tube_at_several_spacings) {
  const double spacing_mm[] = {0.4, 0.3, 0.2};
  tube_scan make = tube_scan_default();
  ht_volume scan;
  tube_scan_volume(&make, &scan);
  for (int s = 0; s < 3; s++) {
    ht_segment_options options = with_spacing(spacing_mm[s]);
    ht_segment_report report;
    ht_mask mask;
    ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
    assert_true(report.spacing_mm == spacing_mm[s] && report.diameter_mm == 0);
    assert_memory_equal(mask.grid.direction, scan.grid.direction, sizeof mask.grid.direction);
    assert_int_equal(faces_touched(&mask), 0x30); /* both ends of the third axis only */
    has_volume(&make, &mask, 0.03);
    has_radius(&mask, 2, 2, 0.02);
    assert_int_equal(tube_scan_wrong(&make, &mask, 0.25), 0); /* half a voxel of the scan */
    assert_near(report.lower, 200, 5);                        /* half-way from 100 to 300 */
    ht_mask_free(&mask);
  }
  ht_volume_free(&scan);
}

HT_TEST(nodes_across_the_widest_opening) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options = with_spacing(0);
  ht_segment_report report;
  options.nodes_across = 16;
  tube_scan_volume(&make, &scan);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_near(report.diameter_mm / 4, 1, 0.03);
  assert_near(report.spacing_mm * 16 / report.diameter_mm, 1, 1e-9);
  ht_mask_free(&mask);
  make.tube[0].half_length_mm = 6; /* ends inside: no opening, the widest place counts */
  ht_volume_free(&scan);
  tube_scan_volume(&make, &scan);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(faces_touched(&mask), 0);
  if (fabs(report.diameter_mm / 4 - 1) > 0.1) fail_msg("diameter %g", report.diameter_mm);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(region_is_cut_exactly) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options = with_spacing(0.25);
  make.tilt = 0; /* the LPS box then is the image's */
  make.tube[0].along[0] = 0.3, make.tube[0].along[1] = 0, make.tube[0].along[2] = 1;
  tube_scan_volume(&make, &scan);
  double low[3] = {20, 20, 12}, high[3] = {40, 44, 27};
  ht_grid_position(&scan.grid, low, options.region_min_mm);
  ht_grid_position(&scan.grid, high, options.region_max_mm);
  options.has_region = 1;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  assert_int_equal(faces_touched(&mask), 0x30);
  /* The lattice's cells fill those of the voxels 12 to 27. */
  double begin = mask.grid.origin_mm[2] - 0.125, end = begin + 0.25 * mask.grid.dim[2];
  assert_near(begin, (options.region_min_mm[2] - 0.4), 0.126);
  assert_near(end, (options.region_max_mm[2] + 0.4), 0.126);
  has_volume(&make, &mask, 0.03);
  has_radius(&mask, 2, 2, 0.03);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

static tube_scan two_tubes(void) {
  tube_scan make = tube_scan_default();
  double i[3];
  tube_scan_axis(&make, 0, i);
  make.tubes = 2;
  make.tube[1] = make.tube[0];
  make.tube[1].radius_mm = 1.4;
  for (int r = 0; r < 3; r++) make.tube[1].through[r] += 6 * i[r];
  return make;
}

HT_TEST(the_seed_chooses_the_piece) {
  tube_scan make = two_tubes();
  ht_volume scan;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  for (int seeded = 0; seeded < 2; seeded++) {
    ht_segment_options options = with_spacing(0.3);
    ht_mask mask;
    options.has_seed = seeded;
    memcpy(options.seed_mm, make.tube[1].through, sizeof options.seed_mm);
    ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
    assert_int_equal(report.components, 2);
    assert_true(seeded ? report.kept_fraction < 0.4 : report.kept_fraction > 0.6);
    has_radius(&mask, 2, seeded ? 1.4 : 2, 0.03);
    ht_mask_free(&mask);
  }
  ht_volume_free(&scan);
}

HT_TEST(cavities_are_filled) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options = with_spacing(0.25);
  options.lower = 200;
  tube_scan_volume(&make, &scan);
  const int *dim = scan.grid.dim; /* a dark spot in the middle, as of a slow vortex */
  int64_t middle = dim[0] / 2 + dim[0] * (dim[1] / 2 + (int64_t)dim[1] * (dim[2] / 2));
  for (int n = 0; n < 8; n++)
    scan.values[middle - n % 2 - n / 2 % 2 * dim[0] - n / 4 * (int64_t)dim[0] * dim[1]] = 0;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  assert_int_equal(tube_scan_wrong(&make, &mask, 0.25), 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(vesselness_finds_a_faint_tube) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  ht_segment_options options = with_spacing(0.25);
  make.blood = 160; /* contrast 60, noise 12, next to a slab far brighter than the vessel */
  make.noise = 12;
  tube_scan_volume(&make, &scan);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++)
    if (v % scan.grid.dim[0] < 6) scan.values[v] += 400;
  options.method = HT_SEGMENT_VESSELNESS;
  options.has_seed = 1;
  memcpy(options.seed_mm, make.tube[0].through, sizeof options.seed_mm);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_non_null(strstr(report.method, "vesselness"));
  assert_int_equal(faces_touched(&mask), 0x30);
  has_volume(&make, &mask, 0.06);
  assert_true(report.cut_share < 0.01);
  ht_mask_free(&mask);
  options.vessel_radius_mm[0] = 0.5, options.vessel_radius_mm[1] = 0.6; /* of a tube of 2 mm */
  options.lower = 130;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_true(report.cut_share > 0.01);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(finds_nothing_in_noise) {
  tube_scan make = tube_scan_default();
  ht_segment_options options = with_spacing(0.4);
  ht_volume scan;
  ht_mask mask;
  make.blood = make.tissue;
  tube_scan_volume(&make, &scan);
  for (int method = HT_SEGMENT_AUTO; method <= HT_SEGMENT_VESSELNESS; method++) {
    options.method = (ht_segment_method)method;
    assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
    assert_null(mask.inside);
    message_has("segment.lower");
  }
  options.method = HT_SEGMENT_AUTO;
  options.lower = 1000;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  message_has("no voxel lies between 1000");
  message_has("values run from");
  options.lower = NAN;
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) scan.values[v] = 7;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  message_has("from 7 to 7");
  ht_volume_free(&scan);
}

/* A threshold between two tissues that both are large finds no vessel. */
HT_TEST(refuses_half_of_the_region) {
  tube_scan make = tube_scan_default();
  ht_segment_options options = with_spacing(0.4);
  ht_volume scan;
  ht_mask mask;
  make.tube[0].radius_mm = 11;
  tube_scan_volume(&make, &scan);
  options.method = HT_SEGMENT_THRESHOLD;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  message_has("% of the region");
  message_has("region and seed_mm");
  options.lower = 200; /* a given value is not questioned */
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(refuses_places_outside) {
  tube_scan make = tube_scan_default();
  ht_segment_options options = with_spacing(0.4);
  ht_volume scan;
  ht_mask mask;
  tube_scan_volume(&make, &scan);
  options.has_seed = 1;
  options.seed_mm[0] = 500;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_CASE);
  message_has("outside the scan");
  options.has_seed = 0;
  options.has_region = 1;
  for (int r = 0; r < 3; r++) options.region_min_mm[r] = 500, options.region_max_mm[r] = 510;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_CASE);
  message_has("the scan's box is");
  ht_volume_free(&scan);
}

HT_TEST(refuses_a_lattice_too_large) {
  tube_scan make = tube_scan_default();
  ht_segment_options options = with_spacing(0.1);
  ht_volume scan;
  ht_mask mask;
  tube_scan_volume(&make, &scan);
  options.max_voxels = 300000;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_MEMORY);
  assert_null(mask.inside);
  const char *text = strstr(ht_error_message(), "lattice.spacing_mm to ");
  assert_non_null(text);
  options.spacing_mm = strtod(text + strlen("lattice.spacing_mm to "), NULL);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  assert_in_range(ht_grid_voxels(&mask.grid), 150000, 300000);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

static int stop_after(void *user, const char *stage, double done, double total, const char *note) {
  int *calls = user;
  (void)done, (void)total, (void)note;
  assert_string_equal(stage, "segment");
  return --*calls < 0;
}

HT_TEST(stops_when_asked) {
  tube_scan make = tube_scan_default();
  ht_segment_options options = with_spacing(0.4);
  ht_volume scan;
  ht_mask mask;
  tube_scan_volume(&make, &scan);
  for (int calls = 0; calls < 60; calls += 20) {
    int left = calls;
    ht_progress progress = {.report = stop_after, .user = &left};
    assert_int_equal(ht_segment_volume(&scan, &options, &progress, &mask, NULL),
                     HT_ERR_INTERRUPTED);
    assert_null(mask.inside);
  }
  ht_volume_free(&scan);
}

HT_TEST(checks_the_options) {
  ht_segment_options options, defaults;
  ht_segment_defaults(&defaults);
  ok(ht_segment_check(&defaults));
  options = defaults, options.lower = 3, options.upper = 2;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  message_has("lower is 3");
  options = defaults, options.spacing_mm = -1;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  options = defaults, options.nodes_across = 2;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  options = defaults, options.smoothing_mm = NAN;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  options = defaults, options.vessel_radius_mm[0] = 3, options.vessel_radius_mm[1] = 2;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  options = defaults, options.has_region = 1;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  message_has("min_mm x is 0, not below max_mm 0");
  options = defaults, options.bone = 1e9;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tube_at_several_spacings), cmocka_unit_test(nodes_across_the_widest_opening),
      cmocka_unit_test(region_is_cut_exactly),    cmocka_unit_test(the_seed_chooses_the_piece),
      cmocka_unit_test(cavities_are_filled),      cmocka_unit_test(vesselness_finds_a_faint_tube),
      cmocka_unit_test(finds_nothing_in_noise),   cmocka_unit_test(refuses_half_of_the_region),
      cmocka_unit_test(refuses_places_outside),   cmocka_unit_test(refuses_a_lattice_too_large),
      cmocka_unit_test(stops_when_asked),         cmocka_unit_test(checks_the_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
