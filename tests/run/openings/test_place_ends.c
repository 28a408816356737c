#include "tests/check.h"

#include "segment/openings/border.h"
#include "run/openings/place_ends.h"
#include "tests/segment/tube_mask.h"
#include <string.h>

static ht_case settings;
static ht_segment_report report;
static ht_placed placed;

/* Finds what is at a tube with a stump on it. */
static ht_openings find(void) {
  ht_grid grid = ht_tube_grid(50, 40, 60);
  const ht_tube tubes[2] = {{{20, 20, -40}, {20, 20, 100}, 6}, {{20, 20, 30}, {34, 20, 30}, 4}};
  ht_mask mask = ht_tube_mask(&grid, tubes, 2);
  ht_openings found;
  int ignored;
  memset(&placed, 0, sizeof placed);
  ht_grid_position(&grid, (double[3]){38, 20, 30}, report.contact_mm[0]);
  ht_assert_ok(ht_openings_at_border(&mask, &found, &ignored));
  assert_int_equal(found.count, 2);
  ht_assert_ok(ht_place_find_ends(&settings, &report, &mask, NULL, &placed, &found));
  ht_mask_free(&mask);
  return found;
}

HT_TEST(test_stump) {
  ht_openings found = find();
  assert_int_equal(found.count, 2);
  assert_int_equal(placed.blind.count, 1);
  assert_int_equal(placed.closed.count, 0);
}

/* Checks a place where something that touched the vessel was left out: a branch may have been cut
 * off, and the case opens it. */
HT_TEST(test_cut_with_what_touches) {
  report.contacts = 1;
  ht_openings found = find();
  assert_int_equal(found.count, 2);
  assert_int_equal(placed.blind.count, 0);
  assert_int_equal(placed.closed.count, 1);
  assert_true(placed.closed.item[0].radius_mm > 0.3 * 4);
  settings.openings = 1;
  settings.opening[0].has_near = 1;
  memcpy(settings.opening[0].near_mm, placed.closed.item[0].centre_mm, sizeof(double[3]));
  found = find();
  assert_int_equal(found.count, 3);
  assert_int_equal(placed.closed.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stump),
      cmocka_unit_test(test_cut_with_what_touches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
