#include "solver/run/steady/steady.h"
#include "solver/run/step/checkpoint.h"
#include "solver/run/step/solve_step.h"
#include "solver/run/steady/convergence.h"
#include "solver/run/steady/slow_parts.h"
#include "solver/run/steady/steady_loss.h"
#include "solver/run/steady/steady_means.h"
#include "solver/samples/flow_read.h"
#include <limits.h>
#include <stdio.h>

/* Multiples of `steady_tolerance`: the change from which on the slow parts are looked at, and the
 * most that may still change there: 1 % by default. */
static const double near_steady = 3, slow_left = 1e5;

typedef struct {
  ht_solve_run *run;
  ht_convergence convergence;
  ht_slow_parts slow;
  ht_steady_loss loss;
  ht_steady_means means;
} steady;

static ht_status move(void *user, ht_state *stream) {
  steady *s = user;
  ht_stepped_level level[HT_LEVELS_MOST];
  const int levels = ht_stepped_levels(s->run, level);
  int64_t step = s->run->step;
  HT_TRY(ht_state_part(stream, "steady"));
  HT_TRY(ht_state_count(stream, &s->convergence.step, 0, step));
  HT_TRY(HT_STATE_OF(stream, s->convergence.change));
  HT_TRY(ht_state_count(stream, &s->loss.step, 0, step));
  HT_TRY(ht_state_int(stream, &s->loss.waits, 0, INT_MAX));
  HT_TRY(ht_slow_parts_move(&s->slow, level, levels, stream));
  return ht_steady_means_move(s->run->results.flow, &s->means, stream);
}

/* ---- checks ---- */

/* Measures the inflow and corrects the velocity at the inlet (by about half a per cent: the port's
 * nodes represent half a spacing more or less of the vessel). */
static ht_status correct_inflow(ht_solve_run *run) {
  double flow_lu[HT_OPENINGS_MAX], prescribed_lu[HT_OPENINGS_MAX];
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, NULL));
  ht_prescribed_flow(&run->setup, run->step, prescribed_lu);
  return ht_port_drive_correct(flow_lu, prescribed_lu, &run->drive);
}

/* Follows the slow parts of the vessel, once the whole is steady; a little before, their state is
 * seen, so that most vessels need no step more. */
static ht_status follow_slow_parts(steady *s, int *done) {
  ht_solve_run *run = s->run;
  const ht_solver_options *options = run->setup.options;
  double tolerance = options->steady_tolerance;
  ht_stepped_level level[HT_LEVELS_MOST];
  int rests, is_near = s->convergence.change <= near_steady * tolerance;
  if (options->stop_at_max_steps || run->step <= run->setup.plan.ramp_steps || !is_near)
    return HT_OK;
  if (run->step % HT_CHECK_STEPS != 0) return HT_OK; /* the last of all steps */
  const int levels = ht_stepped_levels(run, level);
  HT_TRY(ht_slow_parts_look(&s->slow, level, levels, run->step, HT_CHECK_STEPS,
                            slow_left * tolerance, &rests));
  *done &= rests;
  run->results.stats->slow_left = s->slow.left;
  return HT_OK;
}

/* Checks the state: HT_ERR_DIVERGED, or *done where it is steady. */
static ht_status check(steady *s, int *done) {
  ht_solve_run *run = s->run;
  ht_flow_stats *stats = run->results.stats;
  ht_lattice_monitor seen;
  HT_TRY(ht_solve_watch(run, &seen));
  ht_convergence_add(&run->setup, &seen, &s->convergence, &run->progress.total);
  stats->steady_change = seen.change;
  ht_flow_note_change(stats, seen.step, seen.change);
  int is_ramp = seen.step <= run->setup.plan.ramp_steps;
  if (!is_ramp) HT_TRY(correct_inflow(run));
  *done = seen.change <= run->setup.options->steady_tolerance && !is_ramp;
  HT_TRY(follow_slow_parts(s, done));
  HT_TRY(ht_steady_loss_follow(run, &s->loss, done));
  return *done ? HT_OK : ht_solve_keep_good(run);
}

/* ---- steps ---- */

static ht_status advance(steady *s, int64_t until) {
  ht_solve_run *run = s->run;
  const double tolerance = run->setup.options->steady_tolerance;
  const double change = run->results.stats->steady_change;
  char note[128] = "", slow[48] = "";
  if (change <= tolerance && s->slow.left > slow_left * tolerance)
    snprintf(slow, sizeof slow, ", the slow parts by %.2g %% more", 100 * s->slow.left);
  if (run->step >= 2 * HT_CHECK_STEPS)
    snprintf(note, sizeof note, "change a step %.1e (steady at %.0e)%s%s%s", change, tolerance,
             slow, s->convergence.is_restless ? ", does not come to rest" : "",
             s->means.samples > 0 ? ", averaging" : "");
  while (run->step < until) {
    int64_t next = ht_steady_means_next(&s->means);
    HT_TRY(ht_solve_advance(run, next < until ? next : until, note));
    if (run->step == next) HT_TRY(ht_steady_means_add(run, &s->means));
  }
  return HT_OK;
}

/* Corrects the inlet early after a start from the coarse lattice, so that its flow does not wait
 * for the first check. */
static ht_status settle_inflow(steady *s) {
  static const int64_t early_corrections[] = {32, 64, 128, 256}; /* steps */
  ht_solve_run *run = s->run;
  if (run->results.stats->coarse_steps == 0) return HT_OK;
  for (size_t i = 0; i < sizeof early_corrections / sizeof *early_corrections; i++) {
    if (early_corrections[i] >= run->setup.plan.max_steps) return HT_OK;
    if (early_corrections[i] <= run->step)
      continue; /* before the state that this run goes on from */
    HT_TRY(advance(s, early_corrections[i]));
    HT_TRY(correct_inflow(run));
  }
  return HT_OK;
}

static ht_status step_to_steady(steady *s) {
  ht_solve_run *run = s->run;
  ht_flow_stats *stats = run->results.stats;
  int64_t limit = run->setup.plan.max_steps;
  int done = 0, resumed;
  HT_TRY(ht_checkpoint_begin_loop(move, s, run, &resumed));
  HT_TRY(settle_inflow(s));
  while (!done && run->step < limit) {
    int64_t next = run->step - run->step % HT_CHECK_STEPS + HT_CHECK_STEPS;
    HT_TRY(advance(s, next < limit ? next : limit));
    HT_TRY(check(s, &done));
    if (run->setup.options->stop_at_max_steps) done = 0;
  }
  stats->steady = stats->steady_change <= run->setup.options->steady_tolerance;
  ht_solve_record_speed(run);
  return HT_OK;
}

/* ---- the end ---- */

static ht_status not_steady(const steady *s) {
  const ht_flow_stats *stats = s->run->results.stats;
  char halves[120] = "";
  if (s->means.drift > 0)
    snprintf(halves, sizeof halves,
             "; its mean over the last quarter of the steps differs by %.2g %% from that over the "
             "quarter before",
             100 * s->means.drift);
  return ht_fail(
      HT_ERR_NOT_STEADY,
      "after %lld step%s the velocity still changes by %.1e of its size a step (steady is "
      "%.0e or less)%s: the flow may be unsteady by nature (Reynolds number %.0f), or needs "
      "more steps (max_steps)",
      (long long)stats->steps, stats->steps == 1 ? "" : "s", stats->steady_change,
      s->run->setup.options->steady_tolerance, halves, s->run->setup.plan.reynolds);
}

static ht_status finish(steady *s) {
  ht_solve_run *run = s->run;
  const ht_solve_setup *setup = &run->setup;
  ht_solve_results *results = &run->results;
  ht_flow_stats *stats = results->stats;
  double flow_lu[HT_OPENINGS_MAX];
  if (!stats->steady && ht_steady_means_hold(results->flow->nodes, stats->steady_change, &s->means))
    return ht_steady_means_record(setup, &run->volume, results, &s->means);
  HT_TRY(ht_solve_read(run));
  HT_TRY(ht_port_drive_measure(&run->drive, flow_lu, NULL));
  ht_flow_measure(results->domain, results->flow, &setup->plan.units, flow_lu, &results->openings,
                  stats);
  return stats->steady || setup->options->stop_at_max_steps ? HT_OK : not_steady(s);
}

ht_status ht_steady_solve(ht_solve_run *run) {
  steady s = {.run = run};
  ht_convergence_begin(&run->setup, &s.convergence, &run->progress.total);
  ht_steady_means_plan(&run->setup, &s.means);
  ht_status status = step_to_steady(&s);
  if (status == HT_OK) status = finish(&s);
  ht_slow_parts_free(&s.slow);
  ht_steady_means_free(&s.means);
  return status;
}
