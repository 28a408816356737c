/* Flow through a section as a sum over the voxels around it. Private to segment/.
 *
 * For a velocity u without divergence that is 0 at the wall, the flow is the same through all
 * parallel planes, so it is the integral of u.n w(d) over the vessel, with d the distance from the
 * plane and w any weight whose integral is 1. With a weight that is smooth on the lattice, the sum
 * over voxels conserves the flow as the velocities at the voxels do, at any angle; a sum over the
 * plane's nearest voxels alone is off by a twentieth. Here w(d) = (1 + cos(pi d / b)) / 2b with b =
 * 2.5 voxels. Planes of voxels along an axis and across a diagonal, 1 and 0.71 voxels apart, then
 * add up to 1 within 0.1 % wherever the section lies. */
#ifndef HT_SLAB_H
#define HT_SLAB_H

#include "segment/shape/section.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reach of the slab to both sides, in voxels. */
#define HT_SLAB_REACH 2.5

/* Voxels of the slab with their weights; zeroed: none. */
typedef struct {
  int64_t count;
  int64_t *voxel;    /* [count] voxels of the mask; owned, as is the next */
  float *weight_mm2; /* [count] factor of the velocity along the plane's normal; the sum is the
                        flow */
} ht_slab;

/* Finds the slab of a section that ht_section_find found on `sheet`. The vessel runs along `along`
 * (LPS, unit): the voxels over the section in this direction, or within a voxel of that, count.
 * `shift_mm` moves the slab along it. The mask's grid is isotropic. HT_ERR_MEMORY. The caller
 * frees. */
ht_status ht_slab_find(const ht_mask *mask, const ht_sheet *sheet, const ht_section *section,
                       const double along[3], double shift_mm, ht_slab *slab);
void ht_slab_free(ht_slab *slab);

#ifdef __cplusplus
}
#endif
#endif
