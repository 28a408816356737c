/* Steps a run in short pieces, watches that the flow stays finite, reports, keeps good states. */
#include "solver/run/solve_step.h"
#include "core/machine/clock.h"
#include "solver/samples/flow_read.h"
#include "solver/run/solve_drive.h"
#include "solver/run/solve_state.h"
#include <math.h>
#include <stdio.h>

static const double seconds_a_report = 0.5; /* so that Ctrl-C is answered soon */
static const double seconds_a_snapshot = 30;
static const double speed_limit_lu = 0.3; /* beyond this the low-Mach expansion does not hold */

ht_status ht_solve_read(ht_solve_run *r) {
  HT_TRY(ht_side_work_wait(r->side_work));
  HT_TRY(ht_flow_read(r->lattice, r->tiling, &r->plan.units, ht_solve_reference_pa(r), r->flow));
  r->has_snapshot = 1;
  r->stats->steps = r->step;
  return HT_OK;
}

ht_status ht_solve_read_pressures(ht_solve_run *r, double *pressure_pa, double *port_pa) {
  HT_TRY(ht_side_work_wait(r->side_work));
  if (!r->openings.is_marked) HT_TRY(ht_opening_nodes_mark(r->tiling, r->lattice, &r->openings));
  HT_TRY(ht_opening_nodes_read(r->lattice, &r->plan.units, ht_solve_reference_pa(r), &r->openings));
  ht_opening_pressures(&r->openings, pressure_pa);
  ht_port_pressures(&r->openings, port_pa);
  return HT_OK;
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
  HT_TRY(ht_side_work_wait(r->side_work)); /* its flow is that of the present ports */
  for (int p = 0; p < r->domain->ports; p++) {
    if (asked_lu[p] == 0 || !(flow_lu[p] / asked_lu[p] > 0.5)) continue;
    double factor = fmax(0.9, fmin(asked_lu[p] / flow_lu[p], 1.1)); /* sound may be in the flow */
    HT_TRY(ht_lattice_scale_inflow(r->lattice, p, factor));
    r->inflow_factor[p] *= factor;
  }
  return HT_OK;
}

ht_status ht_solve_watch(ht_solve_run *r, ht_lattice_monitor *seen) {
  HT_TRY(ht_lattice_watch(r->lattice, seen));
  return seen->max_speed <= speed_limit_lu ? HT_OK : diverged(r, seen);
}

ht_status ht_solve_keep(ht_solve_run *r) {
  if (r->snapshot_at > 0 && ht_clock_s() - r->snapshot_at <= seconds_a_snapshot) return HT_OK;
  HT_TRY(ht_solve_read(r));
  r->snapshot_at = ht_clock_s();
  return HT_OK;
}

/* Some flows diverge before the first check: early checks keep a good state of them. */
static const int64_t early_looks[] = {32, 128}; /* steps */

static int64_t next_early(int64_t step) {
  for (size_t i = 0; i < sizeof early_looks / sizeof *early_looks; i++)
    if (step < early_looks[i]) return early_looks[i];
  return INT64_MAX;
}

static ht_status look_early(ht_solve_run *r) {
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(r, &seen));
  return ht_solve_read(r);
}

static ht_status report(ht_solve_run *r, const char *note) {
  char text[160];
  double updates = (double)r->step * (double)r->tiling->nodes;
  double rate = r->stepping > 0 ? updates / r->stepping / 1e6 : 0;
  snprintf(text, sizeof text, "%s%.1f MFLUPS%s%s", r->lattice_note, rate, note[0] ? ", " : "",
           note);
  r->reported_at = ht_clock_s();
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
  int64_t to_state = ht_solve_steps_to_state(r);
  if (to_state < left) left = to_state;
  return piece < left ? piece : left;
}

ht_status ht_solve_advance(ht_solve_run *r, int64_t until, const char *note) {
  while (r->step < until) {
    HT_TRY(ht_solve_keep_state(r));
    int64_t piece = piece_of(r, until);
    double began = ht_clock_s();
    int64_t early = next_early(r->step);
    HT_TRY(ht_lattice_step(r->lattice, piece));
    r->step += piece;
    if (r->outlet_steps > 0 && r->step >= r->outlet_step + r->outlet_steps)
      HT_TRY(ht_solve_follow_outlets(r));
    double ended = ht_clock_s();
    r->stepping += ended - began;
    if (r->step == early) HT_TRY(look_early(r));
    if (r->step == until || ended - r->reported_at >= seconds_a_report)
      HT_TRY(ht_solve_asked_to_stop(r, report(r, note)));
  }
  return HT_OK;
}

ht_status ht_solve_show(const ht_solve_run *run, const ht_flow_sample *moment,
                        const double *flow_lu, const double *pressure_pa) {
  double flow_ml_s[HT_OPENINGS_MAX];
  if (!run->options->observe) return HT_OK;
  for (int p = 0; p < run->domain->ports; p++) {
    int out = run->domain->port[p].opening.role == HT_ROLE_OUTLET;
    flow_ml_s[p] = (out ? -1e6 : 1e6) * ht_units_flow_m3_s(&run->plan.units, flow_lu[p]);
  }
  ht_flow_sample sample = *moment;
  sample.flow = run->flow;
  sample.ports = run->domain->ports;
  sample.flow_ml_s = flow_ml_s;
  sample.pressure_pa = pressure_pa;
  return run->options->observe(run->options->observe_user, &sample);
}
