#include "phantom/phantom.h"
#include "phantom/phantom_shapes.h"
#include <math.h>
#include <string.h>

enum { BLOCK = 16, COARSE = 96 /* least voxels along the longest side */ };

/* Certainty factor. The distance is right to first order near the surface only: where it exceeds
 * this number of times the way to a cube's corner, the whole cube lies on one side. */
static const double certain = 2;

/* A lattice along the body's axes that fills a box. */
static ht_grid grid_of(const double low_mm[3], const double high_mm[3], double spacing_mm) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (int)fmax(1, floor((high_mm[a] - low_mm[a]) / spacing_mm));
    grid.spacing_mm[a] = spacing_mm;
    grid.origin_mm[a] = low_mm[a] + 0.5 * spacing_mm;
  }
  return grid;
}

static double distance_at(const ht_shape *shape, const ht_grid *grid, const double index[3]) {
  double at[3];
  ht_grid_position(grid, index, at);
  return ht_shape_distance(shape, at, NULL);
}

/* The voxels of a cube that lie in the lattice. */
static void fill_cube(const int first[3], int side, ht_mask *mask) {
  const int *dim = mask->grid.dim;
  int last[3];
  for (int a = 0; a < 3; a++) last[a] = first[a] + side < dim[a] ? first[a] + side : dim[a];
  for (int z = first[2]; z < last[2]; z++)
    for (int y = first[1]; y < last[1]; y++)
      for (int x = first[0]; x < last[0]; x++)
        mask->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] = 1;
}

/* Halves the cube until it lies on one side of the surface or is one voxel. */
static void paint_cube(const ht_shape *shape, const int first[3], int side, ht_mask *mask) {
  double middle[3], reach = 0.5 * sqrt(3) * (side - 1) * mask->grid.spacing_mm[0];
  for (int a = 0; a < 3; a++) {
    if (first[a] >= mask->grid.dim[a]) return;
    middle[a] = first[a] + 0.5 * (side - 1);
  }
  double distance = distance_at(shape, &mask->grid, middle);
  if (distance >= 0 && distance >= certain * reach) return;
  if (distance < 0 && distance <= -certain * reach) {
    fill_cube(first, side, mask);
    return;
  }
  for (int n = 0; n < 8; n++) {
    int half = side / 2;
    int part[3] = {first[0] + half * (n & 1), first[1] + half * (n >> 1 & 1),
                   first[2] + half * (n >> 2)};
    paint_cube(shape, part, half, mask);
  }
}

static ht_status paint(const ht_shape *shape, const ht_grid *grid, ht_mask *mask) {
  HT_TRY(ht_mask_alloc(grid, mask));
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < grid->dim[2]; z += BLOCK)
    for (int y = 0; y < grid->dim[1]; y += BLOCK)
      for (int x = 0; x < grid->dim[0]; x += BLOCK)
        paint_cube(shape, (int[3]){x, y, z}, BLOCK, mask);
  return HT_OK;
}

/* The box around the vessel's voxels, their outer faces. */
static void box_of(const ht_mask *mask, double low_mm[3], double high_mm[3]) {
  for (int a = 0; a < 3; a++) low_mm[a] = INFINITY, high_mm[a] = -INFINITY;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double at[3];
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, at);
    for (int a = 0; a < 3; a++) {
      low_mm[a] = fmin(low_mm[a], at[a] - 0.5 * mask->grid.spacing_mm[a]);
      high_mm[a] = fmax(high_mm[a], at[a] + 0.5 * mask->grid.spacing_mm[a]);
    }
  }
}

ht_status ht_phantom_vessel(ht_phantom_kind kind, double nodes, ht_mask *mask) {
  memset(mask, 0, sizeof *mask);
  if (!(nodes >= 1000 && nodes <= 1e9))
    return ht_fail(HT_ERR_USAGE, "a phantom's vessel of %g nodes: allowed is 1000 to 1e9", nodes);
  const ht_shape *shape = ht_shape_of(kind);
  double low[3], high[3], longest = 0;
  ht_mask coarse;
  for (int a = 0; a < 3; a++) {
    low[a] = -0.5 * shape->box_mm[a];
    high[a] = 0.5 * shape->box_mm[a];
    longest = fmax(longest, shape->box_mm[a]);
  }
  /* Fine enough for the volume of a long vessel's thinnest part. */
  double spacing = fmin(longest / COARSE, 0.5 * shape->smallest_radius_mm);
  ht_grid grid = grid_of(low, high, spacing);
  HT_TRY(paint(shape, &grid, &coarse));
  double volume_mm3 = (double)ht_mask_count(&coarse) * pow(spacing, 3);
  box_of(&coarse, low, high);
  ht_mask_free(&coarse);
  grid = grid_of(low, high, cbrt(volume_mm3 / nodes));
  return paint(shape, &grid, mask);
}
