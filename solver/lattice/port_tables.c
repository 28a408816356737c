/* The nodes of ports: their prescribed values and their neighbours. */
#include "solver/lattice/port_tables.h"
#include "solver/kernels/directions.h"
#include <stdlib.h>
#include <string.h>

static int by_node(const void *a, const void *b) {
  const ht_port_node *x = a, *y = b;
  if (x->node != y->node) return (x->node > y->node) - (x->node < y->node);
  return (x->port > y->port) - (x->port < y->port);
}

/* The coefficients of a port without modes are the first column. */
static ht_status count_columns(ht_lattice_tables *tables, const ht_lattice_setup *setup) {
  tables->columns = 1;
  tables->drive = setup->drive;
  tables->drive_user = setup->drive_user;
  for (int p = 0; p < setup->ports; p++) {
    const ht_lattice_port *port = &setup->port[p];
    int single = port->kind != HT_PORT_VELOCITY || port->velocity_lu;
    if (port->modes > 0 && !setup->drive)
      return ht_fail(HT_ERR_USAGE, "port %d has modes and there is no drive for them", p);
    if (port->modes < 0 || (single && port->modes > 1))
      return ht_fail(HT_ERR_USAGE, "port %d has %d modes; %s", p, port->modes,
                     single ? "it can have one at most" : "it cannot have fewer than 0");
    tables->columns += port->modes;
    if (port->modes > 1) tables->shapes += HT_MODE_VALUES * (port->modes - 1) * port->nodes;
  }
  return ht_alloc((void **)&tables->shape, (size_t)tables->shapes, sizeof(double), "the ports");
}

static ht_port_node port_node(const ht_lattice_port *port, int64_t node, int64_t i) {
  ht_port_node made = {.node = node,
                       .axis = (int8_t)port->axis,
                       .inward = (int8_t)port->inward,
                       .kind = (int8_t)port->kind,
                       .keep = 1};
  for (int a = 0; a < 3; a++) made.wall_velocity[a] = (float)port->wall_lu[a];
  made.value = 1;
  if (port->kind == HT_PORT_MOVING_WALL) return made;
  made.plane[port->axis] = (signed char)port->inward;
  made.has_density = port->kind == HT_PORT_PRESSURE;
  made.is_total = made.has_density && port->is_total;
  made.density = made.has_density ? port->density_lu : 0;
  const double *velocity = made.has_density ? NULL : port->velocity_lu;
  made.value = made.has_density ? 0 : velocity ? 1 : port->speed_lu[i];
  for (int a = 0; a < 3; a++)
    made.along[a] = velocity ? velocity[3 * i + a]
                             : port->direction[a] / (port->direction[port->axis] * port->inward);
  return made;
}

/* Drives a node. `column`: of the port's first coefficient; `shape`: of its second mode. */
static void drive_node(const ht_lattice_port *port, int64_t i, int column, int64_t shape,
                       ht_port_node *node) {
  node->modes = port->modes;
  if (port->modes == 0) return;
  node->column = node->density_column = column;
  node->shape = shape + HT_MODE_VALUES * i;
  node->shape_step = HT_MODE_VALUES * port->nodes;
}

static ht_status add_port(ht_lattice_tables *tables, const ht_lattice_setup *setup, int number,
                          const int32_t *tile_of) {
  const ht_lattice_port *port = &setup->port[number];
  int column = 1;
  int64_t shape = 0;
  for (int p = 0; p < number; p++) {
    column += setup->port[p].modes;
    if (setup->port[p].modes > 1)
      shape += HT_MODE_VALUES * (setup->port[p].modes - 1) * setup->port[p].nodes;
  }
  if (port->modes > 1)
    for (int64_t i = 0; i < (port->modes - 1) * port->nodes; i++)
      tables->shape[shape + HT_MODE_VALUES * i] = port->speed_lu[port->nodes + i];
  for (int64_t i = 0; i < port->nodes; i++) {
    int64_t tile;
    int voxel[3], local;
    ht_voxel_place(tables->tiling->dim, port->voxel[i], voxel);
    ht_tiling_find(tables->tiling, tile_of, voxel, &tile, &local);
    if (tile < 0 || !((tables->tiling->inside[tile] >> local) & 1))
      return ht_fail(HT_ERR_INTERNAL, "a port node at voxel %d %d %d is not fluid", voxel[0],
                     voxel[1], voxel[2]);
    ht_port_node *made = &tables->port_node[tables->port_nodes++];
    *made = port_node(port, HT_TILE_NODES * tile + local, i);
    made->bounces = HT_MODEL_COLLISION(tables->model) == HT_CUMULANT &&
                    port->kind == HT_PORT_VELOCITY && !port->velocity_lu;
    made->port = number;
    drive_node(port, i, column, shape, made);
  }
  return HT_OK;
}

/* ---- nodes of several planes ---- */

static ht_status driven_apart(const ht_port_node *edge, const ht_port_node *other) {
  return ht_fail(HT_ERR_USAGE,
                 "ports %d and %d meet in a node, which has one velocity and one density of one "
                 "coefficient each; drive them alike, or leave 2 nodes of wall between them",
                 edge->port, other->port);
}

/* Takes the drive of another node at the edge. `velocities`, `densities`: taken so far. */
static ht_status take_drive(ht_port_node *edge, const ht_port_node *other, int velocities,
                            int densities) {
  if (other->kind == HT_PORT_VELOCITY) {
    if (other->modes > 1 || (velocities > 0 && other->column != edge->column))
      return driven_apart(edge, other);
    edge->column = other->column;
    edge->modes = other->modes;
  }
  if (other->has_density) {
    if (densities > 0 && other->density_column != edge->density_column)
      return driven_apart(edge, other);
    edge->density_column = other->density_column;
  }
  return HT_OK;
}

static void take_velocity(ht_port_node *edge, const ht_port_node *other, double weight) {
  for (int a = 0; a < 3; a++)
    edge->along[a] =
        (1 - weight) * edge->value * edge->along[a] + weight * other->value * other->along[a];
  edge->value = 1;
}

/* Merges the [count] port nodes at one node into one; `velocities` and `densities` count the planes
 * of each kind, for the means. */
static ht_status merge(const ht_port_node *all, int64_t count, ht_port_node *edge) {
  int velocities = 0, densities = 0;
  const ht_port_node *first = all;
  while (first < all + count - 1 && first->kind == HT_PORT_MOVING_WALL) first++;
  *edge = *first;
  if (count > 1 && first->kind == HT_PORT_MOVING_WALL)
    return ht_fail(HT_ERR_USAGE, "a node is next to two moving walls; one is allowed");
  for (const ht_port_node *p = first; p < all + count; p++) {
    if (p->kind == HT_PORT_MOVING_WALL) continue;
    if (edge->plane[p->axis] == -p->inward)
      return ht_fail(HT_ERR_USAGE, "a node is on two ports that face each other; keep at least 3 "
                                   "nodes between them");
    edge->plane[p->axis] = (signed char)p->inward;
    edge->is_edge |= p->axis != first->axis;
    HT_TRY(take_drive(edge, p, velocities, densities));
    if (p->kind == HT_PORT_VELOCITY) take_velocity(edge, p, 1.0 / ++velocities);
    if (p->has_density) edge->density += (p->density - edge->density) / ++densities;
  }
  edge->has_density = densities > 0;
  edge->bounces = 0;
  edge->is_total = 0;
  if (velocities > 0) edge->kind = HT_PORT_VELOCITY;
  return HT_OK;
}

static ht_status merge_ports(ht_lattice_tables *tables) {
  int64_t kept = 0;
  ht_port_node *node = tables->port_node, edge;
  for (int64_t p = 0, next; p < tables->port_nodes; p = next) {
    for (next = p + 1; next < tables->port_nodes && node[next].node == node[p].node;) next++;
    edge = node[p];
    if (next - p > 1) HT_TRY(merge(node + p, next - p, &edge));
    node[kept++] = edge;
  }
  tables->port_nodes = kept;
  return HT_OK;
}

/* ---- the surroundings of a port's node ---- */

/* Tells whether direction q comes over the edge between the wall on `axis` and an adjacent wall. */
static int is_over_edge(uint32_t links, int directions, int q, int axis) {
  int edge = 0;
  for (int other = 1; other < directions; other++) {
    int along = ht_c[other][axis] == 0;
    for (int a = 0; a < 3; a++) along &= a == axis || ht_c[other][a] == ht_c[q][a];
    edge |= along && ((links >> other) & 1);
  }
  return edge;
}

/* A link over an edge belongs to the wall at rest. The term of a moving wall carries momentum and
 * no mass, but the velocity of a node counts the bounced values as if they moved along, one sixth
 * of the wall's speed a row. With the edge at rest that flow begins and ends at the edges, as it
 * must. With the edge moving, a cavity would have an unbalanced flow of U/6 across its middle, an
 * error of first order (test_cavity). */
static void mark_moving(const ht_lattice_tables *tables, ht_port_node *port) {
  uint32_t links = tables->links[port->node];
  for (int q = 1; q < tables->directions; q++)
    if (ht_c[q][port->axis] * port->inward > 0 &&
        !is_over_edge(links, tables->directions, q, port->axis))
      port->moving_links |= links & (1u << q);
  port->inner = port->node;
}

/* The node that is `step` away, -1 where it is not fluid. */
static int64_t fluid_beside(const ht_lattice_tables *tables, int64_t node,
                            const signed char step[3]) {
  int slot, there;
  ht_node_beside((int)(node & 63), step[0], step[1], step[2], &slot, &there);
  int64_t tile = tables->neighbour[HT_TILE_NEIGHBOURS * (node >> 6) + slot];
  if (tile < 0 || !(tables->links[HT_TILE_NODES * tile + there] & 1)) return -1;
  return HT_TILE_NODES * tile + there;
}

static int is_port(const ht_lattice_tables *tables, int64_t node) {
  int64_t p = ht_find_port_node(tables, node);
  return p >= 0 && tables->port_node[p].kind != HT_PORT_MOVING_WALL;
}

static int64_t port_beside(const ht_lattice_tables *tables, const ht_port_node *port,
                           const signed char step[3]) {
  int64_t there = fluid_beside(tables, port->node, step);
  int64_t p = there < 0 ? -1 : ht_find_port_node(tables, there);
  return p >= 0 && tables->port_node[p].port == port->port ? p : -1;
}

/* Returns the place of mode m of a port's node. */
static double *mode_of(const ht_lattice_tables *tables, ht_port_node *port, int m) {
  return m == 0 ? &port->value : &tables->shape[port->shape + (m - 1) * port->shape_step];
}

/* Value of mode m at the adjacent node of the port; -own where that is the wall; own where several
 * planes meet. */
static double beside_of(const ht_lattice_tables *tables, int64_t beside, int m, double own) {
  if (beside < 0) return -own;
  ht_port_node *node = &tables->port_node[beside];
  return node->bounces ? *mode_of(tables, node, m) : own;
}

/* The slope of each mode along one axis of the plane; a wall is half a spacing off, where the
 * velocity is 0. `which`: 0 or 1, of the plane's axes. */
static void set_slope(const ht_lattice_tables *tables, ht_port_node *port, int axis, int which) {
  signed char up[3] = {0}, down[3] = {0};
  up[axis] = 1, down[axis] = -1;
  int64_t above = port_beside(tables, port, up), below = port_beside(tables, port, down);
  for (int m = 0; m == 0 || m < port->modes; m++) {
    double own = *mode_of(tables, port, m);
    double slope = beside_of(tables, above, m, own) - beside_of(tables, below, m, own);
    (m == 0 ? port->slope : mode_of(tables, port, m) + 1)[which] = slope / 2;
  }
}

/* The links that come from the port, not over its rim from the wall. */
static void mark_bounces(const ht_lattice_tables *tables, ht_port_node *port) {
  for (int q = 1; q < tables->directions; q++) {
    signed char beside[3];
    for (int a = 0; a < 3; a++) beside[a] = (signed char)(a == port->axis ? 0 : -ht_c[q][a]);
    if (ht_comes_in(port->plane, q) && fluid_beside(tables, port->node, beside) >= 0)
      port->moving_links |= 1u << q;
  }
  set_slope(tables, port, port->axis == 0, 0);
  set_slope(tables, port, port->axis == 2 ? 1 : 2, 1);
}

/* The links mark directions from outside as walls, too: a rim node has further walls. */
static ht_status mark_rim(const ht_lattice_tables *tables, ht_port_node *port) {
  uint32_t links = tables->links[port->node];
  if (port->kind == HT_PORT_MOVING_WALL) {
    mark_moving(tables, port);
    return HT_OK;
  }
  for (int q = 1; q < tables->directions; q++) {
    if (((links >> q) & 1) && !ht_comes_in(port->plane, q)) port->is_rim = 1;
    int64_t there = fluid_beside(tables, port->node, ht_c[q]);
    if (there >= 0 && !is_port(tables, there)) port->flow_links |= 1u << q;
  }
  port->inner = fluid_beside(tables, port->node, port->plane);
  if (port->inner < 0)
    return ht_fail(HT_ERR_INTERNAL, "a port node has no fluid node inside of it");
  if (port->bounces) mark_bounces(tables, port);
  return HT_OK;
}

ht_status ht_port_tables_build(const ht_lattice_setup *setup, ht_lattice_tables *tables) {
  int64_t nodes = 0;
  tables->ports = setup->ports;
  HT_TRY(count_columns(tables, setup));
  for (int p = 0; p < setup->ports; p++) nodes += setup->port[p].nodes;
  HT_TRY(ht_alloc((void **)&tables->port_node, (size_t)nodes, sizeof(ht_port_node), "the ports"));
  int dim[3];
  int32_t *tile_of;
  HT_TRY(ht_tiling_map(tables->tiling, dim, &tile_of));
  ht_status status = HT_OK;
  for (int p = 0; p < setup->ports && status == HT_OK; p++)
    status = add_port(tables, setup, p, tile_of);
  free(tile_of);
  HT_TRY(status);
  qsort(tables->port_node, (size_t)tables->port_nodes, sizeof(ht_port_node), by_node);
  HT_TRY(merge_ports(tables));
  for (int64_t p = 0; p < tables->port_nodes; p++) HT_TRY(mark_rim(tables, &tables->port_node[p]));
  return HT_OK;
}
