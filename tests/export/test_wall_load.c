/* Wall shear stress and pressure against Poiseuille's flow. */
#include "tests/check.h"
#include "tests/export/expected_file.h"
#include "export/wall/wall.h"
#include "solver/solver.h"
#include "tests/export/voxel_pipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double flow_ml_s = 0.5, viscosity_pa_s = 0.0035;

/* Errors on the wall away from the ends, as fractions of 4 mu U / R. */
typedef struct {
  double mean;     /* of the magnitude, less 1 */
  double rms, max; /* of the magnitude's error */
  double along;    /* mean component along the flow */
  double pressure; /* RMS error, over the drop along one voxel */
} load_error;

static load_error compare(const ht_surface *surface, const ht_pipe *pipe, const ht_grid *grid,
                          double slope_pa) {
  load_error error = {0};
  double wss = ht_pipe_wss(pipe, flow_ml_s, viscosity_pa_s), points = 0, lps[3];
  double reach = 2 * pipe->half_wall / 3; /* clear of what the ports disturb */
  ht_grid_to_lps(grid, pipe->direction, lps);
  for (int64_t p = 0; p < surface->points; p++) {
    double at[3], index[3], radius, along, outward[3], component = 0;
    for (int r = 0; r < 3; r++) at[r] = surface->point_mm[3 * p + r];
    ht_grid_index(grid, at, index);
    ht_pipe_place(pipe, index, &radius, &along, outward);
    if (fabs(along) > reach) continue;
    for (int r = 0; r < 3; r++) component += surface->wss_pa[3 * p + r] * lps[r];
    double off = surface->wss_mag_pa[p] / wss - 1;
    error.mean += off;
    error.rms += off * off;
    error.max = fmax(error.max, fabs(off));
    error.along += component / wss;
    error.pressure += pow(surface->pressure_pa[p] / slope_pa - along, 2);
    points++;
  }
  return (load_error){error.mean / points, sqrt(error.rms / points), error.max,
                      error.along / points, sqrt(error.pressure / points)};
}

static const double directions[][3] = {
    {1, 0, 0}, {1, 0.05, 0.02}, {1, 0.3, 0.17}, {1, 0.6, 0.35}, {1, 1, 0}};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

static void make_pipe(int d, double across, double length, ht_pipe *pipe, ht_domain *domain) {
  const double angle[3] = {0.3, 0.2, -1};
  ht_grid frame = ht_test_grid(1, 1, 1, angle, d % 2 == 1);
  *pipe = (ht_pipe){.across = across, .length = length, .spacing_mm = 0.2};
  memcpy(pipe->direction, directions[d], sizeof pipe->direction);
  assert_int_equal(ht_voxel_pipe(pipe, &frame, flow_ml_s, domain), HT_OK);
}

/* Checks the load with the exact stress at the nodes, so that only the surface and the sampling
 * have errors. */
static void test_exact_stress(void **unused) {
  (void)unused;
  for (int d = 0; d < DIRECTIONS; d++) {
    ht_pipe pipe;
    ht_domain domain;
    ht_flow flow;
    ht_surface surface;
    make_pipe(d, 16, 60, &pipe, &domain);
    assert_int_equal(ht_pipe_flow(&pipe, &domain, flow_ml_s, viscosity_pa_s, &flow), HT_OK);
    assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
    assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
    double slope = -2 * ht_pipe_wss(&pipe, flow_ml_s, viscosity_pa_s) / (0.5 * pipe.across);
    load_error error = compare(&surface, &pipe, &domain.mask.grid, slope);
    print_message("exact stress, [%.2f %.2f %.2f]: mean %+.2f %%, RMS %.2f %%, max %.1f %%, along "
                  "%.4f, pressure %.3f voxel\n",
                  pipe.direction[0], pipe.direction[1], pipe.direction[2], 100 * error.mean,
                  100 * error.rms, 100 * error.max, error.along, error.pressure);
    assert_true(fabs(error.mean) <= 0.02 && error.rms <= 0.025 && error.max <= 0.08);
    assert_near(error.along, 1, 0.02);  /* the sign: along the flow */
    assert_true(error.pressure <= 0.3); /* the shift by the mean with the neighbouring points */
    ht_surface_free(&surface);
    ht_flow_free(&flow);
    ht_domain_free(&domain);
  }
}

static void test_tangential(void **unused) {
  (void)unused;
  ht_pipe pipe;
  ht_domain domain;
  ht_flow flow;
  ht_surface surface;
  make_pipe(3, 7, 60, &pipe, &domain); /* thinner than the depths go */
  assert_int_equal(ht_pipe_flow(&pipe, &domain, flow_ml_s, viscosity_pa_s, &flow), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
  assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK); /* again: replaces */
  for (int64_t p = 0; p < surface.points; p++) {
    const float *wss = surface.wss_pa + 3 * p, *n = surface.normal + 3 * p;
    float size = surface.wss_mag_pa[p];
    assert_true(fabsf(wss[0] * n[0] + wss[1] * n[1] + wss[2] * n[2]) <= 1e-5f * size);
    assert_float_equal(sqrtf(wss[0] * wss[0] + wss[1] * wss[1] + wss[2] * wss[2]), size,
                       1e-5f * size);
  }
  load_error error = compare(&surface, &pipe, &domain.mask.grid, 1);
  print_message("exact stress, 7 across: mean %+.2f %%, RMS %.2f %%\n", 100 * error.mean,
                100 * error.rms);
  assert_true(fabs(error.mean) <= 0.05 && error.rms <= 0.06);
  ht_surface_free(&surface);
  ht_flow_free(&flow);
  ht_domain_free(&domain);
}

/* Checks voxels that are alone or in pairs: no room below any point, but a value from the nodes
 * next to it. */
static void test_no_room_below(void **unused) {
  (void)unused;
  ht_domain domain = {0};
  ht_flow flow = {0};
  ht_surface surface;
  ht_grid grid = ht_grid_make(9, 9, 9);
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  flow.grid = grid;
  flow.pressure_pa = malloc(sizeof(float) * 729);
  flow.stress_pa = calloc(6 * 729, sizeof(float));
  for (int v = 0; v < 729; v++) {
    int fluid = v % 9 % 3 == 1 && v / 9 % 9 % 4 == 1 && v / 81 % 2 == 1;
    domain.mask.inside[v] = (uint8_t)fluid;
    if (fluid) flow.pressure_pa[flow.nodes++] = 7;
  }
  assert_int_equal(ht_node_map_of_mask(729, domain.mask.inside, &flow.node_of), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
  for (int64_t p = 0; p < surface.points; p++) {
    assert_float_equal(surface.pressure_pa[p], 7, 1e-4);
    assert_true(surface.wss_mag_pa[p] == 0);
  }
  ht_surface_free(&surface);
  ht_flow_free(&flow);
  ht_domain_free(&domain);
}

static void solve(const ht_domain *domain, ht_flow *flow, ht_flow_stats *stats) {
  ht_tiling tiling;
  ht_solver_options options;
  ht_solver_defaults(&options);
  options.device = HT_DEVICE_CPU;
  options.viscosity_pa_s = viscosity_pa_s;
  options.threads = 1;
  options.max_steps = 2500;
  options.stop_at_max_steps = 1;
  assert_int_equal(ht_tiling_build(&domain->mask, NULL, &tiling), HT_OK);
  ht_status status = ht_solve(domain, &tiling, &options, NULL, flow, stats);
  if (status != HT_OK) print_message("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  ht_tiling_free(&tiling);
}

/* Checks LBGK with half-way walls: the staircase makes the pipe a little narrower than it is drawn.
 */
static void test_solved_flow(void **unused) {
  (void)unused;
  for (int d = 0; d < DIRECTIONS; d += 2) {
    ht_pipe pipe;
    ht_domain domain;
    ht_flow flow;
    ht_flow_stats stats;
    ht_surface surface;
    make_pipe(d, 16, 60, &pipe, &domain);
    solve(&domain, &flow, &stats);
    assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
    assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
    load_error error = compare(&surface, &pipe, &domain.mask.grid, 1);
    print_message("solved flow, 16 across, [%.2f %.2f %.2f]: mean %+.2f %%, RMS %.2f %%, max "
                  "%.1f %%, along %.4f; tau %.3f, %.1f s\n",
                  pipe.direction[0], pipe.direction[1], pipe.direction[2], 100 * error.mean,
                  100 * error.rms, 100 * error.max, error.along, stats.tau, stats.seconds);
    assert_true(fabs(error.mean) <= 0.06 && error.rms <= 0.09);
    assert_near(error.along, 1, 0.06);
    ht_surface_free(&surface);
    ht_flow_free(&flow);
    ht_domain_free(&domain);
  }
}

/* Womersley's flow, exact at the nodes, at walls whose distance is known: the largest error of the
 * vector at two phases, over the amplitude. */
static double wave_error(int d, double across, double alpha) {
  ht_pipe pipe;
  ht_domain domain;
  ht_surface surface;
  double largest = 0, slope[2], lps[3];
  make_pipe(d, across, 40, &pipe, &domain);
  assert_int_equal(ht_pipe_distance(&pipe, &domain), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  ht_grid_to_lps(&domain.mask.grid, pipe.direction, lps);
  double unit = -viscosity_pa_s / (0.5e-3 * across * pipe.spacing_mm), speed;
  for (int k = 0; k < 2; k++) ht_pipe_wave(alpha, k * acos(0), 1, &speed, &slope[k]);
  for (int k = 0; k < (alpha > 0 ? 2 : 1); k++) {
    ht_flow flow;
    assert_int_equal(ht_pipe_wave_flow(&pipe, &domain, alpha, k * acos(0), viscosity_pa_s, &flow),
                     HT_OK);
    assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
    for (int64_t p = 0; p < surface.points; p++) {
      double off = 0;
      for (int r = 0; r < 3; r++)
        off += pow(surface.wss_pa[3 * p + r] - unit * slope[k] * lps[r], 2);
      largest = fmax(largest, sqrt(off) / fabs(unit) / hypot(slope[0], alpha > 0 ? slope[1] : 0));
    }
    ht_flow_free(&flow);
  }
  ht_surface_free(&surface);
  ht_domain_free(&domain);
  return largest;
}

/* The largest errors, with the stress exact at the nodes. A boundary layer at alpha 6 is R / 6, one
 * spacing at 12 across. */
static void test_interpolated_walls(void **unused) {
  (void)unused;
  for (int d = 0; d < DIRECTIONS; d += 2) {
    double steady = wave_error(d, 12, 0), coarse = wave_error(d, 12, 6),
           fine = wave_error(d, 24, 6);
    print_message(
        "distance known, [%.2f %.2f %.2f]: largest error steady %.3f %%, alpha 6: %.2f %% "
        "at 12 across, %.2f %% at 24\n",
        directions[d][0], directions[d][1], directions[d][2], 100 * steady, 100 * coarse,
        100 * fine);
    assert_true(steady <= 0.015);
    assert_true(coarse <= 0.04 && fine <= 0.008);
    assert_true(coarse / fine > 3);
  }
}

/* Shear-thinning blood: whatever its viscosity, the stress in a pipe is proportional to the radius
 * and balances the pressure. Here it is `thinning` times what the velocity and the viscosity at
 * high shear would give (slow blood has 2 and more); the wall's has to follow. */
static const float thinning = 2;

static void make_thinning(ht_flow *flow) {
  for (int64_t k = 0; k < 6 * flow->nodes; k++) flow->stress_pa[k] *= thinning;
  for (int64_t n = 0; n < flow->nodes; n++) flow->pressure_pa[n] *= thinning;
  flow->shear_thinning = 1;
}

/* The largest error. */
static double thinning_error(double across) {
  ht_pipe pipe;
  ht_domain domain;
  ht_flow flow;
  ht_surface surface;
  double largest = 0;
  make_pipe(3, across, 40, &pipe, &domain);
  assert_int_equal(ht_pipe_distance(&pipe, &domain), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_int_equal(ht_pipe_flow(&pipe, &domain, flow_ml_s, viscosity_pa_s, &flow), HT_OK);
  double wanted = thinning * ht_pipe_wss(&pipe, flow_ml_s, viscosity_pa_s);
  make_thinning(&flow);
  assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
  for (int64_t p = 0; p < surface.points; p++)
    largest = fmax(largest, fabs(surface.wss_mag_pa[p] / wanted - 1));
  ht_surface_free(&surface);
  ht_flow_free(&flow);
  ht_domain_free(&domain);
  return largest;
}

static void test_shear_thinning(void **unused) {
  (void)unused;
  double thin = thinning_error(5), coarse = thinning_error(12), fine = thinning_error(24);
  print_message("shear thinning: largest error %.2f %% at 5 across, %.2f %% at 12, %.2f %% at 24\n",
                100 * thin, 100 * coarse, 100 * fine);
  assert_true(thin <= 0.1 && coarse <= 0.04 && fine <= 0.01);
}

/* A slit along x, z between walls at y = 0.3 and 0.3 + width: plane Poiseuille flow, with few nodes
 * across and the other wall within reach. */
static double slit_error(double width, int thins) {
  ht_domain domain = {0};
  ht_flow flow = {0};
  ht_surface surface;
  ht_grid grid = ht_grid_make(12, 10, 12);
  double largest = 0, wss = 4 * viscosity_pa_s / (width * 1e-3);
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  domain.wall_distance = calloc(1440, sizeof(float));
  flow = (ht_flow){.grid = grid, .viscosity_pa_s = viscosity_pa_s};
  flow.velocity_m_s = calloc(3 * 1440, sizeof(float));
  flow.pressure_pa = calloc(1440, sizeof(float));
  flow.stress_pa = calloc(6 * 1440, sizeof(float));
  for (int v = 0; v < 1440; v++) {
    double depth = v / 12 % 10 - 2.3, side = fmin(depth, width - depth);
    int inside = side > 0 && v % 12 > 0 && v % 12 < 11 && v / 120 > 0 && v / 120 < 11;
    domain.wall_distance[v] = (float)side;
    domain.mask.inside[v] = (uint8_t)inside;
    if (!inside) continue;
    flow.pressure_pa[flow.nodes] = (float)(-2 * wss / width * (v % 12));
    flow.stress_pa[6 * flow.nodes + 3] = (float)(wss * (1 - 2 * depth / width));
    flow.velocity_m_s[3 * flow.nodes++] = (float)(4 * depth * (width - depth) / (width * width));
  }
  assert_int_equal(ht_node_map_of_mask(1440, domain.mask.inside, &flow.node_of), HT_OK);
  if (thins) make_thinning(&flow), wss *= thinning;
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_int_equal(ht_surface_load(&surface, &domain, &flow), HT_OK);
  for (int64_t p = 0; p < surface.points; p++) {
    const float *at = surface.point_mm + 3 * p;
    if (fabsf(at[0] - 5.5f) > 2 || fabsf(at[2] - 5.5f) > 2) continue;
    for (int r = 0; r < 3; r++) assert_true(isfinite(surface.wss_pa[3 * p + r]));
    largest = fmax(largest, fabs(surface.wss_pa[3 * p] / wss - 1));
  }
  ht_surface_free(&surface);
  ht_flow_free(&flow);
  ht_domain_free(&domain);
  return largest;
}

/* The nodes of the wall across do not count for this one. One node alone has no stress, and what
 * the pressure tells is half of the weight. */
static void test_narrow_slits(void **unused) {
  (void)unused;
  for (int nodes = 1; nodes <= 6; nodes++) {
    double error = slit_error(nodes + 0.1, 0), thin = slit_error(nodes + 0.1, 1);
    print_message("slit of %d nodes: largest error %.2f %%; blood that thins %.2f %%\n", nodes,
                  100 * error, 100 * thin);
    assert_true(fmax(error, thin) <= (nodes > 1 ? 0.01 : 0.6));
  }
}

/* u_tau = sqrt(wss / 1000), nu = 1e-5 m2/s, dx 1 mm: dx+ = 100 u_tau = sqrt(10 wss); above 5 where
 * the stress is above 2.5 Pa, which is on all but 2.5 of the strip's length of 100. */
static void check_resolution(ht_surface *strip) {
  ht_flow flow = {.viscosity_pa_s = 0.01, .density_kg_m3 = 1000};
  ht_wall_cycle cycle = {.points = strip->points};
  ht_wall_stats stats;
  flow.grid = ht_grid_make(1, 1, 1);
  ht_surface_stats(strip, &stats);
  assert_true(stats.dx_plus_max == 0 && stats.coarse_share == 0); /* not known yet */
  assert_int_equal(ht_surface_resolve(strip, &flow, NULL, NULL), HT_OK);
  ht_surface_stats(strip, &stats);
  assert_float_equal(stats.dx_plus_max, sqrt(10 * 100), 1e-4);
  assert_float_equal(stats.coarse_share, 0.975, 1e-3);
  /* The largest stress of a cycle counts: here a quarter everywhere, so half the dx+. */
  cycle.wss_max_pa = calloc((size_t)strip->points, sizeof(float));
  for (int64_t p = 0; p < strip->points; p++) cycle.wss_max_pa[p] = strip->wss_mag_pa[p] / 4;
  assert_int_equal(ht_surface_resolve(strip, &flow, &cycle, NULL), HT_OK);
  ht_surface_stats(strip, &stats);
  assert_float_equal(stats.dx_plus_max, sqrt(10 * 25), 1e-4);
  /* A lattice of twice the spacing. */
  assert_int_equal(ht_surface_resolve(strip, &flow, &cycle, &(uint8_t){1}), HT_OK);
  ht_surface_stats(strip, &stats);
  assert_float_equal(stats.dx_plus_max, 2 * sqrt(10 * 25), 1e-4);
  cycle.points--;
  assert_int_equal(ht_surface_resolve(strip, &flow, &cycle, NULL), HT_ERR_INTERNAL);
  free(cycle.wss_max_pa);
}

/* A strip of 200 triangles of area 0.5 with stresses 0 .. 199 at both its long sides. */
static void test_stats(void **unused) {
  (void)unused;
  ht_surface strip = {.points = 202, .triangles = 200};
  strip.point_mm = calloc(3 * 202, sizeof(float));
  strip.normal = calloc(3 * 202, sizeof(float));
  strip.triangle = calloc(3 * 200, sizeof(int32_t));
  strip.wss_mag_pa = calloc(202, sizeof(float));
  for (int p = 0; p < 202; p++) {
    strip.point_mm[3 * p] = (float)(p / 2);
    strip.point_mm[3 * p + 1] = (float)(p % 2);
    strip.wss_mag_pa[p] = (float)(p / 2);
  }
  for (int t = 0; t < 200; t++)
    for (int n = 0; n < 3; n++) strip.triangle[3 * t + n] = t + n;
  ht_wall_stats stats;
  ht_surface_stats(&strip, &stats);
  assert_float_equal(stats.area_mm2, 100, 1e-4);
  assert_float_equal(stats.wss_mean_pa, 50, 1e-3);
  assert_float_equal(stats.wss_max_pa, 100, 0);
  assert_float_equal(stats.wss_p99_pa, 99, 1e-4); /* the stress is the place along the strip */
  check_resolution(&strip);
  free(strip.wss_mag_pa);
  strip.wss_mag_pa = NULL;
  free(strip.dx_plus);
  strip.dx_plus = NULL;
  ht_surface_stats(&strip, &stats);
  assert_float_equal(stats.area_mm2, 100, 1e-4);
  assert_true(stats.wss_max_pa == 0 && stats.wss_mean_pa == 0 && stats.wss_p99_pa == 0);
  ht_surface_free(&strip);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_stress),       cmocka_unit_test(test_tangential),
      cmocka_unit_test(test_no_room_below),      cmocka_unit_test(test_solved_flow),
      cmocka_unit_test(test_interpolated_walls), cmocka_unit_test(test_shear_thinning),
      cmocka_unit_test(test_narrow_slits),       cmocka_unit_test(test_stats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
