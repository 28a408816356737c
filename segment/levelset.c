#include "levelset.h"
#include "block.h"
#include "local_level.h"
#include "vessel.h"
#include <math.h>
#include <string.h>

enum { SIDE = 96, HALO = 10, STEPS = 40 };

/* Tension: the surface rests where the field, which climbs by about 0.4 a voxel at the wall, is this
 * times the curvature. A tube of radius R voxels becomes 0.025 / R voxels thinner. */
static const double tension_voxels = 0.01;

static int has_wall(const ht_volume *field) {
  int64_t voxels = ht_grid_voxels(&field->grid), inside = 0;
  for (int64_t v = 0; v < voxels; v++) inside += field->values[v] >= 0;
  return inside > 0 && inside < voxels;
}

/* Without a wall: as far inside or outside as the level set of the other blocks says. */
static ht_status fill_plain(const ht_volume *field, ht_volume *contour) {
  int64_t voxels = ht_grid_voxels(&field->grid);
  HT_TRY(ht_volume_alloc(&field->grid, contour));
  for (int64_t v = 0; v < voxels; v++) contour->values[v] = field->values[v] >= 0 ? 3 : -3;
  return HT_OK;
}

static ht_status refine_block(const ht_volume *field, const ht_block *block, double tension_mm,
                              ht_volume *result) {
  ht_volume part = {0}, contour = {0};
  ht_box inner = ht_block_inner(block);
  HT_TRY(ht_volume_crop(field, &block->outer, &part));
  ht_status status = has_wall(&part) ? ht_itk_contour(&part, tension_mm, STEPS, NULL, &contour)
                                     : fill_plain(&part, &contour);
  if (status == HT_OK) ht_volume_paste(&contour, &inner, block->inner.first, result);
  ht_volume_free(&contour);
  ht_volume_free(&part);
  return status;
}

static double mean_spacing(const ht_grid *grid) {
  return cbrt(grid->spacing_mm[0] * grid->spacing_mm[1] * grid->spacing_mm[2]);
}

ht_status ht_levelset_refine(ht_isosurface *surface, const ht_progress *progress) {
  const ht_grid *grid = &surface->field.grid;
  const int halo[3] = {HALO, HALO, HALO};
  ht_volume result = {0};
  HT_TRY(ht_local_level(surface, progress));
  HT_TRY(ht_volume_alloc(grid, &result));
  int64_t blocks = ht_block_count(grid, SIDE);
  double tension_mm = tension_voxels * mean_spacing(grid);
  ht_status status = HT_OK;
  for (int64_t n = 0; n < blocks && status == HT_OK; n++) {
    ht_block block = ht_block_at(grid, SIDE, halo, n);
    status = ht_progress_report(progress, "segment", (double)n, (double)blocks, "level set");
    if (status == HT_OK) status = refine_block(&surface->field, &block, tension_mm, &result);
  }
  if (status != HT_OK) {
    ht_volume_free(&result);
    return status;
  }
  ht_volume_free(&surface->field);
  surface->field = result;
  return HT_OK;
}
