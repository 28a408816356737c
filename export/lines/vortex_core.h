/* The cores of vortices: the lines about which the blood swirls. */
#ifndef HT_VORTEX_CORE_H
#define HT_VORTEX_CORE_H

#include "core/vessel/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The length of all cores among the nodes that `inside` [voxels] marks, mm.
 *
 * Sujudi & Haimes, AIAA paper 95-1715 (1995): cubes of eight nodes are cut into six tetrahedra.
 * Where the velocity's gradient on a face has one real eigenvalue and a complex pair, the blood
 * swirls about the real one's direction r; the reduced velocity w = u - (u . r) r is linear on the
 * face, and the core passes where it is 0. A tetrahedron with two such faces holds a straight piece
 * of a core. Unlike in the paper the gradient is that of the face (the mean of central differences
 * at its corners), not of a tetrahedron: two neighbours then agree on the place, and the pieces
 * join to lines.
 *
 * Faces whose complex pair is weaker than a hundredth of the gradient (its Frobenius norm) do not
 * count: that is rounding. Lines shorter than `least_mm` do not count either. The method is exact
 * where the velocity is linear; the core of a strongly curved vortex lies a little off.
 * HT_ERR_MEMORY. */
ht_status ht_vortex_core_length(const ht_flow *flow, const uint8_t *inside, double least_mm,
                                double *length_mm);

#ifdef __cplusplus
}
#endif
#endif
