/* How long a run of the solver takes on this machine, before it begins. */
#ifndef HT_RUN_TIME_H
#define HT_RUN_TIME_H

#include "solver/solver.h"

typedef struct {
  double seconds;    /* of the whole run */
  double sampling_s; /* of it: a pulse reads the flow for its samples; 0 without a pulse */
  double rate;       /* node updates a second; 0: no device */
} ht_run_time;

/* What a run of so many nodes and steps is expected to take. */
ht_run_time ht_run_expected_time(const ht_solver_options *options, double nodes, double steps);

#endif
