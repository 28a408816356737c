#include "solver/lattice/link_table.h"
#include "solver/kernels/nodes.h"
#include <stdlib.h>

static ht_status check_periodic(const ht_lattice_setup *setup) {
  const ht_tiling *tiling = setup->tiling;
  for (int a = 0; a < 3; a++)
    if (setup->periodic[a] && (tiling->dim[a] % HT_TILE_SIDE || tiling->origin[a]))
      return ht_fail(
          HT_ERR_USAGE,
          "the box is %d voxels long along axis %d and its tiles begin at %d: a periodic "
          "axis needs a multiple of %d and tiles that begin at 0",
          tiling->dim[a], a, tiling->origin[a], HT_TILE_SIDE);
  return HT_OK;
}

/* The neighbour of a tile in direction d, around the box where that is periodic; -1: none. */
static int32_t wrapped_neighbour(const ht_lattice_setup *setup, const int32_t *tile_of,
                                 const int map_dim[3], int64_t tile, const int d[3]) {
  int at[3];
  for (int a = 0; a < 3; a++) {
    at[a] = setup->tiling->position[3 * tile + a] + d[a];
    if (setup->periodic[a]) at[a] = (at[a] + map_dim[a]) % map_dim[a];
    if (at[a] < 0 || at[a] >= map_dim[a]) return -1;
  }
  return tile_of[at[0] + (int64_t)map_dim[0] * (at[1] + (int64_t)map_dim[1] * at[2])];
}

ht_status ht_neighbours_build(const ht_lattice_setup *setup, ht_lattice_tables *tables,
                              int32_t **wrapped) {
  const ht_tiling *tiling = setup->tiling;
  tables->neighbour = tiling->neighbour;
  if (!setup->periodic[0] && !setup->periodic[1] && !setup->periodic[2]) return HT_OK;
  int map_dim[3];
  int32_t *tile_of;
  HT_TRY(check_periodic(setup));
  HT_TRY(ht_alloc((void **)wrapped, (size_t)tiling->tiles * HT_TILE_NEIGHBOURS, sizeof(int32_t),
                  "the neighbours"));
  HT_TRY(ht_tiling_map(tiling, map_dim, &tile_of));
  for (int64_t i = 0; i < tiling->tiles * HT_TILE_NEIGHBOURS; i++) {
    int s = (int)(i % HT_TILE_NEIGHBOURS), d[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
    (*wrapped)[i] = wrapped_neighbour(setup, tile_of, map_dim, i / HT_TILE_NEIGHBOURS, d);
  }
  free(tile_of);
  tables->neighbour = *wrapped;
  return HT_OK;
}

static int is_inside(const ht_lattice_tables *tables, int64_t tile, int slot, int local) {
  int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
  return there >= 0 && ((tables->tiling->inside[there] >> local) & 1);
}

static uint32_t node_links(const ht_lattice_tables *tables, int64_t tile, int local) {
  if (!((tables->tiling->inside[tile] >> local) & 1))
    return HT_MOVING(tables->directions); /* solid */
  uint32_t links = 1;
  for (int q = 1; q < tables->directions; q++) {
    int slot, from;
    ht_pull_source(local, q, &slot, &from);
    if (!is_inside(tables, tile, slot, from)) links |= 1u << q;
  }
  return links;
}

ht_status ht_links_build(ht_lattice_tables *tables) {
  const ht_tiling *tiling = tables->tiling;
  HT_TRY(ht_alloc((void **)&tables->links, (size_t)tiling->tiles * HT_TILE_NODES, sizeof(uint32_t),
                  "the walls"));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (int n = 0; n < HT_TILE_NODES; n++)
      tables->links[HT_TILE_NODES * t + n] = node_links(tables, t, n);
  return HT_OK;
}
