/* The levels of a run's lattice: where it may be coarser than its finest spacing (run/refine/). */
#ifndef HT_RUN_LEVELS_H
#define HT_RUN_LEVELS_H

#include "run/state/run_state.h"

enum { HT_LEVELS_WHY = sizeof((ht_refined *)0)->why };

/* A flow that is planned, on the lattice that levels are asked for; borrowed. */
typedef struct {
  const ht_solver_options *options; /* with the collision, and the throat's size and speed */
  double spacing_mm, tau, inlet_cell_reynolds;
} ht_levels_plan;

/* Returns the rules for this lattice; `most` is 0 where it has one spacing, and *why says why: the
 * solver has no levels for this flow, or its collision bears none. */
ht_refine_rules ht_run_refine_rules(const ht_case *settings, const ht_levels_plan *plan,
                                    char why[HT_LEVELS_WHY]);

/* Finds the sections of a domain of the vessel, with the flows of `openings`; none where the flow
 * has one spacing whatever the lattice is. HT_ERR_MEMORY. The
 * caller frees, also after a failure. */
ht_status ht_run_refine_vessel(const ht_case *settings, const ht_run_vessel *vessel,
                               const ht_openings *openings, const ht_domain *domain,
                               ht_refine_vessel *sections);

/* Chooses the levels of a run whose flow is planned (ht_run_plan_flow): keeps them in run->refined,
 * notes them and why, records them in the plan, and sets options->coarser. Errors as
 * ht_solver_plan. */
ht_status ht_run_refine(ht_run *run, ht_solver_options *options);

/* Returns the relaxation time on the finest spacing of a flow with this plan, whose own is that of
 * the coarsest. */
double ht_run_finest_tau(const ht_flow_plan *plan, const ht_flow_stats *stats);

/* Chooses them again for a flow that is read from the folder, as its record says that it had
 * several. HT_ERR_MEMORY. */
ht_status ht_run_recall_levels(ht_run *run);

#endif
