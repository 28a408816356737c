/* The aneurysm's sac of a run: found or cut, and measured. */
#ifndef HT_RUN_SAC_H
#define HT_RUN_SAC_H

#include "core/work/jobs.h"
#include "run/state/run_state.h"
#include "run/state/sac_ways.h"

/* Adds jobs (at most HT_SAC_WAYS - 1) that find the paths, one each, in the mask and its openings;
 * they need neither the domain nor the flow. The caller runs them before ht_run_sac(), and frees
 * `*ways`; NULL: the case requests no sac. HT_ERR_MEMORY. */
ht_status ht_run_sac_ways(const ht_case_sac *asked, const ht_run_vessel *vessel, ht_sac_ways **ways,
                          ht_job *jobs, int *count);

/* Finds the sac, or cuts it off at the case's plane: the parts of run->measured.sac and sac_mesh
 * that need no flow. Does nothing where the case requests no sac. HT_ERR_MEMORY. */
ht_status ht_run_sac_find(ht_run *run, const ht_surface *surface, const ht_sac_ways *ways);

/* Fills run->measured.sac and sac_mesh from the flow and the wall with its load; does nothing where
 * the case requests no sac. Uses what ht_run_sac_find has found, if it was called. A plane of the
 * case that cuts off no sac causes a warning: the other results stand. HT_ERR_MEMORY. */
ht_status ht_run_sac(ht_run *run, const ht_surface *surface, const ht_sac_ways *ways);

/* Writes sac.stl, or removes that of an earlier export. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_write_sac(const char *folder, const ht_sac_mesh *sac);

#endif
