/* The hint after a failure: the user's next step. */
#ifndef HT_RUN_HINT_H
#define HT_RUN_HINT_H

#include "run_state.h"

void ht_run_hint_failed(const ht_run *run, ht_stage stage, ht_status status);
void ht_run_hint_not_steady(const ht_run *run);
void ht_run_quote_folder(ht_run *run); /* sets `typed` */

#endif
