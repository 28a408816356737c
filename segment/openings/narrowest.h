/* Narrowest place of a vessel between one opening and another. */
#ifndef HT_NARROWEST_H
#define HT_NARROWEST_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the diameter, in voxels, of the largest ball that gets through the vessel (isotropic mask)
 * from one opening to another: its narrowest place on the best way. Distances to the wall are
 * chamfer distances (3, 4, 5; Borgefors 1984), so the result is accurate to 1.1 voxels. The outside
 * of the grid is no wall. The solid beyond an opening inside the grid is a wall: the way begins
 * where the vessel is widest within some radius of the opening, not at its face. `to_opening`,
 * diameter: [count]; 0 where there is no way. HT_ERR_MEMORY. */
ht_status ht_narrowest(const ht_mask *mask, const ht_opening *from_opening,
                       const ht_opening *const *to_opening, int count, double *diameter);

#ifdef __cplusplus
}
#endif
#endif
