/* Level that follows the vessel's brightness. Private to segment/.
 *
 * Blood in MR darkens along its way, contrast agent mixes: no single level then lies half-way
 * between vessel and tissue everywhere. Here both are means over the neighbourhood, as in
 * region-based contours with local means (Lankton & Tannenbaum, IEEE Trans. Image Process. 17
 * (2008) 2029). */
#ifndef HT_LOCAL_LEVEL_H
#define HT_LOCAL_LEVEL_H

#include "segment/surface/resample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Subtracts the local level from the surface's field: half-way between the mean of voxels deeper
 * than one and a half voxels in the vessel, and the mean of voxels 1.5 to 3.5 voxels outside it, in
 * cells of 6 voxels blurred over their neighbours. Where a neighbourhood has neither (thin
 * vessels), the surface's own level counts. The difference is divided by the contrast, twice the
 * step from the level to the vessel's median: the field is then -0.5 in the tissue, 0 at the wall,
 * 0.5 in the blood (lower 0, upper infinite). HT_ERR_VESSEL where the vessel is no brighter than
 * its surroundings, HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_local_level(ht_isosurface *surface, const ht_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
