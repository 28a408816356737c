/* Where a vessel ends inside the mask: cropped, or faded. Blind ends (an aneurysm's dome) are told
 * apart from them. */
#ifndef HT_ENDS_H
#define HT_ENDS_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_END_OPEN = 0, /* a vessel that continues in the patient: an opening, once it is cut there */
  HT_END_THIN,     /* likewise, of fewer lattice nodes across than HT_END_LEAST_ACROSS */
  HT_END_BLIND,    /* a dome, a bulb or a stump: wall */
} ht_end_kind;

/* Vessels thinner than this many lattice nodes across do not become openings. */
enum { HT_END_LEAST_ACROSS = 6 };

typedef struct {
  ht_end_kind kind;
  ht_opening opening; /* no role, no name, at_border 0. Where it is open: the plane of the cut
                         across the vessel (ht_openings_cut); else its place and width */
} ht_end;

typedef struct {
  int count;
  ht_end item[HT_OPENINGS_MAX];
} ht_ends;

/* The ends of the piece of the mask (isotropic) that holds the first of the openings known, or its
 * first voxel, which are not on the grid's border and not at one of the openings known.
 *
 * An end is a place farther away, along paths inside the vessel, than all around it. From there
 * fronts are followed inward, whose centroids are the centreline (of fronts' centres: A. Sharf et
 * al., "On-the-fly curve-skeleton computation for 3D shapes", Comput. Graph. Forum 26 (2007), no.
 * 3). It is open where the fronts stay one piece of one width for 3 radii, or for 1.5 behind an end
 * that is flat, and, behind a round end, have no neck. Centre and direction: ht_axis_fit over
 * 2.5 radii or 12 voxels, as far as the tube goes, at the outermost section that is as wide as
 * those behind it (3 %).
 * Open ones first, widest first; of more than there is room for, the most prominent. HT_ERR_MEMORY.
 */
ht_status ht_ends_find(const ht_mask *mask, const ht_openings *known, ht_ends *ends);

/* The opening across a branch at a place on its centreline, with its direction and radius there,
 * about known: by ht_axis_fit over a diameter behind it where that agrees, else as given.
 * HT_ERR_MEMORY. */
ht_status ht_end_at_branch(const ht_mask *mask, const double centre_mm[3],
                           const double direction[3], double radius_mm, ht_opening *opening);

#ifdef __cplusplus
}
#endif
#endif
