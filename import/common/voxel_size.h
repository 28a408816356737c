/* Checks that voxels of this size and number can belong to a patient, and fit into memory. Private
 * to import/. */
#ifndef HT_VOXEL_SIZE_H
#define HT_VOXEL_SIZE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Usual range; smaller or larger values are usually in another unit. */
#define HT_VOXEL_LEAST_MM 0.01
#define HT_VOXEL_MOST_MM  20.0

/* Voxel size of the finest scanners of patients (photon-counting CT, 3D rotational angiography). */
#define HT_VOXEL_USUAL_LEAST_MM 0.1

/* Least number along an axis of a volume, and its greatest length: a scan of the whole body is some
 * 2 m long. Statistics kept as an image (a value per row, thousands of rows) are no scan. */
#define HT_SCAN_LEAST_VOXELS 2
#define HT_SCAN_MOST_MM      3000.0

/* Checks the size. HT_ERR_FORMAT with the values and the likely mistake. */
ht_status ht_voxel_size_check(const double spacing_mm[3]);

/* Checks an image file's grid: its voxels' size, their number along its rows and columns, its
 * length. */
ht_status ht_scan_size_check(const ht_grid *grid);

/* Checks that the image is no single plane, which only a measured flow may be. HT_ERR_FORMAT. */
ht_status ht_scan_volume_check(const ht_grid *grid);

/* Checks, before the voxels of a scan are read, that there is memory for them, for what is kept of
 * them when they are written again, and for `more` bytes of the reader's own. HT_ERR_MEMORY. */
ht_status ht_scan_memory_check(const ht_grid *grid, double more);

#ifdef __cplusplus
}
#endif
#endif
