/* Surface between the voxels as triangles: the place of the wall, independent of the lattice. */
#ifndef HT_BETWEEN_VOXELS_H
#define HT_BETWEEN_VOXELS_H

#include "segment/surface/resample.h"
#include "core/vessel/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the triangles of an isosurface, in LPS mm, counter-clockwise seen from outside in a
 * right-handed grid. Each cell between eight voxel centres is cut into six tetrahedra (Kuhn), and
 * each tetrahedron where the linearly interpolated field is `lower` or `upper` (marching
 * tetrahedra: Doi & Koide, IEICE Trans. E74 (1991) 214). On a side of the grid that the vessel
 * touches the surface goes on a voxel beyond the last centres, with values extrapolated linearly,
 * as the lattice has them (ht_isosurface_sample). The surface is open there. The caller frees;
 * HT_ERR_MEMORY. */
ht_status ht_isosurface_triangles(const ht_isosurface *surface, ht_triangles *triangles);

#ifdef __cplusplus
}
#endif
#endif
