/* Direction of a vessel at a plane that cuts it, from its sections parallel to the plane. Private
 * to segment/. */
#ifndef HT_LAYERS_H
#define HT_LAYERS_H

#include "segment/shape/slope.h"

/* The sections in order from the plane on. */
typedef struct {
  int count;
  double depth[HT_SLOPE_PLACES];       /* mm from the first; grows */
  double centroid[HT_SLOPE_PLACES][2]; /* mm, across the depth */
  double area[HT_SLOPE_PLACES];        /* mm2 */
} ht_layers;

/* Computes the slope d across / d depth of the vessel's centreline at the first section. In a bend
 * the centroid of an oblique section is not on the centreline: with A(z) the centreline over depth,
 * A' and A'' its derivatives, c the cosine of its angle to the normal, and r the radius, its offset
 * is
 *
 *     (r c)^2 / 4 (A'' |A'|^2 / 2 + A' (A' . A''))
 *
 * to first order in the curvature (the mean of the section's points, each weighted by 1 / t_z, over
 * the discs across the centreline). This offset is subtracted. The slope is that of the places
 * along the centreline, over their length (slope.h). `width_mm`: width of the vessel; `voxel_mm`:
 * voxel of the mask. 0 where there are too few sections. */
void ht_layers_slope(const ht_layers *layers, double width_mm, double voxel_mm, double slope[2]);

#endif
