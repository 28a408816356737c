#include "phantom/phantom_image.h"
#include "phantom/image/padded_image.h"
#include "phantom/image/random_field.h"
#include "phantom/image/soft_tissue.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 3 };                     /* 5 sigma of the blur */
static const double BLUR_SIGMA = 0.6; /* voxels */

typedef struct {
  const ht_shape *shape;
  uint64_t seed;
  double scale; /* of the structures, 1 in a head */
  ht_soft_tissue soft;
} tissue_field;

enum { SEED_BLOOD = 3, SEED_BONE = 4, SEED_NOISE = 6 }; /* the others: soft_tissue.h */

static void tissue_prepare(const ht_shape *shape, uint64_t seed, tissue_field *field) {
  memset(field, 0, sizeof *field);
  field->shape = shape;
  field->seed = seed;
  field->scale = shape->box_mm[0] / 32;
  field->soft = (ht_soft_tissue){.seed = seed,
                                 .scale = field->scale,
                                 .value = shape->tissue,
                                 .coarse = 14,
                                 .fine = 7,
                                 .blobs = shape->blobs};
  const double fat_to_muscle[2] = {-110, 30};
  ht_soft_tissue_scatter(&field->soft, shape->box_mm, fat_to_muscle);
}

/* HU of everything except the vessel. */
static double tissue_at(const tissue_field *field, const double p[3], double voxel_mm) {
  const ht_shape *shape = field->shape;
  double value = ht_soft_tissue_at(&field->soft, p);
  double bone = ht_partial_share(ht_bone_distance(shape, p), 2 * voxel_mm);
  if (bone > 0) {
    double grain =
        35 * ht_random_texture(ht_random_stream(field->seed, SEED_BONE), p, 1.3 * field->scale);
    value += bone * (shape->bone_value + grain - value);
  }
  if (shape->has_vein) {
    double vein = ht_partial_share(ht_tube_distance(&shape->vein, p, voxel_mm, NULL), voxel_mm);
    value += vein * (shape->vein_value - value);
  }
  return value;
}

static void paint_row(const tissue_field *field, ht_phantom *phantom, ht_padded_image *image, int j,
                      int k) {
  const ht_grid *grid = &phantom->scan.grid;
  const ht_shape *shape = field->shape;
  float *row = image->value + ((int64_t)k * image->dim[1] + j) * image->dim[0];
  int inner_row = j >= PAD && j < image->dim[1] - PAD && k >= PAD && k < image->dim[2] - PAD;
  int64_t at = ((int64_t)(k - PAD) * grid->dim[1] + j - PAD) * grid->dim[0];
  for (int i = 0; i < image->dim[0]; i++) {
    double index[3] = {i - PAD, j - PAD, k - PAD}, p[3], gradient[3];
    ht_grid_position(grid, index, p);
    double d = ht_shape_distance(shape, p, gradient);
    double share = ht_partial_share(d, ht_partial_width(grid, gradient));
    double value = share < 1 ? tissue_at(field, p, grid->spacing_mm[2]) : 0;
    double mixing =
        ht_random_texture(ht_random_stream(field->seed, SEED_BLOOD), p, 5.1 * field->scale);
    value += share * (shape->blood * (1 + 0.02 * mixing) - value);
    row[i] = (float)value;
    if (!inner_row || i < PAD || i >= image->dim[0] - PAD) continue;
    phantom->distance.values[at + i - PAD] = (float)d;
    phantom->truth.inside[at + i - PAD] = d < 0;
  }
}

static ht_status paint_all(const tissue_field *field, const ht_progress *progress,
                           ht_phantom *phantom, ht_padded_image *image) {
  for (int k = 0; k < image->dim[2]; k++) {
    HT_TRY(ht_progress_report(progress, "phantom", k, image->dim[2], ""));
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < image->dim[1]; j++) paint_row(field, phantom, image, j, k);
  }
  return HT_OK;
}

ht_status ht_phantom_paint(const ht_shape *shape, uint64_t seed, double noise,
                           const ht_progress *progress, ht_phantom *phantom) {
  ht_status status = HT_OK;
  ht_padded_image image;
  tissue_field field;
  tissue_prepare(shape, seed, &field);
  HT_TRY_DONE(ht_padded_image_make(&phantom->scan.grid, PAD, &image));
  HT_TRY_DONE(paint_all(&field, progress, phantom, &image));
  HT_TRY_DONE(ht_padded_image_blur(&image, BLUR_SIGMA));
  ht_padded_image_finish(&image, ht_random_stream(seed, SEED_NOISE),
                         noise * (shape->blood - shape->tissue), &phantom->scan);
done:
  free(image.value);
  return status;
}
