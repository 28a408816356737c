#include "solver/run/step/checkpoint.h"
#include "core/machine/clock.h"
#include "solver/run/ports/outlet_pressure.h"
#include "solver/run/step/observer.h"
#include "solver/run/step/stepped_lattice.h"
#include <string.h>

ht_status ht_checkpoint_move_start(ht_state *stream, int *from_coarse, char note[96]) {
  HT_TRY(ht_state_part(stream, "start"));
  HT_TRY(ht_state_int(stream, from_coarse, 0, 1));
  return ht_state_text(stream, note, 96);
}

/* Moves the statistics. The device's name, with the CPU its number of threads, and how GPUs
 * exchange are those of this run. */
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
  HT_TRY(HT_STATE_OF(stream, run->progress.stepping_s));
  HT_TRY(HT_STATE_OF(stream, run->progress.total));
  HT_TRY(move_stats(run->results.stats, stream));
  HT_TRY(ht_outlets_move(run->step, &run->outlets, stream));
  HT_TRY(ht_port_volume_move(run->step, &run->volume, stream));
  HT_TRY(ht_port_drive_move(&run->drive, stream));
  return ht_stepped_transfer(run, stream);
}

/* Moves all state that follows the start. */
static ht_status move_all(ht_solve_run *run, ht_state *stream) {
  const ht_solver_options *options = run->setup.options;
  const ht_solve_checkpoint *checkpoint = &run->checkpoint;
  HT_TRY(move_run(run, stream));
  HT_TRY(checkpoint->move_loop(checkpoint->loop, stream));
  HT_TRY(ht_state_part(stream, "observer"));
  HT_TRY(ht_observer_ready(options));
  if (checkpoint->keeping->move_observer)
    HT_TRY(checkpoint->keeping->move_observer(options->observe_user, run->results.flow, stream));
  return ht_state_part(stream, "end");
}

static ht_status save(void *user, ht_state *stream) {
  ht_solve_run *run = user;
  int from_coarse = run->span.from_coarse;
  char note[sizeof run->results.stats->coarse_note];
  memcpy(note, run->results.stats->coarse_note, sizeof note);
  HT_TRY(ht_checkpoint_move_start(stream, &from_coarse, note));
  return move_all(run, stream);
}

ht_status ht_checkpoint_begin_loop(ht_status (*move)(void *loop, ht_state *stream), void *loop,
                                   ht_solve_run *run, int *resumed) {
  ht_solve_checkpoint *checkpoint = &run->checkpoint;
  ht_state *from = checkpoint->resume;
  checkpoint->move_loop = move;
  checkpoint->loop = loop;
  checkpoint->kept_at = ht_clock_s();
  checkpoint->resume = NULL;
  *resumed = from != NULL;
  return from ? move_all(run, from) : HT_OK;
}

ht_status ht_checkpoint_keep(ht_solve_run *run) {
  ht_solve_checkpoint *checkpoint = &run->checkpoint;
  const ht_solve_keeping *keeping = checkpoint->keeping;
  if (!ht_checkpoint_is_due(run->step, checkpoint)) return HT_OK;
  HT_TRY(ht_side_work_wait(run->results.side_work)); /* the observer has had all samples */
  double time_s = (double)run->step * run->setup.plan.units.dt_s;
  keeping->keep(keeping->user, run->step, time_s, save, run);
  checkpoint->kept_at = ht_clock_s();
  return checkpoint->stops ? ht_fail(HT_ERR_INTERRUPTED, "solve: stopped as asked") : HT_OK;
}
