/* How long a run of the solver takes on this machine, before it begins. */
#ifndef HT_RUN_TIME_H
#define HT_RUN_TIME_H

#include "solver.h"

/* Expected node updates a second of a run of so many; 0: no device. */
double ht_run_expected_rate(const ht_solver_options *options, double updates);

/* Expected seconds that a pulse of so many nodes spends on reading the flow for its samples; 0
 * without a pulse. */
double ht_run_sampling_s(const ht_solver_options *options, double nodes);

/* "40 s", "25 minutes", "3 hours". */
void ht_run_duration(double seconds, char text[32]);

#endif
