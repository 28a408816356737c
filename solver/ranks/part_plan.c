/* Assigns tiles to ranks. */
#include "solver/ranks/part_tables.h"
#include "tiling/tile_parts.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the parts of the ranks";

/* Cost of a step on one core, as measured (docs/notes/speed/ranks.md), in 64ths of a tile's: of a
 * tile, which is moved as a whole whatever is fluid of it; of an interpolated link; of a port's
 * node, which has no vector instructions. */
static const double cost_of_tile = 64, cost_of_link = 0.5, cost_of_port = 56;
static const double gpu_cost_of_link = 0.1, gpu_cost_of_port = 2;
enum { gpu_whole_tile = 48 };

/* Returns the cost of a tile on a GPU, in nodes: tiles with much fluid are stepped as a whole, the
 * nodes of the others are packed (blocks.h). */
static double gpu_cost_of_tile(uint64_t inside) {
  const int nodes = __builtin_popcountll(inside);
  return nodes >= gpu_whole_tile ? HT_TILE_NODES : nodes;
}

static int32_t root_of(int32_t *with, int32_t tile) {
  while (with[tile] != tile) tile = with[tile] = with[with[tile]];
  return tile;
}

/* A port's condition reads the node inside of it with its walls: both are in one part. */
static void keep_ports_whole(const ht_lattice_tables *whole, int32_t *with) {
  for (int64_t t = 0; t < whole->tiling->tiles; t++) with[t] = (int32_t)t;
  for (int64_t i = 0; i < whole->port_nodes; i++) {
    int32_t own = root_of(with, (int32_t)(whole->port_node[i].node / HT_TILE_NODES));
    int32_t inner = root_of(with, (int32_t)(whole->port_node[i].inner / HT_TILE_NODES));
    if (own < inner)
      with[inner] = own;
    else
      with[own] = inner;
  }
  for (int64_t t = 0; t < whole->tiling->tiles; t++) with[t] = root_of(with, (int32_t)t);
}

void ht_part_weigh(const ht_lattice_tables *whole, double *cost) {
  const double of_link = whole->on_gpu ? gpu_cost_of_link : cost_of_link;
  const double of_port = whole->on_gpu ? gpu_cost_of_port : cost_of_port;
  for (int64_t t = 0; t < whole->tiling->tiles; t++)
    cost[t] = whole->on_gpu ? gpu_cost_of_tile(whole->tiling->inside[t]) : cost_of_tile;
  for (int64_t i = 0; i < whole->wall_tiles; i++)
    cost[whole->wall_tile[i].tile] += of_link * (double)whole->wall_tile[i].links;
  for (int64_t i = 0; i < whole->port_nodes; i++)
    cost[whole->port_node[i].node / HT_TILE_NODES] += of_port;
}

static void number_tiles(ht_part_plan *plan, int64_t *next) {
  for (int64_t t = 0; t < plan->whole->tiling->tiles; t++)
    plan->local[t] = (int32_t)next[plan->part[t]]++;
}

ht_status ht_part_plan_make(const ht_lattice_tables *whole, int parts, ht_part_plan *plan) {
  const size_t tiles = (size_t)whole->tiling->tiles;
  int32_t *with = NULL;
  double *cost = NULL;
  int64_t *next = NULL;
  ht_status status = HT_OK;
  *plan = (ht_part_plan){.whole = whole, .parts = parts};
  HT_TRY_DONE(ht_alloc((void **)&plan->part, tiles, sizeof(int32_t), what));
  HT_TRY_DONE(ht_alloc((void **)&plan->local, tiles, sizeof(int32_t), what));
  HT_TRY_DONE(ht_alloc((void **)&with, tiles, sizeof *with, what));
  HT_TRY_DONE(ht_alloc((void **)&cost, tiles, sizeof *cost, what));
  HT_TRY_DONE(ht_alloc((void **)&next, (size_t)parts, sizeof *next, what));
  keep_ports_whole(whole, with);
  ht_part_weigh(whole, cost);
  HT_TRY_DONE(ht_tile_parts_cut(whole->tiling, cost, with, parts, plan->part));
  number_tiles(plan, next);
done:
  free(with);
  free(cost);
  free(next);
  if (status != HT_OK) ht_part_plan_free(plan);
  return status;
}

void ht_part_plan_free(ht_part_plan *plan) {
  free(plan->part);
  free(plan->local);
  *plan = (ht_part_plan){.parts = 0};
}
