/* Pieces of a mask, and boxes of an image: what thresholding leaves is sorted out here. */
#ifndef HT_COMPONENT_H
#define HT_COMPONENT_H

#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels first[a] .. last[a], both included. */
typedef struct {
  int first[3], last[3];
} ht_box;

/* The voxels of `grid` inside the hull along the image's axes of the LPS box; all of them where
 * min_mm is NULL. HT_ERR_CASE where there are none: says the scan's box. */
ht_status ht_box_of_region(const ht_grid *grid, const double *min_mm, const double *max_mm,
                           ht_box *box);

/* The LPS corners of the box around the box's voxel centres. */
void ht_box_extent(const ht_grid *grid, const ht_box *box, double min_mm[3], double max_mm[3]);

/* The smallest box with all voxels of the mask; the mask must not be empty. */
ht_box ht_box_of_mask(const ht_mask *mask);

/* The box, `margin` voxels larger on every side where the grid allows it. */
ht_box ht_box_grow(const ht_grid *grid, const ht_box *box, int margin);

/* Copies a box; the part of it outside the grid becomes 0. The caller frees. HT_ERR_MEMORY. */
ht_status ht_volume_crop(const ht_volume *from, const ht_box *box, ht_volume *to);
ht_status ht_mask_crop(const ht_mask *from, const ht_box *box, ht_mask *to);

/* Keeps one 6-connected piece of the mask: the one at (or nearest to) `seed_mm`, the largest where
 * that is NULL (of equals the first). Sets inside to 1. `pieces` and `fraction` (kept voxels of
 * all) may be NULL. An empty mask stays empty with 0 pieces. */
ht_status ht_mask_keep_piece(ht_mask *mask, const double *seed_mm, const ht_progress *progress,
                             int *pieces, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
