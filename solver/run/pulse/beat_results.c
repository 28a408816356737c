#include "solver/run/pulse/beat_results.h"
#include "solver/samples/flow_read.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

ht_status ht_beat_results_make(const ht_flow *flow, int can_add, ht_beat_results *results) {
  size_t nodes = (size_t)flow->nodes;
  HT_TRY(ht_flow_average_make(flow, &results->average));
  HT_TRY(ht_alloc((void **)&results->before, nodes, 3 * sizeof(float), "the flow a period ago"));
  if (!can_add) return HT_OK;
  return ht_alloc((void **)&results->first, nodes, 3 * sizeof(float), "the first beat");
}

void ht_beat_results_free(ht_beat_results *results) {
  ht_flow_average_free(&results->average);
  ht_turbulence_free(&results->turbulence);
  free(results->before);
  free(results->first);
}

void ht_beat_results_add_turbulence(const ht_beat_schedule *schedule, int64_t nodes,
                                    ht_beat_results *results) {
  ht_turbulence *turbulence = &results->turbulence;
  if (turbulence->square) return;
  if (ht_turbulence_make(nodes, ht_tke_phases(schedule->samples), turbulence) != HT_OK)
    ht_turbulence_free(turbulence);
}

void ht_beat_results_clear(ht_beat_results *results) {
  results->count = (ht_beat_count){0};
  ht_flow_average_clear(&results->average);
  ht_turbulence_clear(&results->turbulence);
}

/* ---- samples ---- */

void ht_beat_results_compare_peak(const ht_beat_schedule *schedule, ht_solve_results *to,
                                  ht_beat_results *results) {
  const ht_flow *flow = to->flow;
  double change = ht_vessel_change(to->domain, flow, flow->velocity_m_s, results->before);
  memcpy(results->before, flow->velocity_m_s, 3 * (size_t)flow->nodes * sizeof(float));
  int is_first = schedule->in_lead || (schedule->lead == 0 && ht_beat_periods_done(schedule) == 0);
  if (is_first) return;
  to->stats->cycle_change = isfinite(change) ? change : 1; /* not known is no repeat */
  if (!isfinite(change)) return;
  ht_flow_note_change(to->stats, ht_beat_step(schedule, ht_beat_place_of_peak(schedule)), change);
}

void ht_beat_pressures_add(const double *pressure_pa, int ports, int samples, int begins,
                           int is_first, ht_beat_pressures *pressure) {
  for (int p = 0; p < ports; p++) {
    double *mean = &pressure->mean_pa[p], *high = &pressure->highest_pa[p];
    double *low = &pressure->lowest_pa[p];
    *mean = (begins ? 0 : *mean) + pressure_pa[p] / samples;
    *high = is_first ? pressure_pa[p] : fmax(*high, pressure_pa[p]);
    *low = is_first ? pressure_pa[p] : fmin(*low, pressure_pa[p]);
  }
}

/* Returns the phase of a sample: every `stride`-th one is a phase, among them the peak; -1:
 * none. */
static int phase_of(const ht_beat_schedule *schedule, int sample) {
  int samples = schedule->samples, stride = ht_tke_stride(samples);
  int after_peak = (sample - schedule->peak + samples) % samples;
  return after_peak % stride == 0 ? after_peak / stride : -1;
}

void ht_beat_results_add(const ht_beat_schedule *schedule, int sample, int is_first,
                         const double *flow_lu, ht_solve_results *to, ht_beat_results *results) {
  double time_s = ht_beat_sample_s(schedule, sample);
  int phase = phase_of(schedule, sample);
  if (sample == schedule->peak) ht_beat_results_compare_peak(schedule, to, results);
  ht_flow_average_add(to->domain, to->flow, &results->average);
  if (results->turbulence.square && phase >= 0) {
    ht_turbulence_add(phase, to->flow, &results->turbulence);
    to->stats->tke_time_s[phase] = time_s;
  }
  if (is_first) results->balance = (ht_moment_balance){0};
  ht_moment_balance_add(to->domain, flow_lu, time_s, &results->balance);
}

void ht_beat_results_keep_first(int64_t nodes, ht_beat_results *results) {
  memcpy(results->first, results->before, 3 * (size_t)nodes * sizeof(float));
}

/* ---- the end ---- */

static void measure(const ht_solve_setup *setup, const ht_beat_schedule *schedule,
                    const double *flow_lu, const ht_beat_results *results, ht_solve_results *to) {
  const ht_units *units = &setup->plan.units;
  ht_flow_stats *stats = to->stats;
  ht_flow_measure(to->domain, to->flow, units, flow_lu, &to->openings, stats);
  for (int p = 0; p < stats->ports; p++) {
    stats->port[p].highest_pressure_pa = results->pressure.highest_pa[p];
    stats->port[p].lowest_pressure_pa = results->pressure.lowest_pa[p];
  }
  ht_moment_balance_record(&results->balance, units, stats);
  stats->cycles = (int)schedule->period + 1;
  stats->max_velocity_m_s = results->average.fastest_m_s;
  stats->max_velocity_lu = ht_units_velocity_lu(units, results->average.fastest_m_s);
  stats->steady = stats->cycle_change <= HT_PERIODIC_CHANGE &&
                  fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE;
}

ht_status ht_beat_results_record(const ht_solve_setup *setup, const ht_beat_schedule *schedule,
                                 const double *flow_lu, ht_solve_results *to,
                                 ht_beat_results *results) {
  ht_flow_average_swap(to->flow, &results->average);
  measure(setup, schedule, flow_lu, results, to);
  if (to->stats->averaged == 0) return HT_OK;
  return ht_turbulence_result(&results->turbulence, to->domain, to->flow, to->stats);
}

ht_status ht_beat_results_move(int64_t nodes, ht_beat_results *results, ht_state *stream) {
  size_t velocity = 3 * (size_t)nodes * sizeof(float);
  HT_TRY(ht_state_int(stream, &results->count.counted, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, results->count.varied));
  HT_TRY(HT_STATE_OF(stream, results->count.most));
  HT_TRY(HT_STATE_OF(stream, results->pressure));
  HT_TRY(HT_STATE_OF(stream, results->balance));
  HT_TRY(ht_state_bytes(stream, results->before, velocity));
  if (results->first) HT_TRY(ht_state_bytes(stream, results->first, velocity));
  HT_TRY(ht_flow_average_move(&results->average, stream));
  return ht_turbulence_move(nodes, &results->turbulence, stream);
}
