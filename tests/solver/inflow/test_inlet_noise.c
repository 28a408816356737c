/* Noise at an inlet: its size, no flow of its own, the same for the same seed; and what a run makes
 * of it. */
#include "tests/check.h"
#include "solver/inflow/inlet_noise.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/solver.h"
#include <string.h>

static const double rms = 0.1;

static void make(const ht_domain *domain, int64_t seed, ht_inlet_modes *modes) {
  ht_waveform steady;
  const int *dim = domain->mask.grid.dim;
  ht_waveform_constant(1, &steady);
  assert_int_equal(
      ht_inlet_modes_make(dim, &domain->port[0], HT_PROFILE_PARABOLIC, &steady, 1e-4, 3e-6, modes),
      HT_OK);
  assert_int_equal(ht_inlet_noise_add(dim, &domain->port[0], rms, seed, 1e-6, 1e-4, modes), HT_OK);
  assert_int_equal(modes->modes, 1 + HT_NOISE_MODES);
}

/* The noise at a node and time over the local velocity. */
static double noise_at(const ht_inlet_modes *modes, const double *coefficient, int64_t node) {
  double sum = 0;
  for (int m = 1; m < modes->modes; m++)
    sum += coefficient[m] * modes->shape[m * modes->nodes + node];
  return sum / modes->shape[node];
}

static void test_size(void **unused) {
  (void)unused;
  enum { MOMENTS = 400 };
  ht_domain domain;
  ht_inlet_modes modes, other;
  double coefficient[1 + HT_NOISE_MODES], square = 0, count = 0;
  assert_int_equal(ht_pipe_domain(16, 12, 2, 1, 0.1, 1, &domain), HT_OK);
  make(&domain, 1, &modes);
  make(&domain, 2, &other);
  for (int m = 1; m < modes.modes; m++) {
    double flow = 0;
    for (int64_t i = 0; i < modes.nodes; i++) flow += modes.shape[m * modes.nodes + i];
    assert_near(flow, 0, 1e-12);
  }
  for (int t = 0; t < MOMENTS; t++) {
    ht_inlet_modes_at(&modes, 0.37 * t, coefficient);
    assert_near(coefficient[0], 1, 1e-12);
    for (int64_t i = 0; i < modes.nodes; i++)
      square += pow(noise_at(&modes, coefficient, i), 2), count++;
  }
  print_message("RMS %.4f of %.4f\n", sqrt(square / count), rms);
  assert_near(sqrt(square / count) / rms, 1, 0.15);
  assert_true(modes.noise_hz[0] != other.noise_hz[0]);
  assert_true(ht_inlet_modes_peak(&modes, 1) > 1.2 * modes.shape[modes.nodes / 2]);
  ht_inlet_modes_free(&modes);
  ht_inlet_modes_free(&other);
  ht_domain_free(&domain);
}

/* Sum of |u|^2 over the nodes of a pipe after some steps; *flow_ml_s: into it. */
static double run(double noise, int seed, double *flow_ml_s) {
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
  double energy = 0;
  assert_int_equal(ht_pipe_domain(10, 20, 2, 1, 0.3, 0.2, &domain), HT_OK);
  ht_solver_defaults(&options);
  options.device = HT_DEVICE_CPU;
  options.threads = 1;
  options.inlet_noise = noise;
  options.noise_seed = seed;
  options.max_steps = 1500;
  options.stop_at_max_steps = 1;
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  ht_status status = ht_solve(&domain, &tiling, &options, NULL, &flow, &stats);
  if (status != HT_OK) fail_msg("%s", ht_error_message());
  for (int64_t i = 0; i < 3 * flow.nodes; i++)
    energy += (double)flow.velocity_m_s[i] * flow.velocity_m_s[i];
  *flow_ml_s = stats.port[0].flow_ml_s;
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
  return energy;
}

static void test_run(void **unused) {
  (void)unused;
  double flow_ml_s[4];
  double smooth = run(0, 1, &flow_ml_s[0]), one = run(rms, 1, &flow_ml_s[1]);
  double again = run(rms, 1, &flow_ml_s[2]), other = run(rms, 2, &flow_ml_s[3]);
  print_message("flow %.5f without, %.5f with noise; energy %.6g, %.6g, %.6g\n", flow_ml_s[0],
                flow_ml_s[1], smooth, one, other);
  assert_near(flow_ml_s[1] / flow_ml_s[0], 1, 2e-3);
  assert_true(again == one);
  assert_true(fabs(one / smooth - 1) > 1e-6 && fabs(one / smooth - 1) < 0.05);
  assert_true(other != one);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_size), cmocka_unit_test(test_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
