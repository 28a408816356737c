/* Dense bone, as far as brightness and size distinguish it from blood. Private to segment/. */
#ifndef HT_BONE_H
#define HT_BONE_H

#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removes bone from `zone` (1: may be vessel): voxels of at least `value` in pieces of 0.5 mL or
 * more (smaller ones are calcium, clips, stents), voxels between them within 3 mm (spongy bone),
 * and the rim of one and a half voxels in which bone and tissue mix to the brightness of blood.
 * *bone_ml: the removed part of the zone. HT_ERR_MEMORY, HT_ERR_INTERRUPTED.
 *
 * Limits: a vessel in a canal of the bone (petrous carotid, vertebral arteries) loses the part
 * within the rim, or is lost in the 3 mm; spongy bone as bright as blood with no dense bone around
 * it stays. */
ht_status ht_bone_remove(const ht_volume *image, double value, const ht_progress *progress,
                         ht_mask *zone, double *bone_ml);

#ifdef __cplusplus
}
#endif
#endif
