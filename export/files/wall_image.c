#include "result_files.h"
#include "wall_along.h"
#include <math.h>
#include <stdlib.h>

/* The voxel half a spacing below a point of the wall. */
static int64_t voxel_below(const ht_surface *surface, int64_t p, const ht_mask *mask) {
  double at_mm[3], index[3];
  int at[3];
  for (int r = 0; r < 3; r++)
    at_mm[r] =
        surface->point_mm[3 * p + r] - 0.5 * mask->grid.spacing_mm[0] * surface->normal[3 * p + r];
  ht_grid_index(&mask->grid, at_mm, index);
  for (int a = 0; a < 3; a++) {
    if (!(index[a] > -0.5 && index[a] < mask->grid.dim[a] - 0.5)) return -1;
    at[a] = (int)lround(index[a]);
  }
  int64_t voxel = ht_voxel_index(mask->grid.dim, at);
  return mask->inside[voxel] ? voxel : -1;
}

static void add_up(const ht_surface *surface, const float *values, const float *area,
                   const ht_mask *mask, float *sum, float *weight) {
  for (int64_t p = 0; p < surface->points; p++) {
    int64_t voxel = voxel_below(surface, p, mask);
    if (voxel < 0) continue;
    sum[voxel] += area[p] * values[p];
    weight[voxel] += area[p];
  }
}

static int is_at_wall(const ht_mask *mask, const int at[3]) {
  for (int k = 0; k < 6; k++) {
    int beside[3] = {at[0], at[1], at[2]};
    beside[k / 2] += k % 2 ? 1 : -1;
    if (!ht_voxel_in_grid(mask->grid.dim, beside) ||
        !mask->inside[ht_voxel_index(mask->grid.dim, beside)])
      return 1;
  }
  return 0;
}

/* The mean of the voxels around that have points; 0 where none has. */
static float mean_around(const ht_mask *mask, const int at[3], const float *value,
                         const float *weight) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < 27; k++) {
    const int beside[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    if (!ht_voxel_in_grid(mask->grid.dim, beside)) continue;
    int64_t voxel = ht_voxel_index(mask->grid.dim, beside);
    if (!(weight[voxel] > 0)) continue;
    sum += value[voxel];
    count++;
  }
  return count > 0 ? (float)(sum / count) : 0;
}

/* Voxels at the wall that no point lies above: the points are about as far apart as the voxels. */
static void fill_holes(const ht_mask *mask, float *value, const float *weight) {
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    if (!mask->inside[v] || weight[v] > 0) continue;
    ht_voxel_place(mask->grid.dim, v, at);
    if (is_at_wall(mask, at)) value[v] = mean_around(mask, at, value, weight);
  }
}

ht_status ht_export_wall_image(const char *path, const ht_surface *surface, const float *values,
                               const ht_mask *mask, const char *name, const char *about) {
  ht_volume image = {.values = NULL};
  float *area = NULL, *weight = NULL;
  ht_status status;
  size_t voxels = (size_t)ht_grid_voxels(&mask->grid);
  HT_TRY_DONE(ht_volume_alloc(&mask->grid, &image));
  HT_TRY_DONE(ht_alloc((void **)&weight, voxels, sizeof *weight, "the wall as an image"));
  HT_TRY_DONE(ht_alloc((void **)&area, (size_t)surface->points, sizeof *area, "the wall's image"));
  ht_wall_point_areas(surface, area);
  add_up(surface, values, area, mask, image.values, weight);
  for (size_t v = 0; v < voxels; v++)
    if (weight[v] > 0) image.values[v] /= weight[v];
  fill_holes(mask, image.values, weight);
  status = ht_export_quantity(path, &image, name, about);
done:
  ht_volume_free(&image);
  free(area);
  free(weight);
  return status;
}
