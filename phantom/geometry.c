#include "phantom/geometry.h"
#include <math.h>
#include <string.h>

typedef struct {
  uint64_t state;
} generator; /* splitmix64 */

static double uniform(generator *g) {
  uint64_t x = g->state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static int clamp(double v, int low, int high) {
  return v < low ? low : v > high ? high : (int)v;
}

/* Sets the voxels of a sphere; returns how many changed. */
static int64_t paint(ht_mask *mask, const double centre[3], double radius, uint8_t value) {
  const int *dim = mask->grid.dim;
  int low[3], high[3];
  int64_t changed = 0;
  for (int a = 0; a < 3; a++) {
    low[a] = clamp(ceil(centre[a] - radius), 0, dim[a]);
    high[a] = clamp(floor(centre[a] + radius), -1, dim[a] - 1);
  }
  for (int z = low[2]; z <= high[2]; z++) {
    for (int y = low[1]; y <= high[1]; y++) {
      double dz = z - centre[2], dy = y - centre[1], left = radius * radius - dz * dz - dy * dy;
      if (left < 0) continue;
      uint8_t *row = mask->inside + ((int64_t)z * dim[1] + y) * dim[0];
      int from = clamp(ceil(centre[0] - sqrt(left)), 0, dim[0]);
      int to = clamp(floor(centre[0] + sqrt(left)), -1, dim[0] - 1);
      for (int x = from; x <= to; x++) {
        changed += row[x] != value;
        row[x] = value;
      }
    }
  }
  return changed;
}

ht_status ht_geometry_box(const int dim[3], ht_mask *mask) {
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  HT_TRY(ht_mask_alloc(&grid, mask));
  memset(mask->inside, 1, (size_t)ht_grid_voxels(&grid));
  return HT_OK;
}

/* A new direction, turned a little from the old one. */
static void turn(generator *g, double direction[3]) {
  double size = 0;
  for (int a = 0; a < 3; a++) direction[a] += 0.35 * (2 * uniform(g) - 1);
  for (int a = 0; a < 3; a++) size += direction[a] * direction[a];
  for (int a = 0; a < 3; a++) direction[a] /= sqrt(size) + 1e-12;
}

ht_status ht_geometry_tubes(const int dim[3], const double radius[2], double porosity,
                            uint64_t seed, ht_mask *mask) {
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  generator g = {seed};
  HT_TRY(ht_mask_alloc(&grid, mask));
  int64_t fluid = 0, wanted = (int64_t)(porosity * (double)ht_grid_voxels(&grid));
  while (fluid < wanted) {
    double r = radius[0] + (radius[1] - radius[0]) * uniform(&g), at[3], direction[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) at[a] = uniform(&g) * dim[a];
    for (int i = 0; i < 8; i++) turn(&g, direction);
    int inside = 1;
    while (inside && fluid < wanted) {
      fluid += paint(mask, at, r, 1);
      turn(&g, direction);
      for (int a = 0; a < 3; a++) {
        at[a] += 0.5 * r * direction[a];
        inside = inside && at[a] > -r && at[a] < dim[a] + r;
      }
    }
  }
  return HT_OK;
}

ht_status ht_geometry_spheres(const int dim[3], double radius, double porosity, uint64_t seed,
                              ht_mask *mask) {
  generator g = {seed};
  HT_TRY(ht_geometry_box(dim, mask));
  int64_t fluid = ht_grid_voxels(&mask->grid), wanted = (int64_t)(porosity * (double)fluid);
  while (fluid > wanted) {
    double centre[3];
    for (int a = 0; a < 3; a++) centre[a] = uniform(&g) * dim[a];
    fluid -= paint(mask, centre, radius, 0);
  }
  return HT_OK;
}

static int in_circle(int x, int y, int across) {
  double dx = x - 0.5 * (across - 1), dy = y - 0.5 * (across - 1);
  return dx * dx + dy * dy <= 0.25 * across * across;
}

ht_status ht_geometry_channel(int across, int length, int round, ht_mask *mask) {
  const int dim[3] = {across, across, length};
  HT_TRY(ht_geometry_box(dim, mask));
  size_t slice = (size_t)across * (size_t)across;
  if (!round) return HT_OK;
  for (int y = 0; y < across; y++)
    for (int x = 0; x < across; x++) mask->inside[x + across * y] = in_circle(x, y, across) != 0;
  for (int z = 1; z < length; z++) memcpy(mask->inside + slice * (size_t)z, mask->inside, slice);
  return HT_OK;
}

int64_t ht_geometry_channel_section(int across, int round) {
  int64_t count = 0;
  for (int y = 0; y < across; y++)
    for (int x = 0; x < across; x++) count += !round || in_circle(x, y, across);
  return count;
}

ht_status ht_geometry_rough_walls(const ht_mask *mask, float **distance) {
  generator g = {1};
  int64_t voxels = ht_grid_voxels(&mask->grid);
  HT_TRY(ht_alloc((void **)distance, (size_t)voxels, sizeof(float), "the distance from the wall"));
  for (int64_t v = 0; v < voxels; v++) {
    double away = 0.1 + 0.9 * uniform(&g);
    (*distance)[v] = (float)(mask->inside[v] ? away : -away);
  }
  return HT_OK;
}
