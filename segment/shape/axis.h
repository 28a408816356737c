/* Centreline of a vessel near one place, from the sections across it. Private to segment/. */
#ifndef HT_AXIS_H
#define HT_AXIS_H

#include "core/vessel/volume.h"

typedef struct {
  double centre_mm[3]; /* LPS, on the centreline */
  double direction[3]; /* LPS, unit, along the vessel */
  double radius_mm;    /* of the circle with the section's area, from a line through the radii */
  double bend[3];      /* change of the direction for each mm along it, 1/mm; 0: straight */
  double growth;       /* of the radius for each mm along the direction */
} ht_axis;

/* Measures the section across the axis at `along_mm` from its centre: radius of the circle with the
 * section's area (0: no vessel within the axis' radius) and centroid (may be NULL).
 * HT_ERR_MEMORY. */
ht_status ht_axis_section(const ht_mask *mask, const ht_axis *axis, double along_mm,
                          double *radius_mm, double centroid_mm[3]);

/* Measures several sections, on all cores: radius_mm and centroid_mm (may be NULL) have `count`
 * items. */
ht_status ht_axis_sections(const ht_mask *mask, const ht_axis *axis, const double *along_mm,
                           int count, double *radius_mm, double (*centroid_mm)[3]);

/* Moves the axis onto the centreline, modelled as a parabola (a line where the vessel is short)
 * through the centroids of the sections up to back_mm inward of it, at most as far as it fits: for
 * 2.5 radii or 24 voxels and a turn of 1 radian. Each section lies across the axis of the round
 * before. Centre and direction are those at 0. Starts from the centre, direction and radius of
 * `axis`. *found: number of sections used; 0: too few, do not use the axis. HT_ERR_MEMORY. */
ht_status ht_axis_fit(const ht_mask *mask, double back_mm, ht_axis *axis, int *found);

#endif
