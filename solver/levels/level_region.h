/* The nodes that each level of a lattice has. Private to solver/levels/. */
#ifndef HT_LEVEL_REGION_H
#define HT_LEVEL_REGION_H

#include "solver/levels/level_setup.h"

/* The part of a voxel in the lattice of a level. */
typedef enum {
  HT_VOXEL_SOLID = 0,  /* also out of the box */
  HT_VOXEL_OTHER,      /* of other levels alone */
  HT_VOXEL_OWN,        /* the flow is this level's */
  HT_VOXEL_OVERLAP,    /* stepped here too, next to own ones; the flow is the finer level's */
  HT_VOXEL_FROM_FINE,  /* an outer node, of the finer level */
  HT_VOXEL_FROM_COARSE /* an outer node, of the coarser level */
} ht_voxel_part;

typedef struct {
  int dim[3], periodic[3];
  uint8_t *part;              /* [nz][ny][nx] ht_voxel_part. Owned */
  const float *wall_distance; /* as in ht_level_setup; NULL: half-way. Borrowed */
} ht_level_region;

/* Finds the nodes of level `number`. HT_ERR_MEMORY. The caller frees with ht_level_region_free().
 */
ht_status ht_level_region_find(const ht_levels_setup *setup, int number, ht_level_region *region);
void ht_level_region_free(ht_level_region *region);

/* The part of the voxel at a place, around the box where that is periodic; HT_VOXEL_SOLID
 * outside. */
ht_voxel_part ht_region_part(const ht_level_region *region, const int at[3]);

/* The voxel of a node. */
void ht_tile_voxel(const ht_tiling *tiling, int64_t tile, int local, int at[3]);

/* Tells whether a state can be read there: the voxel is stepped in this level, and no outer one. */
static inline int ht_part_is_stepped(ht_voxel_part part) {
  return part == HT_VOXEL_OWN || part == HT_VOXEL_OVERLAP;
}

/* Tells whether the level's lattice has a node there. */
static inline int ht_part_is_node(ht_voxel_part part) {
  return part > HT_VOXEL_OTHER;
}

/* The number of voxels. */
static inline int64_t ht_region_voxels(const ht_level_region *region) {
  return (int64_t)region->dim[0] * region->dim[1] * region->dim[2];
}

#endif
