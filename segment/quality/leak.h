/* How fast the vessel grows when its level is lowered. Private to segment/quality/. */
#ifndef HT_LEAK_H
#define HT_LEAK_H

#include "surroundings.h"

/* Share of the volume by which the voxels above a level that are connected to the mask's, and
 * within reach of it, grow when `level` (a share of the contrast) is lowered by `by`; *volume_mm3:
 * theirs at the level. NaN: no voxel is above it. HT_ERR_MEMORY. */
ht_status ht_leak_measure(const ht_surroundings *around, double level, double by, double *growth,
                          double *volume_mm3);

#endif
