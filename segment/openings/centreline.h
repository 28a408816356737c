/* Direction of a vessel at a point, and the outward side of a plane there. */
#ifndef HT_CENTRELINE_H
#define HT_CENTRELINE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the centreline of the vessel (isotropic mask) nearest to a position: where it passes, and
 * its direction (LPS, unit, either way), fitted to the sections on both sides (axis.h).
 * HT_ERR_OPENINGS where no vessel is within 10 mm, or the vessel there has no direction. */
ht_status ht_centreline_at(const ht_mask *mask, const double position_mm[3], double centre_mm[3],
                           double direction[3]);

/* Turns the normal of a cut plane to point to the part to remove: the side that holds fewer of the
 * other places (others_mm [others][3]: of openings, or points in the vessel), or, of equal sides,
 * the one with less of the vessel. *turned: 1 where it had pointed to the other side.
 * HT_ERR_OPENINGS as ht_openings_cut. */
ht_status ht_openings_face_out(const ht_mask *mask, const double centre_mm[3],
                               const double (*others_mm)[3], int others, double normal[3],
                               int *turned);

#ifdef __cplusplus
}
#endif
#endif
