/* Where a person means a vessel: the bright tube at or next to each point. Private to segment/. */
#ifndef HT_SNAP_H
#define HT_SNAP_H

#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point lies in the vessel, or at most so far outside of it. */
enum { HT_SNAP_MM = 5 };

typedef struct {
  double centre_mm[3];  /* LPS, near the vessel's axis */
  double radius_mm;     /* to about a third */
  double blood, tissue; /* values of the smoothed scan inside, and around */
  double away_mm;       /* from the point to the vessel; 0: it lies inside */
} ht_snap;

/* For each point the brightest ball near it that most of its surroundings are darker than: along a
 * vessel a shell of 1.5 radii is bright in two cones only, so its median is the tissue's value.
 * Balls of one brightness are taken at all points, so that bone beside one of them is not.
 * `point_mm`, `snap`: [points]. HT_ERR_CASE: a point outside the scan; HT_ERR_VESSEL: no vessel
 * near a point; HT_ERR_MEMORY. */
ht_status ht_snap_points(const ht_volume *scan, const double (*point_mm)[3], int points,
                         ht_snap *snap);

#ifdef __cplusplus
}
#endif
#endif
