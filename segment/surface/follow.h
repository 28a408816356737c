/* Makes a mask of a surface true to that surface. */
#ifndef HT_FOLLOW_H
#define HT_FOLLOW_H

#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the mask near its wall the values of `truth`, a mask on the same grid: the nodes inside the
 * surface. `near_mm`: largest distance of the mask's wall from the surface's; what lies farther
 * away stays (a region's or a ball's border, a part that was left out). On the faces of the grid
 * the mask grows only next to itself. Ridges are left out (ht_mask_drop_ridges). Keeps the largest
 * piece, without cavities. HT_ERR_INTERNAL: other grids; HT_ERR_MEMORY. */
ht_status ht_mask_follow(ht_mask *mask, const ht_mask *truth, const ht_triangles *surface,
                         double near_mm);

/* Leaves out each node nearer than 0.15 spacings to the wall that is solid on both sides along an
 * axis: the flow in a row of one node is slow, and slows the adjacent rows (12 % of the wall shear
 * stress along a line of a pipe of 24 nodes across; left out, 0.2 %). distance: of the nodes inside
 * from the wall, spacings. */
void ht_mask_drop_ridges(ht_mask *mask, const float *distance);

#ifdef __cplusplus
}
#endif
#endif
