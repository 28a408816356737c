#include "segment/quality/thin.h"
#include "segment/shape/chamfer.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double voxels_least = 4; /* across a vessel */

/* ---- along the path ---- */

/* The length of the path that a section stands for. */
static double length_of(const ht_vessel_path *path, int s) {
  int last = path->stations - 1, before = s > 0 ? s - 1 : 0, behind = s < last ? s + 1 : last;
  return (path->station[behind].along_mm - path->station[before].along_mm) / 2;
}

static void follow(const ht_vessel_path *path, ht_mask_quality *quality) {
  quality->thin_mm = 0;
  quality->path_mm = path->station[path->stations - 1].along_mm;
  for (int s = 0; s < path->stations; s++) {
    double diameter_mm = 2 * sqrt(path->station[s].area_mm2 / HT_PI);
    double voxels = diameter_mm / quality->voxel_mm;
    if (voxels < voxels_least) quality->thin_mm += length_of(path, s);
    if (s > 0 && voxels >= quality->thinnest_voxels) continue;
    quality->thinnest_voxels = voxels;
    quality->thinnest_mm = diameter_mm;
    memcpy(quality->thinnest_at.centre_mm, path->station[s].centre_mm, sizeof(double[3]));
  }
  if (quality->path_mm > 0) quality->thin_share = quality->thin_mm / quality->path_mm;
}

/* ---- in the whole mask ---- */

/* Every node within a ball of 2 voxels whose nodes are all inside is thick (an opening of the
 * mask). The wall lies half a node before the first solid node; the ball may be half a node
 * smaller, and reach a node and a half farther, so that the lattice's steps do not count. */
static double count_thin(const ht_mask *mask, double radius, uint16_t *distance) {
  const int *dim = mask->grid.dim;
  const double unit = ht_chamfer_thirds[1];
  int64_t nodes = ht_grid_voxels(&mask->grid), all = 0, thin = 0;
  for (int64_t v = 0; v < nodes; v++) distance[v] = mask->inside[v] ? HT_CHAMFER_FAR : 0;
  ht_chamfer(dim, ht_chamfer_thirds, distance);
  for (int64_t v = 0; v < nodes; v++) {
    int is_core = distance[v] >= unit * radius;
    distance[v] = !mask->inside[v] ? HT_CHAMFER_WALL : is_core ? 0 : HT_CHAMFER_FAR;
  }
  ht_chamfer(dim, ht_chamfer_thirds, distance);
  for (int64_t v = 0; v < nodes; v++) {
    if (!mask->inside[v]) continue;
    all++;
    thin += distance[v] > unit * (radius + 1.5);
  }
  return (double)thin / (double)all;
}

ht_status ht_thin_measure(const ht_mask *mask, const ht_vessel_path *path,
                          ht_mask_quality *quality) {
  const double least_nodes = 2 - 1e-6; /* rounding */
  uint16_t *distance;
  double radius = voxels_least / 2 * quality->voxel_mm / mask->grid.spacing_mm[0];
  if (path && path->stations > 1) follow(path, quality);
  if (radius < least_nodes) return HT_OK;
  HT_TRY(ht_alloc((void **)&distance, (size_t)ht_grid_voxels(&mask->grid), sizeof *distance,
                  "the thin parts of the mask"));
  quality->thin_volume_share = count_thin(mask, radius, distance);
  free(distance);
  return HT_OK;
}
