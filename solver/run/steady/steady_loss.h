/* The loss of the outlets of a steady flow, followed from check to check. Private to solver/. */
#ifndef HT_STEADY_LOSS_H
#define HT_STEADY_LOSS_H

#include "solver/run/step/solve_run.h"

/* The fits so far. Zeroed: none. */
typedef struct {
  int64_t step; /* of the latest fit, with sponges */
  int waits;    /* number of checks at which the outlets did not have their pressures yet */
} ht_steady_loss;

/* Finds the loss again at a check, and clears *done while the outlets do not have their pressures.
 * The loss is frozen while means are taken. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_steady_loss_follow(ht_solve_run *run, ht_steady_loss *loss, int *done);

#endif
