#include "tests/check.h"
#include "segment/openings/narrowest.h"

enum { SIDE = 40, LENGTH = 90 };

/* A pipe along z of radius 12 voxels, `throat` in its middle; of 0.5 mm. */
static void make_pipe(double throat, ht_mask *mask) {
  ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                  .spacing_mm = {0.5, 0.5, 0.5},
                  .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % SIDE) - 19.5, y = (double)(v / SIDE % SIDE) - 19.5;
    double z = (double)(v / (SIDE * SIDE)) - 45, r = 12 - (12 - throat) * exp(-z * z / 100);
    mask->inside[v] = x * x + y * y < r * r;
  }
}

static double narrowest(double throat) {
  const ht_opening from = {.centre_mm = {9.75, 9.75, 0}, .radius_mm = 6};
  const ht_opening to = {.centre_mm = {9.75, 9.75, 44.5}, .radius_mm = 6};
  const ht_opening *const all = &to;
  double diameter;
  ht_mask mask;
  make_pipe(throat, &mask);
  assert_int_equal(ht_narrowest(&mask, &from, &all, 1, &diameter), HT_OK);
  ht_mask_free(&mask);
  return diameter;
}

/* Tells whether a diameter is right to a voxel and a tenth. */
static int is_about(double diameter, double truth) {
  return fabs(diameter - truth) < 1 + 0.1 * truth;
}

HT_TEST(test_throats_are_measured) {
  for (double throat = 2.5; throat < 12; throat += 1.5)
    assert_true(is_about(narrowest(throat), 2 * throat));
}

/* The ends of the grid are no wall: a straight pipe is as wide at its ends. */
HT_TEST(test_a_straight_pipe_has_its_width) {
  assert_true(is_about(narrowest(12), 24));
}

/* The solid beyond a cut inside of the grid is no narrow place. */
static void test_cut_ends_are_no_narrow_place(void **state) {
  const ht_opening from = {.centre_mm = {9.75, 9.75, 5}, .radius_mm = 6};
  const ht_opening to = {.centre_mm = {9.75, 9.75, 39.5}, .radius_mm = 6};
  const ht_opening *const all = &to;
  double diameter;
  ht_mask mask;
  (void)state;
  make_pipe(12, &mask);
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    int64_t z = v / (SIDE * SIDE);
    if (z < 10 || z > 79) mask.inside[v] = 0;
  }
  assert_int_equal(ht_narrowest(&mask, &from, &all, 1, &diameter), HT_OK);
  assert_true(is_about(diameter, 24));
  ht_mask_free(&mask);
}

HT_TEST(test_no_way) {
  assert_true(narrowest(0) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_throats_are_measured),
      cmocka_unit_test(test_a_straight_pipe_has_its_width),
      cmocka_unit_test(test_cut_ends_are_no_narrow_place),
      cmocka_unit_test(test_no_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
