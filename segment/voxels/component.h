/* Pieces of a mask, and boxes of an image. */
#ifndef HT_COMPONENT_H
#define HT_COMPONENT_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels first[a] .. last[a], both included. */
typedef struct {
  int first[3], last[3];
} ht_box;

/* Finds the voxels of `grid` inside the hull along the image's axes of the LPS box; all of them
 * where min_mm is NULL. HT_ERR_CASE where there are none, with the scan's box. */
ht_status ht_box_of_region(const ht_grid *grid, const double *min_mm, const double *max_mm,
                           ht_box *box);

/* Computes the LPS corners of the box around the box's voxel centres. */
void ht_box_extent(const ht_grid *grid, const ht_box *box, double min_mm[3], double max_mm[3]);

/* Returns the smallest box with all voxels of the mask; the mask must not be empty. */
ht_box ht_box_of_mask(const ht_mask *mask);

/* Returns the box, `margin` voxels larger on every side where the grid allows it. */
ht_box ht_box_grow(const ht_grid *grid, const ht_box *box, int margin);

/* The side of a cube with the volume of a voxel, mm. */
double ht_mean_spacing(const ht_grid *grid);

/* The box as a grid of its own. */
ht_grid ht_box_grid(const ht_grid *grid, const ht_box *box);

/* Empties the mask outside the ball around `centre_mm` (LPS). */
void ht_mask_clip_sphere(ht_mask *mask, const double centre_mm[3], double radius_mm);

/* Copies a box; the part of it outside the grid becomes 0. The caller frees. HT_ERR_MEMORY. */
ht_status ht_volume_crop(const ht_volume *from, const ht_box *box, ht_volume *to);
ht_status ht_mask_crop(const ht_mask *from, const ht_box *box, ht_mask *to);

/* Makes the means over boxes of factor[] voxels, of the part of the image in `box`; incomplete
 * boxes at the upper ends are left out. A value that is not a number counts as 0. The grid's origin
 * is not set. */
ht_status ht_volume_shrink(const ht_volume *image, const ht_box *box, const int factor[3],
                           ht_volume *small);

/* The smallest number of the box; 0 where there is none. */
float ht_volume_least(const ht_volume *image, const ht_box *box);

/* Replaces values that are not a number by `least`, so that they do not spread. */
void ht_volume_mend(ht_volume *image, float least);

/* Makes the means with one factor along all axes, and with the grid's origin. */
ht_status ht_volume_coarsen(const ht_volume *image, const ht_box *box, int factor,
                            ht_volume *small);

/* Copies the box `part` of `from` to the box of the same size that begins at voxel first[] of `to`.
 */
void ht_volume_paste(const ht_volume *from, const ht_box *part, const int first[3], ht_volume *to);

/* Keeps one 6-connected piece of the mask: the one at (or nearest to) `seed_mm`, the largest where
 * that is NULL (of equals the first). Sets inside to 1. `pieces` and `fraction` (kept voxels of
 * all) may be NULL. An empty mask stays empty with 0 pieces. */
ht_status ht_mask_keep_piece(ht_mask *mask, const double *seed_mm, int *pieces, double *fraction);

/* Fills what the mask encloses: background not 6-connected to the grid's border. */
ht_status ht_mask_fill_cavities(ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
