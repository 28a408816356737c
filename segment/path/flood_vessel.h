/* Voxels of the vessel around its way. Private to segment/. */
#ifndef HT_FLOOD_VESSEL_H
#define HT_FLOOD_VESSEL_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the voxels connected to the way that are brighter than half-way from tissue to blood, by
 * the values of the station nearest along the vessel, and not brighter than blood by HT_WAY_BRIGHT
 * of the contrast (bone, calcium, metal). Next to such bright voxels, where the scan mixes them
 * with tissue, the vessel goes on only within the way's radius. At dark stations (a gap) and in a
 * stent the vessel is a tube of the way's radius; it continues beyond the struts only where blood
 * does.
 *
 * `vessel` (allocated here; the caller frees): 1 for these voxels. `station` [voxels]: the nearest
 * one, also of the voxels up to two beyond the vessel; -1 elsewhere. `region` becomes the field of
 * the wall: (value - tissue) / (blood - tissue) - 1/2, falling again beyond the bright limit; -1
 * where there is no station. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_flood_vessel(ht_volume *region, const ht_way *way, const ht_progress *progress,
                          ht_mask *vessel, int32_t *station);

#ifdef __cplusplus
}
#endif
#endif
