/* Checkpoints of a case's solver (checkpoint_file.h): written while it runs. The next `solve` or
 * `run` of the folder resumes from the latest complete one. */
#ifndef HT_RUN_CHECKPOINT_H
#define HT_RUN_CHECKPOINT_H

#include "run/folder/checkpoint_file.h"
#include "run/state/run_state.h"

enum { HT_CHECKPOINTS = 2 }; /* number kept */

/* Checkpoints of one run; the struct stays at its place in memory while the run lasts. */
typedef struct {
  const ht_given *given;   /* borrowed */
  int64_t *kept_step;      /* of the run: step of the latest checkpoint. Borrowed */
  ht_checkpoint_head head; /* head of this run's checkpoints */
  char path[HT_CHECKPOINTS][HT_PATH_MAX];
  ht_checkpoint from; /* the checkpoint to resume from */
  int resumes, next;  /* next: number of the checkpoint to write next */
  int written, failed;
  double seconds; /* time spent on writing */
  ht_solve_keeping keeping;
} ht_run_checkpoints;

/* Fills in the paths of a folder's checkpoints, whether they are there or not. HT_ERR_USAGE: too
 * long. */
ht_status ht_run_checkpoint_paths(const char *folder, char path[HT_CHECKPOINTS][HT_PATH_MAX]);

/* Returns 1 where the folder has a checkpoint, of whatever settings. */
int ht_run_checkpoint_is_there(const char *folder);

/* Finds the checkpoint to resume from, and prints it; sets options->keeping, whose move_observer
 * saves what the options' observer has recorded. Does nothing where flow.checkpoint_minutes is 0. A
 * checkpoint of other settings or another mask is kept, with a note, until this run writes its own.
 * A damaged one is passed over, with a note, for the one before it. HT_ERR_CASE: one of another
 * version; HT_ERR_FORMAT: all are damaged; in both cases run->given.restart begins from rest. */
ht_status ht_run_checkpoints_begin(
    ht_run *run, const ht_flow_stats *plan, ht_solver_options *options,
    ht_status (*move_observer)(void *observe_user, const ht_flow *flow, ht_state *stream),
    ht_run_checkpoints *of);

/* Ends the checkpoints after the solver ended with `status`, and returns it, with a message of its
 * own where the checkpoint could not be loaded. Prints what the checkpoints cost. */
ht_status ht_run_checkpoints_end(ht_run_checkpoints *of, ht_status status);

/* Removes the folder's checkpoints, once the solver's results are written. */
void ht_run_checkpoints_drop(const char *folder);

#endif
