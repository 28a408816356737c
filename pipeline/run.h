/* The driver: one case through the stages import, segment, tile, solve, export. */
#ifndef HT_RUN_H
#define HT_RUN_H

#include "run_state.h"

/* A run of the stages `first` to `last` in the folder. Takes `settings` (also on a failure); the
 * caller frees *run with ht_run_free (also on a failure; NULL where there is no memory for it).
 * Refuses folders as ht_folder_check. */
ht_status ht_run_begin(ht_case *settings, const char *folder, ht_stage first, ht_stage last,
                       int force, ht_run **run);

/* The settings in the case.yaml of a case folder, for a run that goes on in it. The caller frees
 * them with free(). HT_ERR_NOT_FOUND where it is no case folder. */
ht_status ht_run_open(const char *folder, ht_case **settings);

/* Runs the stages; on a failure the hint of the console says what to look at. A flow that is not
 * steady, or that pulses and is not periodic, is exported all the same, and HT_ERR_NOT_STEADY
 * returned at the end. */
ht_status ht_run_stages(ht_run *run);

#endif
