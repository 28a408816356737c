/* Wall of the flow domain from the triangles of the surface that its mask was made from. Private to
 * segment/. */
#ifndef HT_WALL_SURFACE_H
#define HT_WALL_SURFACE_H

#include "core/vessel/domain.h"
#include "core/vessel/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Corrects distance[] by the triangles. In: distance[] [nz][ny][nx] of the domain's grid, the
 * signed distance from the wall by its voxels, spacings. Out: within 3.5 spacings of triangles of
 * the wall, the distance from these, with the sign of the mask.
 *
 * The triangles of the wall are those that lie where the voxels' wall is: caps, walls inside the
 * vessel (of two surfaces that overlap) and what was cut away lie elsewhere and do not count. Where
 * the surface lies between the voxels of a scan (of_voxels), the difference of the two distances is
 * smoothed by a Gaussian of 2 spacings: so the wall is where the surface is in the mean, on every
 * lattice, and as smooth as that of the voxels. Beyond an opening's plane the section of the
 * triangles there is swept along the extension. Where the extension has the voxels' section
 * (port.follows_surface 0), and before ports, the distance becomes that of the voxels again, over 2
 * spacings. HT_ERR_MEMORY. */
ht_status ht_wall_surface_measure(const ht_domain *domain, const ht_triangles *surface,
                                  float *distance);

#ifdef __cplusplus
}
#endif
#endif
