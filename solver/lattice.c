#include "nodes.h"
#include "start_noise.h"
#include "wall_links.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ht_lattice {
  ht_lattice_tables tables;
  int32_t *wrapped; /* neighbours of a periodic lattice; NULL: the tiling's own are used */
  const ht_backend *backend;
  void *state;
  char device[128];
  int64_t step;       /* done */
  int64_t watched_at; /* step of the last watch */
  void *host;         /* distribution functions on the host, for reading fields; walls applied */
  int64_t host_step;  /* that they are of; -1: none */
};

double ht_inflow_share(int64_t step, int64_t ramp_steps) {
  if (step >= ramp_steps) return 1;
  return 0.5 * (1 - cos(3.14159265358979323846 * (double)(step + 1) / (double)ramp_steps));
}

/* ---- tables ---- */

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

static ht_status build_neighbours(ht_lattice *lattice, const ht_lattice_setup *setup) {
  const ht_tiling *tiling = setup->tiling;
  lattice->tables.neighbour = tiling->neighbour;
  if (!setup->periodic[0] && !setup->periodic[1] && !setup->periodic[2]) return HT_OK;
  int map_dim[3];
  int32_t *tile_of;
  HT_TRY(check_periodic(setup));
  HT_TRY(ht_alloc((void **)&lattice->wrapped, (size_t)tiling->tiles * HT_TILE_NEIGHBOURS,
                  sizeof(int32_t), "the neighbours"));
  HT_TRY(ht_tiling_map(tiling, map_dim, &tile_of));
  for (int64_t i = 0; i < tiling->tiles * HT_TILE_NEIGHBOURS; i++) {
    int s = (int)(i % HT_TILE_NEIGHBOURS), d[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
    lattice->wrapped[i] = wrapped_neighbour(setup, tile_of, map_dim, i / HT_TILE_NEIGHBOURS, d);
  }
  free(tile_of);
  lattice->tables.neighbour = lattice->wrapped;
  return HT_OK;
}

static int is_inside(const ht_lattice_tables *tables, int64_t tile, int slot, int local) {
  int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
  return there >= 0 && ((tables->tiling->inside[there] >> local) & 1);
}

static uint32_t node_links(const ht_lattice_tables *tables, int64_t tile, int local) {
  if (!((tables->tiling->inside[tile] >> local) & 1)) return HT_MOVING; /* solid */
  uint32_t links = 1;
  for (int q = 1; q < HT_Q; q++) {
    int slot, from;
    ht_pull_source(local, q, &slot, &from);
    if (!is_inside(tables, tile, slot, from)) links |= 1u << q;
  }
  return links;
}

static ht_status build_links(ht_lattice_tables *tables) {
  const ht_tiling *tiling = tables->tiling;
  HT_TRY(ht_alloc((void **)&tables->links, (size_t)tiling->tiles * HT_TILE_NODES, sizeof(uint32_t),
                  "the walls"));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (int n = 0; n < HT_TILE_NODES; n++)
      tables->links[HT_TILE_NODES * t + n] = node_links(tables, t, n);
  return HT_OK;
}

static int by_node(const void *a, const void *b) {
  const ht_port_node *x = a, *y = b;
  if (x->node != y->node) return (x->node > y->node) - (x->node < y->node);
  return (x->port > y->port) - (x->port < y->port);
}

static ht_port_node port_node(const ht_lattice_port *port, int64_t node, int64_t i) {
  ht_port_node made = {.node = node,
                       .axis = (int8_t)port->axis,
                       .inward = (int8_t)port->inward,
                       .kind = (int8_t)port->kind};
  for (int a = 0; a < 3; a++) made.wall_velocity[a] = (float)port->wall_lu[a];
  if (port->kind == HT_PORT_MOVING_WALL) return made;
  made.plane[port->axis] = (signed char)port->inward;
  made.has_density = port->kind == HT_PORT_PRESSURE;
  made.density = made.has_density ? port->density_lu : 0;
  const double *velocity = made.has_density ? NULL : port->velocity_lu;
  made.value = made.has_density ? 0 : velocity ? 1 : port->speed_lu[i];
  for (int a = 0; a < 3; a++)
    made.along[a] = velocity ? velocity[3 * i + a]
                             : port->direction[a] / (port->direction[port->axis] * port->inward);
  return made;
}

static ht_status add_port(ht_lattice_tables *tables, const ht_lattice_port *port, int number,
                          const int32_t *tile_of) {
  for (int64_t i = 0; i < port->nodes; i++) {
    int64_t tile;
    int voxel[3], local;
    ht_voxel_place(tables->tiling->dim, port->voxel[i], voxel);
    ht_tiling_find(tables->tiling, tile_of, voxel, &tile, &local);
    if (tile < 0 || !((tables->tiling->inside[tile] >> local) & 1))
      return ht_fail(HT_ERR_INTERNAL, "a port node at voxel %d %d %d is not fluid", voxel[0],
                     voxel[1], voxel[2]);
    tables->port_node[tables->port_nodes] = port_node(port, HT_TILE_NODES * tile + local, i);
    tables->port_node[tables->port_nodes++].port = number;
  }
  return HT_OK;
}

/* ---- nodes of several planes ---- */

static void take_velocity(ht_port_node *edge, const ht_port_node *other, double weight) {
  for (int a = 0; a < 3; a++)
    edge->along[a] =
        (1 - weight) * edge->value * edge->along[a] + weight * other->value * other->along[a];
  edge->value = 1;
}

/* All that is asked for at one node, [count], into one; `velocities` and `densities` count the
 * planes of each kind, for the means. */
static ht_status merge(const ht_port_node *all, int64_t count, ht_port_node *edge) {
  int velocities = 0, densities = 0;
  const ht_port_node *first = all;
  while (first < all + count - 1 && first->kind == HT_PORT_MOVING_WALL) first++;
  *edge = *first;
  if (count > 1 && first->kind == HT_PORT_MOVING_WALL)
    return ht_fail(HT_ERR_USAGE, "a node is beside two moving walls; one is allowed");
  for (const ht_port_node *p = first; p < all + count; p++) {
    if (p->kind == HT_PORT_MOVING_WALL) continue;
    if (edge->plane[p->axis] == -p->inward)
      return ht_fail(HT_ERR_USAGE, "a node is on two ports that face each other; keep at least 3 "
                                   "nodes between them");
    edge->plane[p->axis] = (signed char)p->inward;
    edge->is_edge |= p->axis != first->axis;
    if (p->kind == HT_PORT_VELOCITY) take_velocity(edge, p, 1.0 / ++velocities);
    if (p->has_density) edge->density += (p->density - edge->density) / ++densities;
  }
  edge->has_density = densities > 0;
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

/* Whether direction q comes over the edge between the wall on `axis` and one that stands on it. */
static int is_over_edge(uint32_t links, int q, int axis) {
  int edge = 0;
  for (int other = 1; other < HT_Q; other++) {
    int along = ht_c[other][axis] == 0;
    for (int a = 0; a < 3; a++) along &= a == axis || ht_c[other][a] == ht_c[q][a];
    edge |= along && ((links >> other) & 1);
  }
  return edge;
}

/* A link over an edge belongs to the wall that rests. The term of a moving wall carries momentum
 * and no mass, but the velocity of a node counts what bounces as if it moved along, one sixth of
 * the wall's speed a row: with the edge at rest that flow begins and ends at the edges, as it has
 * to; with the edge moving, a cavity would have a flow of U/6 across its middle that nothing
 * brings back, an error of first order (test_cavity). */
static void mark_moving(const ht_lattice_tables *tables, ht_port_node *port) {
  uint32_t links = tables->links[port->node];
  for (int q = 1; q < HT_Q; q++)
    if (ht_c[q][port->axis] * port->inward > 0 && !is_over_edge(links, q, port->axis))
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

static int is_port(const ht_lattice_tables *tables, int64_t node) {
  int64_t p = ht_find_port_node(tables, node);
  return p >= 0 && tables->port_node[p].kind != HT_PORT_MOVING_WALL;
}

/* The directions that come from outside are walls to the links, too: a rim has others beside. */
static ht_status mark_rim(const ht_lattice_tables *tables, ht_port_node *port) {
  uint32_t links = tables->links[port->node];
  if (port->kind == HT_PORT_MOVING_WALL) {
    mark_moving(tables, port);
    return HT_OK;
  }
  for (int q = 1; q < HT_Q; q++) {
    if (((links >> q) & 1) && !ht_comes_in(port->plane, q)) port->is_rim = 1;
    int64_t there = fluid_beside(tables, port->node, ht_c[q]);
    if (there >= 0 && !is_port(tables, there)) port->flow_links |= 1u << q;
  }
  port->inner = fluid_beside(tables, port->node, port->plane);
  if (port->inner < 0)
    return ht_fail(HT_ERR_INTERNAL, "a port node has no fluid node inside of it");
  return HT_OK;
}

static ht_status build_ports(ht_lattice_tables *tables, const ht_lattice_setup *setup) {
  int64_t nodes = 0;
  for (int p = 0; p < setup->ports; p++) nodes += setup->port[p].nodes;
  HT_TRY(ht_alloc((void **)&tables->port_node, (size_t)nodes, sizeof(ht_port_node), "the ports"));
  int dim[3];
  int32_t *tile_of;
  HT_TRY(ht_tiling_map(tables->tiling, dim, &tile_of));
  ht_status status = HT_OK;
  for (int p = 0; p < setup->ports && status == HT_OK; p++)
    status = add_port(tables, &setup->port[p], p, tile_of);
  free(tile_of);
  HT_TRY(status);
  qsort(tables->port_node, (size_t)tables->port_nodes, sizeof(ht_port_node), by_node);
  HT_TRY(merge_ports(tables));
  for (int64_t p = 0; p < tables->port_nodes; p++) HT_TRY(mark_rim(tables, &tables->port_node[p]));
  return HT_OK;
}

/* ---- life ---- */

ht_status ht_choose_device(ht_device asked, int *on_gpu) {
  char name[128], why[256];
  *on_gpu = asked != HT_DEVICE_CPU && ht_cuda_available(name, why);
  if (asked == HT_DEVICE_CUDA && !*on_gpu)
    return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s; run with --device cpu, or auto", why);
  return HT_OK;
}

static ht_status choose_backend(ht_lattice *lattice, ht_device device) {
  int on_gpu;
  HT_TRY(ht_choose_device(device, &on_gpu));
  lattice->backend = on_gpu ? &ht_backend_cuda : &ht_backend_cpu;
  return HT_OK;
}

/* Every value of a fluid node deviates a little; by voxel, so that it is the same for any tiling.
 */
static ht_status add_noise(ht_lattice *lattice, double amplitude) {
  const ht_tiling *tiling = lattice->tables.tiling;
  int single = lattice->tables.precision != HT_FP64;
  size_t size = single ? sizeof(float) : sizeof(double);
  HT_TRY(ht_alloc(&lattice->host, (size_t)tiling->tiles * HT_TILE_VALUES, size, "the start"));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < tiling->tiles * HT_TILE_VALUES; i++) {
    int64_t tile = i / HT_TILE_VALUES, q = i % HT_TILE_VALUES / 64, n = i % 64;
    const int32_t *p = tiling->position + 3 * tile;
    if (!((tiling->inside[tile] >> n) & 1)) continue;
    uint64_t x = 4 * p[0] - tiling->origin[0] + (n & 3);
    uint64_t y = 4 * p[1] - tiling->origin[1] + ((n >> 2) & 3);
    uint64_t z = 4 * p[2] - tiling->origin[2] + (n >> 4);
    double value = ht_start_value(amplitude, x, y, z, (int)q);
    if (single)
      ((float *)lattice->host)[i] = (float)value;
    else
      ((double *)lattice->host)[i] = value;
  }
  return lattice->backend->upload(lattice->state, lattice->host);
}

static ht_status build(ht_lattice *lattice, const ht_lattice_setup *setup) {
  ht_lattice_tables *tables = &lattice->tables;
  *tables = (ht_lattice_tables){.tiling = setup->tiling,
                                .omega = 1 / setup->tau,
                                .precision = setup->precision,
                                .model = 2 * (int)setup->collision + (int)setup->compressibility,
                                .step_kind = setup->step_kind,
                                .threads = setup->threads,
                                .compact = setup->compact,
                                .ramp_steps = setup->ramp_steps,
                                .ports = setup->ports};
  lattice->host_step = -1;
  HT_TRY(choose_backend(lattice, setup->device));
  HT_TRY(build_neighbours(lattice, setup));
  HT_TRY(build_links(tables));
  HT_TRY(build_ports(tables, setup));
  HT_TRY(ht_wall_links_build(setup, tables));
  HT_TRY(lattice->backend->create(tables, &lattice->state, lattice->device));
  return setup->noise_lu > 0 ? add_noise(lattice, setup->noise_lu) : HT_OK;
}

ht_status ht_lattice_create(const ht_lattice_setup *setup, ht_lattice **lattice) {
  *lattice = NULL;
  if (!(setup->tau > 0.5))
    return ht_fail(HT_ERR_UNSTABLE, "the relaxation time is %g; it has to be above 0.5",
                   setup->tau);
  ht_lattice *made;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the solver"));
  ht_status status = build(made, setup);
  if (status == HT_OK)
    *lattice = made;
  else
    ht_lattice_free(made);
  return status;
}

void ht_lattice_free(ht_lattice *lattice) {
  if (!lattice) return;
  if (lattice->state) lattice->backend->destroy(lattice->state);
  free(lattice->tables.links);
  free(lattice->wrapped);
  free(lattice->tables.port_node);
  free(lattice->tables.wall_link);
  free(lattice->host);
  free(lattice);
}

const char *ht_lattice_device(const ht_lattice *lattice) {
  return lattice->device;
}

/* ---- running ---- */

ht_status ht_lattice_step(ht_lattice *lattice, int64_t steps) {
  HT_TRY(lattice->backend->step(lattice->state, lattice->step, steps));
  lattice->step += steps;
  return HT_OK;
}

ht_status ht_lattice_watch(ht_lattice *lattice, ht_lattice_monitor *monitor) {
  ht_backend_change sums;
  HT_TRY(lattice->backend->watch(lattice->state, &sums));
  int64_t steps = lattice->step - lattice->watched_at;
  int first = lattice->watched_at == 0;
  lattice->watched_at = lattice->step;
  monitor->step = lattice->step;
  monitor->max_speed = sqrt(sums.max_speed2);
  monitor->change = 1;
  if (!first && steps > 0 && sums.speed2 > 0)
    monitor->change = sqrt(sums.difference2 / sums.speed2) / (double)steps;
  return HT_OK;
}

ht_status ht_lattice_port_flow(ht_lattice *lattice, double *flow_lu) {
  const ht_lattice_tables *tables = &lattice->tables;
  double *of_node;
  for (int p = 0; p < tables->ports; p++) flow_lu[p] = 0;
  HT_TRY(ht_alloc((void **)&of_node, (size_t)tables->port_nodes, sizeof(double), "the ports"));
  ht_status status = lattice->backend->port_flow(lattice->state, of_node);
  for (int64_t i = 0; i < tables->port_nodes && status == HT_OK; i++)
    flow_lu[tables->port_node[i].port] += of_node[i];
  free(of_node);
  return status;
}

ht_status ht_lattice_scale_inflow(ht_lattice *lattice, int port, double factor) {
  ht_lattice_tables *tables = &lattice->tables;
  for (int64_t i = 0; i < tables->port_nodes; i++)
    if (tables->port_node[i].port == port) tables->port_node[i].value *= factor;
  return lattice->backend->reload_ports(lattice->state);
}

/* ---- fields ---- */

static ht_status fetch(ht_lattice *lattice) {
  if (lattice->host_step == lattice->step) return HT_OK;
  size_t size = lattice->tables.precision == HT_FP64 ? sizeof(double) : sizeof(float);
  size_t count = (size_t)lattice->tables.tiling->tiles * HT_TILE_VALUES;
  if (!lattice->host)
    HT_TRY(ht_alloc(&lattice->host, count, size, "the distribution functions on the host"));
  HT_TRY(lattice->backend->download(lattice->state, lattice->host));
  ht_wall_links_apply(&lattice->tables, lattice->host);
  lattice->host_step = lattice->step;
  return HT_OK;
}

/* The values that arrive at a node, in double. Ports and walls applied in the run's own precision.
 */
static void arrive(const ht_lattice *lattice, int64_t tile, int local, double g[HT_Q]) {
  const ht_lattice_tables *tables = &lattice->tables;
  const int32_t *neighbours = tables->neighbour;
  int compressibility = tables->model % 2;
  int64_t number = ht_find_port_node(tables, HT_TILE_NODES * tile + local);
  const ht_port_node *port = number < 0 ? NULL : &tables->port_node[number];
  double share = ht_inflow_share(lattice->step, tables->ramp_steps);
  uint32_t links = tables->links[HT_TILE_NODES * tile + local];
  if (tables->precision == HT_FP64) {
    if (port)
      arrive_at_port_f64(lattice->host, neighbours, tables->links, port, share, compressibility, g);
    else
      arrive_f64(lattice->host, neighbours, links, tile, local, g);
    return;
  }
  float single[HT_Q];
  if (port)
    arrive_at_port_f32(lattice->host, neighbours, tables->links, port, share, compressibility,
                       single);
  else
    arrive_f32(lattice->host, neighbours, links, tile, local, single);
  for (int q = 0; q < HT_Q; q++) g[q] = single[q];
}

static void read_node(const ht_lattice *lattice, int64_t tile, int local, int64_t out,
                      ht_lattice_fields *fields) {
  double g[HT_Q] = {0}, rho, u[3], stress[6];
  if ((lattice->tables.tiling->inside[tile] >> local) & 1) arrive(lattice, tile, local, g);
  velocity_f64(g, lattice->tables.model % 2, &rho, u);
  if (fields->density) fields->density[out] = rho;
  if (fields->velocity) memcpy(fields->velocity + 3 * out, u, sizeof u);
  if (!fields->stress) return;
  stress_of_f64(g, lattice->tables.model, lattice->tables.omega, stress);
  memcpy(fields->stress + 6 * out, stress, sizeof stress);
}

ht_status ht_lattice_read(ht_lattice *lattice, int64_t first, int64_t count,
                          ht_lattice_fields *fields) {
  HT_TRY(fetch(lattice));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count * HT_TILE_NODES; n++)
    read_node(lattice, first + (n >> 6), (int)(n & 63), n, fields);
  return HT_OK;
}

/* The values of a node before its collision, from what read_node() finds there. */
static void build_node(const ht_lattice *lattice, int64_t n, const ht_lattice_fields *fields,
                       double g[HT_Q]) {
  const ht_lattice_tables *tables = &lattice->tables;
  double rho = fields->density ? fields->density[n] : 0, momentum[3], moment[6] = {0};
  double scale = tables->model % 2 == HT_QUASI_COMPRESSIBLE ? 1 + rho : 1;
  for (int a = 0; a < 3; a++)
    momentum[a] = fields->velocity ? scale * fields->velocity[3 * n + a] : 0;
  if (fields->stress) moment_of_f64(fields->stress + 6 * n, tables->model, tables->omega, moment);
  rebuild_of_f64(g, tables->model % 2, rho, momentum, moment);
}

/* Puts the values of a node where the next step pulls them from: the reverse of arrive(). */
static void send_back(const ht_lattice *lattice, int64_t node, const double g[HT_Q], void *values) {
  const ht_lattice_tables *tables = &lattice->tables;
  int64_t tile = node / HT_TILE_NODES;
  int local = (int)(node % HT_TILE_NODES);
  for (int q = 0; q < HT_Q; q++) {
    int slot, from;
    int64_t at = tile * HT_TILE_VALUES + local;
    ht_pull_source(local, q, &slot, &from);
    if (q > 0 && ((tables->links[node] >> q) & 1))
      at += 64 * ht_opposite(q);
    else
      at = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot] * (int64_t)HT_TILE_VALUES + 64 * q +
           from;
    if (tables->precision == HT_FP64)
      ((double *)values)[at] = g[q];
    else
      ((float *)values)[at] = (float)g[q];
  }
}

/* Every value is pulled by one node, so no two threads write one place. */
ht_status ht_lattice_write(ht_lattice *lattice, const ht_lattice_fields *fields) {
  const ht_tiling *tiling = lattice->tables.tiling;
  HT_TRY(fetch(lattice));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < tiling->tiles * HT_TILE_NODES; n++) {
    double g[HT_Q];
    if (!((tiling->inside[n / HT_TILE_NODES] >> (n % HT_TILE_NODES)) & 1)) continue;
    build_node(lattice, n, fields, g);
    send_back(lattice, n, g, lattice->host);
  }
  ht_wall_links_undo(&lattice->tables, lattice->host);
  ht_status status = lattice->backend->upload(lattice->state, lattice->host);
  ht_wall_links_apply(&lattice->tables, lattice->host);
  if (status != HT_OK) lattice->host_step = -1;
  return status;
}

void ht_lattice_measure_cost(const ht_lattice *lattice, ht_lattice_cost *cost) {
  lattice->backend->measure_cost(lattice->state, cost);
  cost->wall_links = lattice->tables.wall_links;
  cost->half_way_links = lattice->tables.half_way_links;
}
