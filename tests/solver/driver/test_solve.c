/* The driver: refusals, reports, and how it stops. */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/solver.h"
#include "core/numbers/units.h"
#include <string.h>

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
} fixture;

static void begin(fixture *f, double flow_ml_s) {
  memset(f, 0, sizeof *f);
  assert_int_equal(ht_pipe_domain(10, 16, 2, 1, 0.3, flow_ml_s, &f->domain), HT_OK);
  assert_int_equal(ht_tiling_build(&f->domain.mask, NULL, &f->tiling), HT_OK);
  ht_solver_defaults(&f->options);
  f->options.device = HT_DEVICE_CPU;
}

static ht_status solve(fixture *f, const ht_progress *progress) {
  return ht_solve(&f->domain, &f->tiling, &f->options, progress, &f->flow, &f->stats);
}

static void end(fixture *f) {
  ht_flow_free(&f->flow);
  ht_tiling_free(&f->tiling);
  ht_domain_free(&f->domain);
}

/* Flow along z through a plane in the middle, from the velocities alone. */
static double flow_through_plane(const ht_flow *flow, int z) {
  const int *dim = flow->grid.dim;
  double sum = 0, dx_m = flow->grid.spacing_mm[0] * 1e-3;
  for (int64_t v = (int64_t)z * dim[0] * dim[1]; v < (int64_t)(z + 1) * dim[0] * dim[1]; v++)
    if (ht_flow_node(flow, v) >= 0) sum += flow->velocity_m_s[3 * ht_flow_node(flow, v) + 2];
  return 1e6 * sum * dx_m * dx_m;
}

static void test_stops_at_the_steady_state(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0.5);
  assert_int_equal(solve(&f, NULL), HT_OK);
  assert_int_equal(f.stats.steady, 1);
  assert_true(f.stats.steady_change <= f.options.steady_tolerance);
  assert_true(f.stats.steps < 20000);
  /* The prescribed flow goes in, through every plane, and out; the bar is 0.1 %. */
  print_message("flow in %.6f, middle %.6f, mass %.1e\n", f.stats.port[0].flow_ml_s,
                flow_through_plane(&f.flow, 8), f.stats.mass_imbalance);
  assert_near(f.stats.port[0].flow_ml_s, 0.5, 1e-3 * 0.5);
  assert_near(flow_through_plane(&f.flow, 8), 0.5, 1e-3 * 0.5);
  assert_near(f.stats.mass_imbalance, 0, 1e-3);
  /* Peak of a paraboloid is twice the mean; the staircase section is within a few per cent. */
  double mean = f.stats.port[0].mean_velocity_m_s;
  assert_near(f.stats.max_velocity_m_s / mean, 2, 0.15);
  assert_int_equal(f.stats.fluid_nodes, ht_mask_count(&f.domain.mask));
  end(&f);
}

static void test_refuses_what_cannot_be_run(void **unused) {
  (void)unused;
  fixture f;
  ht_units units;
  begin(&f, 30);
  assert_int_equal(ht_solver_plan(&f.domain, &f.options, &units, &f.stats), HT_ERR_UNSTABLE);
  assert_non_null(strstr(ht_error_message(), "cell Reynolds number"));
  assert_non_null(strstr(ht_error_message(), "spacing of"));
  assert_int_equal(solve(&f, NULL), HT_ERR_UNSTABLE);
  assert_null(f.flow.velocity_m_s);
  end(&f);
}

static void test_options_out_of_range(void **unused) {
  (void)unused;
  ht_solver_options options;
  ht_solver_defaults(&options);
  assert_int_equal(ht_solver_check(&options), HT_OK);
  options.viscosity_pa_s = -1;
  assert_int_equal(ht_solver_check(&options), HT_ERR_CASE);
  ht_solver_defaults(&options);
  options.max_velocity_lu = NAN;
  assert_int_equal(ht_solver_check(&options), HT_ERR_CASE);
}

static void test_inlet_without_flow(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0);
  assert_int_equal(solve(&f, NULL), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "inlet"));
  end(&f);
}

static void test_step_count_as_asked(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0.5);
  f.options.max_steps = 123;
  f.options.stop_at_max_steps = 1;
  assert_int_equal(solve(&f, NULL), HT_OK);
  assert_int_equal(f.stats.steps, 123);
  end(&f);
  begin(&f, 0.5);
  f.options.max_steps = 600;
  assert_int_equal(solve(&f, NULL), HT_ERR_NOT_STEADY);
  assert_non_null(f.flow.velocity_m_s);
  assert_int_equal(f.stats.steady, 0);
  end(&f);
}

typedef struct {
  int samples;
  double last_s, pressure_pa[HT_AVERAGE_SAMPLES];
} series;

static ht_status record(void *user, const ht_flow_sample *sample) {
  series *to = user;
  assert_int_equal(sample->beat, 0);
  assert_int_equal(sample->index, to->samples);
  assert_true(sample->time_s > to->last_s);
  assert_true(fabs(sample->flow_ml_s[0] - 0.5) <= 0.01 && fabs(sample->flow_ml_s[1] - 0.5) <= 0.01);
  to->last_s = sample->time_s;
  to->pressure_pa[to->samples++] = sample->pressure_pa[0];
  return HT_OK;
}

typedef struct {
  double total;
  int said; /* that it does not come to rest */
} told;

static int listen(void *user, const char *stage, double done, double total, const char *note) {
  told *to = user;
  (void)stage, (void)done;
  to->total = total;
  to->said |= strstr(note, "does not come to rest") != NULL;
  return 0;
}

/* A tolerance below the rounding of fp32: the flow goes on changing by that, and the results are
 * means over the second half of the steps, within rounding those of the steady flow. */
static void test_means_of_what_does_not_rest(void **unused) {
  (void)unused;
  fixture f;
  series seen = {.samples = 0};
  begin(&f, 0.5);
  assert_int_equal(solve(&f, NULL), HT_OK);
  double steady_pa = f.stats.port[0].pressure_pa, steady_m_s = f.stats.max_velocity_m_s;
  int64_t steps = f.stats.steps;
  assert_int_equal(f.stats.averaged, 0);
  assert_null(f.flow.tke_j_m3);
  end(&f);
  begin(&f, 0.5);
  f.options.steady_tolerance = 1e-12;
  f.options.max_steps = 4 * steps;
  f.options.averages = 1;
  f.options.observe = record;
  f.options.observe_user = &seen;
  told heard = {0, 0};
  const ht_progress progress = {.report = listen, .user = &heard};
  assert_int_equal(solve(&f, &progress), HT_OK);
  assert_true(heard.said && heard.total == (double)f.options.max_steps);
  assert_int_equal(f.stats.steady, 0);
  assert_int_equal(f.stats.steps, 4 * steps);
  assert_int_equal(f.stats.averaged, HT_AVERAGE_SAMPLES);
  assert_int_equal(seen.samples, HT_AVERAGE_SAMPLES);
  assert_near(f.stats.averaged_s, seen.last_s, 1e-9);
  assert_true(f.stats.averaged_drift > 0 && f.stats.averaged_drift < 1e-3);
  assert_near(f.stats.port[0].pressure_pa / steady_pa, 1, 1e-3);
  assert_near(f.stats.max_velocity_m_s / steady_m_s, 1, 1e-3);
  double mean_pa = 0;
  for (int k = 0; k < seen.samples; k++) mean_pa += seen.pressure_pa[k] / seen.samples;
  assert_near(mean_pa / f.stats.port[0].pressure_pa, 1, 1e-5);
  assert_int_equal(f.stats.tke_phases, 1);
  assert_non_null(f.flow.tke_j_m3);
  /* Fluctuations are nearly nothing: below 1e-6 of the energy of the fastest node. */
  double most_j_m3 = 0.5 * f.flow.density_kg_m3 * steady_m_s * steady_m_s;
  assert_true(f.stats.tke_highest_j_m3 >= 0 && f.stats.tke_highest_j_m3 <= 1e-6 * most_j_m3);
  end(&f);
}

static int stop_after_three(void *user, const char *stage, double done, double total,
                            const char *note) {
  (void)done, (void)total, (void)note;
  assert_string_equal(stage, "solve");
  return ++*(int *)user >= 3;
}

static void test_interruption(void **unused) {
  (void)unused;
  fixture f;
  int calls = 0;
  ht_progress progress = {.report = stop_after_three, .user = &calls};
  begin(&f, 0.5);
  assert_int_equal(solve(&f, &progress), HT_ERR_INTERRUPTED);
  assert_int_equal(calls, 3);
  end(&f);
}

/* Blood moves by differences of pressure alone: with 100 mmHg at the outlet the flow is that with
 * 0, and every pressure 100 mmHg higher. */
static void test_pressure_has_no_zero(void **unused) {
  (void)unused;
  fixture f[2];
  const double offset_pa = 13332.2;
  for (int k = 0; k < 2; k++) {
    begin(&f[k], 0.5);
    f[k].domain.port[1].opening.pressure_pa = k * offset_pa;
    assert_int_equal(solve(&f[k], NULL), HT_OK);
    /* Pressures agree to an ulp of a float of that size. */
    assert_near(f[k].stats.port[1].pressure_pa, k * offset_pa, 1e-3);
  }
  assert_int_equal(f[0].stats.steps, f[1].stats.steps);
  assert_memory_equal(f[0].flow.velocity_m_s, f[1].flow.velocity_m_s,
                      (size_t)f[0].flow.nodes * 3 * sizeof(float));
  double drop[2];
  for (int k = 0; k < 2; k++)
    drop[k] = f[k].stats.port[0].pressure_pa - f[k].stats.port[1].pressure_pa;
  assert_true(drop[0] > 0 && fabs(drop[1] - drop[0]) <= 2e-3);
  end(&f[0]);
  end(&f[1]);
}

/* A flow that blows up leaves the last state that was whole: no zeros that look like a result, and
 * nothing of the blow-up. */
static void test_divergence_leaves_the_last_good_state(void **unused) {
  (void)unused;
  fixture f;
  memset(&f, 0, sizeof f);
  /* Ten times the inlet's speed in the narrowing: more than the lattice can carry. */
  assert_int_equal(ht_bent_pipe_domain(12, 0.7, 0.25, 0.15, &f.domain), HT_OK);
  assert_int_equal(ht_tiling_build(&f.domain.mask, NULL, &f.tiling), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = HT_DEVICE_CPU;
  f.options.max_velocity_lu = 0.1;
  assert_int_equal(solve(&f, NULL), HT_ERR_DIVERGED);
  assert_non_null(f.flow.velocity_m_s);
  assert_true(f.stats.steps >= 32); /* the first look that keeps a state */
  double most = 0;
  for (int64_t n = 0; n < 3 * f.flow.nodes; n++) {
    assert_true(isfinite(f.flow.velocity_m_s[n]));
    most = fmax(most, fabs((double)f.flow.velocity_m_s[n]));
  }
  assert_true(most > 0.01 && most < 10); /* m/s */
  end(&f);
}

/* One pipe at half the spacing and with the same flow: pressure drop and velocity stay, so that
 * units are converted rightly whatever the lattice. */
static void test_units_do_not_depend_on_the_lattice(void **unused) {
  (void)unused;
  double drop[2], peak[2];
  for (int k = 0; k < 2; k++) {
    fixture f;
    memset(&f, 0, sizeof f);
    assert_int_equal(
        ht_pipe_domain(k ? 16 : 8, k ? 32 : 16, 0, 1, k ? 0.1875 : 0.375, 0.5, &f.domain), HT_OK);
    assert_int_equal(ht_tiling_build(&f.domain.mask, NULL, &f.tiling), HT_OK);
    ht_solver_defaults(&f.options);
    f.options.device = HT_DEVICE_CPU;
    assert_int_equal(solve(&f, NULL), HT_OK);
    drop[k] = f.stats.port[0].pressure_pa - f.stats.port[1].pressure_pa;
    peak[k] = f.stats.max_velocity_m_s;
    end(&f);
  }
  /* Poiseuille: 8 mu L Q / (pi R^4), L between the two port planes. */
  double exact = 8 * 0.0035 * 0.5e-6 * 31 * 0.1875e-3 / (HT_PI * pow(1.5e-3, 4));
  print_message("pressure drop: %.3f Pa at 8 across, %.3f at 16, exact %.3f\n", drop[0], drop[1],
                exact);
  assert_near(drop[1] / exact, 1, 0.1);
  assert_near(drop[0] / exact, 1, 0.2);
  assert_near(peak[1] / peak[0], 1, 0.05);
}

/* The largest cell Reynolds number allowed, in the hardest case: 12 nodes across, a bend, a
 * narrowing of 30 %. The flow has to become steady there, not only stay finite. */
static void check_limit(ht_collision collision, double cell_reynolds) {
  fixture f;
  memset(&f, 0, sizeof f);
  double spacing_mm = 0.25, nu = 0.0035 / 1060;
  /* The peak is twice the mean. */
  double mean_m_s = 0.5 * 0.99 * cell_reynolds * nu / (spacing_mm * 1e-3);
  double flow_ml_s = 1e6 * mean_m_s * HT_PI * pow(6 * spacing_mm * 1e-3, 2);
  assert_int_equal(ht_bent_pipe_domain(12, 0.3, spacing_mm, flow_ml_s, &f.domain), HT_OK);
  assert_int_equal(ht_tiling_build(&f.domain.mask, NULL, &f.tiling), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = HT_DEVICE_CPU;
  f.options.collision = collision;
  ht_status status = solve(&f, NULL);
  print_message("tau %.4f, Reynolds number %.0f, %lld steps, change %.1e, mass %.1e%s%s\n",
                f.stats.tau, f.stats.reynolds, (long long)f.stats.steps, f.stats.steady_change,
                f.stats.mass_imbalance, status == HT_OK ? "" : ": ",
                status == HT_OK ? "" : ht_error_message());
  assert_int_equal(status, HT_OK);
  assert_int_equal(f.stats.steady, 1);
  assert_near(f.stats.mass_imbalance, 0, 1e-3);
  end(&f);
}

static void test_steady_at_the_limit(void **unused) {
  (void)unused;
  check_limit(HT_LBGK, 25);
  check_limit(HT_MRT, 50);
}

/* Results of the four models for one pipe, in SI units. */
typedef struct {
  double drop_pa, peak_m_s, shear_pa; /* shear: the stress on the planes along the pipe, summed */
  double carried;                     /* flow through a plane in the middle / prescribed flow */
} model_result;

static void measure_model(const fixture *f, model_result *result) {
  const ht_flow *flow = &f->flow;
  const int *dim = flow->grid.dim;
  double dx = flow->grid.spacing_mm[0] * 1e-3, volume = 0;
  memset(result, 0, sizeof *result);
  result->drop_pa = f->stats.port[0].pressure_pa - f->stats.port[1].pressure_pa;
  result->peak_m_s = f->stats.max_velocity_m_s;
  for (int64_t v = 8L * dim[0] * dim[1]; v < 9L * dim[0] * dim[1]; v++) {
    int64_t n = ht_flow_node(flow, v);
    if (n < 0) continue;
    const float *stress = flow->stress_pa + 6 * n;
    result->shear_pa += hypot(stress[4], stress[5]);
    volume += flow->velocity_m_s[3 * n + 2];
  }
  result->carried = volume * dx * dx * 1e6 / 0.5;
}

static void run_model(int collision, int compressibility, model_result *result) {
  fixture f;
  begin(&f, 0.5);
  f.options.precision = HT_FP64;
  f.options.steady_tolerance =
      1e-8; /* what separates the models is less than the usual one leaves */
  f.options.collision = (ht_collision)collision;
  f.options.compressibility = (ht_compressibility)compressibility;
  assert_int_equal(solve(&f, NULL), HT_OK);
  assert_string_equal(f.stats.collision, collision ? "mrt" : "lbgk");
  assert_string_equal(f.stats.fluid, compressibility ? "quasi-compressible" : "incompressible");
  measure_model(&f, result);
  print_message("%s, %s: drop %.4f Pa, peak %.6f m/s, shear %.4f Pa, carried %.6f\n",
                f.stats.collision, f.stats.fluid, result->drop_pa, result->peak_m_s,
                result->shear_pa, result->carried);
  end(&f);
}

/* They differ, but little. */
static void check_near(double a, double b, double least, double most) {
  assert_true(fabs(a / b - 1) >= least && fabs(a / b - 1) <= most);
}

/* ---- a sac, whose blood moves at a hundredth of the vessel's speed ---- */

enum { SAC_NODES = 9, SAC_LENGTH = 20, PIPE_NODES = 6 }; /* radius of the ball; the pipe */

/* The pipe along z with a ball on it along x. */
static void add_sac(ht_domain *domain) {
  const int wide = 2 * SAC_NODES + 2, shift = (wide - PIPE_NODES - 2) / 2;
  ht_grid grid = ht_grid_make(PIPE_NODES + wide, wide, SAC_LENGTH + 2);
  ht_mask pipe = domain->mask;
  memcpy(grid.spacing_mm, pipe.grid.spacing_mm, sizeof grid.spacing_mm);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    double from[3] = {at[0] - (PIPE_NODES + SAC_NODES - 1.5), at[1] - 0.5 * (wide - 1),
                      at[2] - 0.5 * (SAC_LENGTH + 1)};
    double away2 = from[0] * from[0] + from[1] * from[1] + from[2] * from[2];
    const int in_pipe[3] = {at[0], at[1] - shift, at[2]};
    domain->mask.inside[v] = away2 < SAC_NODES * SAC_NODES ||
                             (ht_voxel_in_grid(pipe.grid.dim, in_pipe) &&
                              pipe.inside[ht_voxel_index(pipe.grid.dim, in_pipe)] != HT_SOLID);
  }
  for (int p = 0; p < domain->ports; p++)
    for (int64_t i = 0; i < domain->port[p].nodes; i++) {
      int at[3];
      ht_voxel_place(pipe.grid.dim, domain->port[p].node[i], at);
      at[1] += shift;
      domain->port[p].node[i] = ht_voxel_index(grid.dim, at);
    }
  ht_mask_free(&pipe);
}

/* The sac's own change counts, too: the whole vessel's is that of the pipe, and comes to rest
 * before. */
static void test_sac_comes_to_rest(void **unused) {
  (void)unused;
  fixture f;
  memset(&f, 0, sizeof f);
  assert_int_equal(ht_pipe_domain(PIPE_NODES, SAC_LENGTH, 2, 1, 0.4, 1, &f.domain), HT_OK);
  add_sac(&f.domain);
  assert_int_equal(ht_tiling_build(&f.domain.mask, NULL, &f.tiling), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = HT_DEVICE_CPU;
  f.options.coarse_start = 0;
  f.options.collision = HT_MRT;
  f.options.threads = 1;
  assert_int_equal(solve(&f, NULL), HT_OK);
  print_message("%lld steps, change %.2e, left %.4f\n", (long long)f.stats.steps,
                f.stats.steady_change, f.stats.slow_left);
  assert_int_equal(f.stats.steady, 1);
  assert_true(f.stats.slow_left > 0 && f.stats.slow_left <= 0.01);
  end(&f);
}

/* The models solve the same equations: what separates them is where LBGK and MRT put a half-way
 * wall (1 % of the pressure drop, 10 nodes across) and the density's deviation. Each carries the
 * prescribed flow through every plane: that of the quasi-compressible model, whose density is 0.1 %
 * above the blood's here, only if its velocity is j, not j / (1 + rho). Poiseuille: the shear
 * stress summed over the section is 8 mu Q / (3 R) / dx^2. */
static void test_every_model(void **unused) {
  (void)unused;
  model_result model[2][2];
  const double least = 1e-5, dx = 0.3e-3;
  double shear_pa = 8 * 0.0035 * 0.5e-6 / (3 * 5 * dx) / (dx * dx);
  for (int c = 0; c < 2; c++)
    for (int f = 0; f < 2; f++) run_model(c, f, &model[c][f]);
  for (int c = 0; c < 2; c++) {
    const model_result *volume = &model[c][0], *mass = &model[c][1];
    check_near(mass->drop_pa, volume->drop_pa, least, 5e-3);
    check_near(mass->peak_m_s, volume->peak_m_s, 0, 1e-3);
    check_near(mass->shear_pa, volume->shear_pa, least, 1e-3);
    for (int f = 0; f < 2; f++) {
      assert_near(model[c][f].carried, 1, 1e-4);
      check_near(model[c][f].shear_pa, shear_pa, 0, 0.05);
    }
  }
  for (int f = 0; f < 2; f++) {
    check_near(model[1][f].drop_pa, model[0][f].drop_pa, least, 0.02);
    check_near(model[1][f].peak_m_s, model[0][f].peak_m_s, least, 0.01);
    check_near(model[1][f].shear_pa, model[0][f].shear_pa, least, 0.01);
  }
}

/* The flow enters flat: at the inlet's port, and with the prescribed flow. */
HT_TEST(test_plug) {
  fixture f;
  ht_units units[2];
  begin(&f, 0.5);
  for (int plug = 0; plug < 2; plug++) {
    f.options.profile = plug ? HT_PROFILE_PLUG : HT_PROFILE_PARABOLIC;
    assert_int_equal(ht_solver_plan(&f.domain, &f.options, &units[plug], NULL), HT_OK);
  }
  /* The highest velocity sets the time step: half of the parabola's here. */
  assert_near(units[1].dt_s / units[0].dt_s, 2, 0.15);
  f.options.max_steps = 1500;
  f.options.stop_at_max_steps = 1;
  assert_int_equal(solve(&f, NULL), HT_OK);
  assert_near(f.stats.port[0].flow_ml_s, 0.5, 0.01);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sac_comes_to_rest),
      cmocka_unit_test(test_stops_at_the_steady_state),
      cmocka_unit_test(test_refuses_what_cannot_be_run),
      cmocka_unit_test(test_options_out_of_range),
      cmocka_unit_test(test_inlet_without_flow),
      cmocka_unit_test(test_step_count_as_asked),
      cmocka_unit_test(test_means_of_what_does_not_rest),
      cmocka_unit_test(test_interruption),
      cmocka_unit_test(test_steady_at_the_limit),
      cmocka_unit_test(test_pressure_has_no_zero),
      cmocka_unit_test(test_divergence_leaves_the_last_good_state),
      cmocka_unit_test(test_every_model),
      cmocka_unit_test(test_units_do_not_depend_on_the_lattice),
      cmocka_unit_test(test_plug),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
