#include "solver/run/pulse/pulse.h"
#include "solver/plan/coarse_choice.h"
#include "solver/run/ports/outlet_loss.h"
#include "solver/run/pulse/pulse_end.h"
#include "solver/run/pulse/pulse_samples.h"
#include "solver/run/step/checkpoint.h"
#include "solver/run/step/solve_step.h"
#include <limits.h>
#include <stdio.h>

enum { NOTE = 96 };

/* Moves the state while no sample is being taken. */
static ht_status move(void *user, ht_state *stream) {
  ht_pulse *pulse = user;
  ht_beat_schedule *schedule = &pulse->schedule;
  ht_port_record *ports = &pulse->ports;
  HT_TRY(ht_state_part(stream, "periods"));
  HT_TRY(ht_state_count(stream, &schedule->first, 0, INT_MAX));
  HT_TRY(
      ht_state_count(stream, &schedule->period, schedule->first, ht_beat_most_periods(schedule)));
  HT_TRY(ht_state_count(stream, &pulse->checked, 0, pulse->run->step));
  HT_TRY(ht_state_int(stream, &ports->moments, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, ports->sums));
  HT_TRY(HT_STATE_OF(stream, ports->flow_lu));
  HT_TRY(HT_STATE_OF(stream, pulse->run->cuff));
  return ht_beat_results_move(pulse->run->results.flow->nodes, &pulse->results, stream);
}

/* ---- periods ---- */

static void describe(const ht_pulse *pulse, char note[NOTE]) {
  int number = (int)pulse->schedule.period + 1, cycles = pulse->schedule.cycles;
  double change = pulse->run->results.stats->cycle_change;
  int length = number > cycles ? snprintf(note, NOTE, "period %d, added", number)
                               : snprintf(note, NOTE, "period %d of %d", number, cycles);
  if (change < 1)
    snprintf(note + length, NOTE - (size_t)length,
             pulse->results.count.counted > 0 ? ", averaging: beats vary by %.2g %%"
                                              : ", changed by %.2g %%",
             100 * change);
}

/* Steps up to a place, and checks for divergence. */
static ht_status go_to(ht_pulse *pulse, int place, const char *note) {
  ht_solve_run *run = pulse->run;
  const int64_t until = ht_beat_step(&pulse->schedule, place);
  ht_lattice_monitor seen;
  while (run->step < until) {
    int64_t check = pulse->checked + HT_CHECK_STEPS;
    HT_TRY(ht_solve_advance(run, check < until ? check : until, note));
    if (run->step < check) continue;
    HT_TRY(ht_solve_watch(run, &seen));
    if (!ht_beat_counts(&pulse->schedule)) HT_TRY(ht_solve_keep_good(run));
    pulse->checked = run->step;
  }
  return HT_OK;
}

/* Runs from sample to sample, `samples` of them, and up to the place after. What an earlier run has
 * done is not done again. */
static ht_status run_samples(ht_pulse *pulse, int samples) {
  ht_solve_run *run = pulse->run;
  char note[NOTE];
  int first = 0;
  if (pulse->resumed)
    first = ht_beat_samples_done(&pulse->schedule, samples, run->step);
  else if (pulse->results.count.counted == 0)
    ht_port_record_begin(run->step, &run->volume, &pulse->ports);
  pulse->resumed = 0;
  describe(pulse, note);
  for (int k = first; k < samples; k++) {
    HT_TRY(go_to(pulse, k, note));
    if (ht_beat_ends_quarter(&pulse->schedule, k))
      HT_TRY(ht_port_correct_early(run, &pulse->ports));
    HT_TRY(ht_pulse_sample(pulse, k));
  }
  return go_to(pulse, samples, note);
}

/* Runs up to the beginning of the first period. A lead of a whole beat corrects as one. */
static ht_status run_lead(ht_pulse *pulse) {
  ht_solve_run *run = pulse->run;
  const int is_whole = ht_beat_has_whole_lead(&pulse->schedule);
  HT_TRY(run_samples(pulse, pulse->schedule.lead));
  if (is_whole)
    ht_pulse_fit_loss(pulse);
  else
    ht_outlet_loss_fit_part(&run->outlets);
  ht_pulse_tune(pulse);
  pulse->schedule.in_lead = 0;
  return is_whole ? ht_port_correct_period(run, &pulse->ports)
                  : ht_port_correct_lead(run, &pulse->ports);
}

static ht_status run_period(ht_pulse *pulse) {
  HT_TRY(run_samples(pulse, pulse->schedule.samples));
  HT_TRY(ht_side_work_wait(pulse->run->results.side_work));
  return ht_pulse_correct(pulse);
}

/* Prepares a period that counts: turbulence only where the flow has not repeated so far. */
static void prepare(ht_pulse *pulse) {
  const ht_beat_schedule *schedule = &pulse->schedule;
  const ht_solve_results *results = &pulse->run->results;
  int repeats = results->stats->cycle_change <= HT_PERIODIC_CHANGE;
  if (!ht_beat_counts(schedule) || ht_beat_is_trial(schedule)) return;
  if (ht_beat_can_add(schedule) && !repeats)
    ht_beat_results_add_turbulence(schedule, results->flow->nodes, &pulse->results);
}

/* Runs the first beats alone, on a coarse lattice: leaves the state at the end of the last. */
static ht_status run_first_beats(ht_pulse *pulse) {
  for (; pulse->schedule.period < pulse->run->span.last_beat; pulse->schedule.period++)
    HT_TRY(run_period(pulse));
  return ht_solve_read(pulse->run);
}

static ht_status record(ht_pulse *pulse) {
  ht_solve_run *run = pulse->run;
  double flow_lu[HT_OPENINGS_MAX];
  ht_port_record_mean(&run->volume, run->setup.domain->ports, &pulse->ports, flow_lu);
  HT_TRY(ht_beat_results_record(&run->setup, &pulse->schedule, flow_lu, &run->results,
                                &pulse->results));
  ht_cuff_record(&run->cuff, run->results.stats);
  return HT_OK;
}

static ht_status run_periods(ht_pulse *pulse) {
  if (pulse->run->span.last_beat > 0) return run_first_beats(pulse);
  if (pulse->schedule.in_lead) HT_TRY(run_lead(pulse));
  for (int done = 0; !done; pulse->schedule.period += !done) {
    if (!pulse->resumed) prepare(pulse);
    HT_TRY(run_period(pulse));
    HT_TRY(ht_pulse_judge(pulse, &done));
  }
  return record(pulse);
}

/* ---- the whole ---- */

/* Describes the pulse in the statistics, and expects all its steps. */
static void begin_record(const ht_pulse *pulse) {
  const ht_beat_schedule *schedule = &pulse->schedule;
  ht_solve_run *run = pulse->run;
  ht_flow_stats *stats = run->results.stats;
  int64_t last = run->span.last_beat > 0 ? run->span.last_beat : schedule->cycles;
  stats->period_s = (double)schedule->cycle_steps * schedule->dt_s;
  stats->cycles = schedule->cycles;
  stats->samples = schedule->samples;
  stats->cycle_change = 1;
  stats->peak_time_s = ht_beat_sample_s(schedule, schedule->peak);
  run->progress.total = (double)((last - schedule->first) * schedule->cycle_steps);
}

/* Begins the lead. After a coarse start, whose last beat has ended, the flow settles on this
 * lattice, at least up to the first peak of the inflow, with which the next one is compared. */
static ht_status begin_lead(ht_solve_run *run, ht_beat_schedule *schedule) {
  ht_coarse_choice choice;
  if (!run->span.from_coarse) return HT_OK;
  HT_TRY(ht_coarse_choose(run->results.domain, run->setup.options, &choice));
  schedule->lead = choice.lead > schedule->peak ? choice.lead : schedule->peak + 1;
  schedule->in_lead = 1;
  run->progress.total += (double)ht_beat_sample_step(schedule, schedule->lead);
  return HT_OK;
}

static ht_status begin(ht_pulse *pulse) {
  ht_solve_run *run = pulse->run;
  ht_beat_schedule *schedule = &pulse->schedule;
  ht_beat_schedule_make(&run->setup, run->span.first_beat, schedule);
  begin_record(pulse);
  HT_TRY(ht_beat_results_make(run->results.flow, ht_beat_can_add(schedule), &pulse->results));
  HT_TRY(begin_lead(run, schedule));
  /* Steps wait for each sample where no thread is available. */
  if (ht_lattice_keeps_beside(run->lattice) && run->span.last_beat == 0)
    (void)ht_side_work_make(&run->results.side_work);
  HT_TRY(ht_checkpoint_begin_loop(move, pulse, run, &pulse->resumed));
  if (!pulse->resumed) return ht_cuff_begin(&run->setup, &run->cuff);
  schedule->in_lead = run->step < ht_beat_sample_step(schedule, schedule->lead);
  return HT_OK;
}

ht_status ht_pulse_solve(ht_solve_run *run) {
  ht_pulse pulse = {.run = run};
  ht_status status = begin(&pulse);
  if (status == HT_OK) status = run_periods(&pulse);
  ht_side_work_free(run->results.side_work);
  run->results.side_work = NULL;
  ht_beat_results_free(&pulse.results);
  if (status == HT_OK) ht_solve_record_speed(run);
  return status;
}
