/* Parts of the results that need the vessel and not the flow: the path through it, the surface of
 * its wall, the paths to the outlets, and the sac along these. Where a GPU computes the flow, the
 * idle cores make them meanwhile (side_work.h). */
#ifndef HT_EXPORT_DURING_FLOW_H
#define HT_EXPORT_DURING_FLOW_H

#include "core/work/jobs.h"
#include "run/state/run_state.h"

/* Adds the jobs that need the mask and its openings alone: the path, and the paths to the outlets
 * where the export follows. HT_ERR_MEMORY. */
ht_status ht_run_ahead_jobs(ht_run *run, ht_job *jobs, int *count);

/* Begins all of it on a thread of its own; where none can be started, or memory is short, makes it
 * here and now. Leave the domain, the mask, the openings and the products alone until
 * ht_run_ahead_wait. */
ht_status ht_run_ahead_begin(ht_run *run);

/* Waits until all is made, and returns the failure: HT_ERR_MEMORY, HT_ERR_VESSEL,
 * HT_ERR_INTERRUPTED. HT_OK where nothing was begun. */
ht_status ht_run_ahead_wait(ht_run *run);

#endif
