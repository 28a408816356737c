#include "levelset.h"
#include "block.h"
#include "quantile.h"
#include "vessel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, HALO = 10, STEPS = 60 };

/* Of the contrast a voxel; an edge blurred as scanners do has 0.4. */
static const double edge_share = 0.15;

/* Above 0 in the vessel. */
static float depth_of(const ht_isosurface *surface, float value) {
  double depth = fmin(value - surface->lower, surface->upper - value);
  return (float)depth;
}

/* Twice the step from the level to the vessel's median value. */
static ht_status contrast_of(const ht_isosurface *surface, double *contrast) {
  const ht_volume *field = &surface->field;
  int64_t voxels = ht_grid_voxels(&field->grid), count = 0;
  uint8_t *inside;
  HT_TRY(ht_alloc((void **)&inside, (size_t)voxels, 1, "voxels of the vessel"));
  for (int64_t v = 0; v < voxels; v++)
    count += inside[v] = depth_of(surface, field->values[v]) >= 0;
  double middle = surface->lower;
  ht_status status = HT_OK;
  if (count > 0) status = ht_quantile(field->values, inside, voxels, count, 0.5, &middle);
  *contrast = 2 * (middle - surface->lower);
  free(inside);
  return status;
}

/* Does the surface run through the part? `start`: its depth. */
static int has_surface(const ht_isosurface *surface, const ht_volume *part, ht_volume *start) {
  int64_t voxels = ht_grid_voxels(&part->grid), inside = 0;
  for (int64_t v = 0; v < voxels; v++) {
    start->values[v] = depth_of(surface, part->values[v]);
    inside += start->values[v] >= 0;
  }
  return inside > 0 && inside < voxels;
}

/* Without a surface: as far inside or outside as the level set of the other blocks says. */
static void fill_plain(const ht_volume *start, ht_volume *contour) {
  int64_t voxels = ht_grid_voxels(&start->grid);
  for (int64_t v = 0; v < voxels; v++) contour->values[v] = start->values[v] >= 0 ? 3 : -3;
}

static ht_status refine_block(const ht_isosurface *surface, const ht_block *block, double edge,
                              ht_volume *result) {
  ht_volume part = {0}, start = {0}, contour = {0};
  ht_status status = ht_volume_crop(&surface->field, &block->outer, &part);
  if (status == HT_OK) status = ht_volume_alloc(&part.grid, &start);
  if (status == HT_OK && has_surface(surface, &part, &start)) {
    status = ht_itk_contour(&start, &part, edge, STEPS, NULL, &contour);
  } else if (status == HT_OK) {
    status = ht_volume_alloc(&part.grid, &contour);
    if (status == HT_OK) fill_plain(&start, &contour);
  }
  ht_box inner = ht_block_inner(block);
  if (status == HT_OK) ht_volume_paste(&contour, &inner, block->inner.first, result);
  ht_volume_free(&contour);
  ht_volume_free(&start);
  ht_volume_free(&part);
  return status;
}

ht_status ht_levelset_refine(ht_isosurface *surface, const ht_progress *progress) {
  const ht_grid *grid = &surface->field.grid;
  const int halo[3] = {HALO, HALO, HALO};
  ht_volume result = {0};
  double contrast, voxel = fmin(grid->spacing_mm[0], fmin(grid->spacing_mm[1], grid->spacing_mm[2]));
  HT_TRY(contrast_of(surface, &contrast));
  if (!(contrast > 0)) return HT_OK;
  HT_TRY(ht_volume_alloc(grid, &result));
  int64_t blocks = ht_block_count(grid, SIDE);
  ht_status status = HT_OK;
  for (int64_t n = 0; n < blocks && status == HT_OK; n++) {
    ht_block block = ht_block_at(grid, SIDE, halo, n);
    status = ht_progress_report(progress, "segment", (double)n, (double)blocks, "level set");
    if (status == HT_OK)
      status = refine_block(surface, &block, edge_share * contrast / voxel, &result);
  }
  if (status != HT_OK) {
    ht_volume_free(&result);
    return status;
  }
  ht_volume_free(&surface->field);
  surface->field = result;
  surface->lower = 0;
  surface->upper = INFINITY;
  return HT_OK;
}
