#include "bench/papers/plane/plane_tables.h"
#include "bench/papers/plane/d2q9.h"
#include <stdlib.h>
#include <string.h>

/* ---- checks ---- */

static ht_status check_setup(const ht_plane_setup *setup) {
  const int side[2] = {setup->nx, setup->ny};
  if (setup->nx < 1 || setup->ny < 1 || !setup->mask)
    return ht_fail(HT_ERR_USAGE, "the mask is %d x %d nodes; it needs at least one each way",
                   setup->nx, setup->ny);
  if (!(setup->tau > 0.5))
    return ht_fail(HT_ERR_UNSTABLE, "the relaxation time is %g; it has to be above 0.5",
                   setup->tau);
  for (int a = 0; a < 2; a++)
    if (setup->periodic[a] && side[a] % HT_PLANE_SIDE)
      return ht_fail(HT_ERR_USAGE,
                     "the box is %d nodes long along %c: a periodic axis needs a multiple of %d",
                     side[a], 'x' + a, HT_PLANE_SIDE);
  return HT_OK;
}

/* ---- tiles ---- */

static int is_fluid(const ht_plane_setup *setup, int x, int y) {
  if (setup->periodic[0]) x = (x + setup->nx) % setup->nx;
  if (setup->periodic[1]) y = (y + setup->ny) % setup->ny;
  if (x < 0 || y < 0 || x >= setup->nx || y >= setup->ny) return 0;
  return setup->mask[x + (int64_t)setup->nx * y] != 0;
}

int64_t ht_plane_find(const ht_plane_map *map, int x, int y) {
  if (x < 0 || y < 0 || x >= map->nx || y >= map->ny) return -1;
  int64_t tile = map->tile_of[x / 16 + (int64_t)map->tiles_x * (y / 16)];
  return tile < 0 ? -1 : tile * HT_PLANE_NODES + x % 16 + 16 * (y % 16);
}

static ht_status build_map(const ht_plane_setup *setup, ht_plane_map *map,
                           ht_plane_tables *tables) {
  *map = (ht_plane_map){.nx = setup->nx,
                        .ny = setup->ny,
                        .tiles_x = (setup->nx + 15) / 16,
                        .tiles_y = (setup->ny + 15) / 16};
  size_t places = (size_t)map->tiles_x * (size_t)map->tiles_y;
  HT_TRY(ht_alloc((void **)&map->tile_of, places, sizeof(int32_t), "the tiles"));
  for (int y = 0; y < setup->ny; y++)
    for (int x = 0; x < setup->nx; x++)
      if (is_fluid(setup, x, y)) map->tile_of[x / 16 + (int64_t)map->tiles_x * (y / 16)] = 1;
  for (size_t i = 0; i < places; i++)
    map->tile_of[i] = map->tile_of[i] ? (int32_t)tables->tiles++ : -1;
  if (tables->tiles == 0) return ht_fail(HT_ERR_USAGE, "the mask has no fluid node");
  return HT_OK;
}

/* Wraps a tile's place along one axis where that is periodic; -1: outside. */
static int wrap(int place, int count, int periodic) {
  if (periodic) return (place + count) % count;
  return place < count ? place : -1;
}

static void fill_neighbours(const ht_plane_setup *setup, const ht_plane_map *map,
                            int32_t *neighbour, int tx, int ty) {
  for (int s = 0; s < HT_PLANE_NEIGHBOURS; s++) {
    int x = wrap(tx + s % 3 - 1, map->tiles_x, setup->periodic[0]);
    int y = wrap(ty + s / 3 - 1, map->tiles_y, setup->periodic[1]);
    neighbour[s] = x < 0 || y < 0 ? -1 : map->tile_of[x + (int64_t)map->tiles_x * y];
  }
}

static uint16_t node_links(const ht_plane_setup *setup, int x, int y) {
  int links = 1;
  if (x >= setup->nx || y >= setup->ny || !is_fluid(setup, x, y)) return HT_PLANE_WALLS;
  for (int q = 1; q < HT_D2Q9_Q; q++)
    if (!is_fluid(setup, x - ht_d2q9_c[q][0], y - ht_d2q9_c[q][1])) links |= 1 << q;
  return (uint16_t)links;
}

static void fill_tile(const ht_plane_setup *setup, const ht_plane_map *map, ht_plane_tables *tables,
                      int tx, int ty) {
  int32_t tile = map->tile_of[tx + (int64_t)map->tiles_x * ty];
  if (tile < 0) return;
  uint16_t *links = tables->links + (int64_t)HT_PLANE_NODES * tile;
  fill_neighbours(setup, map, tables->neighbour + (int64_t)HT_PLANE_NEIGHBOURS * tile, tx, ty);
  for (int n = 0; n < HT_PLANE_NODES; n++) {
    links[n] = node_links(setup, 16 * tx + n % 16, 16 * ty + n / 16);
    tables->walled[tile] |= links[n] != 1;
  }
}

static ht_status build_tiles(const ht_plane_setup *setup, const ht_plane_map *map,
                             ht_plane_tables *tables) {
  size_t tiles = (size_t)tables->tiles;
  HT_TRY(ht_alloc((void **)&tables->neighbour, tiles * HT_PLANE_NEIGHBOURS, sizeof(int32_t),
                  "the neighbours"));
  HT_TRY(ht_alloc((void **)&tables->walled, tiles, 1, "the walls"));
  HT_TRY(ht_alloc((void **)&tables->links, tiles * HT_PLANE_NODES, sizeof(uint16_t), "the walls"));
#pragma omp parallel for schedule(static)
  for (int ty = 0; ty < map->tiles_y; ty++)
    for (int tx = 0; tx < map->tiles_x; tx++) fill_tile(setup, map, tables, tx, ty);
  return HT_OK;
}

/* ---- ports ---- */

/* Tells whether direction q comes over the edge between the wall on `axis` and an adjacent wall:
 * that link belongs to the wall at rest (see mark_moving() in port_tables.c). */
static int is_over_edge(uint16_t links, int q, int axis) {
  int edge = 0;
  for (int other = 1; other < HT_D2Q9_Q; other++)
    edge |= ht_d2q9_c[other][axis] == 0 && ht_d2q9_c[other][1 - axis] == ht_d2q9_c[q][1 - axis] &&
            ((links >> other) & 1);
  return edge;
}

static void set_push(ht_plane_port_node *made, uint16_t links, const ht_plane_port *port,
                     const double *velocity) {
  for (int q = 1; q < HT_D2Q9_Q; q++)
    if (((links >> q) & 1) && ht_d2q9_c[q][port->axis] * port->inward > 0 &&
        !is_over_edge(links, q, port->axis))
      made->push[q] = (q < 5 ? 6.0 / 9 : 6.0 / 36) *
                      (ht_d2q9_c[q][0] * velocity[0] + ht_d2q9_c[q][1] * velocity[1]);
}

static ht_status make_port_node(const ht_plane_setup *setup, const ht_plane_map *map,
                                const ht_plane_tables *tables, int number, int64_t i,
                                ht_plane_port_node *made) {
  const ht_plane_port *port = &setup->port[number];
  const double *velocity = port->profile_lu ? port->profile_lu + 2 * i : port->velocity_lu;
  int64_t at = port->node[i], size = (int64_t)setup->nx * setup->ny;
  int x = (int)(at % setup->nx), y = (int)(at / setup->nx);
  *made = (ht_plane_port_node){.node = at < 0 || at >= size ? -1 : ht_plane_find(map, x, y),
                               .inside = -1};
  if (made->node < 0 || !is_fluid(setup, x, y))
    return ht_fail(HT_ERR_USAGE, "port %d: its node %lld is not a fluid node of the mask", number,
                   (long long)at);
  if (is_fluid(setup, x - (port->axis ? 0 : port->inward), y - (port->axis ? port->inward : 0)))
    return ht_fail(HT_ERR_USAGE,
                   "port %d: there is fluid outside of its node (%d, %d); it has to be at the edge "
                   "of the fluid, which lies inward (%c%d)",
                   number, x, y, 'x' + port->axis, port->inward);
  if (port->kind == HT_PORT_MOVING_WALL) {
    set_push(made, tables->links[made->node], port, velocity);
    return HT_OK;
  }
  made->inward[port->axis] = (int8_t)port->inward;
  made->density = port->kind == HT_PORT_PRESSURE ? port->density_lu : 0;
  made->has_density = port->kind == HT_PORT_PRESSURE;
  made->has_velocity = port->kind == HT_PORT_VELOCITY;
  for (int a = 0; a < 2; a++) made->velocity[a] = velocity[a];
  return HT_OK;
}

static int by_node(const void *a, const void *b) {
  const ht_plane_port_node *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

/* Merges two entries of one node; 0: both have a port along the same axis. */
static int merge(ht_plane_port_node *port, const ht_plane_port_node *more) {
  for (int a = 0; a < 2; a++) {
    if (port->inward[a] && more->inward[a]) return 0;
    if (more->inward[a]) port->inward[a] = more->inward[a];
  }
  for (int q = 0; q < 9; q++)
    if (more->push[q] != 0) port->push[q] = more->push[q];
  if (more->has_density && !port->has_density) port->density = more->density;
  if ((more->has_velocity && !port->has_velocity) || (!port->has_density && !port->has_velocity))
    memcpy(port->velocity, more->velocity, sizeof port->velocity);
  port->has_density |= more->has_density;
  port->has_velocity |= more->has_velocity;
  return 1;
}

static ht_status merge_ports(ht_plane_tables *tables) {
  ht_plane_port_node *port = tables->port_node;
  int64_t kept = 0;
  qsort(port, (size_t)tables->port_nodes, sizeof *port, by_node);
  for (int64_t i = 0; i < tables->port_nodes; i++) {
    if (kept == 0 || port[kept - 1].node != port[i].node)
      port[kept++] = port[i];
    else if (!merge(&port[kept - 1], &port[i]))
      return ht_fail(HT_ERR_USAGE,
                     "a node belongs to two ports along one axis; each axis of a node can have one "
                     "(a channel between two ports needs at least two nodes)");
    tables->links[port[i].node] |= HT_PLANE_IS_PORT;
  }
  tables->port_nodes = kept;
  return HT_OK;
}

/* Returns the neighbour of a node of its tile along (dx, dy); -1: no fluid there. */
static int64_t beside(const ht_plane_tables *tables, int64_t node, int dx, int dy) {
  int64_t tile = node / HT_PLANE_NODES;
  int local = (int)(node % HT_PLANE_NODES), x = local % 16 + dx, y = local / 16 + dy;
  int64_t there =
      tables->neighbour[HT_PLANE_NEIGHBOURS * tile + (1 + (x >> 4)) + 3 * (1 + (y >> 4))];
  if (there < 0) return -1;
  there = there * HT_PLANE_NODES + (x & 15) + 16 * (y & 15);
  return tables->links[there] & 1 ? there : -1;
}

static ht_status find_insides(ht_plane_tables *tables) {
  for (int64_t p = 0; p < tables->port_nodes; p++) {
    ht_plane_port_node *port = &tables->port_node[p];
    if (!port->inward[0] || !port->inward[1]) continue;
    port->inside = beside(tables, port->node, port->inward[0], port->inward[1]);
    if (port->inside < 0 || tables->links[port->inside] & HT_PLANE_IS_PORT)
      return ht_fail(HT_ERR_USAGE,
                     "a corner of two ports has no fluid node diagonally inside that is free of "
                     "ports; use a box of at least three nodes each way");
  }
  return HT_OK;
}

static ht_status build_ports(const ht_plane_setup *setup, const ht_plane_map *map,
                             ht_plane_tables *tables) {
  int64_t nodes = 0;
  for (int p = 0; p < setup->ports; p++) nodes += setup->port[p].nodes;
  HT_TRY(ht_alloc((void **)&tables->port_node, (size_t)nodes, sizeof(ht_plane_port_node),
                  "the ports"));
  for (int p = 0; p < setup->ports; p++) {
    int axis = setup->port[p].axis, inward = setup->port[p].inward;
    if ((axis != 0 && axis != 1) || (inward != 1 && inward != -1))
      return ht_fail(HT_ERR_USAGE, "port %d: axis %d and inward %d; axis is 0 or 1, inward 1 or -1",
                     p, axis, inward);
    for (int64_t i = 0; i < setup->port[p].nodes; i++)
      HT_TRY(make_port_node(setup, map, tables, p, i, &tables->port_node[tables->port_nodes++]));
  }
  HT_TRY(merge_ports(tables));
  return find_insides(tables);
}

ht_status ht_plane_build(const ht_plane_setup *setup, ht_plane_map *map, ht_plane_tables *tables) {
  HT_TRY(check_setup(setup));
  tables->omega = 1 / setup->tau;
  tables->precision = setup->precision;
  tables->model = HT_MODEL(setup->collision, setup->compressibility);
  tables->threads = setup->threads;
  tables->ramp_steps = setup->ramp_steps;
  HT_TRY(build_map(setup, map, tables));
  HT_TRY(build_tiles(setup, map, tables));
  return build_ports(setup, map, tables);
}
