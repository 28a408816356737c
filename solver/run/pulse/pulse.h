/* A pulsatile flow. Private to solver/. */
#ifndef HT_PULSE_H
#define HT_PULSE_H

#include "solver/run/step/solve_run.h"

/* Steps a run whose lattice is made over the periods of its inflow. The results are then the mean
 * of the last, or of several; of a run that ends before (span.last_beat) the state at the end.
 * HT_ERR_DIVERGED, HT_ERR_DEVICE, HT_ERR_MEMORY, HT_ERR_INTERRUPTED; as the observer and the
 * state's stream. */
ht_status ht_pulse_solve(ht_solve_run *run);

#endif
