/* A vessel's mask made thinner or thicker. */
#ifndef HT_OFFSET_H
#define HT_OFFSET_H

#include "openings.h"
#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves the wall of an isotropic mask by offset_mm outward (< 0: inward). The openings' planes
 * stay: the vessel ends where it did, at the grid's border and at the planes of openings inside the
 * mask. The grid grows on the sides where the vessel does not touch its border. Up to 2.5 voxels
 * the wall moves by the distance from its smooth surface (ht_domain_measure_walls), farther by the
 * distances of voxel centres (Maurer): true to 0.2 voxels. The caller frees. HT_ERR_VESSEL where
 * nothing is left; HT_ERR_MEMORY. */
ht_status ht_mask_offset(const ht_mask *mask, const ht_openings *openings, double offset_mm,
                         const ht_progress *progress, ht_mask *moved);

#ifdef __cplusplus
}
#endif
#endif
