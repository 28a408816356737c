/* A number of the wall along the vessel. */
#ifndef HT_WALL_ALONG_H
#define HT_WALL_ALONG_H

#include "core/vessel/vessel_path.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The area-weighted mean of a number of the wall around each station: of the points whose nearest
 * station it is, no farther from it than 1.5 radii of its section. NAN: a section that is not the
 * vessel's alone, or no point. values: [surface->points]; mean: [stations]. HT_ERR_MEMORY. */
ht_status ht_wall_along(const ht_surface *surface, const float *values, const ht_station *station,
                        int stations, double *mean);

/* The area of the wall that belongs to each point: a third of each of its triangles. area_mm2:
 * [surface->points]. */
void ht_wall_point_areas(const ht_surface *surface, float *area_mm2);

#ifdef __cplusplus
}
#endif
#endif
