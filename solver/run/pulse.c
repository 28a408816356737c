/* A pulsatile flow, from rest over the periods of its inflow. */
#include "solver/run/pulse.h"
#include "solver/run/beat_count.h"
#include "solver/plan/coarse_choice.h"
#include "solver/run/fit_blood_pressure.h"
#include "solver/samples/flow_average.h"
#include "solver/samples/flow_read.h"
#include "solver/run/moment_balance.h"
#include "solver/run/outlet_loss.h"
#include "solver/run/port_integrals.h"
#include "solver/run/solve_drive.h"
#include "solver/run/solve_state.h"
#include "solver/run/solve_step.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_CHECK = 500 };

/* The most that the mean inflow of the first beat after a coarse start may be off, for a beat that
 * stands alone, and that the outlets' mean pressures may, of the drop along the vessel. */
static const double inflow_off = 2e-3, pressure_off = 0.01;

typedef struct {
  ht_solve_run *run;
  int64_t period;           /* the present one, from 0; the first is run->first_beat */
  int lead;                 /* samples before the first period */
  int leads;                /* 1: those are being run */
  int peak;                 /* sample with the largest inflow */
  float *before;            /* [nodes][3] velocity at the peak of the period before; owned */
  ht_beat_count count;      /* of the periods that the results are the means of, so far */
  ht_flow_average average;  /* of the samples of these; owned */
  ht_turbulence turbulence; /* about the phases' means of these; owned; not always made */
  float *first; /* [nodes][3] velocity at the peak of the first of these; owned; NULL: none
                   is added */
  double highest_pa[HT_OPENINGS_MAX], lowest_pa[HT_OPENINGS_MAX]; /* of these, at the openings, */
  double mean_pa[HT_OPENINGS_MAX];                                /* over the last beat */
  ht_port_sums sums;                                              /* over a period */
  int measured;                                                   /* moments in these sums */
  double rate_now;                /* of all inlets' flow at the last of them, a step */
  double now_lu[HT_OPENINGS_MAX]; /* into the ports at the sample */
  /* The sample that counts, which may be taken while the next steps run: its number, whether it is
   * the first, whether it adds to the fit of the loss; what flowed into the ports, the pressure of
   * the lattice's 0. */
  int taken, taken_first, taken_learns;
  double taken_lu[HT_OPENINGS_MAX], taken_reference_pa;
  ht_moment_balance balance; /* of the samples that count */
  int resumed; /* 1: the present period goes on after run->step; it was begun by an earlier run */
} pulse;

/* ---- moments ---- */

/* Number of periods done on this lattice. */
static int64_t periods_done(const pulse *p) {
  return p->period - p->run->first_beat;
}

static int64_t step_in_period(const pulse *p, int sample) {
  return p->run->plan.cycle_steps / p->run->options->samples * sample;
}

/* Returns the step of the present period's sample number `place`, in the order of time. A period
 * begins `lead` samples after the waveform's begin, the lead at that. */
static int64_t step_of(const pulse *p, int place) {
  if (p->leads) return step_in_period(p, place);
  return periods_done(p) * p->run->plan.cycle_steps + step_in_period(p, p->lead + place);
}

static int sample_at(const pulse *p, int place) {
  return p->leads ? place : (p->lead + place) % p->run->options->samples;
}

static int place_of_peak(const pulse *p) {
  int samples = p->run->options->samples;
  return p->leads ? p->peak : (p->peak - p->lead + samples) % samples;
}

static double time_of(const pulse *p, int sample) {
  return (double)step_in_period(p, sample) * p->run->plan.units.dt_s;
}

static double inflow_at(const pulse *p, int sample) {
  const ht_solve_run *run = p->run;
  double asked_lu[HT_OPENINGS_MAX], sum = 0;
  ht_solve_asked(run, run->plan.cycle_steps + step_in_period(p, sample), asked_lu);
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

/* Tells whether the samples of the present period count. */
static int counts(const pulse *p) {
  return !p->leads && p->period >= p->run->options->cycles - 1;
}

/* The first beat after a coarse start, which is a result only where it repeats. */
static int is_trial(const pulse *p) {
  return p->lead > 0 && periods_done(p) == 0;
}

static int adds_periods(const pulse *p) {
  return p->run->options->max_cycles > p->run->options->cycles;
}

static int64_t most_periods(const pulse *p) {
  const ht_solver_options *options = p->run->options;
  if (adds_periods(p)) return options->max_cycles;
  return options->cycles + (p->lead > 0); /* a trial is always followed by another one */
}

/* ---- samples ---- */

/* Rate of change of the prescribed port flows, voxels per step^2. */
static void rate_of_asked(const ht_solve_run *run, double *rate) {
  double before[HT_OPENINGS_MAX];
  int64_t step = run->step + run->plan.cycle_steps; /* of the wave, which has no begin there */
  ht_solve_asked(run, step + 1, rate);
  ht_solve_asked(run, step - 1, before);
  for (int i = 0; i < run->domain->ports; i++) rate[i] = (rate[i] - before[i]) / 2;
}

/* Sums up, but not while the inflow still rises from rest. */
static ht_status measure_ports(pulse *p) {
  ht_solve_run *run = p->run;
  double asked_lu[HT_OPENINGS_MAX], rate[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(run->lattice, p->now_lu));
  if (run->step < run->plan.ramp_steps) return HT_OK;
  ht_solve_asked(run, run->step, asked_lu);
  rate_of_asked(run, rate);
  p->rate_now = 0;
  for (int i = 0; i < run->domain->ports; i++) {
    p->rate_now += rate[i];
    ht_port_sums_add(&p->sums, i, p->now_lu[i], asked_lu[i], rate[i]);
  }
  p->measured++;
  return HT_OK;
}

/* Relative change of the velocity in the vessel since the same moment of the period before. The run
 * may be steps ahead: the record has the step of the sample. */
static void compare_peak(pulse *p) {
  const ht_flow *flow = p->run->flow;
  double change = ht_vessel_change(p->run->domain, flow, flow->velocity_m_s, p->before);
  memcpy(p->before, flow->velocity_m_s, 3 * (size_t)flow->nodes * sizeof(float));
  int is_first = p->leads || (p->lead == 0 && periods_done(p) == 0);
  if (is_first) return;
  p->run->stats->cycle_change = isfinite(change) ? change : 1; /* not known is no repeat */
  if (!isfinite(change)) return;
  ht_flow_note_change(p->run->stats, step_of(p, place_of_peak(p)), change);
}

static void take_pressures(pulse *p, int begins, int is_first, const double *pressure_pa) {
  for (int i = 0; i < p->run->domain->ports; i++) {
    p->mean_pa[i] = (begins ? 0 : p->mean_pa[i]) + pressure_pa[i] / p->run->options->samples;
    p->highest_pa[i] = is_first ? pressure_pa[i] : fmax(p->highest_pa[i], pressure_pa[i]);
    p->lowest_pa[i] = is_first ? pressure_pa[i] : fmin(p->lowest_pa[i], pressure_pa[i]);
  }
}

/* Returns the phase of a sample: every `stride`-th one is a phase, among them the peak; -1:
 * none. */
static int phase_of(const pulse *p, int sample) {
  int samples = p->run->options->samples, stride = ht_tke_stride(samples);
  int behind = (sample - p->peak + samples) % samples;
  return behind % stride == 0 ? behind / stride : -1;
}

static void take_phase(pulse *p, int sample) {
  int phase = phase_of(p, sample);
  if (!p->turbulence.square || phase < 0) return;
  ht_turbulence_add(phase, p->run->flow, &p->turbulence);
  p->run->stats->tke_time_s[phase] = time_of(p, sample);
}

static ht_status take_sample(void *user) {
  pulse *p = user;
  ht_solve_run *run = p->run;
  const int sample = p->taken;
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  const ht_units *units = &run->plan.units;
  HT_TRY(ht_flow_take(run->lattice, run->tiling, units, p->taken_reference_pa, run->flow));
  if (sample == p->peak) compare_peak(p);
  ht_flow_average_add(run->domain, run->flow, &p->average);
  take_phase(p, sample);
  if (p->taken_first) p->balance = (ht_moment_balance){0};
  ht_moment_balance_add(run->domain, p->taken_lu, time_of(p, sample), &p->balance);
  ht_opening_nodes_take(run->flow, &run->openings);
  ht_opening_pressures(&run->openings, pressure_pa);
  ht_port_pressures(&run->openings, port_pa);
  take_pressures(p, sample == sample_at(p, 0), p->taken_first, pressure_pa);
  if (p->taken_learns) ht_outlet_loss_add(run, p->taken_lu, 0, pressure_pa, port_pa);
  const ht_flow_sample moment = {.time_s = time_of(p, sample),
                                 .beat = p->count.counted,
                                 .index = sample,
                                 .is_peak = sample == p->peak,
                                 .begins = p->taken_first};
  return ht_solve_show(run, &moment, p->taken_lu, pressure_pa);
}

/* Tells whether beats that count teach the outlets their loss: where jets fluctuate, only the first
 * does. */
static int teaches(const pulse *p) {
  return !p->run->has_sponge || !ht_outlet_loss_is_known(p->run);
}

/* The steps go on meanwhile, where the device allows it. */
static ht_status begin_sample(pulse *p, int place) {
  ht_solve_run *run = p->run;
  HT_TRY(ht_side_work_wait(run->side_work));
  HT_TRY(ht_solve_meet_observer(run));
  HT_TRY(ht_lattice_keep(run->lattice, 1));
  p->taken = sample_at(p, place);
  p->taken_first = place == 0 && p->count.counted == 0;
  p->taken_learns = run->step >= run->plan.ramp_steps && teaches(p);
  p->taken_reference_pa = ht_solve_reference_pa(run);
  memcpy(p->taken_lu, p->now_lu, sizeof p->taken_lu);
  run->has_snapshot = 1;
  run->stats->steps = run->step;
  return ht_side_work_begin(run->side_work, take_sample, p);
}

/* Follows the pressures before the samples that count. */
static ht_status follow_pressures(pulse *p, int place) {
  double pressure_pa[HT_OPENINGS_MAX], port_pa[HT_OPENINGS_MAX];
  HT_TRY(ht_solve_read_pressures(p->run, pressure_pa, port_pa));
  take_pressures(p, place == 0, place == 0, pressure_pa);
  if (p->run->step >= p->run->plan.ramp_steps)
    ht_outlet_loss_add(p->run, p->now_lu, p->rate_now, pressure_pa, port_pa);
  return HT_OK;
}

/* The whole flow is read for the samples that count, and at the peak. */
static ht_status look(pulse *p, int place) {
  const int sample = sample_at(p, place);
  ht_lattice_monitor seen;
  int tunes = ht_cuff_tunes(p->run, p->period);
  int loses = p->run->outlet_steps > 0 && !counts(p);
  HT_TRY(measure_ports(p));
  if (sample != p->peak && !counts(p) && !tunes && !loses) return HT_OK;
  HT_TRY(ht_solve_watch(p->run, &seen)); /* keep only a finite flow */
  if (tunes || loses) HT_TRY(follow_pressures(p, place));
  if (counts(p)) return begin_sample(p, place);
  if (sample != p->peak) return HT_OK;
  HT_TRY(ht_solve_read(p->run));
  compare_peak(p);
  return HT_OK;
}

/* Jets fluctuate from beat to beat: the mean that their fit leaves is no part of the loss. */
static void fit_losses(pulse *p) {
  ht_outlet_loss_fit(p->run, 0, p->run->has_sponge ? INT_MAX : p->run->options->samples);
}

/* ---- periods ---- */

static void describe(const pulse *p, char note[96]) {
  int number = (int)p->period + 1, cycles = p->run->options->cycles;
  int length = number > cycles ? snprintf(note, 96, "period %d, added", number)
                               : snprintf(note, 96, "period %d of %d", number, cycles);
  if (p->run->stats->cycle_change < 1)
    snprintf(note + length, 96 - (size_t)length,
             p->count.counted > 0 ? ", averaging: beats vary by %.2g %%" : ", changed by %.2g %%",
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
    if (!counts(p)) HT_TRY(ht_solve_keep(run));
    run->last_check = run->step;
  }
  return HT_OK;
}

static void forget_ports(pulse *p) {
  p->measured = 0;
  memset(&p->sums, 0, sizeof p->sums);
  ht_solve_forget_through(p->run);
}

/* Corrects by least squares, because the mean of a part of a period may be 0. The sums then
 * continue as if the ports had been correct. */
static ht_status correct_early(pulse *p) {
  HT_TRY(ht_solve_correct(p->run, p->sums.product, p->sums.square));
  for (int i = 0; i < p->run->domain->ports; i++) p->sums.product[i] = p->sums.square[i];
  return HT_OK;
}

/* A quarter of the first period ends before this sample. */
static int is_early(const pulse *p, int sample) {
  int samples = p->run->options->samples;
  return p->lead == 0 && periods_done(p) == 0 && sample > 0 &&
         4 * sample / samples > 4 * (sample - 1) / samples;
}

/* Returns the number of this period's `samples` complete at run->step. */
static int samples_behind(const pulse *p, int samples) {
  int k = 0;
  while (k < samples && step_of(p, k) <= p->run->step) k++;
  return k;
}

/* Corrects by the mean flow of the period that ends. The harmonics' profiles are steeper at the
 * wall than that of the mean flow, so that a coarse lattice lets another share of them through:
 * they are corrected as well. */
static ht_status correct_ports(pulse *p) {
  const double most = 0.1; /* sound may be in the flow */
  ht_solve_run *run = p->run;
  double share[HT_OPENINGS_MAX] = {0};
  for (int i = 0; i < run->domain->ports; i++)
    if (run->plan.inlet[i] && run->plan.inlet[i]->series.harmonics > 0)
      share[i] = ht_port_sums_swing(&p->sums, i, p->measured);
  ht_solve_mean_through(run, p->sums.flow_lu, p->sums.asked_lu);
  HT_TRY(ht_solve_correct(run, p->sums.flow_lu, p->sums.asked_lu));
  for (int i = 0; i < run->domain->ports; i++) {
    if (!(share[i] > 0)) continue;
    double factor = p->sums.flow_lu[i] / p->sums.asked_lu[i] / share[i];
    if (fabs(factor - 1) <= most) run->swing_off[i] = (1 + run->swing_off[i]) * factor - 1;
  }
  return HT_OK;
}

/* Corrects after the lead. The flow lags some steps behind the prescribed one: flow = factor *
 * asked + other * rate, by least squares. A fit to the rise alone would take the lag for too small
 * a flow. */
static ht_status correct_lead(pulse *p) {
  double factor[HT_OPENINGS_MAX], one[HT_OPENINGS_MAX];
  for (int i = 0; i < p->run->domain->ports; i++)
    one[i] = ht_port_sums_factor(&p->sums, i, &factor[i]);
  return ht_solve_correct(p->run, factor, one);
}

/* Runs from sample to sample, up to the beginning of the first period. What a state kept before has
 * done is not done again. */
static ht_status run_lead(pulse *p) {
  char note[96];
  int done = p->resumed ? samples_behind(p, p->lead) : 0;
  if (!p->resumed) forget_ports(p);
  p->resumed = 0;
  describe(p, note);
  for (int k = done; k < p->lead; k++) {
    HT_TRY(go_to(p, step_of(p, k), note));
    HT_TRY(look(p, k));
  }
  HT_TRY(go_to(p, step_of(p, p->lead), note));
  p->leads = 0;
  if (p->lead < p->run->options->samples)
    ht_outlet_loss_fit_part(p->run);
  else
    fit_losses(p);
  return correct_lead(p);
}

/* Runs a period. After the first period the ports are corrected by the mean flow of the period; not
 * after one that counts. */
static ht_status run_period(pulse *p) {
  ht_solve_run *run = p->run;
  char note[96];
  int first = p->resumed ? samples_behind(p, run->options->samples) : 0;
  if (p->count.counted == 0 && !p->resumed) forget_ports(p);
  p->resumed = 0;
  describe(p, note);
  for (int k = first; k < run->options->samples; k++) {
    HT_TRY(go_to(p, step_of(p, k), note));
    if (is_early(p, k)) HT_TRY(correct_early(p));
    HT_TRY(look(p, k));
  }
  HT_TRY(go_to(p, step_of(p, run->options->samples), note));
  HT_TRY(ht_side_work_wait(run->side_work));
  if (!counts(p)) fit_losses(p);
  if (ht_cuff_tunes(run, p->period)) ht_cuff_tune(run, p->highest_pa, p->lowest_pa);
  if (counts(p)) return HT_OK;
  return periods_done(p) == 0 ? correct_early(p) : correct_ports(p);
}

/* ---- a state that is kept ---- */

/* Moves the state while no sample is being taken. */
static ht_status move(void *user, ht_state *stream) {
  pulse *p = user;
  int64_t nodes = p->run->flow->nodes;
  size_t velocity = 3 * (size_t)nodes * sizeof(float);
  HT_TRY(ht_state_part(stream, "periods"));
  HT_TRY(ht_state_count(stream, &p->period, p->run->first_beat, most_periods(p)));
  HT_TRY(ht_state_int(stream, &p->count.counted, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, p->count.varied));
  HT_TRY(HT_STATE_OF(stream, p->count.most));
  HT_TRY(ht_state_int(stream, &p->measured, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, p->highest_pa));
  HT_TRY(HT_STATE_OF(stream, p->lowest_pa));
  HT_TRY(HT_STATE_OF(stream, p->mean_pa));
  HT_TRY(HT_STATE_OF(stream, p->sums));
  HT_TRY(HT_STATE_OF(stream, p->now_lu));
  HT_TRY(HT_STATE_OF(stream, p->balance));
  HT_TRY(ht_state_bytes(stream, p->before, velocity));
  if (p->first) HT_TRY(ht_state_bytes(stream, p->first, velocity));
  HT_TRY(ht_flow_average_move(&p->average, stream));
  return ht_turbulence_move(nodes, &p->turbulence, stream);
}

/* ---- beats that do not repeat ---- */

/* The loss of the outlets, which stays in beats that count, is that of the beats so far. */
static void count_anew(pulse *p) {
  fit_losses(p);
  p->count = (ht_beat_count){0};
  ht_flow_average_clear(&p->average);
  ht_turbulence_clear(&p->turbulence);
}

static ht_status make_turbulence(pulse *p) {
  const int phases = ht_tke_phases(p->run->options->samples);
  return ht_turbulence_make(p->run->flow->nodes, phases, &p->turbulence);
}

/* Prepares a period that counts: turbulence only where the flow has not repeated so far. Where
 * there is no memory for it, the results come without: the run is far by now. */
static void prepare(pulse *p) {
  int repeats = p->run->stats->cycle_change <= HT_PERIODIC_CHANGE;
  if (!counts(p) || is_trial(p) || !adds_periods(p) || repeats) return;
  if (!p->turbulence.square && make_turbulence(p) != HT_OK) ht_turbulence_free(&p->turbulence);
}

/* Tells whether the outlets by whose pressures the flow divides have them. */
static int outlets_hold(const pulse *p) {
  return ht_outlet_loss_off(p->run, p->mean_pa) <= pressure_off;
}

static void see_drift(pulse *p, ht_beat_end *end) {
  const ht_solver_options *options = p->run->options;
  end->drift = ht_vessel_change(p->run->domain, p->run->flow, p->before, p->first);
  end->enough = !options->enough || options->enough(options->observe_user);
  p->run->stats->averaged_drift = end->drift;
}

/* Judges after a period that counts: whether the results are complete (beat_count.h). */
static int judge(pulse *p) {
  ht_flow_stats *stats = p->run->stats;
  const int samples = p->run->options->samples;
  ht_beat_end end = {.change = stats->cycle_change,
                     .divides = outlets_hold(p) || !teaches(p),
                     .left = most_periods(p) - p->period - 1};
  if (ht_beats_need_drift(&p->count)) see_drift(p, &end);
  const ht_beat_verdict verdict = ht_beats_judge(&end, &p->count);
  stats->beats = p->count.counted;
  stats->averaged = verdict.holds ? stats->beats * samples : 0;
  stats->averaged_s = verdict.holds ? stats->beats * stats->period_s : 0;
  if (verdict.done) {
    stats->cycle_change = verdict.change;
    return 1;
  }
  if (stats->beats == 1)
    memcpy(p->first, p->before, 3 * (size_t)p->run->flow->nodes * sizeof(float));
  if (verdict.anew) count_anew(p);
  p->run->total = (double)step_of(p, 2 * samples);
  return 0;
}

/* The largest of the inlets' means over the period, less what is asked of it; of 1. */
static double inflow_is_off(const pulse *p) {
  double flow_lu[HT_OPENINGS_MAX], asked_lu[HT_OPENINGS_MAX], most = 0;
  memcpy(flow_lu, p->sums.flow_lu, sizeof flow_lu);
  memcpy(asked_lu, p->sums.asked_lu, sizeof asked_lu);
  ht_solve_mean_through(p->run, flow_lu, asked_lu);
  for (int i = 0; i < p->run->domain->ports; i++)
    if (asked_lu[i] != 0) most = fmax(most, fabs(flow_lu[i] / asked_lu[i] - 1));
  return most;
}

/* A trial that does not repeat, or whose inflow or outlets are off, does not count: the next period
 * is judged as the first that counts. */
static ht_status end_trial(pulse *p, int *done) {
  ht_flow_stats *stats = p->run->stats;
  *done = stats->cycle_change <= HT_PERIODIC_CHANGE && inflow_is_off(p) <= inflow_off &&
          outlets_hold(p);
  stats->beats = 1;
  if (*done) return HT_OK;
  count_anew(p);
  p->run->total = (double)step_of(p, 2 * p->run->options->samples);
  return correct_ports(p);
}

/* ---- all of it ---- */

static void measure(pulse *p) {
  ht_solve_run *run = p->run;
  ht_flow_stats *stats = run->stats;
  double flow_lu[HT_OPENINGS_MAX];
  for (int i = 0; i < run->domain->ports; i++)
    flow_lu[i] = p->measured > 0 ? p->sums.flow_lu[i] / p->measured : 0;
  ht_solve_mean_through(run, flow_lu, NULL);
  ht_flow_measure(run->domain, run->flow, &run->plan.units, flow_lu, &run->openings, stats);
  for (int i = 0; i < stats->ports; i++) {
    stats->port[i].highest_pressure_pa = p->highest_pa[i];
    stats->port[i].lowest_pressure_pa = p->lowest_pa[i];
  }
  ht_moment_balance_record(&p->balance, &run->plan.units, stats);
  stats->cycles = (int)p->period + 1;
  stats->max_velocity_m_s = p->average.fastest_m_s;
  stats->max_velocity_lu = ht_units_velocity_lu(&run->plan.units, p->average.fastest_m_s);
  stats->steady = stats->cycle_change <= HT_PERIODIC_CHANGE &&
                  fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE;
}

static ht_status finish(pulse *p) {
  ht_solve_run *run = p->run;
  ht_flow_average_swap(run->flow, &p->average);
  measure(p);
  ht_cuff_record(&run->cuff, run->stats);
  if (run->stats->averaged == 0) return HT_OK;
  return ht_turbulence_result(&p->turbulence, run->domain, run->flow, run->stats);
}

/* Leaves the state at the end of the last beat. */
static ht_status run_coarse_beats(pulse *p) {
  for (; p->period < p->run->last_beat; p->period++) HT_TRY(run_period(p));
  return ht_solve_read(p->run);
}

static ht_status run_periods(pulse *p) {
  if (p->run->last_beat > 0) return run_coarse_beats(p);
  if (p->leads) HT_TRY(run_lead(p));
  for (int done = 0; !done; p->period += !done) {
    if (!p->resumed) prepare(p);
    HT_TRY(run_period(p));
    if (is_trial(p))
      HT_TRY(end_trial(p, &done));
    else if (counts(p))
      done = judge(p);
  }
  return finish(p);
}

static ht_status allocate(pulse *p) {
  size_t nodes = (size_t)p->run->flow->nodes;
  HT_TRY(ht_flow_average_make(p->run->flow, &p->average));
  HT_TRY(ht_alloc((void **)&p->before, nodes, 3 * sizeof(float), "the flow a period ago"));
  if (!adds_periods(p)) return HT_OK;
  return ht_alloc((void **)&p->first, nodes, 3 * sizeof(float), "the first beat");
}

/* Begins the lead. After a coarse start, whose last beat has ended, the flow settles on this
 * lattice, at least up to the first peak of the inflow, with which the next one is compared. */
static ht_status begin_lead(pulse *p) {
  ht_coarse_choice choice;
  if (!p->run->from_coarse) return HT_OK;
  HT_TRY(ht_coarse_choose(p->run->domain, p->run->options, &choice));
  p->lead = choice.lead > p->peak ? choice.lead : p->peak + 1;
  p->leads = 1;
  p->run->total += (double)step_in_period(p, p->lead);
  return HT_OK;
}

ht_status ht_solve_periods(ht_solve_run *run) {
  pulse p = {.run = run, .period = run->first_beat};
  ht_status status = allocate(&p);
  run->stats->period_s = (double)run->plan.cycle_steps * run->plan.units.dt_s;
  run->stats->cycles = run->options->cycles;
  run->stats->samples = run->options->samples;
  run->stats->cycle_change = 1;
  find_peak(&p);
  if (status == HT_OK) status = begin_lead(&p);
  /* Steps wait for each sample where no thread is available. */
  if (ht_lattice_keeps_beside(run->lattice) && run->last_beat == 0)
    (void)ht_side_work_make(&run->side_work);
  if (status == HT_OK) status = ht_solve_begin_loop(run, move, &p, &p.resumed);
  if (p.resumed) p.leads = run->step < step_in_period(&p, p.lead);
  if (status == HT_OK && !p.resumed) status = ht_cuff_begin(run);
  if (status == HT_OK) status = run_periods(&p);
  ht_side_work_free(run->side_work);
  run->side_work = NULL;
  ht_flow_average_free(&p.average);
  ht_turbulence_free(&p.turbulence);
  free(p.before);
  free(p.first);
  return status;
}
