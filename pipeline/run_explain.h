/* What a run says before it begins: its lattice, its step, and how long it takes. */
#ifndef HT_RUN_EXPLAIN_H
#define HT_RUN_EXPLAIN_H

#include "run_state.h"

/* Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options);

#endif
