/* The velocity of a computed flow as a scan of coarser voxels shows it: in each voxel the mean over
 * the blood in its box.
 *
 * Each node of the lattice stands for a cube of blood with its velocity, as in every sum over the
 * vessel (section_nodes.h). The cube's part in each voxel counts there; cubes are taken as parallel
 * to the voxels, with their true volume. So no blood is lost: the sum over the voxels of share
 * times volume is the vessel's volume, and that of share times velocity its sum. */
#ifndef HT_SCAN_VOXELS_H
#define HT_SCAN_VOXELS_H

#include "core/vessel/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels of a scan that have blood in them. Zeroed: none. */
typedef struct {
  ht_grid scan;
  int64_t count;
  int64_t *voxel; /* [count] linear index in the scan, rising. Owned, as are the others */
  float *share;   /* [count] part of the voxel's box that is in the vessel; about 1 inside it */
  int32_t *entry; /* [voxels of the scan] number in `voxel`; -1: no blood */
} ht_scan_voxels;

/* Finds the voxels of `scan` that the vessel is in: the nodes of `flow` at the places of its grid
 * with vessel[place] > 0. count 0: the scan misses the vessel. HT_ERR_MEMORY. The caller frees. */
ht_status ht_scan_voxels_find(const ht_grid *scan, const ht_flow *flow, const uint8_t *vessel,
                              ht_scan_voxels *voxels);
void ht_scan_voxels_free(ht_scan_voxels *voxels); /* NULL is fine */

/* Averages the velocity of `flow`, the one of ht_scan_voxels_find or one with the same nodes, over
 * the blood in each voxel: velocity [count][3], m/s, LPS. */
void ht_scan_voxels_velocity(const ht_scan_voxels *voxels, const ht_flow *flow,
                             const uint8_t *vessel, float *velocity_m_s);

/* Finds the vessel's node that is nearest to the scan's box, and its distance from it, mm; 0: in
 * it. INFINITY: there is no vessel. */
double ht_scan_away_mm(const ht_grid *scan, const ht_flow *flow, const uint8_t *vessel,
                       double nearest_mm[3]);

#ifdef __cplusplus
}
#endif
#endif
