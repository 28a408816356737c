/* Hint after a failure: the user's next step. */
#ifndef HT_RUN_HINT_H
#define HT_RUN_HINT_H

#include "run/state/run_state.h"

/* Prints what to do after a stage ended with this error. */
void ht_run_hint_failed(const ht_run *run, ht_stage stage, ht_status status);

/* Prints how to continue from a flow that may not be used (run_outcome.h). */
void ht_run_hint_not_steady(const ht_given *given, const ht_flow_stats *stats);

#endif
