/* Judges a computed flow against what is usual in such a vessel. */
#ifndef HT_PLAUSIBILITY_H
#define HT_PLAUSIBILITY_H

#include "core/vessel/openings.h"
#include "core/vessel/vessel_path.h"
#include "run/state/measured.h"
#include "core/vessel/flow.h"

/* Sets measured->plausible by the flow, its load on the wall and the way through the vessel, and
 * warns of numbers beyond what is usual (usual_flow.h). A flow that is no result is not judged. */
void ht_run_judge_plausible(const ht_openings *placed, const ht_vessel_path *path,
                            const ht_flow_stats *stats, ht_measured *measured);

/* Judges a flow before it is computed: the mean velocity alone, by the flow that the largest inlet
 * will get. */
void ht_run_judge_planned(const ht_openings *openings, const ht_vessel_path *path,
                          ht_plausible *of);

#endif
