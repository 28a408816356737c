/* Profiles of the scan across the mask's wall, along its normal. Private to segment/quality/. */
#ifndef HT_WALL_PROFILE_H
#define HT_WALL_PROFILE_H

#include "core/vessel/openings.h"
#include "segment/quality/quality_types.h"
#include "segment/quality/surroundings.h"

/* Fills the numbers from the wall: edge_..., offset_voxels, missing..., level, touching...; not the
 * patches' along_mm. *area_mm2: area of the wall. Without a wall (all of it at openings) they are
 * NaN or 0. HT_ERR_MEMORY. */
ht_status ht_wall_profile(const ht_surroundings *around, const ht_mask *mask,
                          const ht_openings *openings, ht_mask_quality *quality, double *area_mm2);

#endif
