/* A vessel on a lattice that is turned to its main axis, for measure_placement. */
#ifndef HT_TURNED_MASK_H
#define HT_TURNED_MASK_H

#include "core/vessel/volume.h"

/* The axis along which the fluid voxels spread most (largest eigenvector of their covariance), unit
 * length. */
void ht_main_axis(const ht_mask *mask, double axis[3]);

/* The mask sampled (nearest voxel) on a lattice of the same spacing whose z axis is `axis` (unit
 * length). The caller frees. HT_ERR_MEMORY. */
ht_status ht_mask_turn(const ht_mask *mask, const double axis[3], ht_mask *turned);

#endif
