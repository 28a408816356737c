#include "bench/papers/ladder/ladder_walls.h"
#include "solver/kernels/half.h"
#include "solver/lattice/wall_links.h"
#include <math.h>
#include <stdlib.h>

static const char *const what = "the interpolated walls";

/* Number of the packed node, and place in the packed storage, of a value in [tiles][19][64]. */
static uint32_t node_of(const ht_tile_fluid *fluid, int64_t value) {
  return ht_packed_node(fluid, value / HT_TILE_VALUES(HT_Q19), (int)(value % HT_TILE_NODES));
}
static uint32_t place_of(const ht_tile_fluid *fluid, int64_t value) {
  int q = (int)(value % HT_TILE_VALUES(HT_Q19) / HT_TILE_NODES);
  return (uint32_t)ht_packed_value(node_of(fluid, value), q);
}

/* The solver's tables, as far as its links need them. `links`: of ht_ladder_tile_links. */
static ht_status solver_links(const ht_ladder_setup *setup, uint32_t *links,
                              ht_lattice_tables *tables) {
  ht_lattice_setup lattice = {.tiling = setup->tiling, .wall_distance = setup->wall_distance};
  *tables = (ht_lattice_tables){.tiling = setup->tiling,
                                .omega = 1 / setup->tau,
                                .precision = setup->precision,
                                .model = HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE),
                                .directions = HT_Q19,
                                .neighbour = setup->tiling->neighbour,
                                .links = links};
  return ht_wall_links_build(&lattice, tables);
}

static ht_status allocate(const ht_tiling *tiling, const ht_lattice_tables *tables,
                          ht_ladder_walls *walls) {
  size_t links = (size_t)tables->wall_links, nodes = (size_t)tiling->nodes;
  size_t blocks = (nodes + HT_LIST_NODES - 1) / HT_LIST_NODES;
  HT_TRY(ht_alloc((void **)&walls->first, blocks + 1, sizeof *walls->first, what));
  HT_TRY(ht_alloc((void **)&walls->link, links, sizeof *walls->link, what));
  HT_TRY(ht_alloc((void **)&walls->slip, links, sizeof *walls->slip, what));
  return ht_alloc((void **)&walls->node_tile, nodes, sizeof *walls->node_tile, what);
}

static void number_tiles(const ht_tiling *tiling, const ht_tile_fluid *fluid,
                         ht_ladder_walls *walls) {
  for (int64_t n = 0; n < tiling->nodes; n++) walls->node_tile[n] = -1;
  for (int64_t i = 0; i < walls->tiles; i++) {
    const ht_tile_fluid *tile = &fluid[walls->tile[i].tile];
    for (uint32_t n = 0; n < tile->count; n++) walls->node_tile[tile->first + n] = (int32_t)i;
  }
}

static uint32_t halves(float low, float high) {
  return ht_half_from_float_c(low) | (uint32_t)ht_half_from_float_c(high) << 16;
}

/* Link `from` of block b as link `to`. */
static void place_link(const ht_tile_fluid *fluid, const ht_wall_link *from, uint32_t b,
                       uint32_t to, ht_ladder_walls *walls) {
  uint32_t value = place_of(fluid, from->slot), coming = place_of(fluid, from->near_coming);
  uint32_t leaving = place_of(fluid, from->leaving), is_after = leaving > value;
  walls->link[to][0] = from->weight < 0 ? leaving : coming;
  walls->link[to][1] = (value - b * HT_LIST_VALUES) | halves(0, fabsf(from->weight));
  walls->slip[to][0] = value;
  walls->slip[to][1] = coming;
  walls->slip[to][2] = halves(from->here, from->near);
  walls->slip[to][3] = halves(from->across, 0) | is_after << 16;
}

static uint32_t *address_of(uint32_t *addresses, uint32_t node, int q) {
  return addresses + (int64_t)(node / HT_CHUNK_NODES) * (HT_Q19 - 1) * HT_CHUNK_NODES +
         (q - 1) * HT_CHUNK_NODES + node % HT_CHUNK_NODES;
}

/* A tile's nodes may be in two blocks. */
static ht_status place_links(const ht_lattice_tables *tables, const ht_tile_fluid *fluid,
                             int64_t values, uint32_t *addresses, ht_ladder_walls *walls) {
  int64_t blocks = (tables->tiling->nodes + HT_LIST_NODES - 1) / HT_LIST_NODES;
  uint32_t *next;
  for (int64_t i = 0; i < walls->links; i++)
    walls->first[node_of(fluid, tables->wall_link[i].slot) / HT_LIST_NODES + 1]++;
  for (int64_t b = 0; b < blocks; b++) {
    if (walls->first[b + 1] > walls->most) walls->most = walls->first[b + 1];
    walls->first[b + 1] += walls->first[b];
  }
  HT_TRY(ht_alloc((void **)&next, (size_t)blocks, sizeof *next, what));
  for (int64_t i = 0; i < walls->links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    uint32_t node = node_of(fluid, link->slot), b = node / HT_LIST_NODES, number = next[b]++;
    int q = (int)(link->leaving % HT_TILE_VALUES(HT_Q19) / HT_TILE_NODES);
    place_link(fluid, link, b, walls->first[b] + number, walls);
    *address_of(addresses, node, q) = (uint32_t)values + number;
  }
  free(next);
  return HT_OK;
}

static ht_status build(const ht_ladder_setup *setup, const ht_tile_fluid *fluid, int64_t values,
                       uint32_t *addresses, ht_lattice_tables *tables, ht_ladder_walls *walls) {
  walls->links = tables->wall_links;
  walls->tiles = tables->wall_tiles;
  walls->tile = tables->wall_tile;
  if (values + HT_LIST_VALUES > UINT32_MAX || walls->links > UINT32_MAX)
    return ht_fail(HT_ERR_USAGE,
                   "%lld fluid nodes: the list's addresses have 32 bits, links included",
                   (long long)setup->tiling->nodes);
  HT_TRY(allocate(setup->tiling, tables, walls));
  number_tiles(setup->tiling, fluid, walls);
  return place_links(tables, fluid, values, addresses, walls);
}

ht_status ht_ladder_walls_build(const ht_ladder_setup *setup, const ht_tile_fluid *fluid,
                                int64_t values, uint32_t *addresses, ht_ladder_walls *walls) {
  ht_lattice_tables tables;
  uint32_t *links;
  *walls = (ht_ladder_walls){0};
  HT_TRY(ht_ladder_tile_links(setup->tiling, &links));
  ht_status status = solver_links(setup, links, &tables);
  if (status == HT_OK) status = build(setup, fluid, values, addresses, &tables, walls);
  free(tables.wall_link);
  if (!walls->tile) free(tables.wall_tile);
  free(links);
  return status;
}

void ht_ladder_walls_free(ht_ladder_walls *walls) {
  free(walls->first);
  free(walls->link);
  free(walls->slip);
  free(walls->node_tile);
  free(walls->tile);
  *walls = (ht_ladder_walls){0};
}
