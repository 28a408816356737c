#include "solver/run/solve_state.h"
#include "core/machine/clock.h"
#include <limits.h>
#include <string.h>

static const ht_solve_keeping *keeping_of(const ht_solve_run *run) {
  return run->options->keeping;
}

ht_status ht_solve_meet_observer(const ht_solve_run *run) {
  const ht_solver_options *options = run->options;
  return options->ready ? options->ready(options->observe_user) : HT_OK;
}

/* ---- the parts ---- */

ht_status ht_solve_move_start(ht_state *stream, int *from_coarse, char note[96]) {
  HT_TRY(ht_state_part(stream, "start"));
  HT_TRY(ht_state_int(stream, from_coarse, 0, 1));
  return ht_state_text(stream, note, 96);
}

static ht_status move_outlets(ht_solve_run *run, ht_state *stream) {
  HT_TRY(ht_state_part(stream, "outlets"));
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    int is_there = run->outlet[p] != NULL;
    HT_TRY(ht_state_int(stream, &is_there, is_there, is_there));
    if (is_there) HT_TRY(ht_state_bytes(stream, run->outlet[p], sizeof *run->outlet[p]));
  }
  HT_TRY(ht_state_count(stream, &run->outlet_step, 0, run->step));
  HT_TRY(HT_STATE_OF(stream, run->through_lu));
  HT_TRY(HT_STATE_OF(stream, run->through_asked_lu));
  HT_TRY(ht_state_count(stream, &run->through_steps, 0, run->step));
  HT_TRY(ht_state_count(stream, &run->through_from, 0, run->step));
  HT_TRY(ht_state_count(stream, &run->loss_step, 0, run->step));
  HT_TRY(ht_state_int(stream, &run->waits, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, run->inflow_factor));
  HT_TRY(HT_STATE_OF(stream, run->swing_off));
  return HT_STATE_OF(stream, run->cuff);
}

/* The device's name, with the CPU its number of threads, and how GPUs exchange are those of this
 * run. */
static ht_status move_stats(ht_flow_stats *stats, ht_state *stream) {
  const ht_flow_stats own = *stats;
  HT_TRY(ht_state_part(stream, "statistics"));
  HT_TRY(ht_state_bytes(stream, stats, sizeof *stats));
  memcpy(stats->device, own.device, sizeof own.device);
  memcpy(stats->by_host, own.by_host, sizeof own.by_host);
  return HT_OK;
}

static ht_status move_run(ht_solve_run *run, ht_state *stream) {
  HT_TRY(ht_state_part(stream, "run"));
  HT_TRY(ht_state_count(stream, &run->step, 0, INT64_MAX));
  HT_TRY(ht_state_count(stream, &run->first_beat, 0, INT_MAX));
  HT_TRY(ht_state_count(stream, &run->last_check, 0, run->step));
  HT_TRY(HT_STATE_OF(stream, run->last_change));
  HT_TRY(HT_STATE_OF(stream, run->stepping));
  HT_TRY(HT_STATE_OF(stream, run->total));
  HT_TRY(move_stats(run->stats, stream));
  HT_TRY(move_outlets(run, stream));
  return ht_lattice_transfer(run->lattice, stream);
}

/* Moves all state that follows the start. */
static ht_status move_all(ht_solve_run *run, ht_state *stream) {
  const ht_solve_keeping *keeping = keeping_of(run);
  HT_TRY(move_run(run, stream));
  HT_TRY(run->move_loop(run->loop, stream));
  HT_TRY(ht_state_part(stream, "observer"));
  HT_TRY(ht_solve_meet_observer(run));
  if (keeping->move_observer)
    HT_TRY(keeping->move_observer(run->options->observe_user, run->flow, stream));
  return ht_state_part(stream, "end");
}

static ht_status save(void *user, ht_state *stream) {
  ht_solve_run *run = user;
  int from_coarse = run->from_coarse;
  char note[sizeof run->stats->coarse_note];
  memcpy(note, run->stats->coarse_note, sizeof note);
  HT_TRY(ht_solve_move_start(stream, &from_coarse, note));
  return move_all(run, stream);
}

/* ---- when ---- */

ht_status ht_solve_begin_loop(ht_solve_run *run, ht_status (*move)(void *loop, ht_state *stream),
                              void *loop, int *resumed) {
  run->move_loop = move;
  run->loop = loop;
  run->kept_at = ht_clock_s();
  *resumed = run->resume != NULL;
  if (!run->resume) return HT_OK;
  ht_state *from = run->resume;
  run->resume = NULL;
  return move_all(run, from);
}

ht_status ht_solve_keep_state(ht_solve_run *run) {
  const ht_solve_keeping *keeping = keeping_of(run);
  if (!keeping) return HT_OK;
  if (keeping->at_step > 0 && run->step == keeping->at_step) run->stops = 1;
  if (!run->stops && ht_clock_s() - run->kept_at < keeping->every_s) return HT_OK;
  HT_TRY(ht_side_work_wait(run->side_work)); /* the observer has had all samples */
  keeping->keep(keeping->user, run->step, (double)run->step * run->plan.units.dt_s, save, run);
  run->kept_at = ht_clock_s();
  return run->stops ? ht_fail(HT_ERR_INTERRUPTED, "solve: stopped as asked") : HT_OK;
}

int64_t ht_solve_steps_to_state(const ht_solve_run *run) {
  const ht_solve_keeping *keeping = keeping_of(run);
  int64_t left = keeping ? keeping->at_step - run->step : 0;
  return left > 0 ? left : INT64_MAX;
}

ht_status ht_solve_asked_to_stop(ht_solve_run *run, ht_status reported) {
  if (reported != HT_ERR_INTERRUPTED || !keeping_of(run)) return reported;
  run->stops = 1;
  return HT_OK;
}
