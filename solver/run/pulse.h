/* The periods of a pulsatile flow. Private to solver/. */
#ifndef HT_PULSE_H
#define HT_PULSE_H

#include "solver/run/solve_run.h"

/* Runs the periods of a pulsatile flow. `run->flow` is then the mean of the last. */
ht_status ht_solve_periods(ht_solve_run *run);

#endif
