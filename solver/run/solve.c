/* Runs a domain to its steady state, or over the periods of its inflow. */
#include "solver/plan/coarse_choice.h"
#include "solver/run/coarse_domain.h"
#include "solver/run/coarse_start.h"
#include "solver/samples/flow_average.h"
#include "solver/samples/flow_read.h"
#include "solver/run/outlet_loss.h"
#include "solver/run/pulse.h"
#include "solver/run/slow_parts.h"
#include "solver/run/solve_drive.h"
#include "solver/run/solve_state.h"
#include "solver/run/solve_step.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_CHECK = 500, CHECKS_A_LOSS = 6, WAITS = 40 };

/* Share of the weight of earlier moments that stays from fit to fit. */
static const double loss_remembered = 0.7;

/* Multiples of `steady_tolerance`: the change from which on the slow parts are looked at, and the
 * most that may still change there: 1 % by default. */
static const double near_steady = 3, slow_left = 1e5;

/* The most that an outlet's pressure may be off, of the drop along the vessel. */
static const double pressure_off = 1e-3;

/* Share of a change of an outlet's loss that is taken over. The vessel's end gets less of the
 * port's change where the extension costs much, so more than all of it settles sooner; twice as
 * much would swing for ever. Where the flow has not come to rest after a quarter of its steps it
 * fluctuates: then the mean over some checks remains. */
static const double settling_share = 1.3, restless_share = 0.1;

static void describe(ht_solve_run *r) {
  ht_flow_stats *stats = r->stats;
  memset(stats, 0, sizeof *stats);
  stats->dx_m = r->plan.units.dx_m;
  stats->dt_s = r->plan.units.dt_s;
  stats->tau = r->plan.tau;
  stats->reynolds = r->plan.reynolds;
  stats->fluid_nodes = r->tiling->nodes;
  stats->tiles = r->tiling->tiles;
  stats->diagonals_corrected = ht_plan_corrects_diagonals(&r->plan, r->options);
  snprintf(stats->precision, sizeof stats->precision, "%s",
           ht_precision_words[r->options->precision]);
  snprintf(stats->collision, sizeof stats->collision, "%s",
           ht_collision_words[r->options->collision]);
  int model = HT_MODEL(r->options->collision, r->options->compressibility);
  snprintf(stats->fluid, sizeof stats->fluid, "%s",
           ht_compressibility_words[HT_MODEL_COMPRESSIBILITY(model)]);
  snprintf(stats->device, sizeof stats->device, "%s", ht_lattice_device(r->lattice));
  snprintf(stats->by_host, sizeof stats->by_host, "%s", ht_lattice_by_host(r->lattice));
}

/* ---- the time loop ---- */

/* Looks for rest, from half of the likely number of steps on: where the change has not halved over
 * half as many steps more, the flow fluctuates and does not come to rest. Only for what is
 * reported. */
static void look_for_rest(ht_solve_run *r, const ht_lattice_monitor *seen) {
  if (seen->step <= r->plan.ramp_steps || (double)seen->step < r->likely / 2) return;
  if (r->mark_step > 0 && 2 * seen->step < 3 * r->mark_step) return;
  r->is_restless = r->mark_step > 0 && seen->change > r->mark_change / 2;
  r->mark_step = seen->step;
  r->mark_change = seen->change;
}

/* Estimates the total number of steps, only to report the time left. From half of the likely number
 * on, the decay of the change predicts the end; before, it reflects the start. It decays in waves,
 * so each estimate counts half. */
static void expect(ht_solve_run *r, const ht_lattice_monitor *seen) {
  if (r->options->stop_at_max_steps || (double)seen->step < r->likely / 2) return;
  look_for_rest(r, seen);
  if (r->is_restless) {
    r->total = (double)r->plan.max_steps;
    return;
  }
  double fall = log(r->last_change / seen->change) / (double)(seen->step - r->last_check);
  double left = log(seen->change / r->options->steady_tolerance) / fall;
  if (!(fall > 0) || !(left > 0)) return;
  double guess = fmin((double)seen->step + left, (double)r->plan.max_steps);
  r->total = r->total > 0 ? (r->total + guess) / 2 : guess;
  if (r->total < (double)seen->step) r->total = guess;
}

/* Measures the inflow and corrects the velocity at the inlet (by about half a per cent: the port's
 * nodes represent half a spacing more or less of the vessel). */
static ht_status correct_inflow(ht_solve_run *r) {
  double flow_lu[HT_OPENINGS_MAX], asked_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  ht_solve_asked(r, r->step, asked_lu);
  return ht_solve_correct(r, flow_lu, asked_lu);
}

/* Fits the loss with sponges, to the flow at several checks, as jets fluctuate: every few checks,
 * and before a flow counts as steady. */
static ht_status learn_loss(ht_solve_run *r, int *done) {
  double flow_lu[HT_OPENINGS_MAX], pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  if ((r->step - r->loss_step) / STEPS_A_CHECK < CHECKS_A_LOSS) return HT_OK;
  *done = 0;
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  HT_TRY(ht_solve_read_pressures(r, pressure_pa, port_pa));
  ht_outlet_loss_add(r, flow_lu, 0, pressure_pa, port_pa);
  ht_outlet_loss_fit(r, loss_remembered, INT_MAX);
  r->loss_step = r->step;
  return HT_OK;
}

/* Finds the loss without sponges, at each check. A flow counts as steady when its outlets have
 * their pressures. One whose pressures never settle (values in 16 bits) ends anyway. */
static ht_status hold_pressures(ht_solve_run *r, int *done) {
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  int is_restless = !*done && r->waits == 0 && r->step > r->plan.max_steps / 4;
  HT_TRY(ht_solve_read_pressures(r, pressure_pa, port_pa));
  ht_outlet_loss_hold(r, pressure_pa, port_pa, is_restless ? restless_share : settling_share);
  if (!*done || r->waits >= WAITS) return HT_OK;
  if (ht_outlet_loss_off(r, pressure_pa) <= pressure_off) return HT_OK;
  *done = 0;
  r->waits++;
  return HT_OK;
}

/* The loss of the outlets; it stays while means are taken. */
static ht_status follow_loss(ht_solve_run *r, int *done) {
  int means = r->options->averages && r->step > r->plan.max_steps / 2;
  if (r->outlet_steps == 0 || r->step <= r->plan.ramp_steps) return HT_OK;
  if (means && !*done) return HT_OK;
  return r->has_sponge ? learn_loss(r, done) : hold_pressures(r, done);
}

/* The slow parts of the vessel, once the whole is steady; a little before, their state is seen, so
 * that most vessels need no step more. */
static ht_status follow_slow_parts(ht_solve_run *r, ht_slow_parts *slow, int *done) {
  int rests, is_near = r->stats->steady_change <= near_steady * r->options->steady_tolerance;
  if (r->options->stop_at_max_steps || r->step <= r->plan.ramp_steps || !is_near) return HT_OK;
  if (r->step % STEPS_A_CHECK != 0) return HT_OK; /* the last of all steps */
  HT_TRY(ht_side_work_wait(r->side_work));
  HT_TRY(ht_slow_parts_look(slow, r->lattice, r->tiling, r->step, STEPS_A_CHECK,
                            slow_left * r->options->steady_tolerance, &rests));
  *done &= rests;
  r->stats->slow_left = slow->left;
  return HT_OK;
}

/* Checks the state: HT_ERR_DIVERGED, or *done where it is steady. */
static ht_status check(ht_solve_run *r, ht_slow_parts *slow, int *done) {
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(r, &seen));
  expect(r, &seen);
  r->stats->steady_change = seen.change;
  ht_flow_note_change(r->stats, seen.step, seen.change);
  r->last_change = seen.change;
  r->last_check = seen.step;
  if (seen.step > r->plan.ramp_steps) HT_TRY(correct_inflow(r));
  *done = seen.change <= r->options->steady_tolerance && seen.step > r->plan.ramp_steps;
  HT_TRY(follow_slow_parts(r, slow, done));
  HT_TRY(follow_loss(r, done));
  return *done ? HT_OK : ht_solve_keep(r);
}

/* ---- means of a flow that does not come to rest ---- */

/* Means over the second half of the steps that there are. A flow that only needs more steps is told
 * from one that never comes to rest: its change a step falls over that time, or its mean drifts.
 * Sampling only reads: a flow that still comes to rest is as without it. */
typedef struct {
  int64_t from, interval; /* steps; interval 0: no means */
  int samples;
  ht_flow_average average;
  ht_turbulence turbulence;
  float *half;   /* [nodes][3] mean velocity of the first half of the samples; owned */
  double change; /* a step, when the samples begin */
  double drift;  /* relative difference of the two halves' mean velocities */
  double flow_lu[HT_OPENINGS_MAX]; /* sum over the samples */
} means;

static const double drift_most = 0.2, fall_most = 0.5;

static void plan_means(const ht_solve_run *r, means *m) {
  double half = (double)r->plan.max_steps / 2;
  int64_t interval = (r->plan.max_steps - (int64_t)half) / HT_AVERAGE_SAMPLES;
  *m = (means){.from = (int64_t)half, .interval = interval};
  int is_early = half < 2 * (double)r->plan.ramp_steps;
  if (is_early || r->options->stop_at_max_steps || !r->options->averages) m->interval = 0;
}

static void free_means(means *m) {
  ht_flow_average_free(&m->average);
  ht_turbulence_free(&m->turbulence);
  free(m->half);
}

static ht_status begin_means(const ht_solve_run *r, means *m) {
  int64_t nodes = r->flow->nodes;
  HT_TRY(ht_flow_average_make(r->flow, &m->average));
  HT_TRY(ht_turbulence_make(nodes, 1, &m->turbulence));
  return ht_alloc((void **)&m->half, (size_t)nodes, 3 * sizeof(float), "the mean flow");
}

/* A load makes room for what was saved. */
static ht_status move_means(means *m, const ht_flow *flow, ht_state *stream) {
  int64_t nodes = flow->nodes;
  HT_TRY(ht_state_part(stream, "means"));
  HT_TRY(ht_state_count(stream, &m->interval, 0, INT64_MAX));
  HT_TRY(ht_state_int(stream, &m->samples, 0, HT_AVERAGE_SAMPLES));
  HT_TRY(HT_STATE_OF(stream, m->change));
  HT_TRY(HT_STATE_OF(stream, m->flow_lu));
  if (m->samples == 0) return HT_OK;
  if (stream->is_loading) {
    HT_TRY(ht_flow_average_make(flow, &m->average));
    HT_TRY(ht_alloc((void **)&m->half, (size_t)nodes, 3 * sizeof(float), "the mean flow"));
  }
  HT_TRY(ht_flow_average_move(&m->average, stream));
  HT_TRY(ht_turbulence_move(nodes, &m->turbulence, stream));
  return ht_state_bytes(stream, m->half, 3 * (size_t)nodes * sizeof(float));
}

/* The step of the next sample; beyond all steps where there is none. */
static int64_t next_sample(const means *m) {
  if (m->interval == 0 || m->samples == HT_AVERAGE_SAMPLES) return INT64_MAX;
  return m->from + m->interval * (m->samples + 1);
}

static ht_status sample(ht_solve_run *r, means *m) {
  double flow_lu[HT_OPENINGS_MAX], pressure_pa[HT_OPENINGS_MAX];
  if (m->samples == 0 && begin_means(r, m) != HT_OK) {
    free_means(m); /* no memory: without means, as the run is far by now */
    *m = (means){.interval = 0};
    return HT_OK;
  }
  if (m->samples == 0) {
    m->change = r->stats->steady_change;
    ht_solve_forget_through(r);
  }
  HT_TRY(ht_solve_meet_observer(r));
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  HT_TRY(ht_solve_read(r));
  for (int p = 0; p < r->domain->ports; p++) m->flow_lu[p] += flow_lu[p];
  ht_flow_average_add(r->domain, r->flow, &m->average);
  ht_turbulence_add(0, r->flow, &m->turbulence);
  ht_opening_nodes_take(r->flow, &r->openings);
  ht_opening_pressures(&r->openings, pressure_pa);
  double time_s = (double)(r->step - m->from) * r->plan.units.dt_s;
  const ht_flow_sample moment = {.time_s = time_s, .index = m->samples, .begins = m->samples == 0};
  m->samples++;
  HT_TRY(ht_solve_show(r, &moment, flow_lu, pressure_pa));
  if (m->samples == HT_AVERAGE_SAMPLES / 2)
    memcpy(m->half, m->average.mean.velocity_m_s, 3 * (size_t)r->flow->nodes * sizeof(float));
  return HT_OK;
}

/* The second half's mean is 2 mean - half: the halves differ by 2 (mean - half). */
static int hold(const ht_solve_run *r, means *m) {
  if (m->samples < HT_AVERAGE_SAMPLES) return 0;
  m->drift = 2 * ht_relative_change(m->average.mean.velocity_m_s, m->half, 3 * r->flow->nodes);
  return m->drift <= drift_most && r->stats->steady_change >= fall_most * m->change;
}

static ht_status take_means(ht_solve_run *r, means *m) {
  ht_flow_stats *stats = r->stats;
  ht_flow_average_swap(r->flow, &m->average);
  for (int p = 0; p < r->domain->ports; p++) m->flow_lu[p] /= m->samples;
  ht_solve_mean_through(r, m->flow_lu, NULL); /* from the first sample on */
  ht_flow_measure(r->domain, r->flow, &r->plan.units, m->flow_lu, &r->openings, stats);
  stats->averaged = m->samples;
  stats->averaged_s = (double)(m->interval * m->samples) * r->plan.units.dt_s;
  stats->averaged_drift = m->drift;
  stats->max_velocity_m_s = m->average.fastest_m_s;
  stats->max_velocity_lu = ht_units_velocity_lu(&r->plan.units, m->average.fastest_m_s);
  return ht_turbulence_result(&m->turbulence, r->domain, r->flow, stats);
}

/* ---- to the steady state ---- */

static ht_status advance(ht_solve_run *r, int64_t until, means *m) {
  char note[96] = "";
  if (r->step >= 2 * STEPS_A_CHECK)
    snprintf(note, sizeof note, "change a step %.1e (steady at %.0e)%s%s", r->stats->steady_change,
             r->options->steady_tolerance, r->is_restless ? ", does not come to rest" : "",
             m->samples > 0 ? ", averaging" : "");
  while (r->step < until) {
    int64_t next = next_sample(m);
    HT_TRY(ht_solve_advance(r, next < until ? next : until, note));
    if (r->step == next) HT_TRY(sample(r, m));
  }
  return HT_OK;
}

/* The first checks of a start from the coarse lattice correct the inlet, so that its flow does not
 * wait for the first 500 steps. */
static ht_status settle_inflow(ht_solve_run *r, means *m) {
  static const int64_t early_corrections[] = {32, 64, 128, 256}; /* steps */
  if (r->stats->coarse_steps == 0) return HT_OK;
  for (size_t i = 0; i < sizeof early_corrections / sizeof *early_corrections; i++) {
    if (early_corrections[i] >= r->plan.max_steps) return HT_OK;
    if (early_corrections[i] <= r->step) continue; /* before the state that this run goes on from */
    HT_TRY(advance(r, early_corrections[i], m));
    HT_TRY(correct_inflow(r));
  }
  return HT_OK;
}

typedef struct {
  ht_solve_run *run;
  means *means;
  ht_slow_parts slow;
} steady_loop;

static ht_status move_loop(void *user, ht_state *stream) {
  steady_loop *loop = user;
  HT_TRY(ht_slow_parts_move(&loop->slow, loop->run->tiling, stream));
  return move_means(loop->means, loop->run->flow, stream);
}

static ht_status step_to_steady(steady_loop *own) {
  ht_solve_run *r = own->run;
  means *m = own->means;
  int64_t limit = r->plan.max_steps;
  int done = 0, resumed;
  HT_TRY(ht_solve_begin_loop(r, move_loop, own, &resumed));
  HT_TRY(settle_inflow(r, m));
  while (!done && r->step < limit) {
    int64_t next = r->step - r->step % STEPS_A_CHECK + STEPS_A_CHECK;
    int64_t until = next < limit ? next : limit;
    HT_TRY(advance(r, until, m));
    HT_TRY(check(r, &own->slow, &done));
    if (r->options->stop_at_max_steps) done = 0;
  }
  r->stats->steady = r->stats->steady_change <= r->options->steady_tolerance;
  return HT_OK;
}

static ht_status go_to_steady(ht_solve_run *r, means *m) {
  steady_loop own = {.run = r, .means = m};
  ht_status status = step_to_steady(&own);
  ht_slow_parts_free(&own.slow);
  return status;
}

static ht_status loop(ht_solve_run *r, means *m) {
  HT_TRY(r->plan.cycle_steps > 0 ? ht_solve_periods(r) : go_to_steady(r, m));
  r->stats->steps = r->step;
  r->stats->seconds = r->stepping;
  r->stats->mflups = (double)r->step * (double)r->tiling->nodes / r->stepping / 1e6;
  return HT_OK;
}

static ht_status finish(ht_solve_run *r, means *m) {
  if (r->plan.cycle_steps > 0) return HT_OK;
  if (!r->stats->steady && hold(r, m)) return take_means(r, m);
  HT_TRY(ht_solve_read(r));
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  ht_flow_measure(r->domain, r->flow, &r->plan.units, flow_lu, &r->openings, r->stats);
  if (r->stats->steady || r->options->stop_at_max_steps) return HT_OK;
  char halves[120] = "";
  if (m->drift > 0)
    snprintf(halves, sizeof halves,
             "; its mean over the last quarter of the steps differs by %.2g %% from that over the "
             "quarter before",
             100 * m->drift);
  return ht_fail(
      HT_ERR_NOT_STEADY,
      "after %lld step%s the velocity still changes by %.1e of its size a step (steady is "
      "%.0e or less)%s: the flow may be unsteady by nature (Reynolds number %.0f), or needs "
      "more steps (max_steps)",
      (long long)r->stats->steps, r->stats->steps == 1 ? "" : "s", r->stats->steady_change,
      r->options->steady_tolerance, halves, r->plan.reynolds);
}

/* ---- the start from a coarse lattice ---- */

static void free_run(ht_solve_run *r) {
  ht_lattice_free(r->lattice);
  ht_solve_free_drive(r);
}

static void expect_all(ht_solve_run *r) {
  int64_t beats = (r->last_beat > 0 ? r->last_beat : r->options->cycles) - r->first_beat;
  r->likely = fmin(ht_plan_likely_steps(r->domain, &r->plan), (double)r->plan.max_steps);
  r->total = r->options->stop_at_max_steps ? (double)r->plan.max_steps : r->likely;
  if (r->plan.cycle_steps > 0) r->total = (double)(beats * r->plan.cycle_steps);
}

/* The flow on the coarse lattice, whose domain and tiling are made; its last state is in
 * coarse->flow. */
static ht_status run_coarse(const ht_solve_run *fine, ht_collision collision,
                            ht_coarse_run *coarse) {
  ht_solver_options options = *fine->options;
  options.coarse_start = options.averages = options.max_cycles = 0;
  if (options.precision == HT_FP16) options.precision = HT_FP32; /* comes to rest */
  options.collision = collision;
  options.observe = NULL;
  options.enough = NULL;
  options.ready = NULL;
  options.keeping = NULL;
  ht_solve_run r = {.domain = &coarse->domain,
                    .tiling = &coarse->tiling,
                    .options = &options,
                    .progress = fine->progress,
                    .flow = &coarse->flow,
                    .stats = &coarse->stats,
                    .lattice_note = "coarse lattice, ",
                    .last_change = 1};
  means none = {.interval = 0};
  ht_status status = HT_OK;
  for (int p = 0; p < HT_OPENINGS_MAX; p++) r.inflow_factor[p] = 1;
  HT_TRY_DONE(ht_plan_make(&coarse->domain, &options, &r.plan));
  if (r.plan.cycle_steps > 0) r.last_beat = options.cycles - HT_COARSE_FINE_BEATS;
  HT_TRY_DONE(ht_flow_alloc(&coarse->domain, &coarse->tiling, &options, &coarse->flow));
  HT_TRY_DONE(ht_opening_nodes_find(&coarse->domain, &coarse->flow, &r.openings));
  HT_TRY_DONE(ht_solve_make_lattice(&r));
  describe(&r);
  expect_all(&r);
  HT_TRY_DONE(loop(&r, &none));
  HT_TRY_DONE(finish(&r, &none));
  coarse->beats = r.last_beat;
  status = ht_coarse_keep(&r, coarse);
done:
  ht_opening_nodes_free(&r.openings);
  free_run(&r);
  ht_plan_free(&r.plan);
  return status;
}

static const char *fault_of(ht_status status) {
  switch (status) {
  case HT_ERR_DIVERGED:
    return "it became unstable";
  case HT_ERR_UNSTABLE:
    return "it cannot be run stably";
  case HT_ERR_NOT_STEADY:
    return "its flow does not come to rest";
  case HT_ERR_MEMORY:
    return "there is too little memory";
  case HT_ERR_OPENINGS:
    return "an opening has no node on it";
  default:
    return "it failed";
  }
}

static void note_fault(ht_coarse_run *coarse, ht_status status) {
  coarse->is_done = 0;
  snprintf(coarse->note, sizeof coarse->note, "%s", fault_of(status));
}

/* A failure leaves a note: the run then begins from rest. HT_ERR_INTERRUPTED is the only error. */
static ht_status try_coarse(const ht_solve_run *fine, ht_coarse_run *coarse) {
  ht_coarse_choice choice;
  HT_TRY(ht_coarse_choose(fine->domain, fine->options, &choice));
  if (!choice.applies) return HT_OK;
  ht_status status = ht_coarse_domain_make(fine->domain, &coarse->domain);
  if (status == HT_OK) status = ht_tiling_build(&coarse->domain.mask, NULL, &coarse->tiling);
  if (status == HT_OK) status = run_coarse(fine, choice.collision, coarse);
  coarse->is_done = status == HT_OK;
  if (status != HT_OK) note_fault(coarse, status);
  return status == HT_ERR_INTERRUPTED ? status : HT_OK;
}

static void describe_start(const ht_solve_run *r, const ht_coarse_run *coarse) {
  snprintf(r->stats->coarse_note, sizeof r->stats->coarse_note, "%s", coarse->note);
  if (!coarse->is_done) return;
  r->stats->coarse_steps = coarse->stats.steps;
  r->stats->coarse_seconds = coarse->stats.seconds;
  r->stats->coarse_off = coarse->off;
}

/* Begins with the coarse flow on the lattice, or at rest. */
static ht_status make_lattice(ht_solve_run *r, ht_coarse_run *coarse) {
  const ht_solve_run before = *r;
  if (coarse->is_done) r->plan.ramp_steps = 0;
  ht_status status = ht_solve_make_lattice(r);
  if (!coarse->is_done || r->resume || status != HT_OK) return status;
  status = ht_coarse_begin(coarse, r);
  if (status == HT_OK) return HT_OK;
  note_fault(coarse, status);
  free_run(r);
  *r = before;
  return ht_solve_make_lattice(r);
}

/* The run on the domain's own lattice, whose plan and flow are made. */
static ht_status run_fine(ht_solve_run *r, ht_coarse_run *coarse) {
  means m = {.interval = 0};
  ht_status status = HT_OK;
  HT_TRY_DONE(make_lattice(r, coarse));
  describe(r);
  if (!r->lattice_note[0] && r->stats->by_host[0]) r->lattice_note = "exchange by the host, ";
  describe_start(r, coarse);
  r->from_coarse = coarse->is_done;
  ht_coarse_free(coarse);
  expect_all(r);
  if (r->plan.cycle_steps == 0) plan_means(r, &m);
  HT_TRY_DONE(loop(r, &m));
  HT_TRY_DONE(finish(r, &m));
done:
  free_means(&m);
  free_run(r);
  return status;
}

/* A run that diverges after a coarse start is run once more, from rest. */
static ht_status run_fine_or_again(ht_solve_run *r, ht_coarse_run *coarse) {
  const ht_solve_run before = *r;
  ht_status status = run_fine(r, coarse);
  if (status != HT_ERR_DIVERGED || !coarse->is_done) return status;
  *r = before;
  r->resume = NULL;
  r->lattice_note = "from rest after all, ";
  coarse->is_done = 0;
  snprintf(coarse->note, sizeof coarse->note, "the run that began there became unstable");
  return run_fine(r, coarse);
}

ht_status ht_solve(const ht_domain *domain, const ht_tiling *tiling,
                   const ht_solver_options *options, const ht_progress *progress, ht_flow *flow,
                   ht_flow_stats *stats) {
  ht_solve_run r = {.domain = domain,
                    .tiling = tiling,
                    .options = options,
                    .progress = progress,
                    .flow = flow,
                    .stats = stats,
                    .lattice_note = "",
                    .last_change = 1};
  ht_coarse_run coarse = {.is_done = 0};
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  for (int p = 0; p < HT_OPENINGS_MAX; p++) r.inflow_factor[p] = 1;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_plan_make(domain, options, &r.plan));
  if (options->keeping) r.resume = options->keeping->resume;
  HT_TRY_DONE(r.resume ? ht_solve_move_start(r.resume, &coarse.is_done, coarse.note)
                       : try_coarse(&r, &coarse));
  HT_TRY_DONE(ht_flow_alloc(domain, tiling, options, flow));
  HT_TRY_DONE(ht_opening_nodes_find(domain, flow, &r.openings));
  status = run_fine_or_again(&r, &coarse);
done:
  ht_coarse_free(&coarse);
  if (status == HT_ERR_DIVERGED && !r.has_snapshot) ht_flow_free(flow);
  ht_opening_nodes_free(&r.openings);
  ht_plan_free(&r.plan);
  return status;
}
