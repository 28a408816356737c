/* Builds the flow domain from a mask and its openings: straight extensions, cut by axis planes. */
#ifndef HT_EXTEND_H
#define HT_EXTEND_H

#include "core/vessel/domain.h"
#include "core/vessel/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double inlet_diameters;      /* length of the extension at inlets, in diameters; default 1 */
  double outlet_diameters;     /* length at outlets; default 1 */
  const double *diameters;     /* [openings->count] length at each opening, in place of the two.
                                  NULL (default): none. Borrowed */
  const ht_triangles *surface; /* surface that the mask was made from: the extensions continue its
                                  section at each opening's plane. NULL (default): the mask's
                                  section. Borrowed */
} ht_extend_options;

void ht_extend_defaults(ht_extend_options *options);

/* Continues the section of each inlet and outlet along opening.direction (outward) up to a lattice
 * plane, perpendicular to the axis nearest to that direction. This plane leaves the prescribed
 * length on the vessel's centreline (plus the overhang of a cut inside the mask that is oblique to
 * the vessel) and lies wholly outside the cut plane. The nodes of the last layer are the port. The
 * grid is padded as needed, and by 1 solid voxel on every side without a port. Voxels of the vessel
 * that are not 6-connected to a port are dropped, and so is a stump beyond an opening's plane (the
 * vessel has ended there) that is in the extension's way: at most a tenth of section times radius.
 * An extension that would run into another part of the vessel (or another extension) is shortened
 * to stay clear. Where less than 2 voxels remain, the section on the plane is extended along the
 * normal instead (port and its opening's copy then say so); HT_ERR_OPENINGS where that has no room
 * either, and for an opening with no vessel at its centre. Copies; the caller frees the domain.
 * HT_ERR_MEMORY. */
ht_status ht_domain_build(const ht_mask *mask, const ht_openings *openings,
                          const ht_extend_options *options, ht_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
