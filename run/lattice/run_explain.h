/* The notes before the solver starts: lattice, time step and expected duration. */
#ifndef HT_RUN_EXPLAIN_H
#define HT_RUN_EXPLAIN_H

#include "run/state/run_state.h"

/* Time and memory of the flow; 0: not known. */
typedef struct {
  double seconds, longest_s; /* longest_s: where its beats do not repeat, or it does not come to
                                rest */
  double mb, gpu_mb;         /* memory in addition to what the program holds; memory of the GPU */
} ht_run_needs;

/* Prints the notes. Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options, ht_run_needs *needs);

/* Plans the flow after the tiles of a run that computes none (--dry-run), prints the notes, and
 * records the time and memory of the flow. Errors as ht_run_plan_flow. */
ht_status ht_run_foretell(ht_run *run);

#endif
