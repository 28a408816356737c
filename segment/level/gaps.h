/* Bridges small gaps of a vessel. Private to segment/. */
#ifndef HT_GAPS_H
#define HT_GAPS_H

#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joins pieces of the mask that are at most `gap_mm` apart (to a voxel). Adds the parts of a
 * morphological closing (a ball of half the gap) that touch two pieces of at least 30 voxels and
 * lie in the direction of both (within 60 degrees), so between two ends of a vessel: pieces that
 * run side by side stay apart. No other part is added, so the walls stay. `bridges`: their number.
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_bridge_gaps(ht_mask *mask, double gap_mm, const ht_progress *progress, int *bridges);

#ifdef __cplusplus
}
#endif
#endif
