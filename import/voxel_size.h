/* Can voxels of this size be of a patient? Private to import/. */
#ifndef HT_VOXEL_SIZE_H
#define HT_VOXEL_SIZE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smaller or larger ones are lengths in another unit, as a rule. */
#define HT_VOXEL_LEAST_MM 0.01
#define HT_VOXEL_MOST_MM  20.0

/* HT_ERR_FORMAT with the values and the likely mistake. */
ht_status ht_voxel_size_check(const double spacing_mm[3]);

#ifdef __cplusplus
}
#endif
#endif
