/* A pulsatile flow, from rest over the periods of its inflow. */
#include "pulse.h"
#include "cuff.h"
#include "flow_read.h"
#include "solve_drive.h"
#include "solve_step.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_CHECK = 500 };

typedef struct {
  ht_solve_run *run;
  int64_t period; /* the present one, from 0 */
  int peak;       /* sample with the largest inflow */
  float *before;  /* [nodes][3] velocity at the peak of the period before; owned */
  ht_flow mean;   /* of the samples of the last period; its arrays are owned, its node_of
                     is the run's */
  double highest_pa[HT_OPENINGS_MAX], lowest_pa[HT_OPENINGS_MAX]; /* of these, at the openings */
  double fastest_m_s;                                         /* of these samples, in the vessel */
  double flow_lu[HT_OPENINGS_MAX], asked_lu[HT_OPENINGS_MAX]; /* sums over a period, */
  double product[HT_OPENINGS_MAX], square[HT_OPENINGS_MAX];   /* of flow * asked, asked^2 */
  int measured;                                               /* moments in these sums */
  double now_lu[HT_OPENINGS_MAX];                             /* into the ports at the sample */
} pulse;

/* ---- moments ---- */

static int64_t step_of(const pulse *p, int sample) {
  const ht_plan *plan = &p->run->plan;
  return p->period * plan->cycle_steps + plan->cycle_steps / p->run->options->samples * sample;
}

static double time_of(const pulse *p, int sample) {
  const ht_plan *plan = &p->run->plan;
  return (double)(step_of(p, sample) - p->period * plan->cycle_steps) * plan->units.dt_s;
}

static double inflow_at(const pulse *p, int sample) {
  const ht_solve_run *run = p->run;
  double asked_lu[HT_OPENINGS_MAX], sum = 0;
  ht_solve_asked(run, run->plan.cycle_steps + step_of(p, sample), asked_lu);
  for (int i = 0; i < run->domain->ports; i++)
    if (run->domain->port[i].opening.role == HT_ROLE_INLET) sum += asked_lu[i];
  return sum;
}

static void find_peak(pulse *p) {
  double most = -INFINITY;
  for (int k = 0; k < p->run->options->samples; k++) {
    double inflow = inflow_at(p, k);
    if (inflow > most) p->peak = k;
    most = fmax(most, inflow);
  }
  p->run->stats->peak_time_s = time_of(p, p->peak);
}

static int is_last(const pulse *p) {
  return p->period == p->run->options->cycles - 1;
}

/* ---- samples ---- */

/* Sums up, but not while the inflow still rises from rest. */
static ht_status measure_ports(pulse *p) {
  ht_solve_run *run = p->run;
  double asked_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(run->lattice, p->now_lu));
  if (run->step < run->plan.ramp_steps) return HT_OK;
  ht_solve_asked(run, run->step, asked_lu);
  for (int i = 0; i < run->domain->ports; i++) {
    p->flow_lu[i] += p->now_lu[i];
    p->asked_lu[i] += asked_lu[i];
    p->product[i] += p->now_lu[i] * asked_lu[i];
    p->square[i] += asked_lu[i] * asked_lu[i];
  }
  p->measured++;
  return HT_OK;
}

/* Relative change of the velocity since the same moment of the period before. */
static void compare_peak(pulse *p) {
  const ht_flow *flow = p->run->flow;
  double change = 0, size = 0;
  for (int64_t i = 0; i < 3 * flow->nodes; i++) {
    double now = flow->velocity_m_s[i], off = now - p->before[i];
    change += off * off;
    size += now * now;
    p->before[i] = flow->velocity_m_s[i];
  }
  if (p->period > 0 && size > 0) p->run->stats->cycle_change = sqrt(change / size);
}

static void add(const float *from, int64_t count, int number, float *mean) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; i++) mean[i] += (from[i] - mean[i]) / (float)number;
}

/* The pressures at the openings, and their range over the beat. */
static void take_pressures(pulse *p, int sample, const ht_flow *flow, double *pressure_pa) {
  ht_flow_opening_pressures(p->run->domain, flow, pressure_pa);
  for (int i = 0; i < p->run->domain->ports; i++) {
    p->highest_pa[i] = sample ? fmax(p->highest_pa[i], pressure_pa[i]) : pressure_pa[i];
    p->lowest_pa[i] = sample ? fmin(p->lowest_pa[i], pressure_pa[i]) : pressure_pa[i];
  }
}

static ht_status show(const pulse *p, int sample, const double *pressure_pa) {
  const ht_solve_run *run = p->run;
  double flow_ml_s[HT_OPENINGS_MAX];
  for (int i = 0; i < run->domain->ports; i++) {
    int out = run->domain->port[i].opening.role == HT_ROLE_OUTLET;
    flow_ml_s[i] = (out ? -1e6 : 1e6) * ht_units_flow_m3_s(&run->plan.units, p->now_lu[i]);
  }
  const ht_flow_sample shown = {.time_s = time_of(p, sample),
                                .index = sample,
                                .flow = run->flow,
                                .ports = run->domain->ports,
                                .flow_ml_s = flow_ml_s,
                                .pressure_pa = pressure_pa};
  return run->options->observe(run->options->observe_user, &shown);
}

static ht_status take_sample(pulse *p, int sample) {
  const ht_flow *flow = p->run->flow;
  const ht_solver_options *options = p->run->options;
  double pressure_pa[HT_OPENINGS_MAX];
  add(flow->velocity_m_s, 3 * flow->nodes, sample + 1, p->mean.velocity_m_s);
  add(flow->pressure_pa, flow->nodes, sample + 1, p->mean.pressure_pa);
  add(flow->stress_pa, 6 * flow->nodes, sample + 1, p->mean.stress_pa);
  p->fastest_m_s = fmax(p->fastest_m_s, ht_flow_fastest(p->run->domain, flow));
  take_pressures(p, sample, flow, pressure_pa);
  return options->observe ? show(p, sample, pressure_pa) : HT_OK;
}

static ht_status look(pulse *p, int sample) {
  ht_lattice_monitor seen;
  double pressure_pa[HT_OPENINGS_MAX];
  int tunes = ht_cuff_tunes(p->run, p->period);
  HT_TRY(measure_ports(p));
  if (sample != p->peak && !is_last(p) && !tunes) return HT_OK;
  HT_TRY(ht_solve_watch(p->run, &seen)); /* keep only a finite flow */
  HT_TRY(ht_solve_read(p->run, p->run->flow));
  p->run->has_snapshot = 1;
  p->run->stats->steps = p->run->step;
  if (tunes) take_pressures(p, sample, p->run->flow, pressure_pa);
  if (sample == p->peak) compare_peak(p);
  return is_last(p) ? take_sample(p, sample) : HT_OK;
}

/* ---- periods ---- */

static void describe(const pulse *p, char note[96]) {
  int length = snprintf(note, 96, "period %d of %d", (int)p->period + 1, p->run->options->cycles);
  if (p->run->stats->cycle_change < 1)
    snprintf(note + length, 96 - (size_t)length, ", changed by %.2g %%",
             100 * p->run->stats->cycle_change);
}

/* Steps up to a sample and checks for divergence. */
static ht_status go_to(pulse *p, int64_t until, const char *note) {
  ht_solve_run *run = p->run;
  ht_lattice_monitor seen;
  while (run->step < until) {
    int64_t check = run->last_check + STEPS_A_CHECK;
    HT_TRY(ht_solve_advance(run, check < until ? check : until, note));
    if (run->step < check) continue;
    HT_TRY(ht_solve_watch(run, &seen));
    if (!is_last(p)) HT_TRY(ht_solve_keep(run));
    run->last_check = run->step;
  }
  return HT_OK;
}

static void forget_ports(pulse *p) {
  p->measured = 0;
  memset(p->flow_lu, 0, sizeof p->flow_lu);
  memset(p->asked_lu, 0, sizeof p->asked_lu);
  memset(p->product, 0, sizeof p->product);
  memset(p->square, 0, sizeof p->square);
}

/* By least squares, because the mean of a part of a period may be 0. The sums then continue as if
 * the ports had been correct. */
static ht_status correct_early(pulse *p) {
  HT_TRY(ht_solve_correct(p->run, p->product, p->square));
  for (int i = 0; i < p->run->domain->ports; i++) p->product[i] = p->square[i];
  return HT_OK;
}

/* A quarter of the first period ends before this sample. */
static int is_early(const pulse *p, int sample) {
  int samples = p->run->options->samples;
  return p->period == 0 && sample > 0 && 4 * sample / samples > 4 * (sample - 1) / samples;
}

static int main_inlet(const ht_solve_run *run) {
  int most = 0;
  for (int i = 1; i < run->domain->ports; i++)
    if (run->plan.inflow_m3_s[i] > run->plan.inflow_m3_s[most]) most = i;
  return most;
}

/* After the first period the ports are corrected by the mean flow of the period; not after the
 * last. */
static ht_status run_period(pulse *p) {
  ht_solve_run *run = p->run;
  char note[96];
  forget_ports(p);
  describe(p, note);
  for (int k = 0; k < run->options->samples; k++) {
    HT_TRY(go_to(p, step_of(p, k), note));
    if (is_early(p, k)) HT_TRY(correct_early(p));
    HT_TRY(look(p, k));
  }
  HT_TRY(go_to(p, (p->period + 1) * run->plan.cycle_steps, note));
  if (ht_cuff_tunes(run, p->period)) {
    int inlet = main_inlet(run);
    ht_cuff_tune(run, p->highest_pa[inlet], p->lowest_pa[inlet]);
  }
  if (p->period == 0) return correct_early(p);
  return is_last(p) ? HT_OK : ht_solve_correct(run, p->flow_lu, p->asked_lu);
}

static void finish(pulse *p) {
  ht_solve_run *run = p->run;
  ht_flow_stats *stats = run->stats;
  ht_flow sample = *run->flow;
  double flow_lu[HT_OPENINGS_MAX];
  for (int i = 0; i < run->domain->ports; i++)
    flow_lu[i] = p->measured > 0 ? p->flow_lu[i] / p->measured : 0;
  run->flow->velocity_m_s = p->mean.velocity_m_s;
  run->flow->pressure_pa = p->mean.pressure_pa;
  run->flow->stress_pa = p->mean.stress_pa;
  p->mean = sample;
  ht_flow_measure(run->domain, run->flow, &run->plan.units, flow_lu, stats);
  for (int i = 0; i < stats->ports; i++) {
    stats->port[i].highest_pressure_pa = p->highest_pa[i];
    stats->port[i].lowest_pressure_pa = p->lowest_pa[i];
  }
  stats->cuff_tuned = run->cuff.tuned;
  stats->windkessel[0] = run->cuff.whole.proximal_pa_s_m3;
  stats->windkessel[1] = run->cuff.whole.compliance_m3_pa;
  stats->windkessel[2] = run->cuff.whole.distal_pa_s_m3;
  for (int k = 0; k < 2; k++) stats->lumped_pa[k] = run->cuff.target_pa[k];
  stats->max_velocity_m_s = p->fastest_m_s;
  stats->max_velocity_lu = ht_units_velocity_lu(&run->plan.units, p->fastest_m_s);
  stats->steady = stats->cycle_change <= HT_PERIODIC_CHANGE &&
                  fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE;
}

static ht_status make_mean(pulse *p) {
  const ht_flow *flow = p->run->flow;
  size_t nodes = (size_t)flow->nodes;
  p->mean = *flow;
  p->mean.velocity_m_s = p->mean.pressure_pa = p->mean.stress_pa = NULL;
  HT_TRY(ht_alloc((void **)&p->mean.velocity_m_s, nodes, 3 * sizeof(float), "the mean flow"));
  HT_TRY(ht_alloc((void **)&p->mean.pressure_pa, nodes, sizeof(float), "the mean flow"));
  HT_TRY(ht_alloc((void **)&p->mean.stress_pa, nodes, 6 * sizeof(float), "the mean flow"));
  return ht_alloc((void **)&p->before, nodes, 3 * sizeof(float), "the flow a period ago");
}

ht_status ht_solve_periods(ht_solve_run *run) {
  pulse p = {.run = run};
  ht_status status = make_mean(&p);
  run->stats->period_s = (double)run->plan.cycle_steps * run->plan.units.dt_s;
  run->stats->cycles = run->options->cycles;
  run->stats->samples = run->options->samples;
  run->stats->cycle_change = 1;
  find_peak(&p);
  if (status == HT_OK) status = ht_cuff_begin(run);
  for (; status == HT_OK && p.period < run->options->cycles; p.period++) status = run_period(&p);
  if (status == HT_OK) finish(&p);
  free(p.mean.velocity_m_s);
  free(p.mean.pressure_pa);
  free(p.mean.stress_pa);
  free(p.before);
  return status;
}
