#include "bench/papers/ladder/ladder_tables.h"
#include <stdlib.h>

/* ---- the box ---- */

ht_status ht_ladder_types(const ht_mask *mask, uint8_t **types) {
  const int *dim = mask->grid.dim;
  int64_t row = dim[0] + 2, slab = row * (dim[1] + 2);
  HT_TRY(ht_alloc((void **)types, (size_t)(slab * (dim[2] + 2)), 1, "the node types"));
#pragma omp parallel for schedule(static)
  for (int z = 0; z < dim[2]; z++)
    for (int y = 0; y < dim[1]; y++)
      for (int x = 0; x < dim[0]; x++)
        (*types)[slab * (z + 1) + row * (y + 1) + x + 1] =
            mask->inside[ht_voxel_index(dim, (int[3]){x, y, z})] != 0;
  return HT_OK;
}

static int is_fluid(const ht_mask *mask, int x, int y, int z) {
  int at[3] = {x, y, z};
  return ht_voxel_in_grid(mask->grid.dim, at) && mask->inside[ht_voxel_index(mask->grid.dim, at)];
}

static uint32_t voxel_links(const ht_mask *mask, int x, int y, int z) {
  if (!is_fluid(mask, x, y, z)) return 0;
  uint32_t links = 1;
  for (int q = 1; q < HT_Q19; q++)
    if (!is_fluid(mask, x - ht_c[q][0], y - ht_c[q][1], z - ht_c[q][2])) links |= 1u << q;
  return links;
}

ht_status ht_ladder_row_links(const ht_mask *mask, int64_t pitch, uint32_t **links) {
  const int *dim = mask->grid.dim;
  int64_t rows = (int64_t)dim[1] * dim[2];
  HT_TRY(ht_alloc((void **)links, (size_t)(rows * pitch), sizeof(uint32_t), "the walls"));
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < rows; row++)
    for (int x = 0; x < dim[0]; x++)
      (*links)[row * pitch + x] = voxel_links(mask, x, (int)(row % dim[1]), (int)(row / dim[1]));
  return HT_OK;
}

/* ---- the tiles ---- */

static int has_node(const ht_tiling *tiling, int64_t tile, int local) {
  return tile >= 0 && ((tiling->inside[tile] >> local) & 1);
}

/* Finds where direction q comes from: tile (-1: none) and node in it. */
static int64_t pull_from(const ht_tiling *tiling, int64_t tile, int local, int q, int *from) {
  int slot;
  ht_pull_source(local, q, &slot, from);
  return tiling->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
}

static uint32_t node_links(const ht_tiling *tiling, int64_t tile, int local) {
  if (!has_node(tiling, tile, local)) return 0;
  uint32_t links = 1;
  for (int q = 1; q < HT_Q19; q++) {
    int from;
    int64_t there = pull_from(tiling, tile, local, q, &from);
    if (!has_node(tiling, there, from)) links |= 1u << q;
  }
  return links;
}

ht_status ht_ladder_tile_links(const ht_tiling *tiling, uint32_t **links) {
  int64_t nodes = tiling->tiles * HT_TILE_NODES;
  HT_TRY(ht_alloc((void **)links, (size_t)nodes, sizeof(uint32_t), "the walls"));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < nodes; n++)
    (*links)[n] = node_links(tiling, n / HT_TILE_NODES, (int)(n % HT_TILE_NODES));
  return HT_OK;
}

/* ---- the fluid nodes alone ---- */

static uint32_t fluid_nodes(uint64_t inside) {
  return (uint32_t)__builtin_popcountll(inside);
}

ht_status ht_ladder_fluid(const ht_tiling *tiling, ht_tile_fluid **fluid) {
  *fluid = NULL;
  if (tiling->nodes > UINT32_MAX)
    return ht_fail(HT_ERR_USAGE, "%lld fluid nodes: this layout counts them in 32 bits",
                   (long long)tiling->nodes);
  HT_TRY(ht_alloc((void **)fluid, (size_t)tiling->tiles + 1, sizeof **fluid, "the tiles"));
  uint32_t first = 0;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    (*fluid)[t] = (ht_tile_fluid){tiling->inside[t], first, fluid_nodes(tiling->inside[t])};
    first += (*fluid)[t].count;
  }
  return HT_OK;
}

ht_status ht_ladder_node_words(const ht_tiling *tiling, uint32_t **words) {
  *words = NULL;
  if (tiling->tiles > 1 << 26)
    return ht_fail(HT_ERR_USAGE, "%lld tiles: this layout numbers them in 26 bits",
                   (long long)tiling->tiles);
  HT_TRY(ht_alloc((void **)words, (size_t)tiling->nodes, sizeof(uint32_t), "the nodes"));
  uint32_t *next = *words;
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1)
      *next++ = (uint32_t)(t << 6) | (uint32_t)__builtin_ctzll(left);
  return HT_OK;
}

uint32_t ht_packed_node(const ht_tile_fluid *fluid, int64_t tile, int local) {
  return fluid[tile].first + fluid_nodes(fluid[tile].inside & ((UINT64_C(1) << local) - 1));
}

int64_t ht_packed_value(uint32_t node, int q) {
  return (int64_t)(node / HT_CHUNK_NODES) * HT_CHUNK_VALUES + q * HT_CHUNK_NODES +
         node % HT_CHUNK_NODES;
}

/* The 18 addresses of one node. A wall returns the value that left along the opposite direction. */
static void node_addresses(const ht_tiling *tiling, const ht_tile_fluid *fluid, int64_t tile,
                           int local, uint32_t *addresses) {
  uint32_t node = ht_packed_node(fluid, tile, local);
  uint32_t *own = addresses + (int64_t)(node / HT_CHUNK_NODES) * (HT_Q19 - 1) * HT_CHUNK_NODES +
                  node % HT_CHUNK_NODES;
  for (int q = 1; q < HT_Q19; q++) {
    int from;
    int64_t there = pull_from(tiling, tile, local, q, &from);
    int64_t value = has_node(tiling, there, from)
                        ? ht_packed_value(ht_packed_node(fluid, there, from), q)
                        : ht_packed_value(node, ht_opposite(q));
    own[(q - 1) * HT_CHUNK_NODES] = (uint32_t)value;
  }
}

ht_status ht_ladder_addresses(const ht_tiling *tiling, const ht_tile_fluid *fluid,
                              uint32_t **addresses) {
  *addresses = NULL;
  int64_t chunks = (tiling->nodes + HT_CHUNK_NODES - 1) / HT_CHUNK_NODES;
  if (chunks * HT_CHUNK_VALUES > UINT32_MAX)
    return ht_fail(HT_ERR_USAGE,
                   "%lld fluid nodes: the list's addresses have 32 bits, so at most %lld nodes",
                   (long long)tiling->nodes, (long long)UINT32_MAX / HT_Q19);
  HT_TRY(ht_alloc((void **)addresses, (size_t)chunks * (HT_Q19 - 1) * HT_CHUNK_NODES,
                  sizeof(uint32_t), "the neighbours"));
#pragma omp parallel for schedule(dynamic, 1024)
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1)
      node_addresses(tiling, fluid, t, __builtin_ctzll(left), *addresses);
  return HT_OK;
}
