/* The vessels of a scan that a person may mean: each is among them, measured, best first. */
#include "core/vessel/scan_signs.h"
#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include "tests/check.h"
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

/* Tubes along z through a scan along LPS. */
static tube_scan upright(void) {
  tube_scan make = tube_scan_default();
  make.tilt = 0;
  memset(make.tube, 0, sizeof make.tube);
  return make;
}

static tube along(const tube_scan *make, int axis, double x, double y, double z, double radius_mm) {
  tube one = {.through = {x, y, z}, .radius_mm = radius_mm};
  tube_scan_axis(make, axis, one.along);
  return one;
}

static ht_candidates find_of(const tube_scan *make, unsigned signs) {
  ht_candidates found;
  ht_volume scan;
  ht_vessel *vessel;
  ht_segment_options options;
  static ht_segment_report report;
  ht_segment_defaults(&options);
  tube_scan_volume(make, &scan);
  ok(ht_vessel_find(&scan, &options, NULL, &vessel, &report));
  ok(ht_vessel_candidates(vessel, &scan, signs, NULL, &found));
  ht_vessel_free(vessel);
  ht_volume_free(&scan);
  return found;
}

static ht_candidates find(const tube_scan *make) {
  return find_of(make, 0);
}

/* The distance of a position from the line of a tube. */
static double away(const tube *of, const double p[3]) {
  double off[3], along[3], cross[3];
  memcpy(along, of->along, sizeof along);
  ht_normalise(along);
  for (int r = 0; r < 3; r++) off[r] = p[r] - of->through[r];
  ht_cross(off, along, cross);
  return ht_length(cross);
}

/* The first candidate that stays on the line of the tube; NULL: there is none. */
static const ht_candidate *on_tube(const ht_candidates *found, const tube *of) {
  for (int i = 0; i < found->count; i++) {
    double most = 0;
    for (int s = 0; s < found->item[i].stations; s++)
      most = fmax(most, away(of, found->item[i].station[s]));
    if (most < 0.8) return &found->item[i];
  }
  return NULL;
}

/* A centreline within a voxel, the radius within a third of one, and the length of the tube in the
 * scan, 35.2 mm, less a radius at each end and a front (two voxels) more. */
static void check_tube(const ht_candidates *found, const tube *of) {
  const ht_candidate *one = on_tube(found, of);
  assert_non_null(one);
  double length_mm = 44 * 0.8 - 2 * of->radius_mm;
  assert_near(one->radius_mm, of->radius_mm, 0.15);
  assert_true(one->length_mm > length_mm - 4 && one->length_mm < length_mm + 1);
  assert_true(one->from_at_border && one->to_at_border);
  assert_true(one->tortuosity < 1.05);
  assert_true(one->neck > 0.8);
  assert_true(one->contrast > 4);
  assert_true(away(of, one->from_mm) < 0.8 && away(of, one->to_mm) < 0.8);
}

HT_TEST(separate_tubes_are_all_found_the_widest_first) {
  tube_scan make = upright();
  make.tubes = 3;
  make.tube[0] = along(&make, 2, -2, -14, 11, 2);
  make.tube[1] = along(&make, 2, 12, -8, 11, 3);
  make.tube[2] = along(&make, 2, -1, 1, 11, 2.5);
  ht_candidates found = find(&make);
  assert_int_equal(found.count, 3);
  for (int t = 0; t < 3; t++) check_tube(&found, &make.tube[t]);
  assert_ptr_equal(on_tube(&found, &make.tube[1]), &found.item[0]);
  assert_ptr_equal(on_tube(&found, &make.tube[2]), &found.item[1]);
  for (int i = 0; i + 1 < found.count; i++)
    assert_true(found.item[i].score >= found.item[i + 1].score);
  /* by volume, of radii 2.5 and 3 */
  assert_near(found.second_piece, 2.5 * 2.5 / 9, 0.05);
  ht_candidates_free(&found);
  assert_int_equal(found.count, 0);
}

/* Two wide tubes and a thin one that joins them: the wide ones come first, the way from one to the
 * other through the thin one has a neck. */
HT_TEST(a_thin_bridge_between_two_tubes_is_no_good_vessel) {
  tube_scan make = upright();
  make.tubes = 3;
  make.tube[0] = along(&make, 2, -3, -7, 11, 2.5);
  make.tube[1] = along(&make, 2, 13, -7, 11, 2.5);
  make.tube[2] = along(&make, 0, 5, -7, 11, 1);
  make.tube[2].half_length_mm = 8;
  ht_candidates found = find(&make);
  assert_true(found.second_piece == 0);
  for (int t = 0; t < 2; t++) {
    const ht_candidate *one = on_tube(&found, &make.tube[t]);
    assert_non_null(one);
    assert_true(one <= &found.item[1]);
  }
  for (int i = 2; i < found.count; i++) assert_true(found.item[i].score < found.item[1].score);
  ht_candidates_free(&found);
}

/* Two wide tubes that come in from below and a thin one that joins them, as from carotid to
 * carotid: blood flows up each, not from one to the other. */
HT_TEST(two_inlets_are_not_joined) {
  tube_scan make = upright();
  make.tubes = 3;
  make.tube[0] = along(&make, 2, -3, -7, 8, 2);
  make.tube[1] = along(&make, 2, 13, -7, 8, 2);
  make.tube[0].half_length_mm = make.tube[1].half_length_mm = 17;
  make.tube[2] = along(&make, 0, 5, -7, 6, 1.2);
  make.tube[2].half_length_mm = 8;
  ht_candidates found = find(&make);
  assert_true(found.count >= 1);
  for (int i = 0; i < found.count; i++) {
    const ht_candidate *one = &found.item[i];
    assert_false(away(&make.tube[0], one->from_mm) < 3 && away(&make.tube[1], one->to_mm) < 3);
    assert_false(away(&make.tube[1], one->from_mm) < 3 && away(&make.tube[0], one->to_mm) < 3);
  }
  ht_candidates_free(&found);
}

/* A short wide stump at the side of a thinner vessel, as an aneurysm: the vessel comes first, from
 * border to border. */
HT_TEST(a_wide_blind_end_is_no_inlet) {
  tube_scan make = upright();
  make.tubes = 2;
  make.tube[0] = along(&make, 2, 0, -7, 11, 1.8);
  make.tube[1] = along(&make, 0, 5, -7, 11, 2.8);
  make.tube[1].half_length_mm = 5;
  ht_candidates found = find(&make);
  assert_true(found.count >= 1);
  const ht_candidate *best = &found.item[0];
  assert_true(best->from_at_border && best->to_at_border);
  assert_true(away(&make.tube[0], best->from_mm) < 0.8);
  assert_true(away(&make.tube[0], best->to_mm) < 0.8);
  assert_true(best->length_mm > 25);
  ht_candidates_free(&found);
}

/* A vessel as wide as an aorta, but short, gets no name. */
HT_TEST(names_need_size) {
  tube_scan make = upright();
  make.tubes = 1;
  make.tube[0] = along(&make, 2, 5, -7, 11, 7.5);
  ht_candidates found = find(&make);
  for (int i = 0; i < found.count; i++) assert_string_equal(found.item[i].name, "");
  ht_candidates_free(&found);
  make.spacing_mm[0] = make.spacing_mm[1] = 2.5;
  make.spacing_mm[2] = 3;
  make.tube[0].radius_mm = 10;
  found = find_of(&make, HT_SIGN_CHEST);
  assert_int_equal(found.count, 1);
  assert_string_equal(found.item[0].name, "probably the aorta");
  ht_candidates_free(&found);
  /* of another part of the body, or none that is known: size alone is no name */
  const unsigned others[] = {0, HT_SIGN_HEAD};
  for (int o = 0; o < 2; o++) {
    found = find_of(&make, others[o]);
    assert_string_equal(found.item[0].name, "");
    assert_non_null(strstr(found.item[0].place, "of the scan, runs "));
    ht_candidates_free(&found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(separate_tubes_are_all_found_the_widest_first),
      cmocka_unit_test(a_thin_bridge_between_two_tubes_is_no_good_vessel),
      cmocka_unit_test(two_inlets_are_not_joined),
      cmocka_unit_test(a_wide_blind_end_is_no_inlet),
      cmocka_unit_test(names_need_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
