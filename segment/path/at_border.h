/* Vessels that run along the scan's border. Private to segment/. */
#ifndef HT_AT_BORDER_H
#define HT_AT_BORDER_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that a measured way keeps off the border of the scan: HT_ERR_VESSEL where it comes nearer
 * to it than half of the vessel's radius, away from the ends that leave the scan. A fifth of the
 * section is then missing. The message names places on the way beyond that. */
ht_status ht_way_check_border(const ht_grid *scan, const ht_way *way);

/* Closes the wall of a vessel that runs along the border of the scan, by at most half a voxel:
 * takes the voxels of the scan's outermost layer within 1.35 radii of a station out of `vessel` and
 * makes `field` (> 0: blood) negative there, away from the ends that leave the scan. Else they look
 * like an opening. `station` [voxels]: the one nearest to each. The report gets the place of the
 * last of them. */
void ht_way_close_border(const ht_grid *scan, const ht_way *way, const int32_t *station,
                         ht_volume *field, ht_mask *vessel, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif
