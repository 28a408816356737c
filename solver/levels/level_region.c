#include "solver/levels/level_region.h"
#include <stdlib.h>
#include <string.h>

/* The voxel at a place, around the box where that is periodic; -1: outside. */
static int64_t voxel_of(const ht_level_region *region, const int at[3]) {
  int there[3];
  for (int a = 0; a < 3; a++) {
    there[a] = at[a];
    if (region->periodic[a]) there[a] = (at[a] + region->dim[a]) % region->dim[a];
    if (there[a] < 0 || there[a] >= region->dim[a]) return -1;
  }
  return ht_voxel_index(region->dim, there);
}

ht_voxel_part ht_region_part(const ht_level_region *region, const int at[3]) {
  int64_t voxel = voxel_of(region, at);
  return voxel < 0 ? HT_VOXEL_SOLID : (ht_voxel_part)region->part[voxel];
}

/* Layers of coarse nodes that are stepped on both levels. Without one the outer nodes of each level
 * are made of the other's outer nodes, and the velocity's error goes with the spacing, not with its
 * square. */
enum { OVERLAP = 1 };

/* Tells whether a voxel within `distance` has the mark `wanted`; marks NULL: all are 0. */
static int is_near(const ht_level_region *region, const uint8_t *marks, int wanted, const int at[3],
                   int distance) {
  int d[3];
  if (!marks) return !wanted;
  for (d[2] = -distance; d[2] <= distance; d[2]++)
    for (d[1] = -distance; d[1] <= distance; d[1]++)
      for (d[0] = -distance; d[0] <= distance; d[0]++) {
        const int there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
        int64_t voxel = voxel_of(region, there);
        if (voxel >= 0 && (marks[voxel] != 0) == wanted) return 1;
      }
  return 0;
}

/* The part of a fluid voxel of the level's own region. */
static ht_voxel_part inner_part(const ht_level_region *region, const uint8_t *refined,
                                const int at[3]) {
  if (!refined || !refined[ht_voxel_index(region->dim, at)]) return HT_VOXEL_OWN;
  if (is_near(region, refined, 0, at, OVERLAP)) return HT_VOXEL_OVERLAP;
  return is_near(region, refined, 0, at, OVERLAP + 1) ? HT_VOXEL_FROM_FINE : HT_VOXEL_OTHER;
}

static ht_voxel_part part_of(const ht_levels_setup *setup, int number,
                             const ht_level_region *coarse, const ht_level_region *region,
                             int64_t voxel) {
  const ht_level_setup *level = &setup->level[number];
  int at[3];
  if (!level->mask->inside[voxel]) return HT_VOXEL_SOLID;
  ht_voxel_place(region->dim, voxel, at);
  if (number == 0) return inner_part(region, level->refined, at);
  const uint8_t *refined = setup->level[number - 1].refined;
  const int parent[3] = {at[0] / 2, at[1] / 2, at[2] / 2};
  if (refined[ht_voxel_index(coarse->dim, parent)]) return inner_part(region, level->refined, at);
  return is_near(coarse, refined, 1, parent, 1) ? HT_VOXEL_FROM_COARSE : HT_VOXEL_OTHER;
}

static void begin(const ht_levels_setup *setup, int number, ht_level_region *region) {
  memset(region, 0, sizeof *region);
  memcpy(region->dim, setup->level[number].mask->grid.dim, sizeof region->dim);
  region->wall_distance = setup->level[number].wall_distance;
  memcpy(region->periodic, setup->lattice.periodic, sizeof region->periodic);
}

ht_status ht_level_region_find(const ht_levels_setup *setup, int number, ht_level_region *region) {
  ht_level_region coarse = {.part = NULL};
  begin(setup, number, region);
  if (number > 0) begin(setup, number - 1, &coarse);
  const int64_t voxels = ht_region_voxels(region);
  HT_TRY(ht_alloc((void **)&region->part, (size_t)voxels, 1, "the levels"));
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < voxels; v++)
    region->part[v] = (uint8_t)part_of(setup, number, &coarse, region, v);
  return HT_OK;
}

void ht_level_region_free(ht_level_region *region) {
  free(region->part);
  region->part = NULL;
}

void ht_tile_voxel(const ht_tiling *tiling, int64_t tile, int local, int at[3]) {
  const int in_tile[3] = {local & 3, (local >> 2) & 3, local >> 4};
  for (int a = 0; a < 3; a++)
    at[a] = HT_TILE_SIDE * tiling->position[3 * tile + a] - tiling->origin[a] + in_tile[a];
}
