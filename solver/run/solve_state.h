/* The state of a run to and from a stream: ht_solve_keeping of solver.h. Private to solver/.
 *
 * A state is kept before a piece of steps (ht_solve_advance), when all that belongs to the steps
 * before is done: so the loops find the place where they go on by the number of steps alone. */
#ifndef HT_SOLVE_STATE_H
#define HT_SOLVE_STATE_H

#include "solver/run/solve_run.h"

/* Makes the options' observer ready, before a sample, and before the observer's state is moved. */
ht_status ht_solve_meet_observer(const ht_solve_run *run);

/* Moves how the run began, which has to be known before its lattice is made: whether from the
 * coarse lattice, and why not (note: ht_flow_stats.coarse_note). */
ht_status ht_solve_move_start(ht_state *stream, int *from_coarse, char note[96]);

/* The loop calls this once, when its own variables have their first values: `move` moves them.
 * Loads the state where there is one to load (*resumed = 1), after which the loop goes on after
 * run->step. */
ht_status ht_solve_begin_loop(ht_solve_run *run, ht_status (*move)(void *loop, ht_state *stream),
                              void *loop, int *resumed);

/* Keeps the state between two steps, where it is time to, or where the run is asked to stop:
 * HT_ERR_INTERRUPTED. */
ht_status ht_solve_keep_state(ht_solve_run *run);

/* Returns the number of steps until a state has to be kept; INT64_MAX: not known. */
int64_t ht_solve_steps_to_state(const ht_solve_run *run);

/* The result of a progress report: a run that keeps states goes on to the next place for one. */
ht_status ht_solve_asked_to_stop(ht_solve_run *run, ht_status reported);

#endif
