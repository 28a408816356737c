/* Writes and reads the checkpoint of a run: ht_solve_keeping of solver.h. Private to solver/.
 *
 * A checkpoint is written between two calls of ht_solve_advance, when all work of the steps done is
 * complete: so the loops find the place where they go on by the number of steps alone. */
#ifndef HT_CHECKPOINT_H
#define HT_CHECKPOINT_H

#include "solver/run/step/solve_run.h"

/* Moves how the run began, which has to be known before its lattice is made: whether from the
 * coarse lattice, and why not (note: ht_flow_stats.coarse_note). */
ht_status ht_checkpoint_move_start(ht_state *stream, int *from_coarse, char note[96]);

/* Begins a loop, when its own variables have their first values: `move` moves them. Loads the state
 * where there is one to load (*resumed = 1), after which the loop goes on after run->step. */
ht_status ht_checkpoint_begin_loop(ht_status (*move)(void *loop, ht_state *stream), void *loop,
                                   ht_solve_run *run, int *resumed);

/* Keeps the state between two steps, where it is time to. HT_ERR_INTERRUPTED: the run was asked to
 * stop. */
ht_status ht_checkpoint_keep(ht_solve_run *run);

#endif
