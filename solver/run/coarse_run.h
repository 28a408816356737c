/* The run on the coarse lattice, before that on the vessel's own. Private to solver/. */
#ifndef HT_COARSE_RUN_H
#define HT_COARSE_RUN_H

#include "solver/run/coarse/coarse_start.h"

/* Runs the flow of `fine` on the coarse lattice, where it begins there. A failure leaves a note in
 * `coarse`: the flow then begins from rest. HT_ERR_INTERRUPTED is the only error. */
ht_status ht_coarse_run(const ht_solve_run *fine, ht_coarse_flow *coarse);

#endif
