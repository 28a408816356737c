#include "solver/run/steady/steady_means.h"
#include "solver/run/step/observer.h"
#include "solver/run/step/solve_step.h"
#include "solver/samples/flow_read.h"
#include <stdlib.h>
#include <string.h>

/* Largest drift, and least share of the first change that is left, of a flow that never rests. */
static const double drift_most = 0.2, change_left = 0.5;

void ht_steady_means_plan(const ht_solve_setup *setup, ht_steady_means *means) {
  const ht_plan *plan = &setup->plan;
  const ht_solver_options *options = setup->options;
  double half = (double)plan->max_steps / 2;
  int64_t interval = (plan->max_steps - (int64_t)half) / HT_AVERAGE_SAMPLES;
  int is_early = half < 2 * (double)plan->ramp_steps;
  if (is_early || options->stop_at_max_steps || !options->averages) interval = 0;
  *means = (ht_steady_means){.from = (int64_t)half, .interval = interval};
}

void ht_steady_means_free(ht_steady_means *means) {
  ht_flow_average_free(&means->average);
  ht_turbulence_free(&means->turbulence);
  free(means->half);
}

static ht_status make_half(int64_t nodes, float **half) {
  return ht_alloc((void **)half, (size_t)nodes, 3 * sizeof(float), "the mean flow");
}

static ht_status make(const ht_flow *flow, ht_steady_means *means) {
  HT_TRY(ht_flow_average_make(flow, &means->average));
  HT_TRY(ht_turbulence_make(flow->nodes, 1, &means->turbulence));
  return make_half(flow->nodes, &means->half);
}

ht_status ht_steady_means_move(const ht_flow *flow, ht_steady_means *means, ht_state *stream) {
  int64_t nodes = flow->nodes;
  HT_TRY(ht_state_part(stream, "means"));
  HT_TRY(ht_state_count(stream, &means->interval, 0, INT64_MAX));
  HT_TRY(ht_state_int(stream, &means->samples, 0, HT_AVERAGE_SAMPLES));
  HT_TRY(HT_STATE_OF(stream, means->change));
  HT_TRY(HT_STATE_OF(stream, means->flow_lu));
  if (means->samples == 0) return HT_OK;
  if (stream->is_loading) {
    HT_TRY(ht_flow_average_make(flow, &means->average));
    HT_TRY(make_half(nodes, &means->half));
  }
  HT_TRY(ht_flow_average_move(&means->average, stream));
  HT_TRY(ht_turbulence_move(nodes, &means->turbulence, stream));
  return ht_state_bytes(stream, means->half, 3 * (size_t)nodes * sizeof(float));
}

int64_t ht_steady_means_next(const ht_steady_means *means) {
  if (means->interval == 0 || means->samples == HT_AVERAGE_SAMPLES) return INT64_MAX;
  return means->from + means->interval * (means->samples + 1);
}

static ht_status show(ht_solve_run *run, const double *flow_lu, const ht_steady_means *means) {
  const ht_solve_setup *setup = &run->setup;
  ht_solve_results *results = &run->results;
  double pressure_pa[HT_OPENINGS_MAX];
  const ht_flow_sample moment = {.time_s =
                                     (double)(run->step - means->from) * setup->plan.units.dt_s,
                                 .index = means->samples,
                                 .begins = means->samples == 0};
  ht_opening_nodes_take(results->flow, &results->openings);
  ht_opening_pressures(&results->openings, pressure_pa);
  return ht_observer_show(setup, results->flow, &moment, flow_lu, pressure_pa);
}

ht_status ht_steady_means_add(ht_solve_run *run, ht_steady_means *means) {
  const ht_flow *flow = run->results.flow;
  double flow_lu[HT_OPENINGS_MAX];
  if (means->samples == 0) {
    if (make(flow, means) != HT_OK) {
      ht_steady_means_free(means);
      *means = (ht_steady_means){.interval = 0};
      return HT_OK;
    }
    means->change = run->results.stats->steady_change;
    ht_port_volume_begin(run->step, &run->volume);
  }
  HT_TRY(ht_observer_ready(run->setup.options));
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, NULL));
  HT_TRY(ht_solve_read(run));
  for (int p = 0; p < run->setup.domain->ports; p++) means->flow_lu[p] += flow_lu[p];
  ht_flow_average_add(run->results.domain, flow, &means->average);
  ht_turbulence_add(0, flow, &means->turbulence);
  HT_TRY(show(run, flow_lu, means));
  means->samples++;
  if (means->samples == HT_AVERAGE_SAMPLES / 2)
    memcpy(means->half, means->average.mean.velocity_m_s, 3 * (size_t)flow->nodes * sizeof(float));
  return HT_OK;
}

/* Finds the drift of the two halves: the second half's mean is 2 mean - half, so that they differ
 * by 2 (mean - half). */
int ht_steady_means_hold(int64_t nodes, double change, ht_steady_means *means) {
  if (means->samples < HT_AVERAGE_SAMPLES) return 0;
  means->drift = 2 * ht_relative_change(means->average.mean.velocity_m_s, means->half, 3 * nodes);
  return means->drift <= drift_most && change >= change_left * means->change;
}

ht_status ht_steady_means_record(const ht_solve_setup *setup, const ht_port_volume *volume,
                                 ht_solve_results *results, ht_steady_means *means) {
  const ht_domain *domain = results->domain;
  const ht_units *units = &setup->plan.units;
  ht_flow_stats *stats = results->stats;
  ht_flow_average_swap(results->flow, &means->average);
  for (int p = 0; p < domain->ports; p++) means->flow_lu[p] /= means->samples;
  ht_port_volume_mean(volume, domain->ports, means->flow_lu, NULL); /* from the first sample on */
  ht_flow_measure(domain, results->flow, units, means->flow_lu, &results->openings, stats);
  stats->averaged = means->samples;
  stats->averaged_s = (double)(means->interval * means->samples) * units->dt_s;
  stats->averaged_drift = means->drift;
  stats->max_velocity_m_s = means->average.fastest_m_s;
  stats->max_velocity_lu = ht_units_velocity_lu(units, means->average.fastest_m_s);
  return ht_turbulence_result(&means->turbulence, domain, results->flow, stats);
}
