/* Calls to the observer of the options. Private to solver/. */
#ifndef HT_OBSERVER_H
#define HT_OBSERVER_H

#include "solver/plan/solve_setup.h"

/* Makes the observer ready, before a sample, and before the observer's state is moved. */
ht_status ht_observer_ready(const ht_solver_options *options);

/* Shows a flow to the observer, if there is one. `moment` has the time and the numbers of the
 * sample. `flow_lu` [ports]: into the ports (ht_lattice_port_flow); `pressure_pa` [ports]. */
ht_status ht_observer_show(const ht_solve_setup *setup, const ht_flow *flow,
                           const ht_flow_sample *moment, const double *flow_lu,
                           const double *pressure_pa);

#endif
