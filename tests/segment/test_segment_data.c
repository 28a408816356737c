/* The vessels of the two ready cases of real scans (cases/tof-mra, cases/ct-avm): one piece, with
 * the openings that the case files name. */
#include "segment/openings/border.h"
#include "import/import.h"
#include "segment/segment.h"
#include <math.h>
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *scan;
  double region_min_mm[3], region_max_mm[3], lower, nodes_across;
  int openings; /* with a radius above 1.1 mm */
  double opening_mm[4][3], radius_mm[4];
  int64_t most_voxels, most_vessel;
} real_case;

static const real_case carotid = {
    .scan = "tof-mra-circle-of-willis/chris_MRA.nii.gz",
    .region_min_mm = {4.8, -51.2, -35.7},
    .region_max_mm = {20.9, -17.2, 5.8},
    .lower = 75,
    .nodes_across = 20,
    .openings = 3,
    .opening_mm = {{20.9, -25.0, -30.0}, {22.9, -42.1, -3.1}, {4.8, -43.4, 0.0}},
    .radius_mm = {2.64, 1.6, 1.23},
    .most_voxels = 1500000,
    .most_vessel = 200000};

static const real_case sinus = {
    .scan = "ct-avm/CT_AVM.nii.gz",
    .region_min_mm = {-8.7, 33.6, 5.9},
    .region_max_mm = {18.7, 62.5, 35.9},
    .lower = 225,
    .nodes_across = 28,
    .openings = 4,
    .opening_mm = {{9.3, 54.3, 6.6}, {11.0, 44.8, 36.1}, {1.7, 47.5, 36.1}, {18.9, 47.9, 28.1}},
    .radius_mm = {3.56, 3.03, 2.9, 1.29},
    .most_voxels = 1500000,
    .most_vessel = 200000};

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static void find(const real_case *one, ht_mask *mask, ht_segment_report *report) {
  char path[4096];
  ht_volume scan;
  ht_segment_options options;
  snprintf(path, sizeof path, "%s/%s", getenv("HEMOTILE_DATA"), one->scan);
  ok(ht_import_volume(path, NULL, NULL, &scan));
  ht_segment_defaults(&options);
  options.has_region = 1;
  for (int r = 0; r < 3; r++) options.region_min_mm[r] = one->region_min_mm[r];
  for (int r = 0; r < 3; r++) options.region_max_mm[r] = one->region_max_mm[r];
  options.lower = one->lower;
  options.nodes_across = one->nodes_across;
  ok(ht_segment_volume(&scan, &options, NULL, mask, report));
  ht_volume_free(&scan);
}

static void compare_opening(const real_case *one, int n, const ht_opening *found) {
  double square = 0;
  for (int r = 0; r < 3; r++) square += pow(found->centre_mm[r] - one->opening_mm[n][r], 2);
  if (sqrt(square) > 0.5 || fabs(found->radius_mm / one->radius_mm[n] - 1) > 0.1)
    fail_msg("opening %d: %.2f mm off, radius %.2f", n, sqrt(square), found->radius_mm);
}

static void as_expected(const real_case *one) {
  ht_mask mask, again;
  ht_segment_report report;
  ht_segment_options options;
  ht_openings openings;
  int ignored, wide = 0;
  find(one, &mask, &report);
  assert_true(ht_grid_voxels(&mask.grid) <= one->most_voxels);
  assert_true(ht_mask_count(&mask) <= one->most_vessel);
  ok(ht_openings_at_border(&mask, &openings, &ignored));
  for (int i = 0; i < openings.count; i++) {
    if (openings.item[i].radius_mm < 1.1) continue;
    assert_true(wide < one->openings);
    compare_opening(one, wide++, &openings.item[i]);
  }
  assert_int_equal(wide, one->openings);
  ht_segment_defaults(&options); /* one piece: nothing is dropped from it */
  options.nodes_across = 0;
  ok(ht_segment_mask(&mask, &options, NULL, &again, &report));
  assert_int_equal(report.components, 1);
  assert_int_equal(ht_mask_count(&again), ht_mask_count(&mask));
  ht_mask_free(&again);
  ht_mask_free(&mask);
}

HT_TEST(carotid_of_the_mr_angiography) {
  as_expected(&carotid);
}

HT_TEST(sinus_of_the_ct_angiography) {
  as_expected(&sinus);
}

/* The whole head of the MR angiography, at 0.5 mm. */
static void segment_head(ht_segment_preset preset, ht_segment_report *report) {
  char path[4096];
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options;
  snprintf(path, sizeof path, "%s/%s", getenv("HEMOTILE_DATA"), carotid.scan);
  ok(ht_import_volume(path, NULL, NULL, &scan));
  ht_segment_defaults(&options);
  options.preset = preset;
  options.spacing_mm = 0.5;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, report));
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* The defaults give the carotids, one piece, and no nonsense. */
HT_TEST(whole_head_by_default) {
  ht_segment_report report;
  segment_head(HT_PRESET_NONE, &report);
  assert_true(report.lower > 60 && report.lower < 130);
  assert_true(report.volume_ml > 2 && report.volume_ml < 4);
}

/* The preset for it: the same vessels, with gaps bridged, and their level set. */
HT_TEST(whole_head_by_its_preset) {
  ht_segment_report report;
  segment_head(HT_PRESET_TOF_MRA, &report);
  assert_non_null(strstr(report.method, "level set"));
  assert_non_null(strstr(report.preset, "bias n4"));
  assert_true(report.volume_ml > 2.5 && report.volume_ml < 3.2);
}

int main(void) {
  char path[4096];
  const char *folder = getenv("HEMOTILE_DATA");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "", carotid.scan);
  FILE *file = fopen(path, "rb");
  if (!file) return 77; /* no scans here */
  fclose(file);
  const struct CMUnitTest tests[] = {cmocka_unit_test(carotid_of_the_mr_angiography),
                                     cmocka_unit_test(sinus_of_the_ct_angiography),
                                     cmocka_unit_test(whole_head_by_default),
                                     cmocka_unit_test(whole_head_by_its_preset)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
