/* compare/: the numbers of a wall at the nearest places of another, against geometry. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "app/compare/wall_map.h"
#include "app/compare/wall_nearest.h"
#include <stdlib.h>
#include <string.h>

enum { SIDES = 40, RINGS = 61 };
static const double length_mm = 30;

/* ---- walls ---- */

static void alloc_wall(ht_compared_wall *wall, int64_t points, int64_t triangles) {
  memset(wall, 0, sizeof *wall);
  wall->surface.points = points;
  wall->surface.triangles = triangles;
  wall->surface.point_mm = calloc((size_t)points * 3, sizeof(float));
  wall->surface.normal = calloc((size_t)points * 3, sizeof(float));
  wall->surface.triangle = calloc((size_t)triangles * 3, sizeof(int32_t));
  wall->values[HT_OF_WSS] = calloc((size_t)points, sizeof(float));
}

/* Adds an open tube from z = 0 to `end`, its triangles facing out, or in. */
static void add_tube(ht_compared_wall *wall, int64_t *point, int64_t *triangle, double radius,
                     double end, int inward, double (*value)(const float at[3])) {
  ht_surface *s = &wall->surface;
  int64_t first = *point;
  for (int k = 0; k < RINGS; k++)
    for (int n = 0; n < SIDES; n++, ++*point) {
      double angle = 2 * HT_PI * n / SIDES;
      float *at = s->point_mm + 3 * *point, *normal = s->normal + 3 * *point;
      at[0] = (float)(radius * cos(angle)), at[1] = (float)(radius * sin(angle));
      at[2] = (float)(end * k / (RINGS - 1));
      normal[0] = (float)((inward ? -1 : 1) * cos(angle));
      normal[1] = (float)((inward ? -1 : 1) * sin(angle));
      wall->values[HT_OF_WSS][*point] = (float)value(at);
    }
  for (int k = 0; k + 1 < RINGS; k++)
    for (int n = 0; n < SIDES; n++) {
      int32_t a = (int32_t)first + k * SIDES + n, b = (int32_t)first + k * SIDES + (n + 1) % SIDES;
      int32_t corner[2][3] = {{a, b, b + SIDES}, {a, b + SIDES, a + SIDES}};
      for (int t = 0; t < 2; t++, ++*triangle) {
        int32_t *to = s->triangle + 3 * *triangle;
        to[0] = corner[t][0];
        to[1] = corner[t][inward ? 2 : 1];
        to[2] = corner[t][inward ? 1 : 2];
      }
    }
}

static void make_tube(ht_compared_wall *wall, double radius, double end, int inward,
                      double (*value)(const float at[3])) {
  int64_t point = 0, triangle = 0;
  alloc_wall(wall, SIDES * RINGS, 2 * SIDES * (RINGS - 1));
  add_tube(wall, &point, &triangle, radius, end, inward, value);
}

static double linear(const float at[3]) {
  return 3 + 2 * at[2];
}

static double more(const float at[3]) {
  return linear(at) + 0.75;
}

static double twice(const float at[3]) {
  return 2 * linear(at);
}

static double one(const float at[3]) {
  return (void)at, 1;
}

/* ---- tests ---- */

/* Checks that a corner of the inner tube is nearest to the flat sides next to it, at its own
 * height: the distance is (R - r) cos(pi / SIDES), a number linear along the axis is exact. */
HT_TEST(test_cylinders) {
  ht_compared_wall inner, outer;
  ht_wall_map map;
  make_tube(&inner, 2, length_mm, 0, linear);
  make_tube(&outer, 2.3, length_mm, 0, more);
  assert_int_equal(ht_wall_map_make(&inner, &outer, 0.5, &map), HT_OK);
  double wanted = 0.3 * cos(HT_PI / SIDES);
  for (int64_t p = 0; p < map.points; p++) {
    const float *at = inner.surface.point_mm + 3 * p;
    assert_float_equal(map.distance_mm[p], wanted, 1e-6);
    assert_float_equal(map.other[HT_OF_WSS][p], more(at), 2e-5);
    assert_float_equal(map.difference[HT_OF_WSS][p], 0.75, 2e-5);
  }
  assert_float_equal(map.area_percent, 100, 1e-4);
  assert_float_equal(map.distance_median_mm, wanted, 1e-6);
  const ht_wall_difference *d = &map.number[HT_OF_WSS];
  assert_float_equal(d->median, 0.75, 2e-5);
  assert_float_equal(d->p95, 0.75, 2e-5);
  assert_float_equal(d->correlation, 1, 1e-9);
  assert_float_equal(d->reference_mean, linear((const float[]){0, 0, (float)(length_mm / 2)}),
                     1e-3);
  assert_float_equal(d->other_mean - d->reference_mean, 0.75, 1e-4);
  ht_wall_map_free(&map);
  ht_compared_wall_free(&inner);
  ht_compared_wall_free(&outer);
}

/* Checks a wall whose values are twice as large: the difference is the value, its median is that in
 * the middle, and 95 % of the area has less than what lies at 95 % of the length. */
HT_TEST(test_percentiles) {
  ht_compared_wall a, b;
  ht_wall_map map;
  make_tube(&a, 2, length_mm, 0, linear);
  make_tube(&b, 2, length_mm, 0, twice);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.1, &map), HT_OK);
  assert_float_equal(map.number[HT_OF_WSS].median, 3 + length_mm, 1e-3);
  assert_float_equal(map.number[HT_OF_WSS].p95, 3 + 2 * 0.95 * length_mm, 1e-3);
  assert_float_equal(map.number[HT_OF_WSS].correlation, 1, 1e-9);
  assert_float_equal(map.distance_p95_mm, 0, 1e-6);
  ht_wall_map_free(&map);
  ht_compared_wall_free(&a);
  ht_compared_wall_free(&b);
}

/* Checks that there is no value beyond the reach; a wall of half the length is common for half of
 * the area. */
HT_TEST(test_reach) {
  ht_compared_wall a, b;
  ht_wall_map map;
  make_tube(&a, 2, length_mm, 0, linear);
  make_tube(&b, 2.3, length_mm, 0, one);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.25, &map), HT_OK);
  assert_float_equal(map.area_percent, 0, 1e-9);
  for (int64_t p = 0; p < map.points; p++) {
    assert_true(isnan(map.distance_mm[p]));
    assert_true(isnan(map.other[HT_OF_WSS][p]) && isnan(map.difference[HT_OF_WSS][p]));
  }
  ht_wall_map_free(&map);
  ht_compared_wall_free(&b);
  make_tube(&b, 2.3, length_mm / 2, 0, one);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.31, &map), HT_OK);
  assert_float_equal(map.area_percent, 50, 100.0 / (RINGS - 1));
  assert_true(isnan(map.number[HT_OF_WSS].correlation)); /* correlation of a constant */
  for (int64_t p = 0; p < map.points; p++)
    assert_int_equal(isfinite(map.distance_mm[p]), a.surface.point_mm[3 * p + 2] < 15.01f);
  ht_wall_map_free(&map);
  ht_compared_wall_free(&a);
  ht_compared_wall_free(&b);
}

/* Another program's triangles may face in: the wall is turned. */
HT_TEST(test_turned) {
  ht_compared_wall a, b;
  ht_wall_map map;
  make_tube(&a, 2, length_mm, 0, linear);
  make_tube(&b, 2.2, length_mm, 1, more);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.5, &map), HT_OK);
  assert_float_equal(map.area_percent, 100, 1e-4);
  double face[3];
  ht_wall_face(&b.surface, 0, face);
  assert_true(face[0] * b.surface.point_mm[0] > 0); /* out */
  ht_wall_map_free(&map);
  ht_compared_wall_free(&a);
  ht_compared_wall_free(&b);
}

/* A wall across a narrow gap faces the other way, and does not count though it is nearer. */
HT_TEST(test_gap) {
  ht_compared_wall a, b;
  ht_wall_map map;
  int64_t point = 0, triangle = 0;
  make_tube(&a, 2, length_mm, 0, linear);
  alloc_wall(&b, 2 * SIDES * RINGS, 4 * SIDES * (RINGS - 1));
  add_tube(&b, &point, &triangle, 2.3, length_mm, 0, more);
  add_tube(&b, &point, &triangle, 2.1, 3, 1, one);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.5, &map), HT_OK);
  for (int64_t p = 0; p < map.points; p++)
    assert_float_equal(map.difference[HT_OF_WSS][p], 0.75, 2e-5);
  ht_wall_map_free(&map);
  ht_compared_wall_free(&a);
  ht_compared_wall_free(&b);
}

/* Returns the x of the same ray: a place on a sphere of another radius lies on it, and x scales
 * with the radius. The facets lie below the sphere by at most R (1 - cos(half an edge's angle)). */
static double x_of(const float at[3]) {
  return at[0];
}

static void make_sphere(ht_compared_wall *wall, double radius) {
  enum { BANDS = 60, ROUND = 120 };
  alloc_wall(wall, (BANDS + 1) * ROUND, 2 * BANDS * ROUND);
  for (int k = 0; k <= BANDS; k++)
    for (int n = 0; n < ROUND; n++) {
      int p = k * ROUND + n;
      double polar = HT_PI * k / BANDS, angle = 2 * HT_PI * n / ROUND;
      const double unit[3] = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
      for (int r = 0; r < 3; r++) {
        wall->surface.point_mm[3 * p + r] = (float)(radius * unit[r]);
        wall->surface.normal[3 * p + r] = (float)unit[r];
      }
      wall->values[HT_OF_WSS][p] = (float)x_of(wall->surface.point_mm + 3 * p);
    }
  for (int k = 0; k < BANDS; k++)
    for (int n = 0; n < ROUND; n++) {
      int32_t a = k * ROUND + n, b = k * ROUND + (n + 1) % ROUND;
      const int32_t corner[6] = {a, a + ROUND, b + ROUND, a, b + ROUND, b};
      memcpy(wall->surface.triangle + 6 * (k * ROUND + n), corner, sizeof corner);
    }
}

HT_TEST(test_spheres) {
  ht_compared_wall a, b;
  ht_wall_map map;
  make_sphere(&a, 5);
  make_sphere(&b, 5.4);
  assert_int_equal(ht_wall_map_make(&a, &b, 0.6, &map), HT_OK);
  double sag = 5.4 * (1 - cos(HT_PI / 60)); /* for half a diagonal of a quad, and a little more */
  assert_float_equal(map.area_percent, 100, 0.01);
  for (int64_t p = 0; p < map.points; p++) {
    assert_true(map.distance_mm[p] <= 0.4 + 1e-6 && map.distance_mm[p] >= 0.4 - sag);
    assert_float_equal(map.other[HT_OF_WSS][p], 1.08 * a.surface.point_mm[3 * p], 2 * sag);
  }
  ht_wall_map_free(&map);
  ht_compared_wall_free(&a);
  ht_compared_wall_free(&b);
}

/* Checks that few large triangles with a small reach are found as by trying all. */
HT_TEST(test_large_triangles) {
  ht_compared_wall wall;
  ht_wall_index index;
  ht_wall_place place;
  alloc_wall(&wall, 4, 2);
  const float corner[12] = {0, 0, 0, 100, 0, 0, 100, 100, 0, 0, 100, 0};
  const int32_t triangle[6] = {0, 1, 2, 0, 2, 3};
  memcpy(wall.surface.point_mm, corner, sizeof corner);
  memcpy(wall.surface.triangle, triangle, sizeof triangle);
  assert_int_equal(ht_wall_index_make(&wall.surface, 0.2, &index), HT_OK);
  for (int i = 0; i < 50; i++) {
    const double at[3] = {2.0 * i + 0.3, 100 - 1.9 * i, i % 2 ? 0.1 : -0.15};
    assert_int_equal(ht_wall_nearest(&index, at, NULL, &place), 1);
    assert_float_equal(place.distance_mm, fabs(at[2]), 1e-9);
    const double away[3] = {at[0], at[1], 0.21};
    assert_int_equal(ht_wall_nearest(&index, away, NULL, &place), 0);
  }
  const double outside[3] = {-0.1, 50, 0};
  assert_int_equal(ht_wall_nearest(&index, outside, NULL, &place), 1);
  assert_float_equal(place.distance_mm, 0.1, 1e-9);
  ht_wall_index_free(&index);
  ht_compared_wall_free(&wall);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cylinders),
                                     cmocka_unit_test(test_percentiles),
                                     cmocka_unit_test(test_reach),
                                     cmocka_unit_test(test_turned),
                                     cmocka_unit_test(test_gap),
                                     cmocka_unit_test(test_spheres),
                                     cmocka_unit_test(test_large_triangles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
