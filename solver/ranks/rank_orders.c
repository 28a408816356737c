/* The part of an order that every rank does, rank 0 too. */
#include "solver/ranks/rank_orders.h"

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
