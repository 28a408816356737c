/* The flow through a section as a sum over the voxels around it. Private to segment/.
 *
 * For a velocity u without divergence that is 0 at the wall the flow through a plane is the same
 * for all planes parallel to it, so it is the integral of u.n w(d) over the vessel, with d the
 * distance from the plane and w any weight whose integral is 1. With a weight that is smooth on the
 * lattice the sum over voxels conserves the flow as the velocities at the voxels do, whatever the
 * angle; the plane's own nearest voxels are a twentieth off. Here w(d) = (1 + cos(pi d / b)) / 2b
 * with b = 2.5 voxels. Planes of voxels along an axis and across a diagonal, 1 and 0.71
 * voxels apart, then add up to 1 within 0.1 % wherever the section lies. */
#ifndef HT_SLAB_H
#define HT_SLAB_H

#include "segment/shape/section.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far the slab reaches to both sides, in voxels. */
#define HT_SLAB_REACH 2.5

/* Zeroed: none. */
typedef struct {
  int64_t count;
  int64_t *voxel;    /* [count] of the mask; owned, as is the next */
  float *weight_mm2; /* [count] times velocity along the plane's normal, added up: the flow */
} ht_slab;

/* Of a section that ht_section_find found on `sheet`. The vessel runs along `along` (LPS, unit):
 * voxels count that lie over the section, or within a voxel of that, in this direction. `shift_mm`
 * moves the slab along it. The mask's grid is isotropic. HT_ERR_MEMORY. The caller frees. */
ht_status ht_slab_find(const ht_mask *mask, const ht_sheet *sheet, const ht_section *section,
                       const double along[3], double shift_mm, ht_slab *slab);
void ht_slab_free(ht_slab *slab);

#ifdef __cplusplus
}
#endif
#endif
