/* A vessel between points: an opening that is not its section at the point, what is left out, and
 * doubts of a vessel that nobody chose. */
#include "tests/check.h"

#include "run/mask/candidate_doubt.h"
#include "run/process/console.h"
#include "run/mask/print_points.h"
#include <string.h>

static ht_case one;
static ht_segment_report report;
static ht_placed placed;

/* Checks an opening of this radius at this distance from its point, which has a radius of 2 mm. */
static ht_status check(double radius_mm, double off_mm, int at_border) {
  placed.lost_point = 0;
  placed.openings.item[0].radius_mm = radius_mm;
  placed.openings.item[0].centre_mm[0] = off_mm;
  placed.openings.item[0].normal[2] = placed.openings.item[0].direction[2] = 1;
  placed.openings.item[0].at_border = at_border;
  return ht_check_point_cuts(&one, &report, &placed);
}

HT_TEST(test_a_cut_through_two_vessels_is_refused) {
  ht_case_defaults(&one);
  one.segment.points = report.points = 2;
  report.point[0] = report.point[1] = (ht_segment_point){.radius_mm = 2, .is_end = 1};
  one.openings = placed.openings.count = 1;
  one.opening[0].point = 2;
  strcpy(one.opening[0].name, "end");
  strcpy(placed.openings.item[0].name, "end");
  assert_int_equal(check(2.2, 0.5, 0), HT_OK);
  assert_int_equal(check(3.1, 0.5, 0), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "'end' at point 2 has a radius of 3.10 mm"));
  assert_int_equal(placed.lost_point, 2);
  assert_int_equal(check(1.3, 0.5, 0), HT_ERR_OPENINGS);
  assert_int_equal(check(2.2, 2.1, 0), HT_ERR_OPENINGS);
  placed.openings.item[0].centre_mm[2] = 5; /* moved along the vessel to where it can be cut */
  assert_int_equal(check(2.2, 0.5, 0), HT_OK);
  placed.openings.item[0].centre_mm[2] = 0;
  assert_int_equal(check(3.1, 3, 1), HT_OK); /* at the border the scan says where it ends */
}

/* A vessel that nobody chose, with one inlet of 2 mm radius, one outlet at its point, one branch.
 */
HT_TEST(test_doubts_of_a_candidate) {
  static ht_run run;
  static ht_case settings;
  ht_openings *openings = &run.vessel.placed.openings;
  ht_segment_report *found = &run.manifest.segment;
  ht_case_defaults(&settings);
  run.given.settings = &settings;
  settings.openings = 1;
  settings.opening[0].point = 2;
  strcpy(settings.opening[0].name, "end");
  openings->count = 3;
  openings->item[0] = (ht_opening){.name = "in", .role = HT_ROLE_INLET, .radius_mm = 2};
  openings->item[1] = (ht_opening){.name = "end", .role = HT_ROLE_OUTLET, .radius_mm = 2.1};
  openings->item[2] = (ht_opening){.name = "side", .role = HT_ROLE_OUTLET, .radius_mm = 1.8};
  for (int i = 0; i < 3; i++)
    openings->item[i].normal[0] = openings->item[i].direction[0] = i ? 1 : -1;
  assert_int_equal(ht_candidate_doubt(&run), HT_OK);
  openings->item[2].radius_mm = 1.95; /* blood may come in there */
  assert_int_equal(ht_candidate_doubt(&run), HT_ERR_OPENINGS);
  openings->item[2].radius_mm = 1.8;
  openings->item[1].radius_mm = 2.5;
  assert_int_equal(ht_candidate_doubt(&run), HT_ERR_OPENINGS);
  openings->item[1].radius_mm = 2.1;
  ht_place_close(&run.vessel.placed, &(ht_opening){.radius_mm = 1.5}); /* 42 % of the flow */
  assert_int_equal(ht_candidate_doubt(&run), HT_OK);
  ht_place_close(&run.vessel.placed, &(ht_opening){.radius_mm = 1});
  assert_int_equal(ht_candidate_doubt(&run), HT_ERR_OPENINGS);
  run.vessel.placed.closed.count = 1;
  found->lefts = 1;
  found->left[0] = (ht_segment_left){{0, 0, 0}, 1.9, 2, 1};
  assert_int_equal(ht_candidate_doubt(&run), HT_OK);
  found->left[0].radius_mm = 2.1;
  assert_int_equal(ht_candidate_doubt(&run), HT_ERR_OPENINGS);
}

HT_TEST(test_blood_that_is_left_out_is_told) {
  ht_case_defaults(&one);
  one.segment.points = report.points = 2;
  one.openings = placed.openings.count = 0;
  report.lefts = 1;
  report.left[0] = (ht_segment_left){{10, -20, 30}, 4, 9, 580};
  int before = ht_console_warnings();
  ht_tell_points_found(&one, &report, &placed);
  assert_int_equal(ht_console_warnings() - before, 1);
  const char *told = ht_console_warning(before);
  assert_non_null(strstr(told, "[10.0, -20.0, 30.0]"));
  assert_non_null(strstr(told, "580 mL"));
  assert_non_null(strstr(told, "a section of 4.0 mm radius (the vessel: 9.0 mm)"));
  ht_place_close(&placed, &(ht_opening){.centre_mm = {10, -20, 33}, .radius_mm = 2.5});
  before = ht_console_warnings();
  ht_tell_points_found(&one, &report, &placed);
  assert_int_equal(ht_console_warnings() - before, 0); /* the warning of that end tells of it */
  report.lefts = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_cut_through_two_vessels_is_refused),
                                     cmocka_unit_test(test_doubts_of_a_candidate),
                                     cmocka_unit_test(test_blood_that_is_left_out_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
