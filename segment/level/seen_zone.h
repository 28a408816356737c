/* Zone of the vessel, by what a network sees. Private to segment/. */
#ifndef HT_SEEN_ZONE_H
#define HT_SEEN_ZONE_H

#include "core/vessel/volume.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps of `zone` (1: may be vessel) the voxels of arteries and, for the wall, the background
 * within two voxels of them. `seen`: kinds of the voxels (HT_SEEN_...) on the zone's grid.
 * HT_ERR_VESSEL where it has no artery; HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_zone_keep_seen(const ht_mask *seen, const ht_progress *progress, ht_mask *zone);

/* Finds the values of the arteries' blood and of the tissue around them: the medians of artery more
 * than 1.5 voxels deep (of thin ones the third quartile of all), and of background 1.5 to 3.5
 * voxels off. NaN where there is none. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_seen_values(const ht_volume *image, const ht_mask *seen, const ht_progress *progress,
                         double *blood, double *tissue);

/* Finds the intensity half-way between both. HT_ERR_VESSEL where the one is no brighter than the
 * other; errors as above. */
ht_status ht_seen_level(const ht_volume *image, const ht_mask *seen, const ht_progress *progress,
                        double *level);

#ifdef __cplusplus
}
#endif
#endif
