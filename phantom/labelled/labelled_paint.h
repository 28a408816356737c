/* Inside of phantom/labelled/: from the plan to voxels. */
#ifndef HT_LABELLED_PAINT_H
#define HT_LABELLED_PAINT_H

#include "phantom/labelled/labelled_plan.h"

/* Images of edge^3 voxels, x fastest. */
typedef struct {
  int64_t voxels;
  float *value;                /* the scan as it comes about */
  float *place[3];             /* in the body's axes, warped */
  float *fine, *lumps;         /* textures in -1 to 1 */
  float *vessel, *bone, *hard; /* distances, negative inside; far: HT_FAR */
  float *blood, *dense;        /* brightness of the nearest vessel, and of the nearest hard part */
  uint8_t *kind;               /* label of the nearest vessel */
  float *spare;                /* also: by how much vessels change the scan */
} ht_labelled_images;

#define HT_FAR 1e3f

/* Fills an image with a smooth random texture in -1 to 1, of lattice cells of `cell` widths. */
ht_status ht_texture_fill(const ht_labelled_plan *plan, int which, float cell, float *out);

/* Distances to tubes: the least of them and of what is there, within `reach` of a wall. `value`,
 * `label`: those of the nearest tube; may be NULL. */
void ht_tubes_paint(const ht_labelled_plan *plan, const ht_tubes *tubes, float reach,
                    float *distance, float *value, uint8_t *label);

/* Paints the solids in their order into `value`, those of bone into `bone`. */
void ht_solids_paint(const ht_labelled_plan *plan, ht_labelled_images *images);

/* Distance from the skin at a voxel, negative inside. */
float ht_skin_distance(const ht_labelled_plan *plan, const ht_labelled_images *images, int64_t at);

/* Distance from the border of a scan that ends at an ellipsoid, negative inside; -HT_FAR where it
 * ends at no such. */
float ht_mask_distance(const ht_labelled_plan *plan, int64_t at);

/* Blurs an image by a Gaussian of `sigma` voxels along each axis, with the border's values beyond
 * it; none where sigma < 0.2. HT_ERR_MEMORY. */
ht_status ht_gaussian_blur(int edge, const float sigma[3], float *image);

/* What is stored for a brightness: cut off at the window; a scan of 8 bits has 256 steps. */
float ht_labelled_stored(const ht_labelled_plan *plan, float value);

/* Makes of the clean image what a scanner stores: kernel, bias, streaks, noise, range. */
ht_status ht_labelled_scan(const ht_labelled_plan *plan, ht_labelled_images *images, int16_t *scan);

#endif
