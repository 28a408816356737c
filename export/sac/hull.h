/* The convex hull of points, by Qhull (Barber, Dobkin & Huhdanpaa, ACM Trans. Math. Softw. 22
 * (1996) 469). Private to export/sac/. */
#ifndef HT_HULL_H
#define HT_HULL_H

#include "export/sac/sac.h"

/* Measures the hull of points, [count][3], mm. The area is that without the facets on the plane
 * (within a thousandth of the hull's size). HT_ERR_CASE: fewer than four points, or all in one
 * plane. HT_ERR_MEMORY. */
ht_status ht_hull_measure(double *points, int64_t count, const ht_neck_plane *plane,
                          double *volume_mm3, double *area_mm2);

#endif
