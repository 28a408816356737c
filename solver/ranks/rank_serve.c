#include "solver/ranks/rank_serve.h"
#include "solver/ranks/rank_orders.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_rank_part *lattice[HT_RANK_LATTICES];
} server;

static int (*is_asked)(void);

static void answer(ht_status status) {
  ht_rank_answer said = {.status = (int32_t)status, .asked_to_stop = is_asked()};
  if (status != HT_OK) snprintf(said.message, sizeof said.message, "%s", ht_error_message());
  ht_ranks_send(0, &said, sizeof said);
}

/* Room without which the orders cannot be followed. */
static void *room_for(size_t size) {
  void *room;
  if (ht_alloc(&room, size, 1, "an order") != HT_OK) ht_ranks_abort(HT_ERR_MEMORY);
  return room;
}

/* The pipe is read to its end in any case: rank 0 has others to serve. */
static ht_status load_part(ht_rank_part **made) {
  ht_rank_pipe pipe = ht_rank_pipe_open(0, NULL);
  ht_state stream = ht_rank_pipe_stream(&pipe, 1);
  ht_status status = ht_alloc((void **)made, 1, sizeof **made, "the part of a rank");
  if (status == HT_OK) status = ht_part_move(&(*made)->part, &stream);
  (void)ht_rank_pipe_drain(&pipe);
  ht_rank_pipe_close(&pipe);
  return status == HT_OK ? ht_rank_part_begin(*made) : status;
}

static void serve_create(server *s, const ht_rank_order *order) {
  ht_rank_part **made = &s->lattice[order->lattice];
  ht_status status = load_part(made);
  answer(status);
  if (status != HT_OK) {
    ht_rank_part_free(*made);
    *made = NULL;
    return;
  }
  ht_rank_made what;
  memcpy(what.device, (*made)->device, sizeof what.device);
  memcpy(what.identity, (*made)->identity, sizeof what.identity);
  ht_ranks_send(0, &what, sizeof what);
}

static void serve_join(ht_rank_part *work) {
  ht_offer name;
  ht_ranks_receive(0, &name, sizeof name);
  answer(ht_rank_part_join(work, &name));
}

/* Receives the coefficients of ht_rank_order_driven(). */
static void receive_drive(ht_rank_part *work, const ht_rank_order *order) {
  const size_t columns = (size_t)work->part.tables.columns - 1;
  if (ht_rank_part_room(work, order->count) != HT_OK) ht_ranks_abort(HT_ERR_MEMORY);
  ht_ranks_receive(0, work->coefficient, (size_t)order->count * columns * sizeof(double));
}

static void serve_step(ht_rank_part *work, const ht_rank_order *order) {
  receive_drive(work, order);
  answer(ht_rank_part_step(work, order->first, order->count));
}

static void serve_reload(ht_rank_part *work) {
  const ht_lattice_tables *tables = &work->part.tables;
  ht_ranks_receive(0, tables->port_node, (size_t)tables->port_nodes * sizeof(ht_port_node));
  ht_ranks_receive(0, tables->shape, (size_t)tables->shapes * sizeof(double));
  answer(ht_rank_reload(work));
}

static double *receive_coefficients(const ht_rank_part *work) {
  const size_t bytes = (size_t)work->part.tables.columns * sizeof(double);
  double *coefficient = room_for(bytes);
  ht_ranks_receive(0, coefficient, bytes);
  return coefficient;
}

static void serve_visit(ht_rank_part *work, const ht_rank_order *order) {
  double *slab = room_for(ht_rank_slab_bytes(HT_RANK_SLAB, 1));
  double *coefficient = receive_coefficients(work);
  ht_status status = ht_host_image_fetch(work->state, -1);
  answer(status);
  const int has_viscosity = order->has_viscosity != 0;
  for (int64_t t = 0; t < order->count && status == HT_OK; t += HT_RANK_SLAB) {
    int64_t left = order->count - t, tiles = left < HT_RANK_SLAB ? left : HT_RANK_SLAB;
    ht_lattice_fields fields = ht_rank_slab(slab, tiles, has_viscosity);
    ht_rank_slab_read(work, coefficient, order->first + t, tiles, &fields);
    ht_ranks_send(0, slab, ht_rank_slab_bytes(tiles, has_viscosity));
  }
  ht_host_image_drop(work->state);
  free(coefficient);
  free(slab);
}

/* Rank 0 waits for all pieces. */
static void send_kept(ht_rank_part *work) {
  const int64_t all = work->part.tables.own_tiles;
  const size_t a_tile = HT_RANK_NUMBERS * sizeof(double);
  if (!work->piece) work->piece = room_for(HT_RANK_PIECE * a_tile);
  for (int64_t t = 0; t < all; t += HT_RANK_PIECE) {
    const int64_t tiles = all - t < HT_RANK_PIECE ? all - t : HT_RANK_PIECE;
    ht_status status = ht_rank_kept_read(work, t, tiles, work->piece);
    if (status != HT_OK) ht_ranks_abort(status);
    ht_ranks_send(0, work->piece, (size_t)tiles * a_tile);
  }
}

static void serve_keep(ht_rank_part *work, const ht_rank_order *order) {
  receive_drive(work, order);
  ht_status status = ht_rank_part_keep(work, order->first);
  answer(status);
  if (status == HT_OK) send_kept(work);
}

/* Receives the values of the own tiles. */
static void receive_values(void *user, const int32_t *place, void *values) {
  const ht_lattice_tables *tables = user;
  (void)place;
  ht_ranks_receive(0, values, (size_t)tables->own_tiles * ht_tile_bytes(tables));
}

static void serve_fill(ht_rank_part *work, const ht_rank_order *order) {
  const ht_filler filler = {
      .fill = receive_values, .user = &work->part.tables, .has_walls = order->first != 0};
  answer(ht_rank_part_fill(work, &filler));
}

static void serve_mark(ht_rank_part *work, const ht_rank_order *order) {
  int64_t *node = room_for((size_t)order->count * sizeof *node);
  ht_ranks_receive(0, node, (size_t)order->count * sizeof *node);
  answer(work->backend->mark(work->state, order->count, node));
  free(node);
}

static void serve_nodes(ht_rank_part *work) {
  const int64_t nodes = ht_rank_image(work)->marked.nodes;
  double *values = room_for(ht_rank_few_bytes(nodes));
  ht_lattice_fields fields = ht_rank_few(values, nodes);
  double *coefficient = receive_coefficients(work);
  ht_status status = work->backend->read_marked(work->state, coefficient, &fields);
  answer(status);
  if (status == HT_OK) ht_ranks_send(0, values, ht_rank_few_bytes(nodes));
  free(coefficient);
  free(values);
}

static void serve_state(ht_rank_part *work, int is_loading) {
  ht_rank_pipe pipe = ht_rank_pipe_open(0, NULL);
  answer(ht_rank_transfer(work, &pipe, is_loading));
  ht_rank_pipe_close(&pipe);
}

static void serve_give(ht_rank_part *work, ht_rank_task task) {
  const ht_rank_counts counts = ht_rank_counts_of(work);
  size_t size = ht_rank_given_bytes(&counts, task);
  void *given = room_for(size);
  ht_status status = ht_rank_give(work, task, given);
  answer(status);
  if (status == HT_OK) ht_ranks_send(0, given, size);
  free(given);
}

static void serve_order(server *s, const ht_rank_order *order) {
  ht_rank_part *work = s->lattice[order->lattice];
  switch (order->task) {
  case HT_RANK_CREATE:
    serve_create(s, order);
    break;
  case HT_RANK_DESTROY:
    ht_rank_part_free(work);
    s->lattice[order->lattice] = NULL;
    break;
  case HT_RANK_LINK:
    answer(ht_rank_part_link(work));
    break;
  case HT_RANK_UNLINK:
    ht_rank_part_unlink(work);
    answer(HT_OK);
    break;
  case HT_RANK_ASK:
    answer(work->backend->name(NULL));
    break;
  case HT_RANK_JOIN:
    serve_join(work);
    break;
  case HT_RANK_STEP:
    serve_step(work, order);
    break;
  case HT_RANK_RELOAD:
    serve_reload(work);
    break;
  case HT_RANK_MARK:
    serve_mark(work, order);
    break;
  case HT_RANK_VISIT:
    serve_visit(work, order);
    break;
  case HT_RANK_KEEP:
    serve_keep(work, order);
    break;
  case HT_RANK_FILL:
    serve_fill(work, order);
    break;
  case HT_RANK_NODES:
    serve_nodes(work);
    break;
  case HT_RANK_SAVE:
  case HT_RANK_LOAD:
    serve_state(work, order->task == HT_RANK_LOAD);
    break;
  default:
    serve_give(work, (ht_rank_task)order->task);
  }
}

void ht_rank_serve(int (*asked_to_stop)(void)) {
  is_asked = asked_to_stop;
  server s = {{NULL}};
  ht_rank_order order;
  while (ht_ranks_await(0, &order, sizeof order, asked_to_stop), order.task != HT_RANK_END)
    serve_order(&s, &order);
  for (int i = 0; i < HT_RANK_LATTICES; i++) {
    if (s.lattice[i]) s.lattice[i]->is_linked = 0; /* rank 0 may have left: no one waits */
    ht_rank_part_free(s.lattice[i]);
  }
}

void ht_rank_dismiss(void) {
  const ht_rank_order order = {.task = HT_RANK_END};
  for (int p = 1; p < ht_ranks(); p++) ht_ranks_send(p, &order, sizeof order);
}
