#include "solver/run/pulse/pulse_end.h"
#include "solver/run/ports/outlet_loss.h"
#include "solver/run/pulse/pulse_samples.h"
#include <limits.h>

/* The most that the mean inflow of the first beat after a coarse start may be off, for a beat that
 * stands alone, and that the outlets' mean pressures may, of the drop along the vessel. */
static const double inflow_off = 2e-3, pressure_off = 0.01;

void ht_pulse_fit_loss(ht_pulse *pulse) {
  ht_outlet_states *outlets = &pulse->run->outlets;
  ht_outlet_loss_fit(0, outlets->has_sponge ? INT_MAX : pulse->schedule.samples, outlets);
}

void ht_pulse_tune(ht_pulse *pulse) {
  ht_solve_run *run = pulse->run;
  const ht_beat_pressures *pressure = &pulse->results.pressure;
  if (run->cuff.is_used && ht_beat_tunes(&pulse->schedule))
    ht_cuff_tune(&run->setup, pressure->highest_pa, pressure->lowest_pa, &run->outlets, &run->cuff);
}

ht_status ht_pulse_correct(ht_pulse *pulse) {
  ht_solve_run *run = pulse->run;
  const ht_beat_schedule *schedule = &pulse->schedule;
  const int counts = ht_beat_counts(schedule);
  if (!counts) ht_pulse_fit_loss(pulse);
  ht_pulse_tune(pulse);
  if (counts) return HT_OK;
  if (ht_beat_periods_done(schedule) == 0) return ht_port_correct_early(run, &pulse->ports);
  return ht_port_correct_period(run, &pulse->ports);
}

/* Tells whether the outlets by whose pressures the flow divides have them. */
static int outlets_hold(const ht_pulse *pulse) {
  return ht_outlet_loss_off(&pulse->run->outlets, pulse->results.pressure.mean_pa) <= pressure_off;
}

/* Begins to count again. The loss of the outlets, which stays in beats that count, is that of the
 * beats so far. */
static void count_again(ht_pulse *pulse) {
  ht_pulse_fit_loss(pulse);
  ht_beat_results_clear(&pulse->results);
}

static void expect_two_more(ht_pulse *pulse) {
  const ht_beat_schedule *schedule = &pulse->schedule;
  pulse->run->progress.total = (double)ht_beat_step(schedule, 2 * schedule->samples);
}

static void find_drift(const ht_pulse *pulse, ht_beat_end *end) {
  const ht_solver_options *options = pulse->run->setup.options;
  const ht_solve_results *results = &pulse->run->results;
  end->drift =
      ht_vessel_change(results->domain, results->flow, pulse->results.before, pulse->results.first);
  end->enough = !options->enough || options->enough(options->observe_user);
  results->stats->averaged_drift = end->drift;
}

/* Judges by the beats so far (beat_count.h). */
static int judge_beats(ht_pulse *pulse) {
  ht_flow_stats *stats = pulse->run->results.stats;
  ht_beat_count *count = &pulse->results.count;
  ht_beat_end end = {.change = stats->cycle_change,
                     .divides = outlets_hold(pulse) || !ht_pulse_learns_loss(pulse),
                     .left = ht_beat_periods_left(&pulse->schedule)};
  if (ht_beats_need_drift(count)) find_drift(pulse, &end);
  const ht_beat_verdict verdict = ht_beats_judge(&end, count);
  stats->beats = count->counted;
  stats->averaged = verdict.holds ? stats->beats * pulse->schedule.samples : 0;
  stats->averaged_s = verdict.holds ? stats->beats * stats->period_s : 0;
  if (verdict.done) {
    stats->cycle_change = verdict.change;
    return 1;
  }
  if (stats->beats == 1)
    ht_beat_results_keep_first(pulse->run->results.flow->nodes, &pulse->results);
  if (verdict.again) count_again(pulse);
  expect_two_more(pulse);
  return 0;
}

/* Judges a trial. One that does not repeat, or whose inflow or outlets are off, does not count: the
 * next period is judged as the first that counts. */
static ht_status judge_trial(ht_pulse *pulse, int *done) {
  ht_solve_run *run = pulse->run;
  ht_flow_stats *stats = run->results.stats;
  double off = ht_port_record_off(&run->volume, run->setup.domain->ports, &pulse->ports);
  *done = stats->cycle_change <= HT_PERIODIC_CHANGE && off <= inflow_off && outlets_hold(pulse);
  stats->beats = 1;
  if (*done) return HT_OK;
  count_again(pulse);
  expect_two_more(pulse);
  return ht_port_correct_period(run, &pulse->ports);
}

ht_status ht_pulse_judge(ht_pulse *pulse, int *done) {
  *done = 0;
  if (ht_beat_is_trial(&pulse->schedule)) return judge_trial(pulse, done);
  if (ht_beat_counts(&pulse->schedule)) *done = judge_beats(pulse);
  return HT_OK;
}
