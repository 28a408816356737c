/* Finds the vessel that each clicked point means: the bright tube at or next to it. Private to
 * segment/. */
#ifndef HT_SNAP_H
#define HT_SNAP_H

#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest distance of a point outside the vessel that it means. */
enum { HT_SNAP_MM = 5 };

typedef struct {
  double centre_mm[3];  /* LPS, near the vessel's axis */
  double radius_mm;     /* accurate to about a third */
  double blood, tissue; /* values of the smoothed scan inside, and around */
  double away_mm;       /* distance from the point to the vessel; 0: it lies inside */
} ht_snap;

/* Finds for each point the brightest nearby ball with mostly darker surroundings. A shell of 1.5
 * radii around a place in a vessel is bright in two cones only, so its median is the tissue's
 * value. Takes balls of one brightness at all points, so that bone next to one of them is not
 * taken. `point_mm`, `snap`: [points]. HT_ERR_CASE: a point outside the scan; HT_ERR_VESSEL: no
 * vessel near a point; HT_ERR_MEMORY. */
ht_status ht_snap_points(const ht_volume *scan, const double (*point_mm)[3], int points,
                         ht_snap *snap);

#ifdef __cplusplus
}
#endif
#endif
