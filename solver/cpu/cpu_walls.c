#include "solver/cpu/cpu_walls.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/lattice/wall_links.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "the interpolated walls";

static size_t slip_size(const ht_lattice_tables *tables) {
  return tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
}

static ht_status allocate(const ht_lattice_tables *tables, ht_cpu_walls *walls) {
  size_t tiles = (size_t)tables->wall_tiles, links = (size_t)tables->wall_links;
  HT_TRY(ht_alloc((void **)&walls->slot, (size_t)tables->tiling->tiles, sizeof(int32_t), what));
  HT_TRY(ht_alloc((void **)&walls->tile, tiles, sizeof *walls->tile, what));
  HT_TRY(ht_alloc((void **)&walls->link, links, sizeof *walls->link, what));
  HT_TRY(ht_alloc((void **)&walls->weight, links, sizeof(float), what));
  HT_TRY(ht_alloc(&walls->slip, links, slip_size(tables), what));
  HT_TRY(ht_alloc((void **)&walls->rule, links + HT_CPU_RULES_AHEAD, sizeof *walls->rule, what));
  HT_TRY(ht_alloc((void **)&walls->given_last, tiles + 1, sizeof(double), what));
  HT_TRY(ht_alloc((void **)&walls->given_before, tiles + 1, sizeof(double), what));
  return ht_alloc((void **)&walls->given, tiles + 1, sizeof(double), what);
}

/* ---- links ---- */

static int64_t place_of_value(const ht_lattice_tables *tables, int64_t value) {
  const int a_tile = HT_TILE_VALUES(tables->directions), in_tile = (int)(value % a_tile);
  return ht_cpu_place(tables->directions, tables->tiling->tiles, value / a_tile, in_tile / 64,
                      in_tile % 64);
}

/* Returns the part and place of a value of the tile itself in a copy. */
static uint16_t part_of(int q, int local) {
  const ht_cpu_parts start = {0, 0, 0};
  const int z = local / HT_PLANE;
  const int part = ht_c[q][2] > 0 && z == HT_TILE_SIDE - 1 ? HT_CPU_UP
                   : ht_c[q][2] < 0 && z == 0              ? HT_CPU_DOWN
                                                           : HT_CPU_MAIN;
  return (uint16_t)(part << HT_CPU_PART | (int)(ht_cpu_plane(&start, q, z) + local % HT_PLANE));
}

static void fill_link(const ht_lattice_tables *tables, ht_cpu_walls *walls, int64_t i) {
  const ht_wall_link *link = &tables->wall_link[i];
  const int in_tile = (int)(link->slot % HT_TILE_VALUES(tables->directions));
  const int own = HT_CPU_OPPOSITE(in_tile);
  const uint16_t leaving = part_of(own / HT_TILE_NODES, own % HT_TILE_NODES);
  const int64_t near = link->near_leaving < 0 ? link->leaving : link->near_leaving;
  walls->link[i] = (ht_cpu_link){(uint16_t)own, link->weight < 0 ? leaving : (uint16_t)in_tile};
  walls->weight[i] = fabsf(link->weight);
  walls->rule[i] =
      (ht_cpu_slip_rule){.near_leaving = place_of_value(tables, near), .leaving = leaving};
  if (link->near_leaving < 0) return;
  walls->rule[i].here = ht_half_from_float_c(link->here);
  walls->rule[i].near = ht_half_from_float_c(link->near);
  walls->rule[i].across = ht_half_from_float_c(link->across);
}

static void fill_tile(const ht_lattice_tables *tables, ht_cpu_walls *walls, int64_t number) {
  const ht_wall_tile *from = &tables->wall_tile[number];
  ht_cpu_wall_tile *to = &walls->tile[number];
  to->first = from->first;
  to->links = from->links;
  to->nodes = from->nodes;
  to->part = 1.0 / from->sharing;
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    to->beside[k] = from->beside[k] < 0 ? (int32_t)tables->wall_tiles : from->beside[k];
  for (int64_t i = from->first; i < from->first + from->links; i++) fill_link(tables, walls, i);
}

static void fill(const ht_lattice_tables *tables, ht_cpu_walls *walls) {
  for (int64_t t = 0; t < tables->tiling->tiles; t++) walls->slot[t] = -1;
  for (int64_t i = 0; i < tables->wall_tiles; i++) {
    walls->slot[tables->wall_tile[i].tile] = (int32_t)i;
    fill_tile(tables, walls, i);
  }
}

/* ---- ports ---- */

/* The links of a node, into `to`; NULL: counts them. */
static int64_t list_node(const ht_cpu_walls *walls, int64_t node, ht_cpu_inner_link *to) {
  int32_t number = walls->slot[node >> 6];
  if (number < 0) return 0;
  const ht_cpu_wall_tile *tile = &walls->tile[number];
  int64_t count = 0;
  for (int64_t i = tile->first; i < tile->first + tile->links; i++) {
    const int own = walls->link[i].own;
    if (own % HT_TILE_NODES != node % HT_TILE_NODES) continue;
    if (to) to[count] = (ht_cpu_inner_link){i, own / HT_TILE_NODES};
    count++;
  }
  return count;
}

static ht_status list_ports(const ht_lattice_tables *tables, ht_cpu_walls *walls) {
  int64_t ports = tables->port_nodes, count = 0;
  HT_TRY(ht_alloc((void **)&walls->inner_first, (size_t)ports + 1, sizeof(int64_t), what));
  HT_TRY(ht_alloc((void **)&walls->inner_tile, (size_t)ports, sizeof(int32_t), what));
  for (int64_t p = 0; p < ports; p++) {
    int64_t inner = tables->port_node[p].inner;
    int32_t tile = walls->slot[inner >> 6];
    int shares = tile >= 0 && (walls->tile[tile].nodes >> (inner & 63)) & 1;
    walls->inner_tile[p] = shares ? tile : -1;
    count += list_node(walls, inner, NULL);
    walls->inner_first[p + 1] = count;
  }
  HT_TRY(ht_alloc((void **)&walls->inner, (size_t)count, sizeof *walls->inner, what));
  for (int64_t p = 0; p < ports; p++)
    list_node(walls, tables->port_node[p].inner, walls->inner + walls->inner_first[p]);
  return HT_OK;
}

ht_status ht_cpu_walls_build(const ht_lattice_tables *tables, ht_cpu_walls *walls) {
  memset(walls, 0, sizeof *walls);
  if (tables->wall_links == 0) return HT_OK;
  HT_TRY(allocate(tables, walls));
  fill(tables, walls);
  return list_ports(tables, walls);
}

void ht_cpu_walls_free(ht_cpu_walls *walls) {
  free(walls->slot);
  free(walls->tile);
  free(walls->link);
  free(walls->weight);
  free(walls->slip);
  free(walls->rule);
  free(walls->given_last);
  free(walls->given_before);
  free(walls->given);
  free(walls->inner_first);
  free(walls->inner);
  free(walls->inner_tile);
}

/* ---- steps ---- */

void ht_cpu_walls_begin(ht_cpu_walls *walls, int64_t step) {
  double *oldest = walls->given_before;
  walls->given_before = walls->given_last;
  walls->given_last = walls->given;
  walls->given = oldest;
  walls->follow = ht_slip_follows(step);
}

double ht_cpu_wall_slip(const ht_lattice_tables *tables, const ht_cpu_walls *walls, int64_t i) {
  return tables->precision == HT_FP64 ? ((const double *)walls->slip)[i]
                                      : (double)((const float *)walls->slip)[i];
}

void ht_cpu_walls_reach_port(const ht_lattice_tables *tables, const ht_cpu_walls *walls, int64_t p,
                             const double *left, double *inside) {
  if (!walls->slot) return;
  int32_t tile = walls->inner_tile[p];
  if (tile >= 0) inside[0] -= ht_wall_share(&tables->wall_tile[tile], walls->given_before);
  for (int64_t k = walls->inner_first[p]; k < walls->inner_first[p + 1]; k++) {
    const ht_cpu_inner_link *inner = &walls->inner[k];
    const ht_cpu_link *link = &walls->link[inner->link];
    double other =
        link->other >> HT_CPU_PART == HT_CPU_BLOCK ? inside[ht_opposite(inner->q)] : left[inner->q];
    inside[inner->q] += (double)walls->weight[inner->link] * (other - inside[inner->q]) +
                        ht_cpu_wall_slip(tables, walls, inner->link);
  }
}

int64_t ht_cpu_wall_link_bytes(const ht_lattice_tables *tables) {
  return (int64_t)(sizeof(ht_wall_link) + sizeof(ht_cpu_link) + sizeof(float) + slip_size(tables) +
                   sizeof(ht_cpu_slip_rule));
}
