/* What every rank does of an order, rank 0 too. */
#include "rank_orders.h"
#include <stdlib.h>
#include <string.h>

size_t ht_rank_given_bytes(const ht_lattice_tables *tables, const ht_rank_counts *counts,
                           ht_rank_task task) {
  switch (task) {
  case HT_RANK_WATCH:
    return (size_t)counts->tiles * sizeof(ht_backend_change);
  case HT_RANK_PORT_FLOW:
    return (size_t)counts->port_nodes * sizeof(double);
  case HT_RANK_SLIP:
    return (size_t)counts->wall_links * sizeof(double);
  case HT_RANK_MARKED:
    return (size_t)counts->marked * sizeof(double);
  case HT_RANK_DOWNLOAD:
    return (size_t)counts->tiles * ht_rank_tile_bytes(tables);
  case HT_RANK_COST:
    return sizeof(ht_lattice_cost);
  default:
    return 0;
  }
}

ht_rank_counts ht_rank_counts_of(const ht_rank_part *work) {
  const ht_lattice_tables *tables = &work->part.tables;
  return (ht_rank_counts){tables->own_tiles, tables->port_nodes, tables->wall_links,
                          work->marked.values + work->marked.links};
}

/* Room for all tiles, of which the border's come last. */
static ht_status give_values(ht_rank_part *work, void *to) {
  if (work->backend->keep) HT_TRY(work->backend->keep(work->state, 0));
  return work->backend->download(work->state, to);
}

ht_status ht_rank_give(ht_rank_part *work, ht_rank_task task, void *to) {
  switch (task) {
  case HT_RANK_WATCH:
    return work->backend->watch_tiles(work->state, to);
  case HT_RANK_PORT_FLOW:
    return work->backend->port_flow(work->state, to);
  case HT_RANK_SLIP:
    return work->backend->download_slip(work->state, to);
  case HT_RANK_MARKED:
    return work->backend->read_marked(work->state, to);
  case HT_RANK_DOWNLOAD:
    return give_values(work, to);
  case HT_RANK_COST:
    work->backend->measure_cost(work->state, to);
    ((ht_lattice_cost *)to)->crossing_bytes = work->part.send.bytes;
    return HT_OK;
  default:
    return ht_fail(HT_ERR_INTERNAL, "task %d gives nothing", (int)task);
  }
}

ht_status ht_rank_upload(ht_rank_part *work, const void *all) {
  ht_status status = work->backend->upload(work->state, all);
  ht_status exchanged = ht_rank_part_exchange(work);
  return status == HT_OK ? exchanged : status;
}

ht_status ht_rank_reload(ht_rank_part *work) {
  return work->backend->reload_ports(work->state);
}

ht_status ht_rank_mark(ht_rank_part *work, const ht_marked_values *marked) {
  free(work->marked.place);
  free(work->marked.link);
  work->marked = *marked;
  return work->backend->mark(work->state, &work->marked);
}

ht_status ht_rank_transfer(ht_rank_part *work, ht_rank_buffer *buffer, int is_loading) {
  ht_state stream = ht_rank_buffer_stream(buffer, is_loading);
  return work->backend->transfer(work->state, &stream);
}
