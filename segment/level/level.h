/* Intensity at which the vessel ends, and the voxels that may belong to it. */
#ifndef HT_LEVEL_H
#define HT_LEVEL_H

#include "segment/level/agent.h"
#include "segment/voxels/pieces.h"
#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double lower, upper; /* the vessel's values; its surface is where the value crosses one of them */
  char method[80];     /* for the report */
  ht_mask vessel;      /* voxels of the piece of vessel to keep; owned */
  ht_pieces all;       /* all pieces at the level, the kept one among them; owned */
} ht_level;

/* Chooses the level in the smoothed `region` as the options prescribe, and the piece of vessel. A
 * level that is not given starts as Otsu's. It is then set half-way between the vessel's intensity
 * and that of its surroundings, where a blurred edge lies for any blur. Only voxels of `zone` count
 * (NULL: all). In a CT with a contrast agent the level starts half-way from tissue to its blood
 * instead, and air does not count as surroundings. The report gets the pieces, the bridges between
 * them and what the zone cuts off. HT_ERR_VESSEL, HT_ERR_MEMORY. The caller frees; after a failure
 * there is nothing to free. */
ht_status ht_level_find(const ht_volume *region, ht_mask *zone, const ht_agent *agent,
                        const ht_segment_options *options, const ht_progress *progress,
                        ht_level *level, ht_segment_report *report);
void ht_level_free(ht_level *level);

#ifdef __cplusplus
}
#endif
#endif
