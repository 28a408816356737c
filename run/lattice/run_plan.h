/* Plan of a case's flow: the options of its solver, its throat, its collision. */
#ifndef HT_RUN_PLAN_H
#define HT_RUN_PLAN_H

#include "run/state/run_state.h"
#include "segment/openings/throat.h"

/* Returns the options of the solver: those of the case, with the outlets' model of
 * ht_place_outlet_model. An automatic collision is still the first; ht_run_plan_flow chooses it. */
ht_solver_options ht_run_options(const ht_run *run);

/* Returns the largest inflow over the mean; 1 where it is constant. */
double ht_run_peak_of_mean(const ht_solver_options *options);

/* Finds the throat of the mask at the mean flow of `openings`, which have their roles and flows,
 * with the planned shares of the outlets. HT_ERR_MEMORY. */
ht_status ht_run_throat(const ht_run *run, const ht_openings *openings, ht_throat *throat);

/* Returns 1 where the run computes a flow on a device that leaves the cores idle.
 * HEMOTILE_IDLE_CORES in the environment, for tests: the CPU counts as one. */
int ht_run_has_idle_cores(const ht_run *run);

/* Starts the GPU, if one is to be used, on the run's side thread, so that its start overlaps the
 * stages before the solver. */
void ht_run_wake_gpu(ht_run *run);

/* Sets the throat's speed and the collision of `options` before the solver, notes them and their
 * reasons on the console and in the record, and warns of a requested collision whose limit is
 * exceeded. Errors as ht_solver_plan. */
ht_status ht_run_plan_flow(ht_run *run, ht_solver_options *options);

/* Returns the ht_collision of the computed flow: an automatic one has become one of the words. */
int ht_run_collision(const ht_run *run);

/* Returns 1 where the pressure at the inlet is tuned to a cuff: an aorta at rest, whose outlets all
 * have fitted Windkessels. */
int ht_run_has_cuff(const ht_run *run);

/* Takes the Windkessels that the solver tuned into the record, after the solver. */
void ht_run_plan_tuned(ht_run *run);

#endif
