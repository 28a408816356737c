/* Makes a vessel's mask thinner or thicker. */
#ifndef HT_OFFSET_H
#define HT_OFFSET_H

#include "core/vessel/openings.h"
#include "core/work/progress.h"
#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves the wall of an isotropic mask by offset_mm outward (< 0: inward). The openings' planes
 * stay: the vessel ends where it did, at the grid's border and at the planes of openings inside the
 * mask. The grid grows on the sides where the vessel does not touch its border. Up to 2.5 voxels
 * the wall moves by the distance from its smooth surface (ht_domain_measure_walls), farther by the
 * distances of voxel centres (Maurer): accurate to 0.2 voxels. `surface` (NULL: there is none): the
 * triangles that the mask samples; the distances are then those from them. `wall` (NULL: not
 * requested) becomes the distance from the moved wall on the grid of `moved`, in mm, > 0 inside; it
 * goes on beyond the openings' planes; values NULL after a move of more than 2.5 voxels. The caller
 * frees both. HT_ERR_VESSEL where nothing is left; HT_ERR_MEMORY. */
ht_status ht_mask_offset(const ht_mask *mask, const ht_openings *openings,
                         const ht_triangles *surface, double offset_mm, const ht_progress *progress,
                         ht_mask *moved, ht_volume *wall);

#ifdef __cplusplus
}
#endif
#endif
