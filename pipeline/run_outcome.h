/* Whether the numbers of a computed flow may be used. */
#ifndef HT_RUN_OUTCOME_H
#define HT_RUN_OUTCOME_H

#include "run_state.h"

typedef enum {
  HT_FLOW_GOOD = 0,
  HT_FLOW_NOT_STEADY,
  HT_FLOW_NOT_PERIODIC, /* pulsatile: the last two beats differ */
  HT_FLOW_NOT_BALANCED  /* pulsatile: inflow and outflow differ over the beat */
} ht_flow_fault;
ht_flow_fault ht_flow_fault_of(const ht_flow_stats *stats);

/* For pictures; NULL: no fault. */
const char *ht_flow_fault_words(ht_flow_fault fault);

/* Sets the outcome by the fault, where none is set yet and the steps were not asked for: whether
 * computed just now or read from the folder, such a flow ends the command with HT_ERR_NOT_STEADY.
 */
void ht_run_judge(ht_run *run);

#endif
