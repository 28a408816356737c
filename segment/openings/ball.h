/* Finds where a vessel leaves the ball of a region: the ball's surface is no border of the grid. */
#ifndef HT_BALL_H
#define HT_BALL_H

#include "segment/openings/ends.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the places where a vessel of the mask (isotropic) leaves the ball that the mask was cut
 * with: one end (HT_END_OPEN, or HT_END_THIN) for each 26-connected patch of the ball's outermost
 * voxels. Centre and direction are those of the vessel's axis (ht_axis_fit), just far enough inside
 * the ball for a whole section across; ht_openings_cut makes the opening there. A dome or a wall
 * that the ball grazes is left out. HT_ERR_MEMORY. */
ht_status ht_ends_at_ball(const ht_mask *mask, const double centre_mm[3], double radius_mm,
                          ht_ends *ends);

/* Tells whether the direction of an end (of ht_ends_find) is that of the vessel inward of it. It is
 * not in a stub that a ball leaves, which is about as wide as it is long. HT_ERR_MEMORY. */
ht_status ht_end_is_steady(const ht_mask *mask, const ht_opening *end, int *is);

#ifdef __cplusplus
}
#endif
#endif
