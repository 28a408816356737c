#include "segment/surface/levelset.h"
#include "segment/voxels/block.h"
#include "segment/surface/local_level.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <stdlib.h>

enum { SIDE = 96, HALO = 10, STEPS = 40, STORED_ONE = 8192 /* of a voxel */ };

/* Tension: the surface rests where the field, which climbs by about 0.4 per voxel at the wall, is
 * this times the curvature. A tube of radius R voxels becomes 0.025 / R voxels thinner. */
static const double tension_voxels = 0.01;

static int has_wall(const ht_volume *field) {
  int64_t voxels = ht_grid_voxels(&field->grid), inside = 0;
  for (int64_t v = 0; v < voxels; v++) inside += field->values[v] >= 0;
  return inside > 0 && inside < voxels;
}

/* Fills a block without a wall: as deep inside or outside as the level set of the other blocks. */
static ht_status fill_plain(const ht_volume *field, ht_volume *contour) {
  int64_t voxels = ht_grid_voxels(&field->grid);
  HT_TRY(ht_volume_alloc(&field->grid, contour));
  for (int64_t v = 0; v < voxels; v++) contour->values[v] = field->values[v] >= 0 ? 3 : -3;
  return HT_OK;
}

/* The level set of the inner box, at two bytes per voxel: with the scan and the field, which the
 * next blocks still need, a third image of floats would be too much. */
typedef struct {
  const int *dim;
  int16_t *value; /* [voxels], in 1 / STORED_ONE voxels */
} storage;

static void store(const int at[3], float value, void *in) {
  const storage *to = in;
  to->value[ht_voxel_index(to->dim, at)] = (int16_t)lrint(fmin(fmax(value, -3), 3) * STORED_ONE);
}

static ht_status refine_block(const ht_volume *field, const ht_block *block, double tension_mm,
                              int16_t *stored) {
  ht_volume part = {0}, contour = {0};
  HT_TRY(ht_volume_crop(field, &block->outer, &part));
  ht_status status = has_wall(&part) ? ht_itk_contour(&part, tension_mm, STEPS, NULL, &contour)
                                     : fill_plain(&part, &contour);
  storage to = {field->grid.dim, stored};
  if (status == HT_OK) ht_block_visit(block, &contour, store, &to);
  ht_volume_free(&contour);
  ht_volume_free(&part);
  return status;
}

ht_status ht_levelset_refine(ht_isosurface *surface, const ht_progress *progress) {
  ht_volume *field = &surface->field;
  const int halo[3] = {HALO, HALO, HALO};
  int64_t voxels = ht_grid_voxels(&field->grid), blocks = ht_block_count(&field->grid, SIDE);
  double tension_mm = tension_voxels * ht_mean_spacing(&field->grid);
  int16_t *stored;
  HT_TRY(ht_local_level(surface, progress));
  HT_TRY(ht_alloc((void **)&stored, (size_t)voxels, sizeof *stored, "the level set"));
  ht_status status = HT_OK;
  for (int64_t n = 0; n < blocks && status == HT_OK; n++) {
    ht_block block = ht_block_at(&field->grid, SIDE, halo, n);
    status = ht_progress_report(progress, "segment", (double)n, (double)blocks, "level set");
    if (status == HT_OK) status = refine_block(field, &block, tension_mm, stored);
  }
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    field->values[v] = (float)stored[v] / STORED_ONE;
  free(stored);
  return status;
}
