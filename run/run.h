/* The driver: one case through the stages import, segment, tile, solve, export. */
#ifndef HT_RUN_H
#define HT_RUN_H

#include "run/state/run_state.h"

/* Begins a run of the stages `first` to `last` in the folder; `force` is --force. Takes over
 * `settings`, also on failure. The caller frees *run with ht_run_free, also on failure; it is NULL
 * if there is no memory for it. Refuses folders as ht_folder_check does. */
ht_status ht_run_begin(ht_case *settings, const char *folder, ht_stage first, ht_stage last,
                       int force, ht_run **run);

/* Reads the settings in the case.yaml of a case folder, to continue in it. The caller frees them
 * with free(). HT_ERR_NOT_FOUND: this is no case folder. */
ht_status ht_run_open(const char *folder, ht_case **settings);

/* Runs the stages; after a failure the console has a hint for the user. A flow that is not steady
 * (a pulsatile flow that is not periodic) is exported too, and the function returns
 * HT_ERR_NOT_STEADY. */
ht_status ht_run_stages(ht_run *run);

/* Does the same, and calls before_flow (NULL: nothing) before the stage solve. An error of it ends
 * the run as one of that stage. */
ht_status ht_run_stages_with(ht_run *run, ht_status (*before_flow)(ht_run *run));

#endif
