/* Builds the lists of walls and sponges of the tiles that have some. */
#include "solver/cpu/cpu_state.h"
#include <stdlib.h>
#include <string.h>

/* The links of a tile, turned from bits a node into bits a direction. */
static int tile_walls(const uint32_t *links, int directions, uint64_t *wall) {
  int any = 0;
  memset(wall, 0, (size_t)directions * sizeof *wall);
  for (int n = 0; n < HT_TILE_NODES; n++) {
    any |= links[n] != 1;
    for (int q = 0; q < directions; q++) wall[q] |= (uint64_t)((links[n] >> q) & 1) << n;
  }
  return any;
}

ht_status ht_cpu_build_walls(cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  int64_t tiles = tables->tiling->tiles;
  uint64_t wall[HT_Q_MOST];
  const int directions = tables->directions;
  int32_t slots = 0;
  HT_TRY(ht_alloc((void **)&state->wall_slot, (size_t)tiles, sizeof(int32_t), "the walls"));
  for (int64_t t = 0; t < tiles; t++)
    state->wall_slot[t] =
        tile_walls(tables->links + HT_TILE_NODES * t, directions, wall) ? slots++ : -1;
  HT_TRY(ht_alloc((void **)&state->wall, (size_t)slots * (size_t)directions, sizeof(uint64_t),
                  "the walls"));
  for (int64_t t = 0; t < tiles; t++) {
    if (state->wall_slot[t] >= 0)
      tile_walls(tables->links + HT_TILE_NODES * t, directions,
                 state->wall + (int64_t)directions * state->wall_slot[t]);
  }
  return HT_OK;
}

/* A row of 64 for each tile with nodes of a sponge; 1: none. */
ht_status ht_cpu_build_sponge(cpu_state *state) {
  const ht_lattice_tables *tables = state->tables;
  int64_t tiles = tables->tiling->tiles, rows = 0, last = -1;
  if (tables->sponge_nodes == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&state->sponge_slot, (size_t)tiles, sizeof(int32_t), "the sponge"));
  for (int64_t t = 0; t < tiles; t++) state->sponge_slot[t] = -1;
  for (int64_t i = 0; i < tables->sponge_nodes; i++) {
    int64_t tile = tables->sponge_node[i].node / HT_TILE_NODES;
    if (tile != last) state->sponge_slot[tile] = (int32_t)rows++;
    last = tile;
  }
  HT_TRY(
      ht_alloc((void **)&state->keep, (size_t)rows * HT_TILE_NODES, sizeof(float), "the sponge"));
  for (int64_t i = 0; i < rows * HT_TILE_NODES; i++) state->keep[i] = 1;
  for (int64_t i = 0; i < tables->sponge_nodes; i++) {
    const ht_sponge_node *sponge = &tables->sponge_node[i];
    int64_t row = state->sponge_slot[sponge->node / HT_TILE_NODES];
    state->keep[HT_TILE_NODES * row + sponge->node % HT_TILE_NODES] = sponge->keep;
  }
  return HT_OK;
}
