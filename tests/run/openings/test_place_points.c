/* Points of the case become entries in its list of openings. */
#include "tests/check.h"

#include "run/openings/place_points.h"
#include <string.h>

static ht_case one;
static ht_segment_report report;

/* Makes three points along x, 20 mm apart, each moved by 1 mm; the vessel is 2 mm wide. */
static int enter(void **state) {
  (void)state;
  ht_case_defaults(&one);
  memset(&report, 0, sizeof report);
  one.segment.points = report.points = 3;
  for (int p = 0; p < 3; p++) {
    one.segment.point_mm[p][0] = 20 * p;
    report.point[p] = (ht_segment_point){.centre_mm = {20 * p, 1, 0}, .radius_mm = 1, .is_end = 1};
  }
  return 0;
}

static ht_case_opening *add(ht_case_opening entry) {
  one.opening[one.openings] = entry;
  return &one.opening[one.openings++];
}

static void check(int a, int point, double x, ht_role role, const char *name) {
  const ht_case_opening *entry = &one.opening[a];
  assert_int_equal(entry->point, point);
  assert_true(entry->has_centre && !entry->has_near && !entry->has_normal);
  assert_true(entry->centre_mm[0] == x && entry->centre_mm[1] == 1);
  assert_int_equal(entry->role, role);
  assert_string_equal(entry->name, name);
}

HT_TEST(test_every_end_becomes_an_opening) {
  for (int again = 0; again < 2; again++) {
    assert_int_equal(ht_place_points(&one, &report), HT_OK);
    assert_int_equal(one.openings, 3);
    check(0, 1, 0, HT_ROLE_INLET, "");
    check(1, 2, 20, HT_ROLE_OUTLET, "");
    check(2, 3, 40, HT_ROLE_OUTLET, "");
    one.opening[1].has_normal = 1; /* of the first lattice */
  }
}

HT_TEST(test_a_point_on_the_way_is_none) {
  report.point[1].is_end = 0;
  add((ht_case_opening){.point = 2, .name = "middle"});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 2);
  check(1, 3, 40, HT_ROLE_OUTLET, "");
}

HT_TEST(test_names_say_another_inlet) {
  add((ht_case_opening){.point = 3, .name = "inlet", .role = HT_ROLE_INLET});
  add((ht_case_opening){.point = 2, .name = "wall", .role = HT_ROLE_WALL});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 3);
  check(0, 3, 40, HT_ROLE_INLET, "inlet");
  check(1, 2, 20, HT_ROLE_WALL, "wall");
  check(2, 1, 0, HT_ROLE_OUTLET, "");
}

/* 6 mm: the radius and HT_NEAR_SLACK_MM. */
HT_TEST(test_an_entry_near_a_point_is_the_opening) {
  add((ht_case_opening){.point = 3, .name = "of the file"});
  add((ht_case_opening){.has_near = 1, .near_mm = {40, 6.9, 0}, .flow_ml_s = 3});
  add((ht_case_opening){.has_near = 1, .near_mm = {20, 7.1, 0}, .name = "too far"});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 4);
  check(0, 3, 40, HT_ROLE_NONE, "of the file");
  assert_true(one.opening[0].flow_ml_s == 3); /* so it is the inlet */
  assert_true(one.opening[1].has_near && one.opening[1].point == 0);
  check(2, 1, 0, HT_ROLE_OUTLET, "");
  check(3, 2, 20, HT_ROLE_OUTLET, "");
}

/* A branch that leaves 5 mm beside a point has its own entry: the point's stays what it is. */
HT_TEST(test_an_entry_beside_a_point_of_the_case) {
  for (int by_line = 0; by_line < 2; by_line++) {
    one.openings = 0;
    add((ht_case_opening){.point = 3,
                          .name = "trunk",
                          .role = HT_ROLE_OUTLET,
                          .line = by_line,
                          .flow_fraction = by_line ? 0 : 0.4});
    add((ht_case_opening){
        .has_near = 1, .near_mm = {40, 6, 0}, .name = "branch", .flow_fraction = 0.2});
    assert_int_equal(ht_place_points(&one, &report), HT_OK);
    assert_int_equal(one.openings, 4);
    check(0, 3, 40, HT_ROLE_OUTLET, "trunk");
    assert_true(one.opening[1].has_near && one.opening[1].flow_fraction == 0.2);
  }
}

/* Two ends 4 mm apart: the entry belongs to the nearer one. */
HT_TEST(test_an_entry_between_two_points) {
  report.point[1].centre_mm[0] = 36;
  add((ht_case_opening){.has_near = 1, .near_mm = {39, 1, 0}, .name = "own"});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  check(0, 3, 40, HT_ROLE_OUTLET, "own");
  check(2, 2, 36, HT_ROLE_OUTLET, "");
}

HT_TEST(test_a_plane_of_the_case_stays) {
  add((ht_case_opening){
      .has_centre = 1, .centre_mm = {0.5, 1, 0}, .has_normal = 1, .normal = {-1}});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 3);
  assert_true(one.opening[0].has_normal && one.opening[0].centre_mm[0] == 0.5);
  assert_int_equal(one.opening[0].role, HT_ROLE_INLET);
  assert_int_equal(one.opening[0].point, 0);
}

HT_TEST(test_of_a_ready_mask_the_points_themselves) {
  report.points = 0;
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 3);
  assert_true(one.opening[2].centre_mm[0] == 40 && one.opening[2].centre_mm[1] == 0);
}

HT_TEST(test_without_points_nothing_changes) {
  one.segment.points = 0;
  add((ht_case_opening){.has_near = 1});
  assert_int_equal(ht_place_points(&one, &report), HT_OK);
  assert_int_equal(one.openings, 1);
  assert_int_equal(one.opening[0].role, HT_ROLE_NONE);
}

HT_TEST(test_an_entry_added_later) {
  add((ht_case_opening){.point = 2, .role = HT_ROLE_WALL});
  add((ht_case_opening){.point = 1, .has_centre = 1, .centre_mm = {7, 8, 9}});
  ht_place_new_points(&one, &report);
  check(0, 2, 20, HT_ROLE_WALL, "");
  assert_true(one.opening[1].centre_mm[0] == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_every_end_becomes_an_opening, enter),
      cmocka_unit_test_setup(test_a_point_on_the_way_is_none, enter),
      cmocka_unit_test_setup(test_names_say_another_inlet, enter),
      cmocka_unit_test_setup(test_an_entry_near_a_point_is_the_opening, enter),
      cmocka_unit_test_setup(test_an_entry_beside_a_point_of_the_case, enter),
      cmocka_unit_test_setup(test_an_entry_between_two_points, enter),
      cmocka_unit_test_setup(test_a_plane_of_the_case_stays, enter),
      cmocka_unit_test_setup(test_of_a_ready_mask_the_points_themselves, enter),
      cmocka_unit_test_setup(test_without_points_nothing_changes, enter),
      cmocka_unit_test_setup(test_an_entry_added_later, enter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
