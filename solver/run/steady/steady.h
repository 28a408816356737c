/* A flow with a steady inflow. Private to solver/. */
#ifndef HT_STEADY_H
#define HT_STEADY_H

#include "solver/run/step/solve_run.h"

/* Steps a run whose lattice is made until the flow is steady, and makes that flow the results; or
 * the means of one that never comes to rest. HT_ERR_NOT_STEADY, HT_ERR_DIVERGED, HT_ERR_DEVICE,
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED; as its state's stream. */
ht_status ht_steady_solve(ht_solve_run *run);

#endif
