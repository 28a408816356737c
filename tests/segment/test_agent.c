/* A CT of a trunk: tissue in air, a lung, a bone, the scanner's table, and a vessel with or without
 * a contrast agent. */
#include "segment/segment.h"
#include <math.h>
#include "tests/check.h"
#include <string.h>

enum { NX = 56, NY = 58, NZ = 30 };
static const double vessel[2] = {20, 24}, bone[2] = {40, 24}; /* along z, voxels */
static const double rib[2] = {46, 38};
static const double vessel_radius = 6, bone_radius = 5, rib_radius = 3;

/* Number from -1 to 1, from a hash of the place. */
static double random_of(uint32_t place) {
  uint32_t h = place * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  return (double)h / 2147483648.0 - 1;
}

/* Spongy bone within a brighter rim. */
static double bone_at(double r, int i, int j, int k) {
  uint32_t grain = (uint32_t)(i / 2 + 100 * (j / 2) + 10000 * (k / 2));
  return r > bone_radius - 1.5 ? 600 : 220 + 80 * random_of(grain);
}

static double value_at(double blood, int i, int j, int k) {
  double to_vessel = hypot(i - vessel[0], j - vessel[1]) - vessel_radius;
  double to_bone = hypot(i - bone[0], j - bone[1]);
  double value = 40, share = fmin(1, fmax(0, 0.5 - to_vessel));
  if (i < 4 || j < 4 || i >= NX - 4 || j >= NY - 14) value = -1000;
  if (hypot(i - 10, j - 24) < 7) value = -850; /* a lung, next to the vessel */
  if (hypot(i - rib[0], j - rib[1]) < rib_radius)
    value = hypot(i - rib[0], j - rib[1]) > rib_radius - 1.3 ? 700 : 300;
  if ((j == NY - 11 || j == NY - 10) && i > 3 && i < NX - 4) value = 350; /* the table */
  if (to_bone < bone_radius) value = bone_at(to_bone, i, j, k);
  return value + share * (blood - value);
}

static void make_ct(double blood, const char *modality, ht_volume *scan) {
  ht_grid grid = ht_grid_make(NX, NY, NZ);
  assert_int_equal(ht_volume_alloc(&grid, scan), HT_OK);
  strcpy(scan->modality, modality);
  for (int v = 0; v < NX * NY * NZ; v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    double noise = 10 * (random_of(7u * (uint32_t)v + 1) + random_of(7u * (uint32_t)v + 2));
    scan->values[v] = (float)(value_at(blood, at[0], at[1], at[2]) + noise);
  }
}

static ht_status segment(double blood, const char *modality, ht_segment_options *options,
                         double *ml) {
  ht_volume scan;
  ht_mask mask = {0};
  ht_segment_report report = {.volume_ml = 0};
  make_ct(blood, modality, &scan);
  ht_status status = ht_segment_volume(&scan, options, NULL, &mask, &report);
  *ml = report.volume_ml;
  assert_int_equal(report.no_agent,
                   status != HT_OK && strstr(ht_error_message(), "no contrast agent seen"));
  ht_mask_free(&mask);
  ht_volume_free(&scan);
  return status;
}

static void says_no_agent(ht_status status) {
  assert_int_equal(status, HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "no contrast agent seen in a CT"));
  assert_non_null(strstr(ht_error_message(), "--from X,Y,Z --to X,Y,Z"));
}

HT_TEST(a_ct_without_agent_is_refused) {
  double ml;
  const ht_segment_preset presets[] = {HT_PRESET_NONE, HT_PRESET_CTA_AORTA};
  for (int p = 0; p < 2; p++)
    for (int m = 0; m < 2; m++) {
      ht_segment_options options;
      ht_segment_defaults(&options);
      options.preset = presets[p];
      says_no_agent(segment(45, m ? "CT" : "", &options, &ml));
    }
}

/* Otherwise than by an automatic level: a person knows better. */
HT_TEST(what_a_person_says_is_not_refused) {
  double ml;
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.lower = 180;
  assert_int_equal(segment(45, "CT", &options, &ml), HT_OK);
  ht_segment_defaults(&options);
  options.points = 2;
  const double ends[2][3] = {{20, 24, 2}, {20, 24, NZ - 3}};
  memcpy(options.point_mm, ends, sizeof ends);
  if (segment(45, "CT", &options, &ml) != HT_OK)
    assert_null(strstr(ht_error_message(), "no contrast agent"));
  ht_segment_defaults(&options);
  if (segment(45, "MR", &options, &ml) != HT_OK)
    assert_null(strstr(ht_error_message(), "no contrast agent"));
}

/* Between points, too, blood without an agent is refused, but where a person says how bright it is.
 */
HT_TEST(dim_blood_between_points_is_refused) {
  const double ends[2][3] = {{20, 24, 4}, {20, 24, NZ - 5}};
  const char *modalities[] = {"CT", "", "MR"};
  double ml;
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.points = 2;
  memcpy(options.point_mm, ends, sizeof ends);
  for (int m = 0; m < 2; m++) {
    assert_int_equal(segment(90, modalities[m], &options, &ml), HT_ERR_VESSEL);
    assert_non_null(strstr(ht_error_message(), "HU, less than 100"));
    assert_non_null(strstr(ht_error_message(), "segment.lower"));
    assert_int_equal(segment(250, modalities[m], &options, &ml), HT_OK);
  }
  assert_int_equal(segment(90, "MR", &options, &ml), HT_OK);
  options.lower = 70;
  assert_int_equal(segment(90, "CT", &options, &ml), HT_OK);
  options.lower = 260;
  assert_int_equal(segment(250, "CT", &options, &ml), HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "less than segment.lower, 260"));
}

/* The surroundings' spread next to air is no noise, and the level is not air's. */
HT_TEST(a_vessel_beside_a_lung_is_found) {
  const double blood[] = {250, 350, 450};
  double ml, area = M_PI * vessel_radius * vessel_radius;
  for (int b = 0; b < 3; b++) {
    ht_segment_options options;
    ht_segment_defaults(&options);
    options.preset = HT_PRESET_CTA_AORTA;
    if (segment(blood[b], "CT", &options, &ml) != HT_OK) fail_msg("%s", ht_error_message());
    assert_near(ml / (1e-3 * area * NZ), 1, 0.1);
  }
}

/* No candidate has a station in the rib or in the table. */
HT_TEST(bone_and_table_are_no_candidates) {
  ht_volume scan;
  ht_vessel *found;
  ht_candidates candidates;
  ht_segment_options options;
  static ht_segment_report report;
  ht_segment_defaults(&options);
  make_ct(350, "CT", &scan);
  assert_int_equal(ht_vessel_find(&scan, &options, NULL, &found, &report), HT_OK);
  assert_int_equal(ht_vessel_candidates(found, &scan, 0, NULL, &candidates), HT_OK);
  assert_true(candidates.dropped >= 2);
  for (int c = 0; c < candidates.count; c++)
    for (int s = 0; s < candidates.item[c].stations; s++) {
      const double *p = candidates.item[c].station[s];
      assert_true(p[1] < NY - 13);
      assert_true(hypot(p[0] - rib[0], p[1] - rib[1]) > rib_radius);
    }
  ht_candidates_free(&candidates);
  ht_vessel_free(found);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ct_without_agent_is_refused),
      cmocka_unit_test(dim_blood_between_points_is_refused),
      cmocka_unit_test(what_a_person_says_is_not_refused),
      cmocka_unit_test(a_vessel_beside_a_lung_is_found),
      cmocka_unit_test(bone_and_table_are_no_candidates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
