/* Measures the growth of the vessel when its level is lowered. Private to segment/quality/. */
#ifndef HT_LEAK_H
#define HT_LEAK_H

#include "core/vessel/openings.h"
#include "segment/quality/surroundings.h"

/* Measures a region: the voxels above a level, connected to the mask's blood and within reach of
 * it. *growth: the share by which its volume grows when `level` (a share of the contrast) is
 * lowered by `by`; *volume_mm3: its volume at the level. A voxel at the edge counts in part, by its
 * height above the level and the slope there: whole voxels would jump together in a vessel along an
 * axis. The vessel beyond the plane of an opening does not count. NaN: nothing is above the level.
 * HT_ERR_MEMORY. */
ht_status ht_leak_measure(const ht_surroundings *around, const ht_openings *openings, double level,
                          double by, double *growth, double *volume_mm3);

#endif
