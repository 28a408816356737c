/* Stepping and watching a run. Private to solver/. */
#ifndef HT_SOLVE_STEP_H
#define HT_SOLVE_STEP_H

#include "solve_run.h"

/* Steps up to `until`, in pieces short enough to report and to be interrupted, and to follow the
 * outlets; `note` goes with the report. */
ht_status ht_solve_advance(ht_solve_run *run, int64_t until, const char *note);

/* HT_ERR_DIVERGED where the state is none. */
ht_status ht_solve_watch(ht_solve_run *run, ht_lattice_monitor *seen);

/* Keeps the state, which is good, in `run->flow`, from time to time. */
ht_status ht_solve_keep(ht_solve_run *run);

/* Multiplies the velocity of every port that has it prescribed so that `flow_lu` becomes
 * `asked_lu`, both [ports], by 1.1 at most. */
ht_status ht_solve_correct(ht_solve_run *run, const double *flow_lu, const double *asked_lu);

/* The state as it is; `flow` is allocated. */
ht_status ht_solve_read(ht_solve_run *run, ht_flow *flow);

#endif
