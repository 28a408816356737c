/* Direction of the vessel at a plane that cuts it. Private to segment/. */
#ifndef HT_PLANE_DIRECTION_H
#define HT_PLANE_DIRECTION_H

#include "core/vessel/volume.h"

/* Finds the direction (LPS, unit, on the side of the normal) of the vessel on the inner side of a
 * plane: that of the centreline through the sections parallel to the plane, up to two widths deep
 * (layers.h). `centre_mm` (LPS) lies in the vessel's section on the plane, `normal` is unit and
 * points out, `width_mm` is the diameter of the circle with the section's area. Returns the normal
 * itself where the vessel is too short, or its turn too small, to measure a direction.
 * HT_ERR_MEMORY. */
ht_status ht_plane_direction(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                             double width_mm, double direction[3]);

#endif
