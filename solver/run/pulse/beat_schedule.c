#include "solver/run/pulse/beat_schedule.h"
#include "solver/run/ports/port_drive.h"
#include <math.h>

static double inflow_at(const ht_solve_setup *setup, int64_t step) {
  double prescribed_lu[HT_OPENINGS_MAX], sum = 0;
  ht_prescribed_flow(setup, step, prescribed_lu);
  for (int p = 0; p < setup->domain->ports; p++)
    if (setup->domain->port[p].opening.role == HT_ROLE_INLET) sum += prescribed_lu[p];
  return sum;
}

/* Finds the peak in a period that does not begin with the ramp. */
static void find_peak(const ht_solve_setup *setup, ht_beat_schedule *schedule) {
  double most = -INFINITY;
  for (int k = 0; k < schedule->samples; k++) {
    double inflow = inflow_at(setup, schedule->cycle_steps + ht_beat_sample_step(schedule, k));
    if (inflow > most) schedule->peak = k;
    most = fmax(most, inflow);
  }
}

void ht_beat_schedule_make(const ht_solve_setup *setup, int64_t first, ht_beat_schedule *schedule) {
  *schedule = (ht_beat_schedule){.first = first,
                                 .period = first,
                                 .cycle_steps = setup->plan.cycle_steps,
                                 .dt_s = setup->plan.units.dt_s,
                                 .samples = setup->options->samples,
                                 .cycles = setup->options->cycles,
                                 .most_cycles = setup->options->max_cycles};
  find_peak(setup, schedule);
}

int64_t ht_beat_periods_done(const ht_beat_schedule *schedule) {
  return schedule->period - schedule->first;
}

int64_t ht_beat_sample_step(const ht_beat_schedule *schedule, int sample) {
  return schedule->cycle_steps / schedule->samples * sample;
}

double ht_beat_sample_s(const ht_beat_schedule *schedule, int sample) {
  return (double)ht_beat_sample_step(schedule, sample) * schedule->dt_s;
}

int64_t ht_beat_step(const ht_beat_schedule *schedule, int place) {
  if (schedule->in_lead) return ht_beat_sample_step(schedule, place);
  return ht_beat_periods_done(schedule) * schedule->cycle_steps +
         ht_beat_sample_step(schedule, schedule->lead + place);
}

int ht_beat_sample_at(const ht_beat_schedule *schedule, int place) {
  return schedule->in_lead ? place : (schedule->lead + place) % schedule->samples;
}

int ht_beat_place_of_peak(const ht_beat_schedule *schedule) {
  int samples = schedule->samples;
  return schedule->in_lead ? schedule->peak : (schedule->peak - schedule->lead + samples) % samples;
}

int ht_beat_samples_done(const ht_beat_schedule *schedule, int samples, int64_t step) {
  int k = 0;
  while (k < samples && ht_beat_step(schedule, k) <= step) k++;
  return k;
}

int ht_beat_ends_quarter(const ht_beat_schedule *schedule, int place) {
  return schedule->lead == 0 && ht_beat_periods_done(schedule) == 0 && place > 0 &&
         4 * place / schedule->samples > 4 * (place - 1) / schedule->samples;
}

int ht_beat_counts(const ht_beat_schedule *schedule) {
  return !schedule->in_lead && schedule->period >= schedule->cycles - 1;
}

int ht_beat_has_whole_lead(const ht_beat_schedule *schedule) {
  return schedule->lead == schedule->samples;
}

int ht_beat_tunes(const ht_beat_schedule *schedule) {
  if (schedule->in_lead) return ht_beat_has_whole_lead(schedule);
  return schedule->period >= 1 && schedule->period < schedule->cycles - 2;
}

int ht_beat_can_add(const ht_beat_schedule *schedule) {
  return schedule->most_cycles > schedule->cycles;
}

/* Tells whether the first period after a coarse start is a trial. */
static int has_trial(const ht_beat_schedule *schedule) {
  const int settles = ht_beat_has_whole_lead(schedule) && ht_beat_can_add(schedule);
  return schedule->lead > 0 && !settles;
}

int ht_beat_is_trial(const ht_beat_schedule *schedule) {
  return has_trial(schedule) && ht_beat_periods_done(schedule) == 0;
}

int64_t ht_beat_most_periods(const ht_beat_schedule *schedule) {
  if (ht_beat_can_add(schedule)) return schedule->most_cycles;
  return schedule->cycles + has_trial(schedule);
}

int64_t ht_beat_periods_left(const ht_beat_schedule *schedule) {
  return ht_beat_most_periods(schedule) - schedule->period - 1;
}
