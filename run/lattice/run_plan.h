/* Plan of a case's flow: the options of its solver, its throat, its collision. */
#ifndef HT_RUN_PLAN_H
#define HT_RUN_PLAN_H

#include "run/state/given.h"
#include "run/state/run_vessel.h"
#include "core/vessel/domain.h"
#include "core/work/side_work.h"

/* Returns the options of the solver: those of the case, with the outlets' model of
 * ht_place_outlet_model. An automatic collision is still the first; ht_run_plan_flow chooses it. */
ht_solver_options ht_run_options(const ht_case *settings, const ht_openings *openings);

/* Returns the largest inflow over the mean; 1 where it is constant. */
double ht_run_peak_of_mean(const ht_solver_options *options);

/* Finds the throat of the mask at the mean flow of `openings`, which have their roles and flows,
 * with the planned shares of the outlets; vessel->throat, where there is one, keeps it.
 * HT_ERR_MEMORY. */
ht_status ht_run_throat(const ht_case *settings, const ht_run_vessel *vessel,
                        const ht_openings *openings, ht_throat *throat);

/* Completes options of ht_run_options by the throat's size and speed, and by the cuff to which an
 * aorta's outlets are tuned; the vessel's openings have their flows. Also gives the throat.
 * HT_ERR_MEMORY. */
ht_status ht_run_flow_options(const ht_case *settings, const ht_run_vessel *vessel,
                              ht_solver_options *options, ht_throat *throat);

/* Returns 1 where the run computes a flow on a device that leaves the cores idle.
 * HEMOTILE_IDLE_CORES in the environment, for tests: the CPU counts as one. */
int ht_run_has_idle_cores(const ht_given *given);

/* Starts the GPU, if one is to be used, on a side thread, so that its start overlaps the stages
 * before the solver. The caller frees *side. */
void ht_run_wake_gpu(const ht_given *given, ht_side_work **side);

/* Sets the throat's speed and the collision of `options` before the solver, notes them and their
 * reasons on the console and in `plan`, and warns of a requested collision whose limit is exceeded.
 * Errors as ht_solver_plan; the plan is then empty. */
ht_status ht_run_plan_flow(const ht_case *settings, const ht_run_vessel *vessel,
                           const ht_domain *domain, ht_solver_options *options, ht_flow_plan *plan);

/* Records how the flow begins: from rest, or from the flow on twice the spacing. Errors as
 * ht_coarse_choose. */
ht_status ht_run_record_start(const ht_domain *domain, const ht_solver_options *options,
                              ht_flow_plan *plan);

/* Returns the ht_collision of the computed flow: an automatic one has become one of the words. */
int ht_run_collision(const ht_flow_stats *stats);

/* Takes the Windkessels that the solver tuned into the plan, after the solver. */
void ht_run_plan_tuned(const ht_flow_stats *stats, ht_flow_plan *plan);

#endif
