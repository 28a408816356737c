/* Runs a domain to its steady state, or over the periods of its inflow. */
#include "flow_read.h"
#include "pulse.h"
#include "solve_drive.h"
#include "solve_step.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_A_CHECK = 500 };

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
  int model = HT_MODEL(r->options->collision, r->options->compressibility);
  snprintf(stats->fluid, sizeof stats->fluid, "%s",
           ht_compressibility_words[HT_MODEL_COMPRESSIBILITY(model)]);
  snprintf(stats->device, sizeof stats->device, "%s", ht_lattice_device(r->lattice));
}

/* ---- the time loop ---- */

/* Estimates the total number of steps, only to report the time left. From half of the likely number
 * on, the decay of the change predicts the end; before, it reflects the start. It decays in waves,
 * so each estimate counts half. */
static void expect(ht_solve_run *r, const ht_lattice_monitor *seen) {
  if (r->options->stop_at_max_steps || (double)seen->step < r->likely / 2) return;
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

/* Checks the state: HT_ERR_DIVERGED, or *done where it is steady. */
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
