/* The direction of a vessel at a point, and which side of a plane goes. */
#include "tests/check.h"
#include "segment/openings/centreline.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include <string.h>

static double degrees_to_line(const double a[3], const double b[3]) {
  double product = 0, size = 0, other = 0;
  for (int k = 0; k < 3; k++) product += a[k] * b[k], size += a[k] * a[k], other += b[k] * b[k];
  return acos(fmin(1, fabs(product) / sqrt(size * other))) * 180 / HT_PI;
}

static void test_straight_tubes(void **unused) {
  (void)unused;
  const double along[3][3] = {{0, 0, 1}, {0.4, -0.5, 1}, {1, 1, 1}}, radius[3] = {3.5, 6, 11};
  ht_grid grid = ht_tube_grid(80, 80, 80);
  for (int k = 0; k < 9; k++) {
    const double *a = along[k % 3];
    double at[3], centre[3], out[3], index[3], lps[3], off[3], product = 0, size2 = 0, off2 = 0;
    ht_tube tube = ht_tube_through((double[3]){40.2, 39.5, 40}, a, radius[k / 3]);
    ht_mask mask = ht_tube_mask(&grid, &tube, 1);
    ht_grid_position(&grid, (double[3]){42, 40.5, 44}, at); /* off the axis */
    ht_assert_ok(ht_centreline_at(&mask, at, centre, out));
    ht_grid_to_lps(&grid, a, lps);
    assert_true(degrees_to_line(out, lps) < 3);
    ht_grid_index(&grid, centre, index);
    for (int r = 0; r < 3; r++) {
      off[r] = index[r] - (double[3]){40.2, 39.5, 40}[r];
      product += off[r] * a[r], size2 += a[r] * a[r], off2 += off[r] * off[r];
    }
    assert_true(sqrt(fmax(0, off2 - product * product / size2)) < 0.5); /* on the axis */
    assert_near(product / sqrt(size2), ((2 - 0.2) * a[0] + (1.0) * a[1] + 4 * a[2]) / sqrt(size2),
                1.5); /* and off the point */
    ht_mask_free(&mask);
  }
}

static void test_refusals(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(60, 60, 60);
  double at[3], centre[3], out[3];
  ht_tube ball = {{30, 30, 30}, {30, 30, 30.01}, 12};
  ht_mask mask = ht_tube_mask(&grid, &ball, 1);
  ht_grid_position(&grid, (double[3]){30, 30, 30}, at);
  assert_int_equal(ht_centreline_at(&mask, at, centre, out), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "no direction"));
  ht_grid_position(&grid, (double[3]){90, 90, 90}, at);
  assert_int_equal(ht_centreline_at(&mask, at, centre, out), HT_ERR_OPENINGS);
  assert_non_null(strstr(ht_error_message(), "no vessel"));
  ht_mask_free(&mask);
}

/* The smaller side goes, or that without other openings, however large. */
static void test_which_side_goes(void **unused) {
  (void)unused;
  ht_grid grid = ht_tube_grid(40, 40, 80);
  ht_tube tube = ht_tube_through((double[3]){20, 20, 40}, (double[3]){0, 0, 1}, 7);
  ht_mask mask = ht_tube_mask(&grid, &tube, 1);
  double at[3], up[3], others[2][3];
  int turned;
  ht_grid_position(&grid, (double[3]){20, 20, 60}, at);
  ht_grid_position(&grid, (double[3]){20, 20, 75}, others[0]);
  ht_grid_position(&grid, (double[3]){20, 20, 70}, others[1]);
  for (int way = -1; way <= 1; way += 2)
    for (int count = 0; count <= 2; count += 2) {
      double normal[3], wanted = count ? -1 : 1;
      ht_grid_to_lps(&grid, (double[3]){0, 0, way}, normal);
      ht_assert_ok(
          ht_openings_face_out(&mask, at, (const double(*)[3])others, count, normal, &turned));
      ht_grid_from_lps(&grid, normal, up);
      assert_true(up[2] * wanted > 0.99);
      assert_int_equal(turned, way * wanted < 0);
    }
  ht_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_tubes),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_which_side_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
