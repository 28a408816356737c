/* Tells a gap along a vessel from one between two vessels that run side by side. Private to
 * segment/. */
#ifndef HT_CROSSING_H
#define HT_CROSSING_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *crosses to 1 where a dark stretch of the way leads across from one vessel to another beside
 * it: its direction is more than 45 degrees off the vessel's on both sides, and both vessels go on
 * to both sides of it. `before`, `behind`: the bright stations of the way next to the stretch. The
 * vessel on each side is the blood of the scan within four radii, whatever the way's course; where
 * that is not long, it has no direction, and *crosses is 0. HT_ERR_MEMORY. */
ht_status ht_gap_crosses(const ht_volume *region, const ht_way *way, int before, int behind,
                         int *crosses);

#ifdef __cplusplus
}
#endif
#endif
