/* Flat ends of a surface: where a program cut a vessel and closed it. Private to import/. */
#ifndef HT_SURFACE_ENDS_H
#define HT_SURFACE_ENDS_H

#include "core/vessel/openings.h"
#include "import/surface/formats/stl_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the flat, round pieces of the closed surface with a tube of their width inward of them: a
 * disc on which a sphere, a dome or the side of a duct ends has none. Finds none on a surface of
 * whole voxels, which is flat everywhere. Fills in centre, normal (out of the vessel; direction is
 * the same), area and radius; largest first, at most HT_OPENINGS_MAX. Where a vessel was cut at
 * more than 5 degrees from straight across, the plane is across the vessel, far enough inside to
 * meet all of it. same_way: from ht_stl_check_closed. HT_ERR_MEMORY. */
ht_status ht_stl_flat_ends(const ht_stl *surface, int same_way, ht_openings *ends);

/* Finds the direction along a vessel that lies best in all the faces around its end, on the side of
 * `normal`: the direction with the least sum of squares of its products with their normals. faces:
 * the weighted sum of their normals' products; it is changed. */
void ht_axis_of_faces(double faces[3][3], const double normal[3], double axis[3]);

#ifdef __cplusplus
}
#endif
#endif
