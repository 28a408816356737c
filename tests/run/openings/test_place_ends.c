#include "tests/check.h"

#include "segment/openings/border.h"
#include "run/openings/place_ends.h"
#include "run/openings/place_warn.h"
#include "run/process/console.h"
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

/* A closed end as wide as the inlet is a warning where the outlets do not carry the inlet's flow.
 */
HT_TEST(test_missed_end) {
  ht_grid grid = ht_tube_grid(8, 8, 8);
  ht_mask mask = ht_tube_mask(&grid, &(ht_tube){{4, 4, 0}, {4, 4, 8}, 2}, 1);
  for (int enough = 0; enough < 2; enough++) {
    memset(&placed, 0, sizeof placed);
    memset(&settings, 0, sizeof settings);
    placed.openings.count = 2;
    placed.openings.item[0] = (ht_opening){.role = HT_ROLE_INLET, .radius_mm = 2};
    placed.openings.item[1] = (ht_opening){.role = HT_ROLE_OUTLET, .radius_mm = enough ? 1.7 : 1.2};
    ht_openings_insert(&placed.blind, &(ht_opening){.centre_mm = {1, 2, 3}, .radius_mm = 1.5});
    const int before = ht_console_warnings();
    ht_place_tell_blind(&settings, &mask, &placed);
    assert_int_equal(ht_console_warnings() - before, enough ? 0 : 1);
  }
  ht_mask_free(&mask);
}

/* A tube between two faces, its inlet, and an end in its middle whose cut takes the inlet away. */
static ht_mask before_inlet(ht_role role) {
  ht_grid grid = ht_tube_grid(40, 40, 60);
  ht_tube tube = ht_tube_through((double[3]){20, 20, 30}, (double[3]){0, 0, 1}, 6);
  ht_mask mask = ht_tube_mask(&grid, &tube, 1);
  int ignored;
  memset(&placed, 0, sizeof placed);
  ht_assert_ok(ht_openings_at_border(&mask, &placed.openings, &ignored));
  assert_int_equal(placed.openings.count, 2);
  ht_opening *end = &placed.openings.item[2];
  *end = placed.openings.item[0];
  end->at_border = 0;
  end->role = role;
  placed.openings.item[0].role = HT_ROLE_INLET;
  placed.openings.count = 3;
  for (int r = 0; r < 3; r++)
    end->centre_mm[r] =
        0.5 * (placed.openings.item[0].centre_mm[r] + placed.openings.item[1].centre_mm[r]);
  return mask;
}

/* An end that was found stays closed, one that the case asks for fails; both with the reason. */
HT_TEST(test_cut_that_takes_an_opening_away) {
  for (int asked = 0; asked < 2; asked++) {
    ht_mask mask = before_inlet(asked ? HT_ROLE_OUTLET : HT_ROLE_NONE);
    const int64_t voxels = ht_mask_count(&mask);
    int cuts = 0;
    ht_status status = ht_place_cut_ends(&mask, &placed, &cuts);
    assert_int_equal(status, asked ? HT_ERR_OPENINGS : HT_OK);
    if (asked) assert_non_null(strstr(ht_error_message(), "takes the vessel at another opening"));
    if (!asked) assert_int_equal(placed.openings.item[2].role, HT_ROLE_WALL);
    assert_int_equal(cuts, 0);
    assert_int_equal(ht_mask_count(&mask), voxels);
    ht_mask_free(&mask);
  }
}

/* An opening that had no vessel before a cut is not lost by it. */
HT_TEST(test_cut_beside_an_opening_without_vessel) {
  ht_mask mask = before_inlet(HT_ROLE_NONE);
  int cuts = 0;
  for (int r = 0; r < 3; r++) placed.openings.item[0].centre_mm[r] += 1e3;
  ht_assert_ok(ht_place_cut_ends(&mask, &placed, &cuts));
  assert_int_equal(cuts, 1);
  assert_int_equal(placed.openings.item[2].role, HT_ROLE_NONE);
  ht_mask_free(&mask);
}

/* A share above 100 % is told in full. */
HT_TEST(test_share_of_a_closed_end) {
  memset(&placed, 0, sizeof placed);
  ht_openings_insert(&placed.openings, &(ht_opening){.radius_mm = 1});
  ht_openings_insert(&placed.closed, &(ht_opening){.radius_mm = 1.17});
  placed.thin_ends = 1;
  ht_place_warn_of_closed(&placed);
  assert_non_null(strstr(ht_console_warning(ht_console_warnings() - 1), "some 160 % of the flow"));
}

/* What a second opening on the inlet's side is told to be: no artery to the head is 12 mm wide. */
HT_TEST(test_second_of_the_side) {
  for (int wide = 0; wide < 2; wide++) {
    ht_openings two = {.count = 2};
    for (int i = 0; i < 2; i++) {
      ht_opening *one = &two.item[i];
      *one = (ht_opening){.role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET, .normal = {0, 0, -1}};
      strcpy(one->name, i ? "outlet-1" : "inlet");
      one->radius_mm = (wide ? 6 : 2.5) * (i ? 0.64 : 1);
    }
    settings.openings = 0;
    ht_place_warn_of_guess(&settings, &two);
    const char *told = ht_console_warning(ht_console_warnings() - 1);
    assert_non_null(strstr(told, "on the same side"));
    assert_non_null(strstr(told, wide ? "descending aorta" : "second artery"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stump),
      cmocka_unit_test(test_cut_with_what_touches),
      cmocka_unit_test(test_missed_end),
      cmocka_unit_test(test_cut_that_takes_an_opening_away),
      cmocka_unit_test(test_cut_beside_an_opening_without_vessel),
      cmocka_unit_test(test_share_of_a_closed_end),
      cmocka_unit_test(test_second_of_the_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
