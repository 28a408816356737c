/* The aneurysm's sac of a run: found or cut, and measured. */
#ifndef HT_RUN_SAC_H
#define HT_RUN_SAC_H

#include "jobs.h"
#include "run_state.h"
#include "sac_ways.h"

/* Adds jobs (at most HT_SAC_WAYS - 1) that find the ways, one each, in the mask and its openings;
 * they need neither the domain nor the flow. The caller runs them before ht_run_sac(), and frees
 * `*ways`; NULL: the case wants no sac. HT_ERR_MEMORY. */
ht_status ht_run_sac_ways(const ht_run *run, ht_sac_ways **ways, ht_job *jobs, int *count);

/* Fills run->result.sac and sac_mesh from the flow and the wall with its load; nothing where the
 * case wants no sac. A plane of the case that cuts off none is a warning: the other results stand.
 * HT_ERR_MEMORY. */
ht_status ht_run_sac(ht_run *run, const ht_surface *surface, const ht_sac_ways *ways);

/* Writes sac.stl, or removes that of an earlier export. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_run_write_sac(const ht_run *run);

#endif
