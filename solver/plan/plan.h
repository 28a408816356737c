/* Plans a flow, and refuses what cannot be run stably. Private to solver/. */
#ifndef HT_PLAN_H
#define HT_PLAN_H

#include "solver/plan/flow_plan.h"

/* Size of a domain, in its nodes: the steps to a steady state follow from it. */
typedef struct {
  double nodes;       /* fluid */
  double widest_port; /* nodes of the largest port */
  double side;        /* longest of the box */
  double narrowest_m; /* diameter of the narrowest port, or of the throat */
} ht_plan_size;
ht_plan_size ht_plan_size_of(const ht_domain *domain, const ht_solver_options *options);

/* Finds the speeds and shares alone, refusing nothing for its cell Reynolds number. Free the plan,
 * also after a failure. */
ht_status ht_plan_speeds(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);

/* Makes the whole plan: speeds, time step, tau, steps. HT_ERR_UNSTABLE: the collision cannot run it
 * stably; the message names spacing and flow that it can run. HT_ERR_CASE, HT_ERR_OPENINGS,
 * HT_ERR_MEMORY. Free the plan, also after a failure. */
ht_status ht_plan_make(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);
void ht_plan_free(ht_plan *plan);

/* Tells whether the flow is beyond every collision but that for jets, and runs with it: eddies
 * reach the outlets. */
int ht_plan_has_jets(const ht_plan *plan, const ht_solver_options *options);

/* Tells whether the flow along diagonals of the lattice is corrected
 * (options->diagonal_correction). */
int ht_plan_corrects_diagonals(const ht_plan *plan, const ht_solver_options *options);

/* Returns the largest cell Reynolds number (peak inlet velocity * dx / kinematic viscosity) at
 * which a flow becomes steady: it depends on the collision. */
double ht_cell_reynolds_max(const ht_solver_options *options);

/* Returns the steps to the steady state, of the order of: the ramp, and 1.6 times the steps in
 * which the volume passes and a profile develops. (A pipe is steady, 1e-7 a step, after 1.5 to 1.7
 * times as many.) */
double ht_plan_likely_steps(const ht_plan_size *size, const ht_plan *plan);

/* Sets the steps of the ramp and the most, after the time step and tau. */
void ht_plan_set_steps(const ht_plan_size *size, const ht_solver_options *options, ht_plan *plan);

#endif
