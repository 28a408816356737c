/* A trial of other settings on a run: what they find, without a trace in the run. */
#ifndef HT_TRIAL_H
#define HT_TRIAL_H

#include "run/state/run_state.h"

/* Makes a copy of the run with settings of its own to change, without a vessel. It borrows
 * everything else. HT_ERR_MEMORY. End it with ht_trial_end. */
ht_status ht_trial_begin(const ht_run *run, ht_run **trial);

/* Frees it with the vessel that it found. */
void ht_trial_end(ht_run *trial);

#endif
