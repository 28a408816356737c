/* The part of an order that every rank does, rank 0 too. */
#include "solver/ranks/rank_orders.h"
#include "solver/lattice/node_fields.h"
#include <string.h>

size_t ht_rank_given_bytes(const ht_rank_counts *counts, ht_rank_task task) {
  switch (task) {
  case HT_RANK_WATCH:
    return (size_t)counts->tiles * sizeof(ht_backend_change);
  case HT_RANK_PORT_FLOW:
    return (size_t)counts->port_nodes * sizeof(double);
  case HT_RANK_COST:
    return sizeof(ht_lattice_cost);
  default:
    return 0;
  }
}

ht_rank_counts ht_rank_counts_of(const ht_rank_part *work) {
  const ht_lattice_tables *tables = &work->part.tables;
  return (ht_rank_counts){tables->own_tiles, tables->port_nodes};
}

ht_status ht_rank_give(ht_rank_part *work, ht_rank_task task, void *to) {
  switch (task) {
  case HT_RANK_WATCH:
    return work->backend->watch_tiles(work->state, to);
  case HT_RANK_PORT_FLOW:
    return work->backend->port_flow(work->state, to);
  case HT_RANK_COST:
    work->backend->measure_cost(work->state, to);
    ((ht_lattice_cost *)to)->crossing_bytes = work->part.send.bytes;
    return HT_OK;
  default:
    return ht_fail(HT_ERR_INTERNAL, "task %d gives nothing", (int)task);
  }
}

ht_status ht_rank_reload(ht_rank_part *work) {
  return work->backend->reload_ports(work->state);
}

ht_status ht_rank_transfer(ht_rank_part *work, ht_rank_pipe *pipe, int is_loading) {
  ht_state stream = ht_rank_pipe_stream(pipe, is_loading);
  ht_status status = work->backend->transfer(work->state, &stream);
  ht_status ended = is_loading ? ht_rank_pipe_drain(pipe) : ht_rank_pipe_end(pipe);
  return status == HT_OK ? ended : status;
}

/* ---- fields ---- */

/* Offsets of the nodes' numbers, in units of their count: [1], [3], [6] and [1] of each. */
enum { DENSITY = 0, VELOCITY = 1, STRESS = 4, VISCOSITY = 10, ALL = 11 };

ht_lattice_fields ht_rank_few(double *buffer, int64_t nodes) {
  return (ht_lattice_fields){.density = buffer + DENSITY * nodes,
                             .velocity = buffer + VELOCITY * nodes,
                             .stress = buffer + STRESS * nodes};
}

size_t ht_rank_few_bytes(int64_t nodes) {
  return (size_t)(VISCOSITY * nodes) * sizeof(double);
}

ht_lattice_fields ht_rank_slab(double *buffer, int64_t tiles, int has_viscosity) {
  const int64_t nodes = HT_TILE_NODES * tiles;
  ht_lattice_fields fields = ht_rank_few(buffer, nodes);
  if (has_viscosity) fields.viscosity = buffer + VISCOSITY * nodes;
  return fields;
}

size_t ht_rank_slab_bytes(int64_t tiles, int has_viscosity) {
  const int64_t numbers = has_viscosity ? ALL : VISCOSITY;
  return (size_t)(HT_TILE_NODES * tiles * numbers) * sizeof(double);
}

void ht_rank_slab_read(const ht_rank_part *work, const double *coefficient, int64_t first,
                       int64_t tiles, ht_lattice_fields *fields) {
  const ht_node_reader reader = {&work->part.tables, ht_rank_image(work)->values, coefficient};
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < tiles * HT_TILE_NODES; n++)
    ht_node_read(&reader, first + n / HT_TILE_NODES, (int)(n % HT_TILE_NODES), n, fields);
}

/* ---- kept fields ---- */

ht_lattice_fields ht_rank_kept(double *kept) {
  return ht_rank_few(kept, HT_TILE_NODES);
}

typedef struct {
  int64_t first;
  double *kept; /* [tiles][HT_RANK_NUMBERS] from tile `first` on */
} kept_tiles;

static void take_tile(void *user, int64_t tile, const ht_lattice_fields *fields) {
  const kept_tiles *to = user;
  const ht_lattice_fields kept = ht_rank_kept(to->kept + HT_RANK_NUMBERS * (tile - to->first));
  memcpy(kept.density, fields->density, HT_TILE_NODES * sizeof(double));
  memcpy(kept.velocity, fields->velocity, 3 * HT_TILE_NODES * sizeof(double));
  memcpy(kept.stress, fields->stress, 6 * HT_TILE_NODES * sizeof(double));
}

ht_status ht_rank_kept_read(const ht_rank_part *work, int64_t first, int64_t tiles, double *to) {
  kept_tiles kept = {first, to};
  const ht_visitor visitor = {first, tiles, 0, take_tile, &kept};
  return work->backend->show(work->state, &visitor);
}
