/* What the results need of the vessel and the flow does not: the way through it, the surface of its
 * wall, the ways to the outlets, and the sac that these show. Where a GPU computes the flow, the
 * cores that it leaves idle make them meanwhile (side_work.h). */
#ifndef HT_EXPORT_DURING_FLOW_H
#define HT_EXPORT_DURING_FLOW_H

#include "core/work/jobs.h"
#include "run/state/run_state.h"

/* Adds the jobs that need the mask and its openings alone: the way, and the ways to the outlets
 * where the export follows. HT_ERR_MEMORY. */
ht_status ht_run_ahead_jobs(ht_run *run, ht_job *jobs, int *count);

/* Begins all of it on a thread of its own; where there is none to have, or no plenty of memory,
 * makes it here and now. The domain, the mask, the openings and what is made must be left alone
 * until ht_run_ahead_wait. */
ht_status ht_run_ahead_begin(ht_run *run);

/* Waits until it is made, and returns its failure: HT_ERR_MEMORY, HT_ERR_VESSEL,
 * HT_ERR_INTERRUPTED. HT_OK where nothing was begun. */
ht_status ht_run_ahead_wait(ht_run *run);

#endif
