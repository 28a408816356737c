/* From a mask and its openings to the flow domain: straight extensions, cut by axis planes. */
#ifndef HT_EXTEND_H
#define HT_EXTEND_H

#include "core/vessel/domain.h"
#include "core/vessel/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double inlet_diameters;      /* length of the extension at inlets, in diameters; default 1 */
  double outlet_diameters;     /* at outlets; default 1 */
  const double *diameters;     /* [openings->count] of each opening, in place of the two. NULL
                                  (default): none. Borrowed */
  const ht_triangles *surface; /* that the mask was made of: the extensions continue its section at
                                  each opening's plane. NULL (default): the mask's. Borrowed */
} ht_extend_options;

void ht_extend_defaults(ht_extend_options *options);

/* The section of each opening with role inlet or outlet is continued along opening.direction
 * (outward) up to the lattice plane perpendicular to the axis nearest to that direction that leaves
 * the asked length on the vessel's centreline (of a cut inside that is turned against the vessel,
 * its overhang more) and lies wholly outside the cut plane; the nodes of
 * the last layer are the port. The grid is padded as needed, and by 1 voxel of solid on every side
 * that is no port. Voxels of the vessel that are not 6-connected to a port are dropped. Where an
 * extension would run into other vessel (or another extension), it is shortened to stay clear.
 * Where less than 2 voxels remain, the section on the plane is extended along the normal instead
 * (port and its opening's copy then say so); HT_ERR_OPENINGS where that has no room either. Copies;
 * the caller frees the domain. HT_ERR_OPENINGS also for an opening with no vessel at its centre.
 * HT_ERR_MEMORY. */
ht_status ht_domain_build(const ht_mask *mask, const ht_openings *openings,
                          const ht_extend_options *options, ht_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
