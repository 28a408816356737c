/* Tests where vessels leave the ball of a region. */
#include "tests/check.h"
#include "segment/openings/ball.h"
#include "segment/openings/border.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <string.h>

static const double spacing_mm = 0.4; /* of ht_tube_grid */

static ht_mask cut_tubes(const ht_tube *tubes, int count, const double centre[3], double radius) {
  ht_grid grid = ht_tube_grid(80, 80, 80);
  ht_mask mask = ht_tube_mask(&grid, tubes, count);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    double square = 0;
    ht_voxel_place(grid.dim, v, at);
    for (int a = 0; a < 3; a++) square += (at[a] - centre[a]) * (at[a] - centre[a]);
    if (square > radius * radius) mask.inside[v] = 0;
  }
  return mask;
}

static ht_ends find(const ht_mask *mask, const double centre[3], double radius) {
  double mm[3];
  ht_ends ends;
  ht_grid_position(&mask->grid, centre, mm);
  ht_assert_ok(ht_ends_at_ball(mask, mm, radius * spacing_mm, &ends));
  return ends;
}

/* A tube across the ball, through its middle and off it, */
static void test_tubes(void **unused) {
  (void)unused;
  const double along[4][3] = {{0, 0, 1}, {1, 2, 3}, {-2, 1, 0.4}, {1, 1, 1}};
  const double ball[3] = {40, 40, 40}, radius = 30, beside[3] = {0, 6, 12};
  for (int k = 0; k < 12; k++) {
    double direction[3], lps[3], side[2][3], middle[3], thick = k % 2 ? 5 : 8;
    memcpy(direction, along[k / 3], sizeof direction);
    ht_normalise(direction);
    ht_span_across(direction, side);
    for (int a = 0; a < 3; a++) middle[a] = ball[a] + 0.3 + beside[k % 3] * side[0][a];
    ht_tube tube = ht_tube_through(middle, direction, thick);
    ht_mask mask = cut_tubes(&tube, 1, ball, radius);
    ht_grid_to_lps(&mask.grid, direction, lps);
    ht_ends ends = find(&mask, ball, radius);
    assert_int_equal(ends.count, 2);
    assert_true(ht_dot(ends.item[0].opening.direction, ends.item[1].opening.direction) < -0.9);
    for (int i = 0; i < 2; i++) {
      const ht_opening *one = &ends.item[i].opening;
      ht_opening cut;
      assert_int_equal(ends.item[i].kind, HT_END_OPEN);
      assert_true(fabs(ht_dot(one->direction, lps)) > cos(3 * HT_PI / 180));
      ht_assert_ok(ht_openings_cut(&mask, one->centre_mm, one->normal, 0, &cut));
      assert_near(cut.radius_mm / (thick * spacing_mm), 1, 0.03);
    }
    ht_mask_free(&mask);
  }
}

/* A dome that the ball's surface just misses, and a wall that it grazes, are no openings. */
static void test_domes(void **unused) {
  (void)unused;
  const double ball[3] = {40, 40, 40}, radius = 30;
  const ht_tube tubes[2] = {{{40, 40, -40}, {40, 40, 120}, 6}, {{40, 40, 40}, {61, 40, 40}, 8}};
  ht_mask mask = cut_tubes(tubes, 2, ball, radius);
  ht_ends ends = find(&mask, ball, radius);
  assert_int_equal(ends.count, 2);
  for (int i = 0; i < 2; i++) assert_near(ends.item[i].opening.radius_mm / 2.4, 1, 0.03);
  ht_mask_free(&mask);
  const ht_tube grazed = {{63, 40, -40}, {63, 40, 120}, 7};
  mask = cut_tubes(&grazed, 1, ball, 27);
  ends = find(&mask, ball, 27);
  assert_int_equal(ends.count, 0); /* of half a vessel cut lengthwise */
  ht_mask_free(&mask);
}

/* A vessel that was drawn on beyond the ball does not end at it. */
static void test_drawn_beyond(void **unused) {
  (void)unused;
  const double ball[3] = {40, 40, 40};
  ht_tube tube = ht_tube_through(ball, (double[3]){0, 0, 1}, 6);
  ht_mask mask = cut_tubes(&tube, 1, ball, 38);
  ht_ends ends = find(&mask, ball, 28);
  assert_int_equal(ends.count, 0);
  ht_mask_free(&mask);
}

static void test_thin(void **unused) {
  (void)unused;
  const double ball[3] = {40, 40, 40};
  ht_tube tube = ht_tube_through(ball, (double[3]){0, 0, 1}, 2.6);
  ht_mask mask = cut_tubes(&tube, 1, ball, 30);
  ht_ends ends = find(&mask, ball, 30);
  assert_int_equal(ends.count, 2);
  for (int i = 0; i < 2; i++) assert_int_equal(ends.item[i].kind, HT_END_THIN);
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tubes), cmocka_unit_test(test_domes),
                                     cmocka_unit_test(test_drawn_beyond),
                                     cmocka_unit_test(test_thin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
