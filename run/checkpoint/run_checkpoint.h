/* Checkpoints of a case's solver (checkpoint_file.h): written while it runs, and the next `solve`
 * or `run` of the folder goes on from the latest whole one. */
#ifndef HT_RUN_CHECKPOINT_H
#define HT_RUN_CHECKPOINT_H

#include "run/folder/checkpoint_file.h"
#include "run/state/run_state.h"

enum { HT_CHECKPOINTS = 2 }; /* kept */

/* Those of one run; it stays at its place while the run lasts. */
typedef struct {
  ht_run *run;
  ht_checkpoint_head head; /* of this run */
  char path[HT_CHECKPOINTS][HT_PATH_MAX];
  ht_checkpoint from; /* goes on from it */
  int resumes, next;  /* next: the one to write */
  int written, failed;
  double seconds; /* that writing took */
  ht_solve_keeping keeping;
} ht_run_checkpoints;

/* Finds the checkpoint to go on from, and says so; sets options->keeping, which keeps what the
 * options' observer has got by move_observer. Nothing where flow.checkpoint_minutes is 0. One of
 * other settings or another mask is left where it is, with a line, until this run writes its own. A
 * damaged one is passed over with a line for the one before it. HT_ERR_CASE: one of another
 * version; HT_ERR_FORMAT: all are damaged; either way run->restart begins from rest. */
ht_status ht_run_checkpoints_begin(
    ht_run *run, const ht_flow_stats *plan, ht_solver_options *options,
    ht_status (*move_observer)(void *observe_user, const ht_flow *flow, ht_state *stream),
    ht_run_checkpoints *of);

/* After the solver ended with `status`, which it returns: with a message of its own where the
 * checkpoint could not be loaded. Says what the checkpoints cost. */
ht_status ht_run_checkpoints_end(ht_run_checkpoints *of, ht_status status);

/* Removes the folder's checkpoints: the solver's results are written. */
void ht_run_checkpoints_drop(const ht_run *run);

#endif
