/* The speeds of a flow: at its inlets, of its outlets, in the throat. Private to solver/. */
#ifndef HT_PLAN_PORTS_H
#define HT_PLAN_PORTS_H

#include "solver/plan/flow_plan.h"

/* Plans the inlets: their profiles, the fastest speed, the largest Reynolds number. HT_ERR_CASE,
 * HT_ERR_OPENINGS, HT_ERR_MEMORY. */
ht_status ht_plan_inlets(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);

/* Plans the outlets, after the inlets: their shares of the flow, profiles and pressures. Errors as
 * ht_outlet_shares; HT_ERR_MEMORY. */
ht_status ht_plan_outlets(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);

/* Finds the throat's speed at the beat's peak flow. HT_ERR_MEMORY. */
ht_status ht_plan_throat(const ht_solver_options *options, ht_plan *plan);

/* Returns the options of the outlets. */
ht_outlet_settings ht_plan_outlet_settings(const ht_solver_options *options);

#endif
