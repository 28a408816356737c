/* Judges a computed flow against what is usual in such a vessel. */
#ifndef HT_PLAUSIBILITY_H
#define HT_PLAUSIBILITY_H

#include "run/state/run_state.h"

/* Sets measured.plausible by the flow, its load on the wall and the way through the vessel, and
 * warns of numbers beyond what is usual (usual_flow.h). A flow that is no result is not judged. */
void ht_run_judge_plausible(ht_run *run);

/* The same before a flow is computed: the mean velocity alone, by the flow that the largest inlet
 * will get. */
void ht_run_judge_planned(ht_run *run);

#endif
