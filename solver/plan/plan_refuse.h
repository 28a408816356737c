/* The messages for flows that cannot be run stably, with the nearest settings that can, slightly
 * inside the limit, so that rounding does not refuse them again. Private to solver/. */
#ifndef HT_PLAN_REFUSE_H
#define HT_PLAN_REFUSE_H

#include "solver/plan/flow_plan.h"

/* Refuses a flow with a cell Reynolds number beyond the collision's. Returns HT_ERR_UNSTABLE, as
 * the next. */
ht_status ht_plan_refuse_speed(const ht_plan *plan, const ht_solver_options *options,
                               double cell_reynolds);

/* Refuses a flow whose relaxation time is below the collision's. */
ht_status ht_plan_refuse_tau(const ht_plan *plan, const ht_solver_options *options);

#endif
