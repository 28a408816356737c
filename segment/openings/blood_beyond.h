/* Tells a closed end that the vessel's level cut off from one where the blood ends. */
#ifndef HT_BLOOD_BEYOND_H
#define HT_BLOOD_BEYOND_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *beyond to 1 where blood goes on in the scan beyond a closed end of the mask: voxels of a
 * fifth of the vessel's contrast and more, connected with the end, away from the blurred rim of the
 * mask, reach three radii or eight voxels beyond it, at least half as wide as the end. `lower`: the
 * level of the mask, half-way from the surroundings to its blood. beyond_mm: the middle of the
 * farther half of that blood. HT_ERR_MEMORY. */
ht_status ht_blood_beyond(const ht_volume *scan, const ht_mask *mask, const ht_opening *end,
                          double lower, double beyond_mm[3], int *beyond);

#ifdef __cplusplus
}
#endif
#endif
