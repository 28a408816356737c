/* The number of the node at a voxel, without an array of the whole box: a bit a voxel, a count for
 * each 64 of them, and a number a node. */
#ifndef HT_NODE_MAP_H
#define HT_NODE_MAP_H

#include "core/status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t voxels, nodes;
  uint64_t *has;   /* [voxels / 64, rounded up] bit v % 64 of word v / 64: voxel v has a node */
  int32_t *before; /* per word: number of nodes at the voxels before it */
  int32_t *number; /* [nodes] number of the node at each of these voxels, in their order */
} ht_node_map;

/* Returns the number of the node at a voxel; -1: none. */
static inline int64_t ht_node_map_at(const ht_node_map *map, int64_t voxel) {
  uint64_t has = map->has[voxel >> 6], place = (uint64_t)1 << (voxel & 63);
  if (!(has & place)) return -1;
  return map->number[map->before[voxel >> 6] + __builtin_popcountll(has & (place - 1))];
}

/* Numbers the nodes at the voxels whose byte is not 0 (inside NULL: at all voxels) in their order.
 * HT_ERR_MEMORY; HT_ERR_USAGE: 2^31 nodes or more. The caller frees. */
ht_status ht_node_map_of_mask(int64_t voxels, const uint8_t *inside, ht_node_map *map);

/* Puts node n at voxel[n]. HT_ERR_FORMAT, which names no voxel: one is outside of 0 to voxels - 1,
 * or there twice; else as above. */
ht_status ht_node_map_of_voxels(int64_t voxels, int64_t nodes, const int64_t *voxel,
                                ht_node_map *map);

/* Changes the number of the node at a voxel, which has one. */
static inline void ht_node_map_set(ht_node_map *map, int64_t voxel, int64_t number) {
  uint64_t before = map->has[voxel >> 6] & (((uint64_t)1 << (voxel & 63)) - 1);
  map->number[map->before[voxel >> 6] + __builtin_popcountll(before)] = (int32_t)number;
}

int ht_node_map_same(const ht_node_map *a, const ht_node_map *b);
void ht_node_map_free(ht_node_map *map);

#ifdef __cplusplus
}
#endif
#endif
