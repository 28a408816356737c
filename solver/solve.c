#define _POSIX_C_SOURCE 200809L
/* Runs a domain to its steady state, or over the periods of its inflow: the driver over lattice.h.
 */
#include "solve_run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_A_CHECK = 500 };
static const double seconds_a_report = 0.5; /* so that Ctrl-C is answered soon */
static const double seconds_a_snapshot = 30;
static const double speed_limit_lu = 0.4; /* beyond this the low-Mach expansion means nothing */

double ht_solve_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ht_status ht_solve_read(ht_solve_run *r, ht_flow *flow) {
  return ht_flow_read(r->lattice, r->tiling, &r->plan.units, ht_solve_reference_pa(r), flow);
}

static void describe(ht_solve_run *r) {
  ht_flow_stats *stats = r->stats;
  memset(stats, 0, sizeof *stats);
  stats->dx_m = r->plan.units.dx_m;
  stats->dt_s = r->plan.units.dt_s;
  stats->tau = r->plan.tau;
  stats->reynolds = r->plan.reynolds;
  stats->fluid_nodes = r->tiling->nodes;
  stats->tiles = r->tiling->tiles;
  snprintf(stats->precision, sizeof stats->precision, "%s",
           ht_precision_words[r->options->precision]);
  snprintf(stats->collision, sizeof stats->collision, "%s",
           ht_collision_words[r->options->collision]);
  snprintf(stats->fluid, sizeof stats->fluid, "%s",
           ht_compressibility_words[r->options->compressibility]);
  snprintf(stats->device, sizeof stats->device, "%s", ht_lattice_device(r->lattice));
}

/* ---- the time loop ---- */

/* Steps in all, for the time left only. Half-way to the likely number how fast the change falls
 * begins to tell; before, it tells of the start. It falls in waves: each guess counts half. */
static void expect(ht_solve_run *r, const ht_lattice_monitor *seen) {
  if (r->options->stop_at_max_steps || (double)seen->step < r->likely / 2) return;
  double fall = log(r->last_change / seen->change) / (double)(seen->step - r->last_check);
  double left = log(seen->change / r->options->steady_tolerance) / fall;
  if (!(fall > 0) || !(left > 0)) return;
  double guess = fmin((double)seen->step + left, (double)r->plan.max_steps);
  r->total = r->total > 0 ? (r->total + guess) / 2 : guess;
  if (r->total < (double)seen->step) r->total = guess;
}

static ht_status diverged(const ht_solve_run *r, const ht_lattice_monitor *seen) {
  char speed[64] = "values are no longer numbers";
  if (isfinite(seen->max_speed))
    snprintf(speed, sizeof speed, "lattice velocity %.3g, at most %.2g", seen->max_speed,
             speed_limit_lu);
  return ht_fail(HT_ERR_DIVERGED,
                 "the computation became unstable after %lld steps (%s); no result was written. "
                 "What helps: a finer lattice (--nodes-across, --spacing), a lower flow, a smaller "
                 "flow.max_velocity_lu in the case file%s%s (Reynolds number %.0f, relaxation time "
                 "%.4f)",
                 (long long)seen->step, speed,
                 r->options->collision == HT_LBGK ? ", flow.collision: mrt" : "",
                 r->plan.driven_speed_m_s > 0 ? ", or outlets whose pressures differ less" : "",
                 r->plan.reynolds, r->plan.tau);
}

ht_status ht_solve_correct(ht_solve_run *r, const double *flow_lu, const double *asked_lu) {
  for (int p = 0; p < r->domain->ports; p++) {
    if (asked_lu[p] == 0 || !(flow_lu[p] / asked_lu[p] > 0.5)) continue;
    HT_TRY(ht_lattice_scale_inflow(r->lattice, p, fmin(asked_lu[p] / flow_lu[p], 1.1)));
  }
  return HT_OK;
}

/* The flow that goes in is measured, and the velocity at the inlet corrected for what is missing
 * (half a per cent or so: the port's nodes stand for half a spacing more or less of the vessel). */
static ht_status correct_inflow(ht_solve_run *r) {
  double flow_lu[HT_OPENINGS_MAX], asked_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  ht_solve_asked(r, r->step, asked_lu);
  return ht_solve_correct(r, flow_lu, asked_lu);
}

ht_status ht_solve_watch(ht_solve_run *r, ht_lattice_monitor *seen) {
  HT_TRY(ht_lattice_watch(r->lattice, seen));
  return seen->max_speed <= speed_limit_lu ? HT_OK : diverged(r, seen);
}

static ht_status keep(ht_solve_run *r) {
  HT_TRY(ht_solve_read(r, r->flow));
  r->has_snapshot = 1;
  r->stats->steps = r->step;
  return HT_OK;
}

ht_status ht_solve_keep(ht_solve_run *r) {
  if (r->snapshot_at > 0 && ht_solve_clock() - r->snapshot_at <= seconds_a_snapshot) return HT_OK;
  HT_TRY(keep(r));
  r->snapshot_at = ht_solve_clock();
  return HT_OK;
}

/* Some flows blow up before the first check: these are looked at, and kept, before it too. */
static const int64_t early_looks[] = {32, 128}; /* steps */

static int64_t next_early(int64_t step) {
  for (size_t i = 0; i < sizeof early_looks / sizeof *early_looks; i++)
    if (step < early_looks[i]) return early_looks[i];
  return INT64_MAX;
}

static ht_status look_early(ht_solve_run *r) {
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(r, &seen));
  return keep(r);
}

/* Looks at the state: HT_ERR_DIVERGED, or *done where it is steady. */
static ht_status check(ht_solve_run *r, int *done) {
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(r, &seen));
  expect(r, &seen);
  r->stats->steady_change = seen.change;
  r->last_change = seen.change;
  r->last_check = seen.step;
  if (seen.step > r->plan.ramp_steps) HT_TRY(correct_inflow(r));
  *done = seen.change <= r->options->steady_tolerance && seen.step > r->plan.ramp_steps;
  return *done ? HT_OK : ht_solve_keep(r);
}

static ht_status report(ht_solve_run *r, const char *note) {
  char text[160];
  double updates = (double)r->step * (double)r->tiling->nodes;
  double rate = r->stepping > 0 ? updates / r->stepping / 1e6 : 0;
  snprintf(text, sizeof text, "%.1f MFLUPS%s%s", rate, note[0] ? ", " : "", note);
  r->reported_at = ht_solve_clock();
  return ht_progress_report(r->progress, "solve", (double)r->step, r->total, text);
}

static int64_t piece_of(const ht_solve_run *r, int64_t until) {
  double rate = r->stepping > 0 ? (double)r->step / r->stepping : 20;
  int64_t piece = (int64_t)(rate * seconds_a_report) + 1, left = until - r->step;
  int64_t to_early = next_early(r->step) - r->step;
  if (to_early < left) left = to_early;
  if (r->outlet_steps > 0) {
    int64_t to_update = r->outlet_step + r->outlet_steps - r->step;
    if (to_update < left) left = to_update;
  }
  return piece < left ? piece : left;
}

ht_status ht_solve_advance(ht_solve_run *r, int64_t until, const char *note) {
  while (r->step < until) {
    int64_t piece = piece_of(r, until);
    double began = ht_solve_clock();
    int64_t early = next_early(r->step);
    HT_TRY(ht_lattice_step(r->lattice, piece));
    r->step += piece;
    if (r->outlet_steps > 0 && r->step >= r->outlet_step + r->outlet_steps)
      HT_TRY(ht_solve_follow_outlets(r));
    double ended = ht_solve_clock();
    r->stepping += ended - began;
    if (r->step == early) HT_TRY(look_early(r));
    if (r->outlet_steps == 0 || ended - r->reported_at >= seconds_a_report) HT_TRY(report(r, note));
  }
  return HT_OK;
}

static ht_status go_to_steady(ht_solve_run *r) {
  int64_t limit = r->plan.max_steps;
  char note[96] = "";
  int done = 0;
  while (!done && r->step < limit) {
    int64_t until = r->step + STEPS_A_CHECK < limit ? r->step + STEPS_A_CHECK : limit;
    if (r->step >= 2 * STEPS_A_CHECK)
      snprintf(note, sizeof note, "change a step %.1e (steady at %.0e)", r->stats->steady_change,
               r->options->steady_tolerance);
    HT_TRY(ht_solve_advance(r, until, note));
    HT_TRY(check(r, &done));
    if (r->options->stop_at_max_steps) done = 0;
  }
  r->stats->steady = r->stats->steady_change <= r->options->steady_tolerance;
  return HT_OK;
}

static ht_status loop(ht_solve_run *r) {
  HT_TRY(r->plan.cycle_steps > 0 ? ht_solve_periods(r) : go_to_steady(r));
  r->stats->steps = r->step;
  r->stats->seconds = r->stepping;
  r->stats->mflups = (double)r->step * (double)r->tiling->nodes / r->stepping / 1e6;
  return HT_OK;
}

static ht_status finish(ht_solve_run *r) {
  if (r->plan.cycle_steps > 0) return HT_OK;
  HT_TRY(ht_solve_read(r, r->flow));
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  ht_flow_measure(r->domain, r->flow, &r->plan.units, flow_lu, r->stats);
  if (r->stats->steady || r->options->stop_at_max_steps) return HT_OK;
  return ht_fail(
      HT_ERR_NOT_STEADY,
      "after %lld step%s the velocity still changes by %.1e of its size a step (steady is "
      "%.0e or less): the flow may be unsteady by nature (Reynolds number %.0f), or needs "
      "more steps (max_steps)",
      (long long)r->stats->steps, r->stats->steps == 1 ? "" : "s", r->stats->steady_change,
      r->options->steady_tolerance, r->plan.reynolds);
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
                    .last_change = 1};
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_plan_make(domain, options, &r.plan));
  HT_TRY_DONE(ht_flow_alloc(domain, tiling, options, flow));
  HT_TRY_DONE(ht_solve_make_lattice(&r));
  describe(&r);
  r.likely = fmin(ht_plan_likely_steps(domain, &r.plan), (double)r.plan.max_steps);
  r.total = options->stop_at_max_steps ? (double)r.plan.max_steps : r.likely;
  if (r.plan.cycle_steps > 0) r.total = (double)(options->cycles * r.plan.cycle_steps);
  HT_TRY_DONE(loop(&r));
  HT_TRY_DONE(finish(&r));
done:
  if (status == HT_ERR_DIVERGED && !r.has_snapshot) ht_flow_free(flow);
  ht_lattice_free(r.lattice);
  ht_solve_free_drive(&r);
  ht_plan_free(&r.plan);
  return status;
}

ht_status ht_device_describe(ht_device device, char name[128], char why_no_gpu[256]) {
  why_no_gpu[0] = 0;
  if (device != HT_DEVICE_CPU && ht_cuda_available(name, why_no_gpu)) return HT_OK;
  if (device == HT_DEVICE_CUDA)
    return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s; run with --device cpu, or auto",
                   why_no_gpu);
  int threads = ht_cpu_threads(0);
  snprintf(name, 128, "CPU, %d thread%s, %s", threads, threads == 1 ? "" : "s",
           ht_cpu_instruction_set());
  return HT_OK;
}
