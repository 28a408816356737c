/* The longest time step that a flow can be run with. Private to solver/. */
#ifndef HT_TIME_STEP_H
#define HT_TIME_STEP_H

#include "solver/plan/flow_plan.h"

/* Finds the range of the relaxation time that a collision can be run with. */
void ht_plan_tau_range(ht_collision collision, double *least, double *most);

/* Returns the longest time step: max_velocity_lu at the fastest inlet, 0.12 in the throat (0.1 with
 * cumulants; or max_velocity_lu, where that is more), the plan's least speed of sound, the
 * collision's range of tau. From the plan's spacing, viscosities and speeds. */
double ht_plan_step_s(const ht_plan *plan, const ht_solver_options *options);

/* Sets the plan's step, shortened a little in a pulse, whose samples and periods begin with a
 * step. */
void ht_plan_set_step(const ht_solver_options *options, ht_plan *plan);

#endif
