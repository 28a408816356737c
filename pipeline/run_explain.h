/* The notes before the solver starts: lattice, time step and expected duration. */
#ifndef HT_RUN_EXPLAIN_H
#define HT_RUN_EXPLAIN_H

#include "run_state.h"

/* Prints the notes. Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options);

#endif
