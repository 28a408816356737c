/* Finds the ends of a vessel inside the mask: cropped, or faded. Distinguishes blind ends (an
 * aneurysm's dome) from them. */
#ifndef HT_ENDS_H
#define HT_ENDS_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_END_OPEN = 0, /* vessel that continues in the patient: an opening, once it is cut there */
  HT_END_THIN,     /* as above, with fewer lattice nodes across than HT_END_LEAST_ACROSS */
  HT_END_BLIND,    /* dome, bulb or stump: wall */
} ht_end_kind;

/* Least number of lattice nodes across an opening: thinner vessels do not become openings. */
enum { HT_END_LEAST_ACROSS = 6 };

typedef struct {
  ht_end_kind kind;
  ht_opening opening; /* no role, no name, at_border 0. An open end: the plane of the cut across the
                         vessel (ht_openings_cut); else its place and width */
} ht_end;

typedef struct {
  int count;
  ht_end item[HT_OPENINGS_MAX];
} ht_ends;

/* Finds the ends of one piece of the mask (isotropic), except those on the grid's border and at the
 * known openings. The piece is the one that holds the first known opening, or the mask's first
 * voxel.
 *
 * An end is a place farther away, along paths inside the vessel, than all around it. Fronts are
 * followed inward from there; their centroids are the centreline (of fronts' centres: A. Sharf et
 * al., "On-the-fly curve-skeleton computation for 3D shapes", Comput. Graph. Forum 26 (2007), no.
 * 3). It is open where the fronts stay one piece of one width for 3 radii, or for 1.5 inward of a
 * flat end, and have no neck inward of a round end. Centre and direction come from ht_axis_fit over
 * 2.5 radii or 12 voxels, as far as the tube goes, at the outermost section that is as wide as
 * those inward of it (3 %). Open ends come first, widest first; where there is no room for all, the
 * most prominent stay. HT_ERR_MEMORY. */
ht_status ht_ends_find(const ht_mask *mask, const ht_openings *known, ht_ends *ends);

/* Makes the opening across a branch at a place on its centreline, from its approximate direction
 * and radius there: refined by ht_axis_fit over a diameter inward of it where that agrees, else as
 * given. HT_ERR_MEMORY. */
ht_status ht_end_at_branch(const ht_mask *mask, const double centre_mm[3],
                           const double direction[3], double radius_mm, ht_opening *opening);

#ifdef __cplusplus
}
#endif
#endif
