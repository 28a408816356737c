/* The notes before the solver starts: lattice, time step and expected duration. */
#ifndef HT_RUN_EXPLAIN_H
#define HT_RUN_EXPLAIN_H

#include "run/state/run_state.h"

/* What the flow takes; 0: not known. */
typedef struct {
  double seconds;
  double mb, gpu_mb; /* what comes to the memory that the program has; the GPU's */
} ht_run_needs;

/* Prints the notes. Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options, ht_run_needs *needs);

/* After the tiles of a run that computes no flow (--dry-run): plans the flow, prints the notes, and
 * records what the flow would take. Errors as ht_run_plan_flow. */
ht_status ht_run_foretell(ht_run *run);

#endif
