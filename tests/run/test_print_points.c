/* The warning of an opening that is not the vessel's section at its point. */
#include "tests/check.h"

#include "run/process/console.h"
#include "run/mask/print_points.h"
#include <string.h>

static ht_case one;
static ht_segment_report report;
static ht_placed placed;

/* Counts the warnings for an opening of this radius at this distance from its point, which has a
 * radius of 2 mm. */
static int warnings(double radius_mm, double off_mm, int at_border) {
  int before = ht_console_warnings();
  placed.openings.item[0].radius_mm = radius_mm;
  placed.openings.item[0].centre_mm[0] = off_mm;
  placed.openings.item[0].at_border = at_border;
  ht_tell_points_found(&one, &report, &placed);
  return ht_console_warnings() - before;
}

HT_TEST(test_a_cut_through_two_vessels_is_told) {
  ht_case_defaults(&one);
  one.segment.points = report.points = 2;
  report.point[0] = report.point[1] = (ht_segment_point){.radius_mm = 2, .is_end = 1};
  one.openings = placed.openings.count = 1;
  one.opening[0].point = 2;
  strcpy(one.opening[0].name, "end");
  strcpy(placed.openings.item[0].name, "end");
  assert_int_equal(warnings(2.2, 0.5, 0), 0);
  assert_int_equal(warnings(3.1, 0.5, 0), 1);
  assert_non_null(strstr(ht_console_warning(0), "'end' at point 2 has a radius of 3.10 mm"));
  assert_int_equal(warnings(1.3, 0.5, 0), 1);
  assert_int_equal(warnings(2.2, 2.1, 0), 1);
  assert_int_equal(warnings(3.1, 3, 1), 0); /* at the border the scan says where it ends */
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_cut_through_two_vessels_is_told),
                                     cmocka_unit_test(test_blood_that_is_left_out_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
