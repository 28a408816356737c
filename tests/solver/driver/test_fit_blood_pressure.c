/* An aorta's Windkessel, tuned during the run so that the inlet gets the cuff's pressures. */
#include "tests/check.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/solver.h"
#include "solver/inflow/windkessel_fit.h"
#include <string.h>

/* Systolic and diastolic, Pa: low, so that the pipe's own resistance and inertia, some 30 Pa, count
 * as a narrow vessel's do for a patient. */
static const double cuff_pa[2] = {130, 100}, flow_ml_s = 0.2;
static const double flat_pa[2] = {110, 105}; /* a pulse below that of the pipe alone */

static void begin(int across, ht_domain *domain, ht_waveform *waveform,
                  ht_solver_options *options) {
  ht_harmonics series = {.period_s = 0.06, .mean_ml_s = 1, .harmonics = 1};
  series.cosine_ml_s[0] = -0.5; /* a beat begins with the least inflow */
  assert_int_equal(ht_pipe_domain(across, 2 * across, 2, 1, 0.3, flow_ml_s, domain), HT_OK);
  assert_int_equal(ht_waveform_series(&series, waveform), HT_OK);
  ht_solver_defaults(options);
  options->device = HT_DEVICE_CPU;
  options->threads = 1;
  options->outlets = HT_OUTLETS_WINDKESSEL;
  options->waveform = waveform;
  options->samples = 12;
  options->max_velocity_lu = 0.1;
}

static void fit(const ht_waveform *waveform, const double asked_pa[2], ht_opening *outlet) {
  ht_waveform inflow = *waveform;
  ht_windkessel w;
  ht_windkessel_beat beat;
  assert_int_equal(ht_waveform_scale(&inflow, flow_ml_s), HT_OK);
  assert_int_equal(ht_windkessel_fit(&inflow, asked_pa[0], asked_pa[1], &w, &beat), HT_OK);
  outlet->windkessel[0] = w.proximal_pa_s_m3;
  outlet->windkessel[1] = w.compliance_m3_pa;
  outlet->windkessel[2] = w.distal_pa_s_m3;
  outlet->windkessel_start_pa = beat.rest_start_pa;
}

/* How a run is made. */
typedef struct {
  int across, cycles, tune, coarse;
} how;

static void run(const double asked_pa[2], how how, ht_flow_stats *stats) {
  ht_domain domain;
  ht_tiling tiling;
  ht_waveform waveform;
  ht_solver_options options;
  ht_flow flow;
  begin(how.across, &domain, &waveform, &options);
  fit(&waveform, asked_pa, &domain.port[1].opening);
  options.cycles = how.cycles;
  options.coarse_start = how.coarse;
  if (how.tune) memcpy(options.cuff_pa, asked_pa, sizeof options.cuff_pa);
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  ht_status status = ht_solve(&domain, &tiling, &options, NULL, &flow, stats);
  if (status != HT_OK) fail_msg("%s", ht_error_message());
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

/* Largest distance of the inlet's pressures from the prescribed ones, over the prescribed pulse. */
static double off_the_cuff(how how, ht_flow_stats *stats) {
  run(cuff_pa, how, stats);
  assert_int_equal(stats->cuff_refused, 0);
  const ht_port_result *inlet = &stats->port[0];
  print_message("%d beats: %.1f over %.1f Pa, changed by %.2g, %lld steps, %lld coarse\n",
                how.cycles, inlet->highest_pressure_pa, inlet->lowest_pressure_pa,
                stats->cycle_change, (long long)stats->steps, (long long)stats->coarse_steps);
  double off = fmax(fabs(inlet->highest_pressure_pa - cuff_pa[0]),
                    fabs(inlet->lowest_pressure_pa - cuff_pa[1]));
  return off / (cuff_pa[0] - cuff_pa[1]);
}

/* The vessel's addition to the lumped model is taken off again: from rest, and where the first
 * beats are those of a coarse lattice, whose addition is another, with one more fit after it. */
static void test_the_inlet_gets_the_cuffs_pressures(void **unused) {
  (void)unused;
  ht_flow_stats plain, rest, coarse;
  assert_true(off_the_cuff((how){.across = 8, .cycles = 3}, &plain) > 0.1);
  assert_true(off_the_cuff((how){.across = 8, .cycles = 8, .tune = 1}, &rest) < 0.03);
  assert_true(off_the_cuff((how){.across = 10, .cycles = 6, .tune = 1, .coarse = 1}, &coarse) <
              0.03);
  assert_int_equal(plain.cuff_tuned, 0);
  assert_int_equal(rest.cuff_tuned, 8 - 3);
  assert_int_equal(coarse.cuff_tuned, 6 - 3 + 1);
  assert_true(rest.coarse_steps == 0 && coarse.coarse_steps > 0);
  assert_near(coarse.port[0].flow_ml_s / flow_ml_s, 1, 2e-3);
}

/* No Windkessel takes the pipe's own pulse away: the run goes on and counts it. */
static void test_a_cuff_out_of_reach_is_counted(void **unused) {
  ht_flow_stats stats;
  (void)unused;
  run(flat_pa, (how){.across = 8, .cycles = 4, .tune = 1}, &stats);
  assert_int_equal(stats.cuff_tuned, 0);
  assert_int_equal(stats.cuff_refused, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_inlet_gets_the_cuffs_pressures),
      cmocka_unit_test(test_a_cuff_out_of_reach_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
