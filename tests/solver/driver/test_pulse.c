/* Pulsatile flow through the driver: the inflow is the prescribed one at every moment, periods
 * repeat, the mean is that of the samples; refusals. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "tests/solver/common/chosen_device.h"
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 20, MIDDLE = 8 };
static ht_device device;

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_waveform waveform;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
  int seen, beats; /* samples of the first beat that counts; such beats */
  double time_s[SAMPLES], flow_ml_s[SAMPLES], port_ml_s[SAMPLES], port_pa[SAMPLES];
} fixture;

/* Flow along z through a plane in the middle. */
static double flow_through_plane(const ht_flow *flow) {
  const int *dim = flow->grid.dim;
  double sum = 0, dx_m = flow->grid.spacing_mm[0] * 1e-3;
  int64_t plane = (int64_t)dim[0] * dim[1];
  for (int64_t v = MIDDLE * plane; v < (MIDDLE + 1) * plane; v++)
    if (ht_flow_node(flow, v) >= 0) sum += flow->velocity_m_s[3 * ht_flow_node(flow, v) + 2];
  return 1e6 * sum * dx_m * dx_m;
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  fixture *f = user;
  if (sample->begins) f->seen = 0;
  f->beats = sample->beat + 1;
  if (sample->beat > 0) return HT_OK;
  assert_true(f->seen < SAMPLES);
  assert_int_equal(sample->index, f->seen);
  f->time_s[f->seen] = sample->time_s;
  f->port_ml_s[f->seen] = sample->flow_ml_s[0];
  f->port_pa[f->seen] = sample->pressure_pa[0];
  f->flow_ml_s[f->seen++] = flow_through_plane(sample->flow);
  return HT_OK;
}

/* Mean 1, one harmonic of this size. */
static void begin(fixture *f, double swing, ht_profile profile) {
  ht_harmonics series = {
      .period_s = 0.2, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0}, .sine_ml_s = {swing}};
  memset(f, 0, sizeof *f);
  assert_int_equal(ht_waveform_series(&series, &f->waveform), HT_OK);
  assert_int_equal(ht_pipe_domain(10, 16, 2, 1, 0.3, 0.4, &f->domain), HT_OK);
  assert_int_equal(ht_tiling_build(&f->domain.mask, NULL, &f->tiling), HT_OK);
  ht_solver_defaults(&f->options);
  f->options.device = device;
  f->options.profile = profile;
  f->options.waveform = &f->waveform;
  f->options.samples = SAMPLES;
  f->options.cycles = 3; /* the vessel is narrow */
  f->options.observe = observe;
  f->options.observe_user = f;
}

static ht_status solve(fixture *f) {
  return ht_solve(&f->domain, &f->tiling, &f->options, NULL, &f->flow, &f->stats);
}

static void end(fixture *f) {
  ht_flow_free(&f->flow);
  ht_tiling_free(&f->tiling);
  ht_domain_free(&f->domain);
}

/* The largest difference of the flow in the middle from the prescribed one, by the mean. */
static double worst_moment(const fixture *f, double swing) {
  double worst = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double asked = 0.4 * (1 + swing * sin(2 * HT_PI * f->time_s[k] / 0.2));
    assert_near(f->time_s[k], 0.2 * k / SAMPLES, 1e-12);
    worst = fmax(worst, fabs(f->flow_ml_s[k] - asked) / 0.4);
  }
  return worst;
}

static void check(double swing, ht_profile profile) {
  fixture f;
  begin(&f, swing, profile);
  assert_int_equal(solve(&f), HT_OK);
  assert_int_equal(f.seen, SAMPLES);
  double mean = 0, port_mean = 0, highest_pa = -INFINITY;
  for (int k = 0; k < SAMPLES; k++) {
    mean += f.flow_ml_s[k] / SAMPLES;
    port_mean += f.port_ml_s[k] / SAMPLES;
    highest_pa = fmax(highest_pa, f.port_pa[k]);
  }
  print_message("%s, swing %.1f: inflow %.5f mL/s of 0.4, moments %.2f %%, periods differ by %.1e, "
                "%lld steps, fastest %.3f m/s\n",
                ht_profile_words[profile], swing, f.stats.port[0].flow_ml_s,
                100 * worst_moment(&f, swing), f.stats.cycle_change, (long long)f.stats.steps,
                f.stats.max_velocity_m_s);
  assert_near(f.stats.port[0].flow_ml_s, 0.4, 1e-3 * 0.4);
  assert_near(flow_through_plane(&f.flow), mean, 1e-5 * mean);
  assert_near(port_mean, f.stats.port[0].flow_ml_s, 1e-9);
  assert_true(highest_pa == f.stats.port[0].highest_pressure_pa);
  assert_true(worst_moment(&f, swing) <= 0.01 * (1 + swing)); /* of the largest flow */
  assert_near(f.stats.mass_imbalance, 0, 1e-3);
  assert_true(f.stats.cycle_change <= 0.01);
  assert_int_equal(f.stats.steady, 1);
  assert_near(f.stats.period_s, 0.2, 1e-12);
  assert_near(f.stats.peak_time_s, 0.05, 1e-12);
  assert_int_equal(f.stats.steps % (3 * SAMPLES), 0);
  if (swing > 1) assert_true(f.flow_ml_s[3 * SAMPLES / 4] < 0);
  end(&f);
}

static void test_profiles(void **unused) {
  (void)unused;
  check(0.6, HT_PROFILE_WOMERSLEY);
  check(0.6, HT_PROFILE_PLUG);
}

/* The share of the swing that goes through the inlet. */
static double swing_share(const fixture *f, double swing) {
  double sum = 0;
  for (int k = 0; k < SAMPLES; k++)
    sum += f->port_ml_s[k] * sin(2 * HT_PI * f->time_s[k] / 0.2) * 2 / SAMPLES;
  return sum / (0.4 * swing);
}

/* The layer at the wall that flows to and fro is thinner than the spacing, and is lost on this
 * lattice with a part of the swing, which is corrected as well as the mean. */
static void test_thin_layer(void **unused) {
  (void)unused;
  const double swing = 1.8;
  fixture f;
  begin(&f, swing, HT_PROFILE_WOMERSLEY);
  f.options.viscosity_pa_s = 0.0006; /* Womersley number 11 */
  f.options.collision = HT_CUMULANT;
  f.options.max_velocity_lu = 0.1;
  f.options.cycles = 4;
  assert_int_equal(solve(&f), HT_OK);
  print_message("thin layer: mean %.4f of 0.4 mL/s, %.4f of the swing, periods differ by %.1e\n",
                f.stats.port[0].flow_ml_s, swing_share(&f, swing), f.stats.cycle_change);
  assert_near(f.stats.port[0].flow_ml_s, 0.4, 2e-3 * 0.4);
  assert_near(swing_share(&f, swing), 1, 5e-3);
  end(&f);
}

/* The flow turns back for a third of the period: in through the outlet. */
static void test_backflow(void **unused) {
  (void)unused;
  check(1.8, HT_PROFILE_WOMERSLEY);
  check(1.5, HT_PROFILE_PARABOLIC);
}

/* A single beat tells nothing of the flow's repeating: beats are added until one repeats the one
 * before, and the one after that is the result, as without adding. */
static void test_beats_are_added(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0.6, HT_PROFILE_PARABOLIC);
  f.options.cycles = 1;
  f.options.max_cycles = 7;
  assert_int_equal(solve(&f), HT_OK);
  int cycles = f.stats.cycles;
  double velocity = f.stats.max_velocity_m_s, pressure_pa = f.stats.port[0].pressure_pa;
  assert_true(cycles > 2 && cycles < 7);
  assert_true(f.stats.cycle_change <= HT_PERIODIC_CHANGE && f.stats.steady);
  assert_int_equal(f.stats.beats, 1);
  assert_int_equal(f.beats, 1);
  assert_int_equal(f.seen, SAMPLES);
  assert_int_equal(f.stats.averaged, 0);
  assert_null(f.flow.tke_j_m3);
  end(&f);
  begin(&f, 0.6, HT_PROFILE_PARABOLIC);
  f.options.cycles = cycles;
  f.options.max_cycles = 7; /* the flow repeats: none is added */
  assert_int_equal(solve(&f), HT_OK);
  assert_int_equal(f.stats.cycles, cycles);
  assert_near(f.stats.max_velocity_m_s / velocity, 1, 2e-3); /* the inflow's correction */
  assert_near(f.stats.port[0].pressure_pa / pressure_pa, 1, 2e-3);
  end(&f);
}

/* The limit comes first: the beats are too few for means to hold. */
static void test_no_beats_left(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0.6, HT_PROFILE_PARABOLIC);
  f.options.cycles = 1;
  f.options.max_cycles = 2;
  assert_int_equal(solve(&f), HT_OK);
  assert_true(f.stats.cycles == 2 && f.stats.beats == 2 && f.beats == 2);
  assert_true(f.stats.averaged == 0 && f.stats.cycle_change < 1);
  assert_null(f.flow.tke_j_m3);
  end(&f);
}

static ht_status stop(void *user, const ht_flow_sample *sample) {
  (void)user;
  return sample->time_s > 0.1 ? ht_fail(HT_ERR_WRITE, "enough") : HT_OK;
}

static ht_status never_ready(void *user) {
  (void)user;
  return ht_fail(HT_ERR_MEMORY, "not ready");
}

static void test_ends_early(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, 0.5, HT_PROFILE_PARABOLIC);
  f.options.cycles = 1;
  f.options.observe = stop;
  assert_int_equal(solve(&f), HT_ERR_WRITE);
  assert_true(f.stats.cycle_change == 1); /* there is none before it */
  end(&f);
  begin(&f, 0.5, HT_PROFILE_PARABOLIC);
  f.options.cycles = 1;
  f.options.ready = never_ready;
  assert_int_equal(solve(&f), HT_ERR_MEMORY);
  assert_string_equal(ht_error_message(), "not ready");
  assert_int_equal(f.seen, 0);
  end(&f);
  begin(&f, 0.5, HT_PROFILE_PARABOLIC);
  f.options.max_steps = 100;
  assert_int_equal(solve(&f), HT_ERR_CASE);
  f.options.max_steps = 0;
  f.options.cycles = 0;
  assert_int_equal(solve(&f), HT_ERR_CASE);
  end(&f);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_profiles),      cmocka_unit_test(test_thin_layer),
      cmocka_unit_test(test_backflow),      cmocka_unit_test(test_beats_are_added),
      cmocka_unit_test(test_no_beats_left), cmocka_unit_test(test_ends_early)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
