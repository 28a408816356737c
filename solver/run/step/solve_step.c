#include "solver/run/step/solve_step.h"
#include "core/machine/clock.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/step/checkpoint.h"
#include "solver/run/step/stepped_lattice.h"
#include <math.h>
#include <stdio.h>

static const double keep_good_s = 30;
static const double speed_limit_lu = 0.3; /* beyond this the low-Mach expansion does not hold */

/* ---- reading ---- */

ht_status ht_solve_read(ht_solve_run *run) {
  HT_TRY(ht_side_work_wait(run->results.side_work));
  HT_TRY(ht_stepped_keep(run, 0));
  HT_TRY(ht_stepped_take(run, ht_outlets_reference_pa(&run->setup, &run->outlets)));
  ht_solve_results_set_step(run->step, &run->results);
  return HT_OK;
}

/* Reads the pressures of the ports that are on a level. */
static ht_status read_level(ht_solve_run *run, const ht_stepped_level *level, int number,
                            double *pressure_pa, double *port_pa) {
  const ht_solve_setup *setup = &run->setup;
  double at_opening[HT_OPENINGS_MAX], at_port[HT_OPENINGS_MAX];
  ht_opening_nodes *openings = ht_stepped_openings(run, number);
  if (openings->nodes == 0) return HT_OK;
  if (!openings->is_marked) HT_TRY(ht_opening_nodes_mark(level->tiling, level->lattice, openings));
  HT_TRY(ht_opening_nodes_read(level->lattice, &setup->plan.units,
                               ht_outlets_reference_pa(setup, &run->outlets), openings));
  ht_opening_pressures(openings, at_opening);
  ht_port_pressures(openings, at_port);
  for (int p = 0; p < setup->domain->ports; p++) {
    if (setup->domain->port[p].halvings != number) continue;
    pressure_pa[p] = at_opening[p];
    port_pa[p] = at_port[p];
  }
  return HT_OK;
}

ht_status ht_solve_read_pressures(ht_solve_run *run, double *pressure_pa, double *port_pa) {
  ht_stepped_level level[HT_LEVELS_MOST];
  const int levels = ht_stepped_levels(run, level);
  HT_TRY(ht_side_work_wait(run->results.side_work));
  for (int l = 0; l < levels; l++) HT_TRY(read_level(run, &level[l], l, pressure_pa, port_pa));
  return HT_OK;
}

ht_status ht_solve_keep_good(ht_solve_run *run) {
  double *kept_at = &run->results.kept_at;
  if (*kept_at > 0 && ht_clock_s() - *kept_at <= keep_good_s) return HT_OK;
  HT_TRY(ht_solve_read(run));
  *kept_at = ht_clock_s();
  return HT_OK;
}

/* ---- watching ---- */

static ht_status diverged(const ht_solve_setup *setup, const ht_lattice_monitor *seen) {
  char speed[64] = "values are no longer numbers";
  if (isfinite(seen->max_speed))
    snprintf(speed, sizeof speed, "lattice velocity %.3g, at most %.2g", seen->max_speed,
             speed_limit_lu);
  return ht_fail(
      HT_ERR_DIVERGED,
      "the computation became unstable after %lld steps (%s); no result was written. "
      "What helps: a finer lattice (--nodes-across, --spacing), a lower flow, a smaller "
      "flow.max_velocity_lu in the case file%s%s%s (Reynolds number %.0f, relaxation time "
      "%.4f)",
      (long long)seen->step, speed,
      setup->options->collision == HT_LBGK ? ", flow.collision: mrt" : "",
      setup->options->coarser ? ", lattice.refine: no" : "",
      setup->plan.driven_speed_m_s > 0 ? ", or outlets whose pressures differ less" : "",
      setup->plan.reynolds, setup->plan.tau);
}

ht_status ht_solve_watch(ht_solve_run *run, ht_lattice_monitor *seen) {
  HT_TRY(ht_stepped_watch(run, seen));
  return seen->max_speed <= speed_limit_lu ? HT_OK : diverged(&run->setup, seen);
}

/* Some flows diverge before the first check: early checks keep a good state of them. */
static const int64_t early_checks[] = {32, 128}; /* steps */

static int64_t next_early_check(int64_t step) {
  for (size_t i = 0; i < sizeof early_checks / sizeof *early_checks; i++)
    if (step < early_checks[i]) return early_checks[i];
  return INT64_MAX;
}

static ht_status check_early(ht_solve_run *run) {
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(run, &seen));
  return ht_solve_read(run);
}

/* ---- stepping ---- */

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t next_piece(const ht_solve_run *run, int64_t until) {
  int64_t next = least(until, next_early_check(run->step));
  next = least(next, run->outlets.step + run->outlets.interval);
  int64_t piece = least(next - run->step, ht_checkpoint_steps_left(run->step, &run->checkpoint));
  return least(piece, ht_solve_progress_piece(&run->progress, run->step));
}

static ht_status follow_outlets(ht_solve_run *run) {
  double flow_lu[HT_OPENINGS_MAX], head_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, head_lu));
  ht_port_volume_add(&run->setup, &run->outlets, run->step, flow_lu, &run->volume);
  ht_outlets_follow(&run->setup, run->step, flow_lu, head_lu, &run->outlets);
  return HT_OK;
}

/* Passes on how far the flow is from its end: a steady one from rest, a pulse from repeating
 * itself. */
static void tell_change(const ht_solve_run *run) {
  const ht_flow_stats *stats = run->results.stats;
  const int pulses = run->setup.plan.cycle_steps > 0;
  const double limit = pulses ? HT_PERIODIC_CHANGE : run->setup.options->steady_tolerance;
  if (stats->changes_seen == 0) return;
  ht_progress_number(run->progress.to, "limit", (double)run->step, limit);
  ht_progress_number(run->progress.to, "change", (double)run->step,
                     pulses ? stats->cycle_change : stats->steady_change);
}

ht_status ht_solve_advance(ht_solve_run *run, int64_t until, const char *note) {
  ht_solve_progress *progress = &run->progress;
  while (run->step < until) {
    HT_TRY(ht_checkpoint_keep(run));
    int64_t piece = next_piece(run, until);
    double began = ht_clock_s();
    int64_t early = next_early_check(run->step);
    HT_TRY(ht_stepped_advance(run, piece));
    run->step += piece;
    if (run->step >= run->outlets.step + run->outlets.interval) HT_TRY(follow_outlets(run));
    double ended = ht_clock_s();
    progress->stepping_s += ended - began;
    if (run->step == early) HT_TRY(check_early(run));
    if (run->step < until && !ht_solve_progress_is_due(progress, ended)) continue;
    tell_change(run);
    ht_status reported =
        ht_solve_progress_report(run->step, ht_stepped_updates(run), note, progress);
    HT_TRY(ht_checkpoint_asked_to_stop(reported, &run->checkpoint));
  }
  return HT_OK;
}

void ht_solve_record_speed(const ht_solve_run *run) {
  ht_flow_stats *stats = run->results.stats;
  double seconds = run->progress.stepping_s;
  stats->steps = run->step;
  stats->seconds = seconds;
  stats->mflups = (double)run->step * ht_stepped_updates(run) / seconds / 1e6;
}
