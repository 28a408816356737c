#include "core/vessel/node_map.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

static int64_t words_of(int64_t voxels) {
  return (voxels + 63) / 64;
}

static ht_status begin(int64_t voxels, ht_node_map *map) {
  *map = (ht_node_map){.voxels = voxels};
  return ht_alloc((void **)&map->has, (size_t)words_of(voxels), sizeof *map->has,
                  "the numbers of the nodes");
}

static void add(ht_node_map *map, int64_t voxel) {
  map->has[voxel >> 6] |= (uint64_t)1 << (voxel & 63);
}

/* Counts the voxels that were added, and numbers them in their order. */
static ht_status number(ht_node_map *map) {
  const char *what = "the numbers of the nodes";
  int64_t words = words_of(map->voxels);
  for (int64_t w = 0; w < words; w++) map->nodes += __builtin_popcountll(map->has[w]);
  if (map->nodes > INT32_MAX)
    return ht_fail(HT_ERR_USAGE,
                   "the vessel has %lld nodes; 2^31 can be numbered: use a coarser spacing",
                   (long long)map->nodes);
  HT_TRY(ht_alloc((void **)&map->before, (size_t)words, sizeof *map->before, what));
  HT_TRY(ht_alloc((void **)&map->number, (size_t)map->nodes, sizeof *map->number, what));
  for (int64_t w = 1; w < words; w++)
    map->before[w] = map->before[w - 1] + __builtin_popcountll(map->has[w - 1]);
  for (int64_t n = 0; n < map->nodes; n++) map->number[n] = (int32_t)n;
  return HT_OK;
}

static ht_status end(ht_status status, ht_node_map *map) {
  if (status != HT_OK) ht_node_map_free(map);
  return status;
}

ht_status ht_node_map_of_mask(int64_t voxels, const uint8_t *inside, ht_node_map *map) {
  ht_status status = begin(voxels, map);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (!inside || inside[v]) add(map, v);
  return end(status == HT_OK ? number(map) : status, map);
}

static ht_status add_all(ht_node_map *map, int64_t nodes, const int64_t *voxel) {
  for (int64_t n = 0; n < nodes; n++) {
    if (voxel[n] < 0 || voxel[n] >= map->voxels)
      return ht_fail(HT_ERR_FORMAT, "a node lies outside of the box");
    add(map, voxel[n]);
  }
  HT_TRY(number(map));
  if (map->nodes == nodes) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "two nodes lie at the same voxel");
}

ht_status ht_node_map_of_voxels(int64_t voxels, int64_t nodes, const int64_t *voxel,
                                ht_node_map *map) {
  ht_status status = begin(voxels, map);
  if (status == HT_OK) status = add_all(map, nodes, voxel);
  for (int64_t n = 0; n < nodes && status == HT_OK; n++) ht_node_map_set(map, voxel[n], n);
  return end(status, map);
}

int ht_node_map_same(const ht_node_map *a, const ht_node_map *b) {
  size_t words = (size_t)words_of(a->voxels), nodes = (size_t)a->nodes;
  return a->voxels == b->voxels && a->nodes == b->nodes &&
         memcmp(a->has, b->has, words * sizeof *a->has) == 0 &&
         memcmp(a->number, b->number, nodes * sizeof *a->number) == 0;
}

void ht_node_map_free(ht_node_map *map) {
  free(map->has);
  free(map->before);
  free(map->number);
  memset(map, 0, sizeof *map);
}
