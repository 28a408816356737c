#include "export/files/wall_voxels.h"
#include <math.h>
#include <stdlib.h>

enum { NEIGHBOURS = 27 };

static void neighbour(const int at[3], int n, int out[3]) {
  out[0] = at[0] + n % 3 - 1;
  out[1] = at[1] + n / 3 % 3 - 1;
  out[2] = at[2] + n / 9 - 1;
}

/* The domain's kind at a voxel of the image. Outside the domain: an extension, which is no wall. */
static int kind_at(const ht_flow_image *image, const int at[3]) {
  const ht_mask *mask = &image->domain->mask;
  int there[3];
  for (int a = 0; a < 3; a++) there[a] = at[a] + image->low[a];
  if (!ht_voxel_in_grid(mask->grid.dim, there)) return HT_EXTENSION;
  return mask->inside[ht_voxel_index(mask->grid.dim, there)];
}

static int is_at_wall(const ht_flow_image *image, const int at[3]) {
  int beside[3];
  if (kind_at(image, at) != HT_VESSEL) return 0;
  for (int n = 0; n < NEIGHBOURS; n++) {
    neighbour(at, n, beside);
    if (kind_at(image, beside) == HT_SOLID) return 1;
  }
  return 0;
}

/* Gives a point's value to the voxels around it. `away`: squared distance of the point that each
 * voxel's value comes from, voxels. */
static void give(const ht_flow_image *image, const double place[3], float value, float *away,
                 float *out) {
  const int nearest[3] = {(int)lround(place[0]), (int)lround(place[1]), (int)lround(place[2])};
  int at[3];
  for (int n = 0; n < NEIGHBOURS; n++) {
    double distance = 0;
    neighbour(nearest, n, at);
    if (!ht_voxel_in_grid(image->grid.dim, at)) continue;
    for (int a = 0; a < 3; a++) distance += (place[a] - at[a]) * (place[a] - at[a]);
    int64_t v = ht_voxel_index(image->grid.dim, at);
    if ((float)distance >= away[v] || !is_at_wall(image, at)) continue;
    away[v] = (float)distance;
    out[v] = value;
  }
}

ht_status ht_wall_voxels(const ht_flow_image *image, const ht_surface *surface, const float *values,
                         float none, float *out) {
  int64_t voxels = ht_grid_voxels(&image->grid);
  float *away = NULL;
  HT_TRY(ht_alloc((void **)&away, (size_t)voxels, sizeof *away, "the wall's load as an image"));
  for (int64_t v = 0; v < voxels; v++) {
    away[v] = INFINITY;
    out[v] = none;
  }
  for (int64_t p = 0; p < surface->points; p++) {
    const float *point = surface->point_mm + 3 * p;
    const double at[3] = {(double)point[0], (double)point[1], (double)point[2]};
    double place[3];
    ht_grid_index(&image->grid, at, place);
    give(image, place, values[p], away, out);
  }
  free(away);
  return HT_OK;
}
