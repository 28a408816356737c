/* Streamlines of flows whose lines are known. */
#include "tests/check.h"
#include "export/lines/streamlines.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 41 };
static const double spacing_mm = 0.5;

/* A cube whose centre is the origin. `velocity` in m/s of a place in mm; 0 velocity is no solid. */
static void make(void (*velocity)(const double mm[3], double v[3]), ht_domain *domain,
                 ht_flow *flow) {
  ht_grid grid = ht_grid_make(SIDE, SIDE, SIDE);
  for (int a = 0; a < 3; a++) {
    grid.spacing_mm[a] = spacing_mm;
    grid.origin_mm[a] = -spacing_mm * (SIDE - 1) / 2;
  }
  int64_t voxels = ht_grid_voxels(&grid);
  memset(domain, 0, sizeof *domain);
  memset(flow, 0, sizeof *flow);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  memset(domain->mask.inside, HT_VESSEL, (size_t)voxels);
  flow->grid = grid;
  flow->nodes = voxels;
  assert_int_equal(ht_node_map_of_mask(voxels, NULL, &flow->node_of), HT_OK);
  flow->velocity_m_s = malloc(3 * (size_t)voxels * sizeof(float));
  for (int64_t n = 0; n < voxels; n++) {
    double mm[3], v[3];
    ht_grid_voxel_position(&grid, n, mm);
    velocity(mm, v);
    for (int r = 0; r < 3; r++) flow->velocity_m_s[3 * n + r] = (float)v[r];
  }
}

static void release(ht_domain *domain, ht_flow *flow, ht_streamlines *lines) {
  ht_streamlines_free(lines);
  ht_domain_free(domain);
  ht_node_map_free(&flow->node_of);
  free(flow->velocity_m_s);
}

/* A rotation of 1 rad/s times 1e-3 about an oblique axis through the origin. */
static const double axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
static void rotate(const double mm[3], double v[3]) {
  for (int r = 0; r < 3; r++) {
    int s = (r + 1) % 3, t = (r + 2) % 3;
    v[r] = 1e-3 * (axis[s] * mm[t] - axis[t] * mm[s]);
  }
}

static double dot(const double a[3], const float b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A trilinear velocity holds a linear one exactly, so only Runge and Kutta's error and float's
 * rounding (1e-7 of 10 mm a step) are left: of one step of h over a radius R the radius changes by
 * some R (h/R)^6 / 144. */
HT_TEST(lines_of_a_rotation_are_circles) {
  ht_domain domain;
  ht_flow flow;
  ht_streamlines lines;
  const double seed[1][3] = {{4, 1, -3}}; /* across the axis: 4/3 + 2/3 - 2 = 0 */
  const double radius = sqrt(26.0);
  make(rotate, &domain, &flow);
  assert_int_equal(ht_streamlines_trace(&domain, &flow, seed, 1, 0.5, &lines), HT_OK);
  assert_int_equal(lines.lines, 1);
  assert_int_equal(lines.first[1], lines.points);
  /* The line has three diagonals of the grid in each direction, that is 3 times 41 sqrt(3) 0.5 mm.
   */
  assert_in_range(lines.points, 2 * 3 * 35 / 0.5, 2 * 3 * 36 / 0.5);
  for (int64_t p = 0; p < lines.points; p++) {
    const float *at = lines.point_mm + 3 * p;
    double away = sqrt((double)at[0] * at[0] + (double)at[1] * at[1] + (double)at[2] * at[2]);
    assert_float_equal(away, radius, 1e-4);
    assert_float_equal(dot(axis, at), 0, 1e-4);
    assert_float_equal(lines.speed_m_s[p], 1e-3 * radius, 1e-6);
  }
  release(&domain, &flow, &lines);
}

/* Poiseuille's flow along z in a pipe of 9 mm; beyond it solid. */
static const double pipe_mm = 9;
static void poiseuille(const double mm[3], double v[3]) {
  double square = (mm[0] * mm[0] + mm[1] * mm[1]) / (pipe_mm * pipe_mm);
  v[0] = v[1] = 0;
  v[2] = square < 1 ? 0.5 * (1 - square) : 0;
}

HT_TEST(lines_of_a_pipe_are_straight) {
  ht_domain domain;
  ht_flow flow;
  ht_streamlines lines;
  const double seed[3][3] = {{0.3, 0.2, 0}, {-5, 3.3, 2}, {9.5, 9.5, 0}}; /* the last: at rest */
  make(poiseuille, &domain, &flow);
  assert_int_equal(ht_streamlines_trace(&domain, &flow, seed, 3, 0, &lines), HT_OK);
  assert_int_equal(lines.lines, 2);
  for (int l = 0; l < 2; l++) {
    double square = (seed[l][0] * seed[l][0] + seed[l][1] * seed[l][1]) / (pipe_mm * pipe_mm);
    int32_t end = lines.first[l + 1] - 1;
    for (int32_t p = lines.first[l]; p <= end; p++) {
      assert_float_equal(lines.point_mm[3 * p], seed[l][0], 1e-5);
      assert_float_equal(lines.point_mm[3 * p + 1], seed[l][1], 1e-5);
      if (fabsf(lines.point_mm[3 * p + 2]) > 10) continue; /* beyond the last nodes it falls to 0 */
      /* The speed is linear between nodes: at most 2 (h/2)^2 of the parabola's (0.5 / 81) below it.
       */
      assert_float_equal(lines.speed_m_s[p], 0.5 * (1 - square), 2 * 0.0625 * 0.5 / 81 + 1e-6);
    }
    /* The line leads from one end of the cube to the other, in the flow's direction, to a step of
     * 0.25 mm. */
    assert_float_equal(lines.point_mm[3 * lines.first[l] + 2], -10.25, 0.26);
    assert_float_equal(lines.point_mm[3 * end + 2], 10.25, 0.26);
  }
  release(&domain, &flow, &lines);
}

HT_TEST(a_line_ends_where_the_vessel_ends) {
  ht_domain domain;
  ht_flow flow;
  ht_streamlines lines;
  const double seed[1][3] = {{0, 0, 0}};
  make(poiseuille, &domain, &flow);
  for (int64_t v = ht_grid_voxels(&flow.grid) / 2 + 10 * SIDE * SIDE; v < flow.nodes; v++)
    domain.mask.inside[v] = HT_EXTENSION; /* from 5 mm on */
  assert_int_equal(ht_streamlines_trace(&domain, &flow, seed, 1, 0, &lines), HT_OK);
  assert_float_equal(lines.point_mm[3 * (lines.points - 1) + 2], 4.75, 0.26);
  release(&domain, &flow, &lines);
}

HT_TEST(seeds_lie_on_the_inlet_and_in_the_vessel) {
  ht_domain domain;
  ht_flow flow;
  ht_streamlines none = {0};
  static double seed[HT_STREAMLINE_SEEDS][3];
  make(poiseuille, &domain, &flow);
  domain.ports = 1;
  domain.port[0].opening = (ht_opening){.role = HT_ROLE_INLET,
                                        .centre_mm = {0, 0, -10},
                                        .direction = {0, 0, -1},
                                        .area_mm2 = 250,
                                        .radius_mm = 9};
  assert_int_equal(ht_streamline_seeds(&domain, seed), HT_STREAMLINE_SEEDS);
  int on_inlet = 0;
  for (int s = 0; s < HT_STREAMLINE_SEEDS; s++) {
    int flat = fabs(seed[s][2] + 9.5) < 1e-9 && hypot(seed[s][0], seed[s][1]) < 0.9 * 9;
    on_inlet += flat;
    for (int r = 0; r < 3; r++) assert_near(seed[s][r], 0, 10);
  }
  assert_in_range(on_inlet, HT_STREAMLINE_SEEDS * 2 / 3, HT_STREAMLINE_SEEDS * 2 / 3 + 4);
  release(&domain, &flow, &none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_a_rotation_are_circles),
      cmocka_unit_test(lines_of_a_pipe_are_straight),
      cmocka_unit_test(a_line_ends_where_the_vessel_ends),
      cmocka_unit_test(seeds_lie_on_the_inlet_and_in_the_vessel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
