/* The means of a wall's colours: on a flat wall of squares, and on two walls close to each other.
 */
#include "tests/check.h"
#include "export/pixels/wall_mean.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 21, POINTS = 2 * SIDE * SIDE, TRIANGLES = 4 * (SIDE - 1) * (SIDE - 1) };
static float place[3 * POINTS];
static int32_t corner[3 * TRIANGLES];
static float values[POINTS], means[POINTS];

/* Two square walls of points 1 mm apart, 0.5 mm from each other and not joined. */
static ht_surface two_walls(void) {
  int32_t *t = corner;
  for (int p = 0; p < POINTS; p++) {
    int wall = p / (SIDE * SIDE), i = p % SIDE, j = p / SIDE % SIDE;
    const float at[3] = {(float)i, (float)j, 0.5f * (float)wall};
    memcpy(place + 3 * p, at, sizeof at);
    if (i + 1 == SIDE || j + 1 == SIDE) continue;
    const int32_t six[6] = {p, p + 1, p + SIDE, p + 1, p + SIDE + 1, p + SIDE};
    memcpy(t, six, sizeof six);
    t += 6;
  }
  return (ht_surface){
      .points = POINTS, .triangles = TRIANGLES, .point_mm = place, .triangle = corner};
}

static int at(int i, int j) {
  return i + SIDE * j;
}

static void take_means(const ht_surface *surface, double radius_mm) {
  ht_wall_mean mean;
  assert_int_equal(ht_wall_mean_make(surface, radius_mm, &mean), HT_OK);
  ht_wall_mean_of(&mean, values, means);
  ht_wall_mean_free(&mean);
}

/* Checks the mean of a spike: 13 points lie within 2 mm of a point of the lattice. */
HT_TEST(a_spike_is_spread_over_the_points_around) {
  ht_surface surface = two_walls();
  memset(values, 0, sizeof values);
  values[at(10, 10)] = 13;
  take_means(&surface, 2.01);
  assert_float_equal(means[at(10, 10)], 1, 1e-6);
  assert_float_equal(means[at(12, 10)], 1, 1e-6);
  assert_float_equal(means[at(11, 9)], 1, 1e-6);
  assert_float_equal(means[at(12, 11)], 0, 0);               /* 2.2 mm away */
  assert_float_equal(means[SIDE * SIDE + at(10, 10)], 0, 0); /* the other wall */
  take_means(&surface, 0.5);
  assert_memory_equal(means, values, sizeof values); /* no other point is as near */
}

/* A slope stays as it is, but for the rim. */
HT_TEST(a_slope_stays) {
  ht_surface surface = two_walls();
  for (int p = 0; p < POINTS; p++) values[p] = place[3 * p] + 2 * place[3 * p + 1];
  take_means(&surface, 3);
  for (int j = 4; j < SIDE - 4; j++)
    for (int i = 4; i < SIDE - 4; i++) assert_float_equal(means[at(i, j)], values[at(i, j)], 1e-5);
}

HT_TEST(what_is_no_number_stays_alone) {
  ht_surface surface = two_walls();
  for (int p = 0; p < POINTS; p++) values[p] = 5;
  values[at(10, 10)] = NAN;
  surface.triangle[1] = -1; /* and a triangle that is none */
  surface.triangle[4] = POINTS;
  take_means(&surface, 2);
  for (int p = 0; p < POINTS; p++)
    if (p != at(10, 10) && p != 0) assert_float_equal(means[p], 5, 0);
  assert_true(isnan(means[at(10, 10)]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spike_is_spread_over_the_points_around),
      cmocka_unit_test(a_slope_stays),
      cmocka_unit_test(what_is_no_number_stays_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
