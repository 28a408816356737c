/* The times at which a run keeps its state. Private to solver/. */
#ifndef HT_CHECKPOINT_TIME_H
#define HT_CHECKPOINT_TIME_H

#include "solver/solver.h"

typedef struct {
  const ht_solve_keeping *keeping; /* borrowed; NULL: no state is kept */
  ht_state *resume;                /* state to load; NULL: none, or loaded. Borrowed */
  int stops;                       /* 1: asked to stop: keeps the state, and ends */
  double kept_at;                  /* clock at the last state, s */
  ht_status (*move_loop)(void *loop, ht_state *stream); /* moves the state of the loop that steps */
  void *loop;
} ht_solve_checkpoint;

/* Tells whether the state is kept after step `step`. */
int ht_checkpoint_is_due(int64_t step, ht_solve_checkpoint *checkpoint);

/* Returns the number of steps until a state has to be kept; INT64_MAX: not known. */
int64_t ht_checkpoint_steps_left(int64_t step, const ht_solve_checkpoint *checkpoint);

/* Returns the result of a progress report: a run that keeps states goes on to the next place for
 * one when it is asked to stop. */
ht_status ht_checkpoint_asked_to_stop(ht_status reported, ht_solve_checkpoint *checkpoint);

#endif
