#include "solver/lattice/backend.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>

double ht_inflow_share(int64_t step, int64_t ramp_steps) {
  if (step >= ramp_steps) return 1;
  return 0.5 * (1 - cos(HT_PI * (double)(step + 1) / (double)ramp_steps));
}

void ht_drive_fill(const ht_lattice_tables *tables, int64_t step, double *coefficient) {
  coefficient[0] = ht_inflow_share(step, tables->ramp_steps);
  if (tables->columns > 1) tables->drive(tables->drive_user, step, coefficient + 1);
}

static int64_t tile_of_place(const ht_lattice_tables *tables, ht_cross_kind kind, int64_t place) {
  if (kind == HT_CROSS_VALUES) return place / HT_TILE_VALUES(tables->directions);
  if (kind == HT_CROSS_MASS) return tables->wall_tile[place].tile;
  return place / (3 * HT_TILE_NODES);
}

void ht_border_mark(const ht_lattice_tables *tables, const ht_border *send, uint8_t *is_edge) {
  for (int s = 0; s < send->sections; s++) {
    const ht_border_section *section = &send->section[s];
    for (int64_t i = section->first; i < section->first + section->count; i++)
      is_edge[tile_of_place(tables, section->kind, send->place[i])] = 1;
  }
}

void ht_change_sum(const ht_backend_change *of_tile, int64_t tiles, ht_backend_change *change) {
  *change = (ht_backend_change){0, 0, 0};
  for (int64_t t = 0; t < tiles; t++) {
    change->difference2 += of_tile[t].difference2;
    change->speed2 += of_tile[t].speed2;
    if (!(of_tile[t].max_speed2 <= change->max_speed2) && !isnan(change->max_speed2))
      change->max_speed2 = of_tile[t].max_speed2;
  }
}

static int compare_node(const void *wanted, const void *port) {
  int64_t x = *(const int64_t *)wanted, y = ((const ht_port_node *)port)->node;
  return (x > y) - (x < y);
}

int64_t ht_find_port_node(const ht_lattice_tables *tables, int64_t node) {
  const ht_port_node *found = tables->port_nodes == 0
                                  ? NULL
                                  : bsearch(&node, tables->port_node, (size_t)tables->port_nodes,
                                            sizeof *found, compare_node);
  return found ? found - tables->port_node : -1;
}

int64_t ht_node_along(const ht_lattice_tables *tables, int64_t node, int axis, int distance) {
  static const int step[3] = {1, 3, 9};
  const int place = 2 * axis, mask = (HT_TILE_SIDE - 1) << place;
  int64_t tile = node / HT_TILE_NODES;
  int local = (int)(node % HT_TILE_NODES), at = ((local & mask) >> place) + distance;
  int beside = at < 0 ? -1 : at >= HT_TILE_SIDE;
  tile =
      tables->neighbour[HT_TILE_NEIGHBOURS * tile + HT_TILE_NEIGHBOURS / 2 + beside * step[axis]];
  local = (local & ~mask) | ((at - HT_TILE_SIDE * beside) << place);
  return tile >= 0 && ((tables->tiling->inside[tile] >> local) & 1) ? HT_TILE_NODES * tile + local
                                                                    : -1;
}
