#include "lattice.h"
#include "diagonal_table.h"
#include "link_table.h"
#include "marked_nodes.h"
#include "nodes.h"
#include "port_tables.h"
#include "ranks.h"
#include "sponge_table.h"
#include "start_noise.h"
#include "wall_links.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ht_lattice {
  ht_lattice_tables tables;
  int32_t *wrapped; /* neighbours of a periodic lattice; NULL: the tiling's own are used */
  const ht_backend *backend;
  void *state;
  char device[128];
  int64_t step;        /* done */
  int64_t watched_at;  /* step of the last watch */
  void *host;          /* distribution functions on the host, for reading fields; walls applied */
  double *slip;        /* [wall_links] of the walls, on the host */
  double *given;       /* [wall_tiles] room for the walls */
  int64_t host_step;   /* that they are of; -1: none */
  int64_t kept_step;   /* of ht_lattice_keep() */
  double *coefficient; /* [columns] of the ports, for reading fields */
  ht_marked_nodes marked;
};

/* ---- life ---- */

/* The relaxation rate of all nodes, or the table of local rates. */
static ht_status build_rate(ht_lattice_tables *tables, const ht_lattice_setup *setup) {
  ht_viscosity_law law = setup->law;
  tables->omega = 1 / setup->tau;
  cumulant_rates_f64 rates = cumulant_rates_of_f64(tables->omega);
  memcpy(tables->cumulant, &rates, sizeof rates);
  if (law.model == HT_NEWTONIAN) law.high = law.rest = (setup->tau - 0.5) / 3;
  if (ht_viscosity_is_constant(&law)) return HT_OK;
  if (!(law.high > 0 && law.rest >= law.high))
    return ht_fail(HT_ERR_UNSTABLE,
                   "the viscosity would go from %g at rest to %g at high shear (lattice units); "
                   "both have to be above 0, the second the lower one",
                   law.rest, law.high);
  size_t count = 4 * (size_t)HT_RELAX_ROWS;
  HT_TRY(ht_alloc((void **)&tables->rate, count, sizeof(double), "the viscosity"));
  HT_TRY(ht_alloc((void **)&tables->rate_single, count, sizeof(float), "the viscosity"));
  ht_relax_table(&law, tables->rate, tables->rate_single);
  return HT_OK;
}

/* The force is far below the last bit of a value of 16 bits: 1e-5 of it, against 5e-4. */
static ht_status check_force(const ht_lattice_setup *setup, ht_lattice_tables *tables) {
  memcpy(tables->acceleration, setup->acceleration_lu, sizeof tables->acceleration);
  for (int a = 0; a < 3; a++) {
    if (!isfinite(setup->acceleration_lu[a]))
      return ht_fail(HT_ERR_USAGE, "the acceleration along axis %d is not a number", a);
    tables->forced |= setup->acceleration_lu[a] != 0;
  }
  if (!tables->forced) return HT_OK;
  if (setup->precision == HT_FP16)
    return ht_fail(HT_ERR_USAGE,
                   "a body force needs fp32 or fp64: the rounding of fp16 would swallow it");
  if (setup->ports > 0)
    return ht_fail(HT_ERR_USAGE,
                   "a body force drives a closed or periodic box; here are %d ports, whose "
                   "conditions do not know it",
                   setup->ports);
  return HT_OK;
}

static ht_status choose_backend(ht_lattice *lattice, const ht_lattice_setup *setup, int *on_gpu) {
  HT_TRY(ht_choose_device(setup->device, on_gpu));
  lattice->backend = *on_gpu ? &ht_backend_cuda : &ht_backend_cpu;
  if (ht_ranks() > 1 && !setup->alone) lattice->backend = &ht_backend_ranks;
  return HT_OK;
}

/* Every value of a fluid node deviates slightly; by voxel, so that it is the same for any tiling.
 */
static ht_status add_noise(ht_lattice *lattice, double amplitude) {
  const ht_tiling *tiling = lattice->tables.tiling;
  const int directions = lattice->tables.directions;
  int single = lattice->tables.precision != HT_FP64;
  size_t size = single ? sizeof(float) : sizeof(double);
  int64_t a_tile = HT_TILE_VALUES(directions);
  HT_TRY(ht_alloc(&lattice->host, (size_t)(tiling->tiles * a_tile), size, "the start"));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < tiling->tiles * a_tile; i++) {
    int64_t tile = i / a_tile, q = i % a_tile / 64, n = i % 64;
    const int32_t *p = tiling->position + 3 * tile;
    if (!((tiling->inside[tile] >> n) & 1)) continue;
    uint64_t x = 4 * p[0] - tiling->origin[0] + (n & 3);
    uint64_t y = 4 * p[1] - tiling->origin[1] + ((n >> 2) & 3);
    uint64_t z = 4 * p[2] - tiling->origin[2] + (n >> 4);
    double value = ht_start_value(amplitude, x, y, z, (int)q, directions);
    if (single)
      ((float *)lattice->host)[i] = (float)value;
    else
      ((double *)lattice->host)[i] = value;
  }
  return lattice->backend->upload(lattice->state, lattice->host);
}

static ht_status build_tables(ht_lattice *lattice, const ht_lattice_setup *setup) {
  ht_lattice_tables *tables = &lattice->tables;
  *tables = (ht_lattice_tables){.tiling = setup->tiling,
                                .own_tiles = setup->tiling->tiles,
                                .precision = setup->precision,
                                .model = HT_MODEL(setup->collision, setup->compressibility),
                                .directions = HT_COLLISION_DIRECTIONS(setup->collision),
                                .step_kind = setup->step_kind,
                                .threads = setup->threads,
                                .compact = setup->compact,
                                .ramp_steps = setup->ramp_steps};
  HT_TRY(build_rate(tables, setup));
  HT_TRY(check_force(setup, tables));
  HT_TRY(ht_neighbours_build(setup, tables, &lattice->wrapped));
  HT_TRY(ht_links_build(tables));
  HT_TRY(ht_port_tables_build(setup, tables));
  HT_TRY(ht_sponge_table_build(setup, tables));
  HT_TRY(ht_diagonal_table_build(setup, tables));
  HT_TRY(ht_wall_links_build(setup, tables));
  return ht_alloc((void **)&lattice->coefficient, (size_t)tables->columns, sizeof(double),
                  "the ports");
}

static ht_status build(ht_lattice *lattice, const ht_lattice_setup *setup) {
  int on_gpu;
  lattice->host_step = -1;
  HT_TRY(choose_backend(lattice, setup, &on_gpu));
  HT_TRY(build_tables(lattice, setup));
  lattice->tables.on_gpu = on_gpu;
  HT_TRY(lattice->backend->create(&lattice->tables, &lattice->state, lattice->device));
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

ht_status ht_lattice_look(const ht_lattice_setup *setup,
                          ht_status (*look)(void *user, const ht_lattice_tables *tables),
                          void *user) {
  ht_lattice *made;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the solver"));
  ht_status status = build_tables(made, setup);
  made->tables.on_gpu = setup->device == HT_DEVICE_CUDA;
  if (status == HT_OK) status = look(user, &made->tables);
  ht_lattice_free(made);
  return status;
}

void ht_lattice_free(ht_lattice *lattice) {
  if (!lattice) return;
  if (lattice->state) lattice->backend->destroy(lattice->state);
  free(lattice->tables.links);
  free(lattice->tables.rate);
  free(lattice->tables.rate_single);
  free(lattice->wrapped);
  free(lattice->tables.port_node);
  free(lattice->tables.sponge_node);
  free(lattice->tables.corrected);
  free(lattice->tables.wall_link);
  free(lattice->tables.shape);
  free(lattice->coefficient);
  free(lattice->tables.wall_tile);
  free(lattice->host);
  free(lattice->slip);
  free(lattice->given);
  ht_marked_nodes_free(&lattice->marked);
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

/* The head of a node's flow, see ht_lattice_port_head(). */
static double head_of(const ht_port_node *port, double flow_lu) {
  double square = 0;
  if (!port->is_total || !(flow_lu > 0)) return 0;
  for (int a = 0; a < 3; a++) square += port->along[a] * port->along[a];
  return 1.5 * flow_lu * flow_lu * square;
}

/* head_lu: NULL: not asked for. */
static ht_status sum_ports(ht_lattice *lattice, double *flow_lu, double *head_lu) {
  const ht_lattice_tables *tables = &lattice->tables;
  double *of_node;
  for (int p = 0; p < tables->ports; p++) flow_lu[p] = 0;
  for (int p = 0; p < tables->ports && head_lu; p++) head_lu[p] = 0;
  HT_TRY(ht_alloc((void **)&of_node, (size_t)tables->port_nodes, sizeof(double), "the ports"));
  ht_status status = lattice->backend->port_flow(lattice->state, of_node);
  for (int64_t i = 0; i < tables->port_nodes && status == HT_OK; i++) {
    const ht_port_node *node = &tables->port_node[i];
    flow_lu[node->port] += of_node[i];
    if (head_lu) head_lu[node->port] += head_of(node, of_node[i]);
  }
  free(of_node);
  return status;
}

ht_status ht_lattice_port_flow(ht_lattice *lattice, double *flow_lu) {
  return sum_ports(lattice, flow_lu, NULL);
}

ht_status ht_lattice_port_head(ht_lattice *lattice, double *flow_lu, double *head_lu) {
  return sum_ports(lattice, flow_lu, head_lu);
}

ht_status ht_lattice_scale_inflow(ht_lattice *lattice, int port, double factor) {
  ht_lattice_tables *tables = &lattice->tables;
  for (int64_t i = 0; i < tables->port_nodes; i++) {
    ht_port_node *node = &tables->port_node[i];
    if (node->port != port || node->kind != HT_PORT_VELOCITY) continue;
    node->value *= factor;
    for (int k = 0; k < 2; k++) node->slope[k] *= factor;
    for (int m = 1; m < node->modes; m++)
      for (int k = 0; k < HT_MODE_VALUES; k++)
        tables->shape[node->shape + (m - 1) * node->shape_step + k] *= factor;
  }
  return lattice->backend->reload_ports(lattice->state);
}

ht_status ht_lattice_momentum(ht_lattice *lattice, double momentum_lu[3]) {
  return lattice->backend->momentum(lattice->state, momentum_lu);
}

ht_status ht_lattice_accelerate(ht_lattice *lattice, const double acceleration_lu[3]) {
  ht_lattice_tables *tables = &lattice->tables;
  if (!tables->forced)
    return ht_fail(HT_ERR_USAGE, "this lattice was made without a body force; give its setup one");
  memcpy(tables->acceleration, acceleration_lu, sizeof tables->acceleration);
  return lattice->backend->reload_force(lattice->state);
}

/* ---- fields ---- */

static ht_status alloc_walls(ht_lattice *lattice) {
  const ht_lattice_tables *tables = &lattice->tables;
  if (!lattice->slip)
    HT_TRY(ht_alloc((void **)&lattice->slip, (size_t)tables->wall_links, sizeof(double),
                    "the interpolated walls"));
  if (!lattice->given)
    HT_TRY(ht_alloc((void **)&lattice->given, (size_t)tables->wall_tiles, sizeof(double),
                    "the interpolated walls"));
  return HT_OK;
}

static ht_status alloc_host(ht_lattice *lattice) {
  size_t size = lattice->tables.precision == HT_FP64 ? sizeof(double) : sizeof(float);
  const ht_lattice_tables *tables = &lattice->tables;
  size_t count = (size_t)(tables->tiling->tiles * HT_TILE_VALUES(tables->directions));
  if (!lattice->host)
    HT_TRY(ht_alloc(&lattice->host, count, size, "the distribution functions on the host"));
  return alloc_walls(lattice);
}

ht_status ht_lattice_take(ht_lattice *lattice) {
  if (lattice->host_step == lattice->kept_step) return HT_OK;
  HT_TRY(lattice->backend->download(lattice->state, lattice->host));
  HT_TRY(lattice->backend->download_slip(lattice->state, lattice->slip));
  ht_wall_links_apply(&lattice->tables, lattice->slip, lattice->given, lattice->host);
  lattice->host_step = lattice->kept_step;
  return HT_OK;
}

/* A backend that cannot keep a state gives the present one, now. */
ht_status ht_lattice_keep(ht_lattice *lattice, int stays) {
  HT_TRY(alloc_host(lattice));
  ht_drive_fill(&lattice->tables, lattice->step, lattice->coefficient);
  lattice->kept_step = lattice->step;
  if (lattice->host_step == lattice->step) return HT_OK;
  if (!lattice->backend->keep) return ht_lattice_take(lattice);
  return lattice->backend->keep(lattice->state, stays);
}

int ht_lattice_keeps_beside(const ht_lattice *lattice) {
  return lattice->backend->keep != NULL;
}

static ht_status fetch(ht_lattice *lattice) {
  HT_TRY(ht_lattice_keep(lattice, 0));
  return ht_lattice_take(lattice);
}

/* The values that arrive at a node, in double. Ports and walls applied in the run's own precision.
 */
static void arrive(const ht_lattice *lattice, int64_t tile, int local, double g[HT_Q_MOST]) {
  const ht_lattice_tables *tables = &lattice->tables;
  const int32_t *neighbours = tables->neighbour;
  const int model = tables->model, directions = tables->directions;
  int64_t number = ht_find_port_node(tables, HT_TILE_NODES * tile + local);
  const ht_port_node *port = number < 0 ? NULL : &tables->port_node[number];
  ht_port_asked asked = {0};
  if (port) asked = ht_port_ask(port, lattice->coefficient, tables->shape);
  uint32_t links = tables->links[HT_TILE_NODES * tile + local];
  if (tables->precision == HT_FP64) {
    if (port)
      arrive_at_port_f64(lattice->host, neighbours, tables->links, port, asked, model, g);
    else
      arrive_f64(lattice->host, directions, neighbours, links, tile, local, g);
    return;
  }
  float single[HT_Q_MOST];
  if (port)
    arrive_at_port_f32(lattice->host, neighbours, tables->links, port, asked, model, single);
  else
    arrive_f32(lattice->host, directions, neighbours, links, tile, local, single);
  for (int q = 0; q < directions; q++) g[q] = single[q];
}

/* omega of a node before its collision. */
static double rate_of(const ht_lattice_tables *tables, int64_t node, const double g[HT_Q_MOST]) {
  double omega = tables->rate ? local_rate_f64(g, tables->model, tables->rate) : tables->omega;
  return 1 - ht_sponge_keep(tables, node) * (1 - omega);
}

static void read_node(const ht_lattice *lattice, int64_t tile, int local, int64_t out,
                      ht_lattice_fields *fields) {
  double g[HT_Q_MOST] = {0}, rho, u[3], stress[6];
  int is_fluid = (int)((lattice->tables.tiling->inside[tile] >> local) & 1);
  if (is_fluid) arrive(lattice, tile, local, g);
  velocity_f64(g, lattice->tables.model, &rho, u);
  for (int a = 0; a < 3 && is_fluid; a++) u[a] += lattice->tables.acceleration[a] / 2;
  if (fields->density) fields->density[out] = rho;
  if (fields->velocity) memcpy(fields->velocity + 3 * out, u, sizeof u);
  double omega = rate_of(&lattice->tables, HT_TILE_NODES * tile + local, g);
  if (fields->viscosity) fields->viscosity[out] = (1 / omega - 0.5) / 3;
  if (!fields->stress) return;
  stress_of_f64(g, lattice->tables.model, omega, stress);
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

void ht_lattice_fields_at(const ht_lattice *lattice, int64_t first, int64_t count,
                          ht_lattice_fields *fields) {
  for (int64_t n = 0; n < count * HT_TILE_NODES; n++)
    read_node(lattice, first + (n >> 6), (int)(n & 63), n, fields);
}

ht_status ht_lattice_mark(ht_lattice *lattice, int64_t count, const int64_t *node) {
  ht_marked_nodes_free(&lattice->marked);
  ht_status status = ht_marked_nodes_find(&lattice->tables, count, node, &lattice->marked);
  if (status == HT_OK) status = lattice->backend->mark(lattice->state, &lattice->marked.of);
  if (status != HT_OK) ht_marked_nodes_free(&lattice->marked);
  return status;
}

ht_status ht_lattice_read_marked(ht_lattice *lattice, ht_lattice_fields *fields) {
  const ht_marked_nodes *marked = &lattice->marked;
  if (marked->nodes == 0) return HT_OK;
  HT_TRY(alloc_host(lattice));
  lattice->host_step = -1;
  HT_TRY(lattice->backend->read_marked(lattice->state, marked->read));
  ht_marked_nodes_place(&lattice->tables, marked, lattice->slip, lattice->given, lattice->host);
  ht_drive_fill(&lattice->tables, lattice->step, lattice->coefficient);
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < marked->nodes; i++)
    read_node(lattice, marked->node[i] >> 6, (int)(marked->node[i] & 63), i, fields);
  return HT_OK;
}

/* omega of a node that has this stress. Without the trace, sigma = -(1 - omega/2) Pi: for the
 * unknown x, (1 - omega(x)/2)^2 x is known and rises with x (relax_table.h). */
static double rate_of_stress(const ht_lattice_tables *tables, double rho, const double *stress) {
  if (!tables->rate) return tables->omega;
  double mean = (stress[0] + stress[1] + stress[2]) / 3, square = 0;
  double density = HT_MODEL_COMPRESSIBILITY(tables->model) == HT_QUASI_COMPRESSIBLE ? 1 + rho : 1;
  for (int k = 0; k < 3; k++)
    square += (stress[k] - mean) * (stress[k] - mean) + 2 * stress[3 + k] * stress[3 + k];
  double known = square / (density * density), low = -HT_RELAX_OCTAVES, high = 0; /* log2 x */
  for (int i = 0; i < 56; i++) {
    double middle = 0.5 * (low + high), x = exp2(middle);
    double share = 1 - look_up_rate_f64(x, tables->rate) / 2;
    if (share * share * x < known)
      low = middle;
    else
      high = middle;
  }
  return look_up_rate_f64(exp2(low), tables->rate);
}

/* The inverse of read_node(): the values of a node before its collision. */
static void build_node(const ht_lattice *lattice, int64_t n, const ht_lattice_fields *fields,
                       double g[HT_Q_MOST]) {
  const ht_lattice_tables *tables = &lattice->tables;
  double rho = fields->density ? fields->density[n] : 0, momentum[3], moment[6] = {0};
  double scale = HT_MODEL_COMPRESSIBILITY(tables->model) == HT_QUASI_COMPRESSIBLE ? 1 + rho : 1;
  for (int a = 0; a < 3; a++) {
    double velocity = fields->velocity ? fields->velocity[3 * n + a] : 0;
    momentum[a] = scale * (velocity - tables->acceleration[a] / 2);
  }
  if (fields->stress) {
    const double *stress = fields->stress + 6 * n;
    double omega = 1 - ht_sponge_keep(tables, n) * (1 - rate_of_stress(tables, rho, stress));
    moment_of_f64(stress, tables->model, omega, moment);
  }
  rebuild_of_f64(g, tables->model, rho, momentum, moment);
}

/* Puts the values of a node where the next step pulls them from: the reverse of arrive(). */
static void send_back(const ht_lattice *lattice, int64_t node, const double g[HT_Q_MOST],
                      void *values) {
  const ht_lattice_tables *tables = &lattice->tables;
  int64_t tile = node / HT_TILE_NODES;
  int local = (int)(node % HT_TILE_NODES);
  const int64_t a_tile = HT_TILE_VALUES(tables->directions);
  for (int q = 0; q < tables->directions; q++) {
    int slot, from;
    int64_t at = tile * a_tile + local;
    ht_pull_source(local, q, &slot, &from);
    if (q > 0 && ((tables->links[node] >> q) & 1))
      at += 64 * ht_opposite(q);
    else
      at = tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot] * a_tile + 64 * q + from;
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
    double g[HT_Q_MOST];
    if (!((tiling->inside[n / HT_TILE_NODES] >> (n % HT_TILE_NODES)) & 1)) continue;
    build_node(lattice, n, fields, g);
    send_back(lattice, n, g, lattice->host);
  }
  ht_wall_links_undo(&lattice->tables, lattice->slip, lattice->given, lattice->host);
  ht_status status = lattice->backend->upload(lattice->state, lattice->host);
  ht_wall_links_apply(&lattice->tables, lattice->slip, lattice->given, lattice->host);
  if (status != HT_OK) lattice->host_step = -1;
  return status;
}

/* ---- the whole state ---- */

/* What decides the bits of a state: without the number of threads, with that of ranks; of GPUs
 * without how they exchange. */
static void name_device(const char *device, char kind[128]) {
  const char *comma = strrchr(device, ',');
  int is_cpu = strncmp(device, "CPU,", 4) == 0 && comma;
  snprintf(kind, 128, "%s%s", is_cpu ? "CPU" : device, is_cpu ? comma : "");
  if (is_cpu && ht_ranks() > 1) snprintf(kind, 128, "CPU, %d ranks%s", ht_ranks(), comma);
  if (!is_cpu && ht_ranks() > 1 && comma) kind[comma - device] = 0;
}

static ht_status transfer_device(const ht_lattice *lattice, ht_state *stream) {
  char here[128] = "", there[128];
  name_device(lattice->device, here);
  memcpy(there, here, sizeof there);
  HT_TRY(ht_state_part(stream, "device"));
  HT_TRY(ht_state_text(stream, there, sizeof there));
  if (strcmp(here, there) == 0) return HT_OK;
  return ht_fail(HT_ERR_DEVICE, "it was written on '%s', and this run has '%s'", there, here);
}

/* The values of the ports, which ht_lattice_scale_inflow() has changed. */
static ht_status transfer_ports(ht_lattice *lattice, ht_state *stream) {
  ht_lattice_tables *tables = &lattice->tables;
  HT_TRY(ht_state_part(stream, "ports"));
  HT_TRY(ht_state_size(stream, (size_t)tables->port_nodes * 3 * sizeof(double)));
  for (int64_t i = 0; i < tables->port_nodes; i++) {
    ht_port_node *node = &tables->port_node[i];
    HT_TRY(ht_state_some(stream, &node->value, sizeof node->value));
    HT_TRY(ht_state_some(stream, node->slope, sizeof node->slope));
  }
  HT_TRY(ht_state_bytes(stream, tables->shape, (size_t)tables->shapes * sizeof(double)));
  return stream->is_loading ? lattice->backend->reload_ports(lattice->state) : HT_OK;
}

ht_status ht_lattice_transfer(ht_lattice *lattice, ht_state *stream) {
  HT_TRY(transfer_device(lattice, stream));
  HT_TRY(ht_state_part(stream, "lattice"));
  HT_TRY(ht_state_count(stream, &lattice->step, 0, INT64_MAX));
  HT_TRY(ht_state_count(stream, &lattice->watched_at, 0, lattice->step));
  if (stream->is_loading) lattice->host_step = -1;
  HT_TRY(transfer_ports(lattice, stream));
  return lattice->backend->transfer(lattice->state, stream);
}

void ht_lattice_measure_cost(const ht_lattice *lattice, ht_lattice_cost *cost) {
  lattice->backend->measure_cost(lattice->state, cost);
  cost->wall_links = lattice->tables.wall_links;
  cost->half_way_links = lattice->tables.half_way_links;
}
