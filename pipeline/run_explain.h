/* The notes before the solver starts: lattice, time step and expected duration. */
#ifndef HT_RUN_EXPLAIN_H
#define HT_RUN_EXPLAIN_H

#include "run_state.h"

/* Prints the notes. Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options);

/* Expected node updates a second of a run of so many; 0: no device. */
double ht_run_expected_rate(const ht_solver_options *options, double updates);

/* "40 s", "25 minutes", "3 hours". */
void ht_run_duration(double seconds, char text[32]);

#endif
