/* Small gaps of a vessel are bridged. Private to segment/. */
#ifndef HT_GAPS_H
#define HT_GAPS_H

#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to the mask what joins two of its pieces that are at most `gap_mm` apart (to a voxel): the
 * part of a morphological closing (a ball of half the gap) that touches two pieces of at least 30
 * voxels. The walls stay as they are: elsewhere nothing of the closing is taken. `bridges`: how
 * many were made. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_bridge_gaps(ht_mask *mask, double gap_mm, const ht_progress *progress, int *bridges);

#ifdef __cplusplus
}
#endif
#endif
