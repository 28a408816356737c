#define _POSIX_C_SOURCE 200809L
/* Runs a domain to its steady state: the driver over lattice.h. */
#include "backend.h"
#include "flow_read.h"
#include "plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_A_CHECK = 500 };
static const double seconds_a_report = 0.5; /* so that Ctrl-C is answered soon */
static const double seconds_a_snapshot = 30;
static const double speed_limit_lu = 0.4; /* beyond this the low-Mach expansion means nothing */

typedef struct {
  const ht_domain *domain;
  const ht_tiling *tiling;
  const ht_solver_options *options;
  const ht_progress *progress;
  ht_plan plan;
  ht_lattice *lattice;
  ht_flow *flow;
  ht_flow_stats *stats;
  double stepping, snapshot_at; /* seconds */
  double last_change;
  int64_t last_check;
  int has_snapshot; /* flow holds a state that was good */
  double total;     /* steps expected, for the progress; 0: not known yet */
} run;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- set-up ---- */

static ht_status set_port(const ht_port *port, const ht_plan *plan, const double *share,
                          double *speed, ht_lattice_port *out) {
  *out = (ht_lattice_port){.kind = HT_PORT_PRESSURE,
                           .axis = port->axis,
                           .inward = port->inward,
                           .nodes = port->nodes,
                           .voxel = port->node};
  memcpy(out->direction, port->direction, sizeof out->direction);
  out->density_lu =
      ht_units_density_lu(&plan->units, port->opening.pressure_pa - plan->reference_pa) - 1;
  if (port->opening.role != HT_ROLE_INLET) return HT_OK;
  out->kind = HT_PORT_VELOCITY;
  out->speed_lu = speed;
  double flow_lu = ht_units_flow_lu(&plan->units, port->opening.flow_ml_s * 1e-6);
  for (int64_t i = 0; i < port->nodes; i++) speed[i] = flow_lu * share[i];
  return HT_OK;
}

static ht_status create_lattice(run *r) {
  ht_lattice_port ports[HT_OPENINGS_MAX];
  int64_t nodes = 0, used = 0;
  double *speed;
  for (int p = 0; p < r->domain->ports; p++) nodes += r->domain->port[p].nodes;
  HT_TRY(ht_alloc((void **)&speed, (size_t)nodes, sizeof(double), "the inlet profile"));
  for (int p = 0; p < r->domain->ports; p++) {
    set_port(&r->domain->port[p], &r->plan, r->plan.share[p], speed + used, &ports[p]);
    used += r->domain->port[p].nodes;
  }
  ht_lattice_setup setup = {
      .tiling = r->tiling,
      .tau = r->plan.tau,
      .law = ht_blood_law(&r->options->blood, r->options->viscosity_pa_s, &r->plan.units),
      .precision = r->options->precision,
      .collision = r->options->collision,
      .compressibility = r->options->compressibility,
      .device = r->options->device,
      .threads = r->options->threads,
      .ramp_steps = r->plan.ramp_steps,
      .ports = r->domain->ports,
      .port = ports};
  ht_status status = ht_lattice_create(&setup, &r->lattice);
  free(speed);
  return status;
}

static void describe(run *r) {
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

/* Steps still to go, from how fast the change falls; used for the time left only. It falls in
 * waves: each guess counts half, and none is made while the inflow still rises. */
static void expect(run *r, const ht_lattice_monitor *seen) {
  if (r->options->stop_at_max_steps || seen->step <= r->plan.ramp_steps) return;
  double fall = log(r->last_change / seen->change) / (double)(seen->step - r->last_check);
  double left = log(seen->change / r->options->steady_tolerance) / fall;
  if (!(fall > 0) || !(left > 0)) return;
  double guess = fmin((double)seen->step + left, (double)r->plan.max_steps);
  r->total = r->total > 0 ? (r->total + guess) / 2 : guess;
  if (r->total < (double)seen->step) r->total = guess;
}

static ht_status report(run *r, int64_t step) {
  char note[96];
  double rate = r->stepping > 0 ? (double)step * (double)r->tiling->nodes / r->stepping / 1e6 : 0;
  if (step > 2 * STEPS_A_CHECK)
    snprintf(note, sizeof note, "%.1f MFLUPS, change a step %.1e (steady at %.0e)", rate,
             r->stats->steady_change, r->options->steady_tolerance);
  else
    snprintf(note, sizeof note, "%.1f MFLUPS", rate);
  return ht_progress_report(r->progress, "solve", (double)step, r->total, note);
}

static ht_status diverged(const run *r, const ht_lattice_monitor *seen) {
  char speed[64] = "values are no longer numbers";
  if (isfinite(seen->max_speed))
    snprintf(speed, sizeof speed, "lattice velocity %.3g, at most %.2g", seen->max_speed,
             speed_limit_lu);
  return ht_fail(HT_ERR_DIVERGED,
                 "the computation became unstable after %lld steps (%s); no result was written. "
                 "What helps: a finer lattice (--nodes-across, --spacing), a lower flow, a smaller "
                 "flow.max_velocity_lu in the case file%s (Reynolds number %.0f, relaxation time "
                 "%.4f)",
                 (long long)seen->step, speed,
                 r->plan.driven_speed_m_s > 0 ? ", or outlets whose pressures differ less" : "",
                 r->plan.reynolds, r->plan.tau);
}

/* The flow that goes in is measured, and the velocity at the inlet corrected for what is missing
 * (half a per cent or so: the port's nodes stand for half a spacing more or less of the vessel). */
static ht_status correct_inflow(run *r) {
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  for (int p = 0; p < r->domain->ports; p++) {
    const ht_opening *opening = &r->domain->port[p].opening;
    double asked_lu = ht_units_flow_lu(&r->plan.units, opening->flow_ml_s * 1e-6);
    if (opening->role != HT_ROLE_INLET || !(flow_lu[p] > 0.5 * asked_lu)) continue;
    HT_TRY(ht_lattice_scale_inflow(r->lattice, p, fmin(asked_lu / flow_lu[p], 1.1)));
  }
  return HT_OK;
}

/* Looks at the state: HT_ERR_DIVERGED, or *done where it is steady. */
static ht_status check(run *r, int *done) {
  ht_lattice_monitor seen;
  HT_TRY(ht_lattice_watch(r->lattice, &seen));
  if (!(seen.max_speed <= speed_limit_lu)) return diverged(r, &seen);
  expect(r, &seen);
  r->stats->steady_change = seen.change;
  r->last_change = seen.change;
  r->last_check = seen.step;
  if (seen.step > r->plan.ramp_steps) HT_TRY(correct_inflow(r));
  *done = seen.change <= r->options->steady_tolerance && seen.step > r->plan.ramp_steps;
  if (!*done && (!r->has_snapshot || now() - r->snapshot_at > seconds_a_snapshot)) {
    HT_TRY(ht_flow_read(r->lattice, r->tiling, &r->plan.units, r->plan.reference_pa, r->flow));
    r->snapshot_at = now();
    r->has_snapshot = 1;
  }
  return HT_OK;
}

/* Steps up to `until`, in pieces short enough to report and to be interrupted. */
static ht_status advance(run *r, int64_t *step, int64_t until) {
  while (*step < until) {
    double rate = r->stepping > 0 ? (double)*step / r->stepping : 20;
    int64_t piece = (int64_t)(rate * seconds_a_report) + 1;
    if (piece > until - *step) piece = until - *step;
    double began = now();
    HT_TRY(ht_lattice_step(r->lattice, piece));
    r->stepping += now() - began;
    *step += piece;
    HT_TRY(report(r, *step));
  }
  return HT_OK;
}

static ht_status loop(run *r) {
  int64_t step = 0, limit = r->plan.max_steps;
  int done = 0;
  while (!done && step < limit) {
    int64_t until = step + STEPS_A_CHECK < limit ? step + STEPS_A_CHECK : limit;
    HT_TRY(advance(r, &step, until));
    HT_TRY(check(r, &done));
    if (r->options->stop_at_max_steps) done = 0;
  }
  r->stats->steps = step;
  r->stats->steady = r->stats->steady_change <= r->options->steady_tolerance;
  r->stats->seconds = r->stepping;
  r->stats->mflups = (double)step * (double)r->tiling->nodes / r->stepping / 1e6;
  return HT_OK;
}

static ht_status finish(run *r) {
  HT_TRY(ht_flow_read(r->lattice, r->tiling, &r->plan.units, r->plan.reference_pa, r->flow));
  double flow_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_lattice_port_flow(r->lattice, flow_lu));
  ht_flow_measure(r->domain, r->flow, &r->plan.units, flow_lu, r->stats);
  if (r->stats->steady || r->options->stop_at_max_steps) return HT_OK;
  return ht_fail(
      HT_ERR_NOT_STEADY,
      "after %lld steps the velocity still changes by %.1e of its size a step (steady is "
      "%.0e or less): the flow may be unsteady by nature (Reynolds number %.0f), or needs "
      "more steps (max_steps)",
      (long long)r->stats->steps, r->stats->steady_change, r->options->steady_tolerance,
      r->plan.reynolds);
}

ht_status ht_solve(const ht_domain *domain, const ht_tiling *tiling,
                   const ht_solver_options *options, const ht_progress *progress, ht_flow *flow,
                   ht_flow_stats *stats) {
  run r = {.domain = domain,
           .tiling = tiling,
           .options = options,
           .progress = progress,
           .flow = flow,
           .stats = stats,
           .last_change = 1,
           .snapshot_at = now()};
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_plan_make(domain, options, &r.plan));
  HT_TRY_DONE(ht_flow_alloc(domain, tiling, options, flow));
  HT_TRY_DONE(create_lattice(&r));
  describe(&r);
  if (options->stop_at_max_steps) r.total = (double)r.plan.max_steps;
  HT_TRY_DONE(loop(&r));
  HT_TRY_DONE(finish(&r));
done:
  if (status == HT_ERR_DIVERGED && !r.has_snapshot) ht_flow_free(flow);
  ht_lattice_free(r.lattice);
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
