#include "solver/lattice/lattice.h"
#include "solver/lattice/diagonal_table.h"
#include "solver/lattice/link_table.h"
#include "solver/lattice/node_fields.h"
#include "solver/kernels/nodes.h"
#include "solver/lattice/port_tables.h"
#include "core/mpi/ranks.h"
#include "solver/lattice/sponge_table.h"
#include "solver/kernels/start_noise.h"
#include "solver/lattice/wall_links.h"
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
  int64_t read_step;   /* of the fields that are read */
  double *coefficient; /* [columns] of the ports, at that step */
  ht_lattice *finer;   /* the level coupled with this one; NULL: none */
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
                   "a body force drives a closed or periodic box; this one has %d ports, whose "
                   "conditions do not include it",
                   setup->ports);
  return HT_OK;
}

static ht_status choose_backend(ht_lattice *lattice, const ht_lattice_setup *setup, int *on_gpu) {
  HT_TRY(ht_choose_device(setup->device, on_gpu));
  if (ht_ranks() > 1 && !setup->alone)
    lattice->backend = *on_gpu ? &ht_backend_gpu_ranks : &ht_backend_ranks;
  else
    lattice->backend = *on_gpu ? &ht_backend_cuda : &ht_backend_cpu;
  return HT_OK;
}

typedef struct {
  const ht_lattice_tables *tables;
  double amplitude;
} noise;

static void add_tile_noise(const noise *of, int64_t tile, int64_t to, void *values) {
  const ht_tiling *tiling = of->tables->tiling;
  const int directions = of->tables->directions, a_tile = HT_TILE_VALUES(directions);
  const int32_t *p = tiling->position + 3 * tile;
  for (int i = 0; i < a_tile; i++) {
    const int q = i / 64, n = i % 64;
    if (!((tiling->inside[tile] >> n) & 1)) continue;
    uint64_t x = 4 * p[0] - tiling->origin[0] + (n & 3);
    uint64_t y = 4 * p[1] - tiling->origin[1] + ((n >> 2) & 3);
    uint64_t z = 4 * p[2] - tiling->origin[2] + (n >> 4);
    double value = ht_start_value(of->amplitude, x, y, z, q, directions);
    if (of->tables->precision != HT_FP64)
      ((float *)values)[to * a_tile + i] = (float)value;
    else
      ((double *)values)[to * a_tile + i] = value;
  }
}

/* Every value of a fluid node deviates slightly; by voxel, so that it is the same for any tiling.
 */
static void fill_noise(void *user, const int32_t *place, void *values) {
  const noise *of = user;
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < of->tables->tiling->tiles; t++) {
    if (!place) add_tile_noise(of, t, t, values);
    if (place && place[t] >= 0) add_tile_noise(of, t, place[t], values);
  }
}

static ht_status add_noise(ht_lattice *lattice, double amplitude) {
  noise made = {&lattice->tables, amplitude};
  const ht_filler filler = {.fill = fill_noise, .user = &made};
  return lattice->backend->fill(lattice->state, lattice->step, &filler);
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
                                .outer = setup->outer,
                                .own = setup->own,
                                .balanced = setup->balanced,
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

/* Each rank has those of its part. */
static void drop_walls(ht_lattice_tables *tables) {
  free(tables->links);
  free(tables->wall_link);
  free(tables->wall_tile);
  free(tables->corrected);
  tables->links = NULL;
  tables->wall_link = NULL;
  tables->wall_tile = NULL;
  tables->corrected = NULL;
}

static ht_status build(ht_lattice *lattice, const ht_lattice_setup *setup) {
  int on_gpu;
  HT_TRY(choose_backend(lattice, setup, &on_gpu));
  HT_TRY(build_tables(lattice, setup));
  lattice->tables.on_gpu = on_gpu;
  HT_TRY(lattice->backend->create(&lattice->tables, &lattice->state, lattice->device));
  if (lattice->backend->drops_walls) drop_walls(&lattice->tables);
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
  free(lattice);
}

const char *ht_lattice_device(const ht_lattice *lattice) {
  return lattice->device;
}

const char *ht_lattice_by_host(const ht_lattice *lattice) {
  return lattice->backend->by_host ? lattice->backend->by_host(lattice->state) : "";
}

/* ---- running ---- */

ht_status ht_lattice_step(ht_lattice *lattice, int64_t steps) {
  HT_TRY(lattice->backend->step(lattice->state, lattice->step, steps));
  for (ht_lattice *of = lattice; of; of = of->finer, steps *= 2) of->step += steps;
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

/* head_lu: NULL: not wanted. */
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

/* ---- levels ---- */

struct ht_coupling {
  const ht_backend *backend;
  ht_lattice *coarse;
  void *state;
};

/* The share 1 - omega of the strain rate's moment stays after a collision; a smaller one than this
 * is lost in rounding. */
static const double least_share = 0.02;

static ht_status check_level(const ht_lattice *lattice) {
  const ht_lattice_tables *tables = &lattice->tables;
  if (!lattice->backend->couple)
    return ht_fail(HT_ERR_DEVICE, "levels of several spacings are not computed on '%s'",
                   lattice->device);
  if (tables->precision == HT_FP16)
    return ht_fail(HT_ERR_USAGE, "levels of several spacings need fp32 or fp64");
  if (tables->rate)
    return ht_fail(HT_ERR_USAGE, "levels of several spacings need a viscosity that does not depend "
                                 "on the shear rate");
  if (fabs(1 - tables->omega) < least_share)
    return ht_fail(HT_ERR_USAGE,
                   "the relaxation time of a level is %g: within %g of 1 the strain rate cannot be "
                   "read; use another time step",
                   1 / tables->omega, least_share);
  return HT_OK;
}

ht_status ht_lattice_couple(ht_lattice *coarse, ht_lattice *fine, const ht_interface *lists,
                            ht_coupling **coupling) {
  *coupling = NULL;
  HT_TRY(check_level(coarse));
  HT_TRY(check_level(fine));
  ht_coupling *made;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the levels"));
  made->backend = coarse->backend;
  made->coarse = coarse;
  coarse->finer = fine;
  ht_status status = made->backend->couple(coarse->state, fine->state, lists, &made->state);
  if (status == HT_OK)
    *coupling = made;
  else
    ht_lattice_decouple(made);
  return status;
}

void ht_lattice_decouple(ht_coupling *coupling) {
  if (!coupling) return;
  coupling->backend->decouple(coupling->state);
  coupling->coarse->finer = NULL;
  free(coupling);
}

ht_status ht_lattice_transfer_coupling(ht_coupling *coupling, ht_state *stream) {
  return coupling->backend->transfer_levels(coupling->state, stream);
}

ht_status ht_lattice_owed(ht_coupling *coupling, double *mass) {
  return coupling->backend->owed_levels(coupling->state, mass);
}

/* ---- fields ---- */

/* Fields are read of the present state from now on. */
static void begin_reading(ht_lattice *lattice) {
  lattice->read_step = lattice->step;
  ht_drive_fill(&lattice->tables, lattice->step, lattice->coefficient);
}

static ht_status visit(ht_lattice *lattice, const ht_visitor *visitor) {
  return lattice->backend->visit(lattice->state, lattice->read_step, lattice->coefficient, visitor);
}

ht_status ht_lattice_keep(ht_lattice *lattice, int stays) {
  const ht_visitor none = {.count = 0};
  begin_reading(lattice);
  return lattice->backend->keep ? lattice->backend->keep(lattice->state, lattice->step, stays)
                                : visit(lattice, &none);
}

int ht_lattice_keeps_beside(const ht_lattice *lattice) {
  return lattice->backend->keep != NULL;
}

double ht_lattice_mass(const ht_lattice *lattice, double density) {
  return ht_node_mass(&lattice->tables, density);
}

ht_status ht_lattice_visit(ht_lattice *lattice, ht_visit_tile see, void *user) {
  const ht_visitor all = {.count = lattice->tables.tiling->tiles, .visit = see, .user = user};
  return lattice->backend->show ? lattice->backend->show(lattice->state, &all)
                                : visit(lattice, &all);
}

typedef struct {
  int64_t first;
  ht_lattice_fields *to;
} wanted_tiles;

static void copy(double *to, const double *from, int64_t tile, int numbers) {
  const int64_t count = (int64_t)HT_TILE_NODES * numbers;
  if (to) memcpy(to + tile * count, from, (size_t)count * sizeof *to);
}

static void take_wanted(void *user, int64_t tile, const ht_lattice_fields *fields) {
  const wanted_tiles *wanted = user;
  const int64_t at = tile - wanted->first;
  copy(wanted->to->density, fields->density, at, 1);
  copy(wanted->to->velocity, fields->velocity, at, 3);
  copy(wanted->to->stress, fields->stress, at, 6);
  copy(wanted->to->viscosity, fields->viscosity, at, 1);
}

ht_status ht_lattice_read(ht_lattice *lattice, int64_t first, int64_t count,
                          ht_lattice_fields *fields) {
  wanted_tiles wanted = {first, fields};
  const ht_visitor some = {first, count, fields->viscosity != NULL, take_wanted, &wanted};
  begin_reading(lattice);
  return visit(lattice, &some);
}

ht_status ht_lattice_mark(ht_lattice *lattice, int64_t count, const int64_t *node) {
  return lattice->backend->mark(lattice->state, count, node);
}

ht_status ht_lattice_read_marked(ht_lattice *lattice, ht_lattice_fields *fields) {
  begin_reading(lattice);
  return lattice->backend->read_marked(lattice->state, lattice->coefficient, fields);
}

typedef struct {
  const ht_lattice_tables *tables;
  ht_node_source source;
  void *user;
  int has_stress;
} written;

static void fill_written(void *user, const int32_t *place, void *values) {
  const written *of = user;
  ht_nodes_spread(of->tables, of->source, of->user, of->has_stress, place, values);
}

static ht_status write(ht_lattice *lattice, written *made) {
  const ht_filler filler = {.fill = fill_written, .user = made, .has_walls = 1};
  return lattice->backend->fill(lattice->state, lattice->step, &filler);
}

ht_status ht_lattice_set(ht_lattice *lattice, ht_node_source source, void *user) {
  return write(lattice, &(written){&lattice->tables, source, user, 1});
}

static void take_given(void *user, int64_t node, ht_node_state *state) {
  const ht_lattice_fields *from = user;
  if (from->density) state->density = from->density[node];
  if (from->velocity) memcpy(state->velocity, from->velocity + 3 * node, sizeof state->velocity);
  if (from->stress) memcpy(state->stress, from->stress + 6 * node, sizeof state->stress);
}

ht_status ht_lattice_write(ht_lattice *lattice, const ht_lattice_fields *fields) {
  ht_lattice_fields given = *fields;
  return write(lattice, &(written){&lattice->tables, take_given, &given, fields->stress != NULL});
}

/* ---- the whole state ---- */

/* Names what decides the bits of a state: with the number of ranks, without that of threads; of
 * GPUs without how they exchange. */
static void name_device(const char *device, char kind[128]) {
  const char *comma = strrchr(device, ','), *exchange = strstr(device, ", exchange by ");
  int is_cpu = strncmp(device, "CPU,", 4) == 0 && comma;
  snprintf(kind, 128, "%s%s", is_cpu ? "CPU" : device, is_cpu ? comma : "");
  if (is_cpu && ht_ranks() > 1) snprintf(kind, 128, "CPU, %d ranks%s", ht_ranks(), comma);
  if (!is_cpu && exchange) kind[exchange - device] = 0;
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
  HT_TRY(transfer_ports(lattice, stream));
  return lattice->backend->transfer(lattice->state, stream);
}

void ht_lattice_measure_cost(const ht_lattice *lattice, ht_lattice_cost *cost) {
  lattice->backend->measure_cost(lattice->state, cost);
  cost->wall_links = lattice->tables.wall_links;
  cost->half_way_links = lattice->tables.half_way_links;
}
