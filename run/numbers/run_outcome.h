/* Judges whether the numbers of a computed flow may be used. */
#ifndef HT_RUN_OUTCOME_H
#define HT_RUN_OUTCOME_H

#include "run/state/solved.h"

typedef enum {
  HT_FLOW_GOOD = 0,
  HT_FLOW_AVERAGED, /* no fault: means of a flow that neither comes to rest nor repeats */
  HT_FLOW_NOT_STEADY,
  HT_FLOW_NOT_PERIODIC, /* pulsatile: the last two beats differ */
  HT_FLOW_NOT_BALANCED  /* pulsatile: inflow and outflow differ over the beat */
} ht_flow_fault;

/* Returns the first of the faults that applies. */
ht_flow_fault ht_flow_fault_of(const ht_flow_stats *stats);

/* Returns 1 where the numbers may be used; they may be means. */
int ht_flow_is_result(const ht_flow_stats *stats);

/* Returns the text for pictures; NULL: there is nothing to report. */
const char *ht_flow_fault_words(ht_flow_fault fault);

/* Sets solved->outcome to HT_ERR_NOT_STEADY for a flow with a fault, computed now or read from the
 * folder. Keeps an outcome that is set already; with a fixed number of steps (`steps`) a flow need
 * not be steady. */
void ht_run_judge(int64_t steps, ht_solved *solved);

#endif
