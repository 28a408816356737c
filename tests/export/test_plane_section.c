/* Sections and regions of walls whose numbers are known exactly: prisms of many sides with a number
 * that is linear, and the nodes of Poiseuille's flow in an oblique pipe. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "export/measure/section_nodes.h"
#include "export/measure/wall_region.h"
#include "tests/export/voxel_pipe.h"
#include <stdlib.h>
#include <string.h>

enum { SIDES = 96, RINGS = 21, PRISMS = 3 };
static const double half_mm = 10; /* the prisms go from -10 to 10 mm along z */

/* Adds an open prism around an axis parallel to z, `taper` wider for each mm along it; with
 * `inwards` its walls face inwards. */
static void add_cone(ht_surface *wall, double x, double y, double radius, double taper,
                     int inwards) {
  const int32_t first = (int32_t)wall->points;
  for (int n = 0; n < RINGS * SIDES; n++) {
    const double angle = 2 * HT_PI * (n % SIDES) / SIDES;
    const double z = half_mm * (2.0 * (n / SIDES) / (RINGS - 1) - 1), here = radius + taper * z;
    const double out[3] = {cos(angle) / hypot(1, taper), sin(angle) / hypot(1, taper),
                           -taper / hypot(1, taper)};
    const double at[3] = {x + here * cos(angle), y + here * sin(angle), z};
    for (int r = 0; r < 3; r++) {
      wall->point_mm[3 * wall->points + r] = (float)at[r];
      wall->normal[3 * wall->points + r] = (float)(inwards ? -out[r] : out[r]);
    }
    wall->points++;
  }
  for (int n = 0; n < (RINGS - 1) * SIDES; n++) {
    const int32_t a = first + n, b = first + n / SIDES * SIDES + (n + 1) % SIDES;
    const int32_t corner[6] = {a, b, b + SIDES, a, b + SIDES, a + SIDES};
    for (int k = 0; k < 6; k++)
      wall->triangle[3 * wall->triangles + k] = corner[inwards ? 5 - k : k];
    wall->triangles += 2;
  }
}

static void add_prism(ht_surface *wall, double x, double y, double radius, int inwards) {
  add_cone(wall, x, y, radius, 0, inwards);
}

/* A vessel of 2 mm with something of 0.5 mm in it, and another vessel of 1 mm at x = 6. */
static void make_wall(ht_surface *wall) {
  memset(wall, 0, sizeof *wall);
  wall->point_mm = calloc(PRISMS * RINGS * SIDES * 3, sizeof(float));
  wall->normal = calloc(PRISMS * RINGS * SIDES * 3, sizeof(float));
  wall->triangle = calloc((size_t)PRISMS * RINGS * SIDES * 6, sizeof(int32_t));
  add_prism(wall, 0, 0, 2, 0);
  add_prism(wall, 0.5, 0, 0.5, 1);
  add_prism(wall, 6, 0, 1, 0);
}

static double polygon_mm2(double radius) {
  return SIDES / 2.0 * radius * radius * sin(2 * HT_PI / SIDES);
}

static void cut_at(const ht_surface *wall, const double point[3], const double normal[3],
                   ht_plane_cut *cut, ht_plane_section *section) {
  assert_int_equal(ht_plane_cut_make(wall, point, normal, cut), HT_OK);
  ht_plane_section_find(cut, section);
}

HT_TEST(test_section) {
  ht_surface wall;
  ht_plane_cut cut;
  ht_plane_section section;
  make_wall(&wall);
  const double exact = polygon_mm2(2) - polygon_mm2(0.5);
  for (int degrees = 0; degrees <= 45; degrees += 15) {
    const double tilt = degrees * HT_PI / 180, normal[3] = {0, sin(tilt), cos(tilt)};
    const double point[3] = {-1, 0.3, 0.7};
    double axis[3], place[3], mean, highest;
    float *z = calloc((size_t)wall.points, sizeof *z);
    for (int64_t p = 0; p < wall.points; p++) z[p] = wall.point_mm[3 * p + 2];
    cut_at(&wall, point, normal, &cut, &section);
    assert_int_equal(cut.contours, 3);
    assert_near(section.area_mm2, exact / cos(tilt), 1e-5);
    assert_int_equal(section.others, 1);
    assert_near(section.away_mm, 0, 0);
    assert_int_equal(ht_plane_section_axis(&cut, &section, &wall, axis), 1);
    assert_near(fabs(axis[2]), 1, 1e-12); /* the vessel's, whatever the plane */
    /* The centroid is that of a disc less another; the plane is z = 0.7 - (y - 0.3) tan(tilt). */
    ht_plane_place(&cut, section.centroid, place);
    assert_near(place[0], -0.5 * polygon_mm2(0.5) / exact, 1e-5);
    assert_near(place[1], 0, 1e-5);
    assert_near(place[2], 0.7 + 0.3 * tan(tilt), 1e-5);
    ht_plane_section_wall(&cut, &section, z, 1, &mean, &highest);
    assert_near(highest, 0.7 + 2.3 * tan(tilt), 1e-5);
    assert_near(mean, place[2], 1e-5);
    ht_plane_cut_free(&cut);
    free(z);
  }
  ht_surface_free(&wall);
}

HT_TEST(test_axis_of_cone) {
  ht_surface wall;
  make_wall(&wall);
  wall.points = wall.triangles = 0;
  add_cone(&wall, 0, 0, 5, 0.3, 0);
  for (int degrees = 0; degrees <= 45; degrees += 15) {
    const double tilt = degrees * HT_PI / 180, normal[3] = {0, sin(tilt), cos(tilt)};
    double axis[3];
    ht_plane_cut cut;
    ht_plane_section section;
    cut_at(&wall, (const double[3]){1, 0.5, 0}, normal, &cut, &section);
    assert_int_equal(ht_plane_section_axis(&cut, &section, &wall, axis), 1);
    assert_near(fabs(axis[2]), 1, 1e-6);
    ht_plane_cut_free(&cut);
  }
  ht_surface_free(&wall);
}

HT_TEST(test_same_section) {
  ht_surface wall;
  ht_plane_cut cut[3];
  ht_plane_section section[3];
  make_wall(&wall);
  const double normal[3] = {0.3, -0.4, 1.1}, reversed[3] = {-0.3, 0.4, -1.1};
  const double inside[3] = {-1, 0.5, 2}, outside[3] = {-2.5, 0, 2}, in_hole[3] = {0.5, 0, 2};
  cut_at(&wall, inside, normal, &cut[0], &section[0]);
  cut_at(&wall, inside, reversed, &cut[1], &section[1]);
  assert_memory_equal(&section[0], &section[1], sizeof *section); /* the same bits */
  assert_memory_equal(cut[0].normal, cut[1].normal, sizeof cut[0].normal);
  assert_memory_equal(cut[0].point, cut[1].point, (size_t)cut[0].points * sizeof *cut[0].point);
  cut_at(&wall, outside, (const double[3]){0, 0, 1}, &cut[2], &section[2]);
  assert_near(section[2].area_mm2, polygon_mm2(2) - polygon_mm2(0.5), 1e-5);
  assert_near(section[2].away_mm, 0.5, 1e-5);
  ht_plane_cut_free(&cut[2]);
  cut_at(&wall, in_hole, (const double[3]){0, 0, 1}, &cut[2], &section[2]);
  assert_near(section[2].area_mm2, polygon_mm2(2) - polygon_mm2(0.5), 1e-5);
  assert_near(section[2].away_mm, 0.5, 1e-3);
  for (int i = 0; i < 3; i++) ht_plane_cut_free(&cut[i]);
  ht_surface_free(&wall);
}

HT_TEST(test_no_section) {
  ht_surface wall;
  ht_plane_cut cut;
  ht_plane_section section;
  make_wall(&wall);
  const double beyond[3] = {0, 0, 11}, middle[3] = {-1, 0, 0}, zero[3] = {0, 0, 0};
  cut_at(&wall, beyond, (const double[3]){0, 0, 1}, &cut, &section);
  assert_int_equal(section.contour, -1);
  ht_plane_cut_free(&cut);
  cut_at(&wall, middle, (const double[3]){0, 1, 0}, &cut, &section); /* along the vessel */
  assert_int_equal(cut.contour[section.contour].is_open, 1);
  ht_plane_cut_free(&cut);
  assert_int_equal(ht_plane_cut_make(&wall, middle, zero, &cut), HT_ERR_USAGE);
  ht_surface_free(&wall);
}

/* The triangles of a second, wider surface, in no order; the other vessel's stay out. */
HT_TEST(test_outline) {
  ht_surface wall;
  ht_plane_cut cut;
  ht_plane_section section;
  double area = 0;
  make_wall(&wall);
  ht_triangles wider = {.count = (int)wall.triangles,
                        .corner = calloc((size_t)wall.triangles, sizeof *wider.corner)};
  for (int t = 0; t < wider.count; t++)
    for (int k = 0; k < 9; k++) {
      const float *at = wall.point_mm + 3 * (int64_t)wall.triangle[3 * t + k / 3];
      wider.corner[(t * 7) % wider.count][k / 3][k % 3] = at[k % 3] * (k % 3 < 2 ? 1.02F : 1);
    }
  cut_at(&wall, (const double[3]){-1, 0, 0.1}, (const double[3]){0, 0.6, 0.8}, &cut, &section);
  assert_int_equal(ht_plane_section_outline(&cut, &section, &wider, 0.5, &area), 1);
  assert_near(area, 1.02 * 1.02 * section.area_mm2, 1e-4);
  assert_int_equal(ht_plane_section_outline(&cut, &section, &wider, 0.03, &area), 0); /* in parts */
  ht_plane_cut_free(&cut);
  ht_triangles_free(&wider);
  ht_surface_free(&wall);
}

/* The flow through planes at any angle to the pipe and the lattice is the pipe's, a linear pressure
 * is exact. */
HT_TEST(test_nodes) {
  ht_pipe pipe = {.across = 12, .length = 60, .spacing_mm = 0.3, .direction = {1, 0.45, 0.3}};
  ht_grid frame = ht_grid_make(1, 1, 1);
  ht_domain domain;
  ht_surface wall;
  ht_flow flow;
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 2, &domain), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &wall), HT_OK);
  assert_int_equal(ht_pipe_flow(&pipe, &domain, 2, 0.0035, &flow), HT_OK);
  double middle[3], across[2][3];
  ht_grid_position(&domain.mask.grid, pipe.centre, middle);
  ht_span_across(pipe.direction, across);
  const double peak = 4 / (HT_PI * pow(pipe.across * pipe.spacing_mm / 2, 2)); /* m/s */
  const double slope = 8 * 0.0035 * 2e-6 / (HT_PI * pow(pipe.across * pipe.spacing_mm / 2e3, 4));
  for (int n = 0; n < 12; n++) {
    const double tilt = n % 4 * HT_PI / 12, along_mm = 0.7 * (n - 6), side = n % 3 - 1;
    double point[3], normal[3], away[3], place[3];
    ht_plane_cut cut;
    ht_plane_section section;
    ht_section_nodes nodes;
    for (int r = 0; r < 3; r++) {
      point[r] = middle[r] + along_mm * pipe.direction[r] + side * across[0][r];
      normal[r] = cos(tilt) * pipe.direction[r] + sin(tilt) * across[n % 2][r];
    }
    cut_at(&wall, point, normal, &cut, &section);
    assert_int_equal(ht_section_nodes_find(&cut, &section, &flow, pipe.direction, NULL, &nodes),
                     HT_OK);
    float *u = calloc((size_t)nodes.count, 3 * sizeof *u),
          *p = calloc((size_t)nodes.count, sizeof *p);
    ht_section_nodes_take(&nodes, &flow, u, p);
    const ht_section_values values = ht_section_nodes_sum(&nodes, u, p);
    ht_plane_place(&cut, section.centroid, place);
    for (int r = 0; r < 3; r++) away[r] = place[r] - middle[r];
    assert_near(values.flow_ml_s, 2, 0.02); /* 1 % */
    assert_near(values.pressure_pa, -slope * 1e-3 * ht_dot(away, pipe.direction), 1e-3);
    assert_near(values.highest_m_s, peak, 0.02 * peak);
    free(u), free(p);
    ht_section_nodes_free(&nodes);
    ht_plane_cut_free(&cut);
  }
  ht_flow_free(&flow);
  ht_surface_free(&wall);
  ht_domain_free(&domain);
}

/* ---- regions ---- */

/* Two flat sheets of 20 mm, 0.6 mm apart, which a gap divides. */
static void make_sheets(ht_surface *wall, int sheets) {
  enum { N = 41 };
  memset(wall, 0, sizeof *wall);
  wall->point_mm = calloc((size_t)sheets * N * N * 3, sizeof(float));
  wall->triangle = calloc((size_t)sheets * N * N * 6, sizeof(int32_t));
  for (int n = 0; n < sheets * N * N; n++) {
    const int i = n % N, j = n / N % N, sheet = n / (N * N);
    const float at[3] = {(float)(0.5 * i - 10), (float)(0.5 * j - 10), (float)(0.6 * sheet)};
    memcpy(wall->point_mm + 3 * wall->points++, at, sizeof at);
    if (i == N - 1 || j == N - 1) continue;
    const int32_t corner[6] = {n, n + 1, n + N + 1, n, n + N + 1, n + N};
    memcpy(wall->triangle + 3 * wall->triangles, corner, sizeof corner);
    wall->triangles += 2;
  }
}

HT_TEST(test_balls) {
  ht_surface wall;
  ht_wall_region one, both;
  ht_wall_spread_full spread;
  make_sheets(&wall, 2);
  /* The centre is nearer to the first sheet: the second, across the gap, does not count. */
  const ht_wall_ball ball[2] = {{0, 0, 0.2, 5}, {3, 0, 0.1, 5}};
  assert_int_equal(ht_wall_region_balls(&wall, ball, 1, &one), HT_OK);
  const double radius2 = 25 - 0.04;
  assert_near(one.area_mm2, HT_PI * radius2, 0.01 * HT_PI * radius2);
  float *value = calloc((size_t)wall.points, sizeof *value);
  for (int64_t p = 0; p < wall.points; p++)
    value[p] = wall.point_mm[3 * p] + 100 * wall.point_mm[3 * p + 2];
  assert_int_equal(ht_wall_region_spread(&one, value, &spread), HT_OK);
  assert_near(spread.mean, 0, 1e-4);
  assert_near(spread.p50, 0, 0.01);
  assert_near(spread.highest, sqrt(radius2), 0.02);
  assert_near(spread.least, -sqrt(radius2), 0.02);
  /* 5 % of a disc lie beyond 0.8054 radii (the segment's area is pi / 20). */
  assert_near(spread.p95, 0.8054 * sqrt(radius2), 0.02);
  assert_near(spread.p5, -0.8054 * sqrt(radius2), 0.02);
  assert_int_equal(ht_wall_region_balls(&wall, ball, 2, &both), HT_OK);
  const double r = 5, lens = 2 * r * r * acos(3 / (2 * r)) - 1.5 * sqrt(4 * r * r - 9);
  assert_near(both.area_mm2, 2 * HT_PI * r * r - lens, 0.01 * both.area_mm2);
  const ht_wall_ball away = {0, 0, 30, 5};
  ht_wall_region_free(&both);
  assert_int_equal(ht_wall_region_balls(&wall, &away, 1, &both), HT_ERR_USAGE);
  ht_wall_region_free(&one);
  free(value);
  ht_surface_free(&wall);
}

HT_TEST(test_points) {
  ht_surface wall;
  ht_wall_region region;
  make_sheets(&wall, 1);
  uint8_t *chosen = calloc((size_t)wall.points, 1);
  assert_int_equal(ht_wall_region_points(&wall, chosen, &region), HT_ERR_USAGE);
  for (int64_t p = 0; p < wall.points; p++) chosen[p] = wall.point_mm[3 * p] <= 0;
  assert_int_equal(ht_wall_region_points(&wall, chosen, &region), HT_OK);
  assert_near(region.area_mm2, 200, 1e-3);
  ht_wall_region_free(&region);
  free(chosen);
  ht_surface_free(&wall);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_section),      cmocka_unit_test(test_axis_of_cone),
      cmocka_unit_test(test_same_section), cmocka_unit_test(test_no_section),
      cmocka_unit_test(test_outline),      cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_balls),        cmocka_unit_test(test_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
