/* Planes of a case: cuts across the vessel that it prescribes. */
#ifndef HT_PLACE_PLANES_H
#define HT_PLACE_PLANES_H

#include "run/case/case.h"

/* Returns 1 where the plane lies at an opening at the border and parallel to its plane; for a point
 * of the segmentation: where it lies nearer to it than the opening's radius. */
int ht_place_is_at_border(const ht_case_opening *asked, const ht_openings *border, double voxel_mm);

/* Gives plane `a` of the case its normal where it lacks one, or turns it so that it points out. */
ht_status ht_place_plane(ht_case *settings, int a, const ht_mask *mask);

/* Checks the mask after the cut of `asked`: HT_ERR_OPENINGS where an opening placed before it is
 * gone. */
ht_status ht_place_check_cut(const ht_case *settings, const ht_mask *mask,
                             const ht_case_opening *asked, const ht_openings *placed);

/* Returns the first opening without vessel near it, those that are closed only with `walls`, and
 * with `before` (may be NULL) only those that had vessel near them in that mask; -1: none. */
int ht_place_lost(const ht_mask *mask, const ht_mask *before, const ht_openings *openings,
                  int walls);

/* Finds where to cut at a plane: at its centre, or one voxel further in where the vessel ends
 * there. */
void ht_place_inside_end(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                         double inside_mm[3]);

#endif
