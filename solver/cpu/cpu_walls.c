#include "cpu_walls.h"
#include "cpu_layout.h"
#include "wall_links.h"
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
  HT_TRY(ht_alloc((void **)&walls->weight, links + HT_PLANE, sizeof(float), what));
  HT_TRY(ht_alloc(&walls->slip, links + HT_PLANE, slip_size(tables), what));
  HT_TRY(ht_alloc((void **)&walls->near_leaving, links, sizeof(int64_t), what));
  HT_TRY(ht_alloc((void **)&walls->rule, links, sizeof *walls->rule, what));
  HT_TRY(ht_alloc((void **)&walls->given_last, tiles + 1, sizeof(double), what));
  return ht_alloc((void **)&walls->given, tiles + 1, sizeof(double), what);
}

/* ---- links ---- */

static int64_t place_of_value(const ht_lattice_tables *tables, int64_t value) {
  const int a_tile = HT_TILE_VALUES(tables->directions), in_tile = (int)(value % a_tile);
  return ht_cpu_place(tables->directions, tables->tiling->tiles, value / a_tile, in_tile / 64,
                      in_tile % 64);
}

static ht_cpu_plane_place place_plane(int q, int z) {
  const ht_cpu_parts start = {0, 0, 0};
  const int up = ht_c[q][2] > 0 && z == HT_TILE_SIDE - 1, down = ht_c[q][2] < 0 && z == 0;
  return (ht_cpu_plane_place){up ? 1 : down ? 2 : 0, (int32_t)ht_cpu_plane(&start, q, z)};
}

static void place_planes(int directions, ht_cpu_wall_plane *at) {
  for (int p = 1; p < directions; p++) {
    const int q = ht_opposite(p);
    for (int z = 0; z < HT_TILE_SIDE; z++)
      *at++ =
          (ht_cpu_wall_plane){place_plane(p, z), place_plane(q, z),
                              HT_TILE_NODES * q + HT_PLANE * z, HT_TILE_NODES * p + HT_PLANE * z};
  }
}

/* Bit n: bit q of the links of node n of plane z. */
static uint16_t plane_bits(const ht_lattice_tables *tables, int64_t tile, int q, int z) {
  const uint32_t *links = tables->links + HT_TILE_NODES * tile + HT_PLANE * z;
  uint32_t bits = 0;
  for (int n = 0; n < HT_PLANE; n++) bits |= ((links[n] >> q) & 1) << n;
  return (uint16_t)bits;
}

/* The planes with walls of a tile, and an end; `to` NULL: counts them. Planes without a fluid node
 * are not stepped. */
static int64_t list_planes(const ht_lattice_tables *tables, const ht_wall_tile *tile,
                           ht_cpu_plane_walls *to) {
  const ht_wall_link *link = tables->wall_link + tile->first, *end = link + tile->links;
  const int64_t own = HT_TILE_VALUES(tables->directions) * tile->tile + HT_TILE_NODES;
  int64_t count = 0;
  for (int number = 0; number < 4 * (tables->directions - 1); number++) {
    const int z = number % 4;
    uint16_t fluid = plane_bits(tables, tile->tile, 0, z), links = 0;
    uint16_t walls = plane_bits(tables, tile->tile, ht_opposite(1 + number / 4), z);
    for (; link < end && (link->slot - own) / HT_PLANE == number; link++)
      links |= (uint16_t)(1u << link->slot % HT_PLANE);
    if (!fluid || !walls) continue;
    if (to) to[count] = (ht_cpu_plane_walls){(uint16_t)number, walls, links, walls & fluid};
    count++;
  }
  return count + 1;
}

static void fill_link(const ht_lattice_tables *tables, ht_cpu_walls *walls, int64_t i) {
  const ht_wall_link *link = &tables->wall_link[i];
  walls->weight[i] = link->weight;
  walls->near_leaving[i] =
      place_of_value(tables, link->near_leaving < 0 ? link->leaving : link->near_leaving);
  if (link->near_leaving >= 0)
    walls->rule[i] = (ht_cpu_slip_rule){link->here, link->near, link->across};
}

static void fill_tile(const ht_lattice_tables *tables, ht_cpu_walls *walls, int64_t number) {
  const ht_wall_tile *from = &tables->wall_tile[number];
  ht_cpu_wall_tile *to = &walls->tile[number];
  to->first = from->first;
  to->nodes = from->nodes;
  to->part = 1.0 / from->sharing;
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    to->beside[k] = from->beside[k] < 0 ? (int32_t)tables->wall_tiles : from->beside[k];
  for (int64_t i = from->first; i < from->first + from->links; i++) fill_link(tables, walls, i);
  list_planes(tables, from, walls->plane + to->first_plane);
}

static ht_status fill(const ht_lattice_tables *tables, ht_cpu_walls *walls) {
  int64_t planes = 0;
  for (int64_t t = 0; t < tables->tiling->tiles; t++) walls->slot[t] = -1;
  for (int64_t i = 0; i < tables->wall_tiles; i++) {
    walls->slot[tables->wall_tile[i].tile] = (int32_t)i;
    walls->tile[i].first_plane = planes;
    planes += list_planes(tables, &tables->wall_tile[i], NULL);
  }
  HT_TRY(ht_alloc((void **)&walls->plane, (size_t)planes, sizeof *walls->plane, what));
  for (int64_t i = 0; i < tables->wall_tiles; i++) fill_tile(tables, walls, i);
  place_planes(tables->directions, walls->at);
  return HT_OK;
}

/* ---- ports ---- */

/* The links of a node, into `to`; NULL: counts them. */
static int64_t list_node(const ht_cpu_walls *walls, int64_t node, ht_cpu_inner_link *to) {
  const int32_t tile = walls->slot[node >> 6];
  const int z = (int)(node & 63) / HT_PLANE;
  const uint32_t bit = 1u << (node & 15);
  if (tile < 0) return 0;
  int64_t count = 0, link = walls->tile[tile].first;
  for (const ht_cpu_plane_walls *plane = walls->plane + walls->tile[tile].first_plane; plane->walls;
       plane++) {
    if (plane->number % 4 == z && plane->links & bit) {
      int64_t number = link + __builtin_popcount(plane->links & (bit - 1));
      if (to) to[count] = (ht_cpu_inner_link){number, ht_opposite(1 + plane->number / 4)};
      count++;
    }
    link += __builtin_popcount(plane->links);
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
  HT_TRY(fill(tables, walls));
  return list_ports(tables, walls);
}

void ht_cpu_walls_free(ht_cpu_walls *walls) {
  free(walls->slot);
  free(walls->tile);
  free(walls->plane);
  free(walls->weight);
  free(walls->slip);
  free(walls->near_leaving);
  free(walls->rule);
  free(walls->given_last);
  free(walls->given);
  free(walls->inner_first);
  free(walls->inner);
  free(walls->inner_tile);
}

/* ---- steps ---- */

void ht_cpu_walls_begin(ht_cpu_walls *walls, int64_t step) {
  double *last = walls->given;
  walls->given = walls->given_last;
  walls->given_last = last;
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
  if (tile >= 0) inside[0] -= ht_wall_share(&tables->wall_tile[tile], walls->given_last);
  for (int64_t k = walls->inner_first[p]; k < walls->inner_first[p + 1]; k++) {
    const ht_cpu_inner_link *inner = &walls->inner[k];
    double weight = walls->weight[inner->link];
    double other = weight < 0 ? left[inner->q] : inside[ht_opposite(inner->q)];
    inside[inner->q] +=
        fabs(weight) * (other - inside[inner->q]) + ht_cpu_wall_slip(tables, walls, inner->link);
  }
}

int64_t ht_cpu_wall_link_bytes(const ht_lattice_tables *tables) {
  return (int64_t)(sizeof(ht_wall_link) + sizeof(float) + slip_size(tables) + sizeof(int64_t) +
                   sizeof(ht_cpu_slip_rule));
}
