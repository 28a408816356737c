/* An image with voxels around it: partial volume, the scanner's blur, noise. */
#ifndef HT_PADDED_IMAGE_H
#define HT_PADDED_IMAGE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Share of a voxel inside a surface at this signed distance (mm, negative inside): 1 inside, 0
 * outside, linear over `width_mm`. */
double ht_partial_share(double distance_mm, double width_mm);

/* Width for a plane with this normal (LPS, unit): the share of a voxel inside it is close to a ramp
 * whose width has the variance of the voxel's projection on the normal. */
double ht_partial_width(const ht_grid *grid, const double normal[3]);

typedef struct {
  int pad;      /* voxels on each side */
  int dim[3];   /* size with them */
  float *value; /* [dim 2][dim 1][dim 0]; owned, free() */
} ht_padded_image;

/* Makes a zeroed image around a grid. HT_ERR_MEMORY. */
ht_status ht_padded_image_make(const ht_grid *grid, int pad, ht_padded_image *image);

/* Blurs by a Gaussian of `sigma` voxels along each axis, cut off after `pad` voxels; only voxels
 * `pad` away from the edge are right. HT_ERR_MEMORY. */
ht_status ht_padded_image_blur(ht_padded_image *image, double sigma);

/* Crops to the scan, adds normal noise of standard deviation `noise` by a stream of random_field.h,
 * and rounds to whole numbers as a scanner does. */
void ht_padded_image_finish(const ht_padded_image *image, uint64_t stream, double noise,
                            ht_volume *scan);

#ifdef __cplusplus
}
#endif
#endif
