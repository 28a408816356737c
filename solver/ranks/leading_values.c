/* The values of all ranks, from rank 0: it has those of its own part, and of another at most what
 * is under way. */
#include "solver/ranks/rank_lead.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the values of a rank";

/* ---- fields ---- */

/* The wanted tiles of a part, which has them in the order of the whole lattice. */
typedef struct {
  int64_t first, count; /* in the part */
  int64_t next;         /* tile of the whole lattice to look for the next one from */
} range;

static range range_of(const ht_rank_lead *state, int p, const ht_visitor *visitor) {
  range of = {.next = visitor->first};
  for (int64_t t = visitor->first; t < visitor->first + visitor->count; t++) {
    if (state->plan.part[t] != p) continue;
    if (of.count++ == 0) of.first = state->plan.local[t];
  }
  return of;
}

/* The fields of the next tiles of part p are shown. */
static void show(const ht_rank_lead *state, int p, int64_t tiles, const ht_lattice_fields *slab,
                 int64_t *next, const ht_visitor *visitor) {
  int64_t number[HT_RANK_SLAB];
  for (int64_t i = 0; i < tiles; i++) {
    while (state->plan.part[*next] != p) ++*next;
    number[i] = (*next)++;
  }
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < tiles; i++) {
    const ht_lattice_fields of = {.density = slab->density + HT_TILE_NODES * i,
                                  .velocity = slab->velocity + 3 * HT_TILE_NODES * i,
                                  .stress = slab->stress + 6 * HT_TILE_NODES * i,
                                  .viscosity =
                                      slab->viscosity ? slab->viscosity + HT_TILE_NODES * i : NULL};
    visitor->visit(visitor->user, number[i], &of);
  }
}

/* Shows the part of rank p. coefficient: of this rank's own; NULL: rank p sends its fields. */
static void show_part(const ht_rank_lead *state, int p, const double *coefficient,
                      const ht_visitor *visitor, double *buffer) {
  range of = range_of(state, p, visitor);
  for (int64_t t = 0; t < of.count; t += HT_RANK_SLAB) {
    int64_t left = of.count - t, tiles = left < HT_RANK_SLAB ? left : HT_RANK_SLAB;
    ht_lattice_fields slab = ht_rank_slab(buffer, tiles, visitor->has_viscosity);
    if (coefficient)
      ht_rank_slab_read(state->own, coefficient, of.first + t, tiles, &slab);
    else
      ht_ranks_receive(p, buffer, ht_rank_slab_bytes(tiles, visitor->has_viscosity));
    show(state, p, tiles, &slab, &of.next, visitor);
  }
}

static void send_coefficients(const ht_rank_lead *state, const double *coefficient) {
  for (int p = 1; p < state->plan.parts; p++)
    ht_ranks_send(p, coefficient, (size_t)state->tables->columns * sizeof *coefficient);
}

/* Orders a visit of each rank, with the tiles that are wanted of it. Ranks of which none is wanted
 * still exchange. */
static void order_visit(const ht_rank_lead *state, const ht_visitor *visitor) {
  for (int p = 1; p < state->plan.parts; p++) {
    const range of = range_of(state, p, visitor);
    const ht_rank_order order = {HT_RANK_VISIT, state->lattice, of.first, of.count,
                                 visitor->has_viscosity};
    ht_ranks_send(p, &order, sizeof order);
  }
}

ht_status ht_lead_visit(void *opaque, int64_t step, const double *coefficient,
                        const ht_visitor *visitor) {
  ht_rank_lead *state = opaque;
  double *buffer;
  (void)step; /* each rank takes its present values */
  if (visitor->count == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&buffer, ht_rank_slab_bytes(HT_RANK_SLAB, 1), 1, what));
  order_visit(state, visitor);
  send_coefficients(state, coefficient);
  ht_status status = ht_host_image_fetch(state->own->state, -1);
  if (status == HT_OK) show_part(state, 0, coefficient, visitor, buffer);
  ht_host_image_drop(state->own->state);
  for (int p = 1; p < state->plan.parts; p++)
    if (ht_rank_hear(p, &status) == HT_OK) show_part(state, p, NULL, visitor, buffer);
  free(buffer);
  return status;
}

/* ---- kept fields ---- */

static ht_status make_kept_room(ht_rank_lead *state) {
  const size_t tiles = (size_t)state->tables->tiling->tiles;
  if (state->kept) return HT_OK;
  for (int p = 1; p < state->plan.parts; p++)
    state->kept_tile[p] = state->kept_tile[p - 1] + state->counts[p - 1].tiles;
  return ht_alloc((void **)&state->kept, tiles, HT_RANK_NUMBERS * sizeof *state->kept, what);
}

/* Lists the ranks that send a piece from their tile `first` on, state->at[p] tiles each in all.
 * Returns their number. */
static int list_pieces(const ht_rank_lead *state, int64_t first, ht_ranks_peer *peer) {
  int peers = 0;
  for (int p = 1; p < state->plan.parts; p++) {
    const int64_t left = state->at[p] - first, tiles = left < HT_RANK_PIECE ? left : HT_RANK_PIECE;
    double *to = state->kept + HT_RANK_NUMBERS * (state->kept_tile[p] + first);
    if (tiles > 0)
      peer[peers++] = (ht_ranks_peer){
          .rank = p, .receive = to, .receive_size = (size_t)tiles * HT_RANK_NUMBERS * sizeof *to};
  }
  return peers;
}

/* Receives from all ranks at the same time. */
static ht_status receive_kept(ht_rank_lead *state, ht_ranks_peer *peer, ht_status status) {
  int peers;
  for (int p = 1; p < state->plan.parts; p++)
    state->at[p] = ht_rank_hear(p, &status) == HT_OK ? state->counts[p].tiles : 0;
  for (int64_t t = 0; (peers = list_pieces(state, t, peer)) > 0; t += HT_RANK_PIECE) {
    ht_ranks_exchange_begin(peer, peers);
    ht_ranks_exchange_end();
  }
  return status;
}

ht_status ht_lead_keep(void *opaque, int64_t step, int stays) {
  ht_rank_lead *state = opaque;
  ht_ranks_peer *peer;
  (void)stays;
  HT_TRY(make_kept_room(state));
  HT_TRY(ht_alloc((void **)&peer, (size_t)state->plan.parts, sizeof *peer, what));
  ht_status status = ht_rank_order_driven(state, HT_RANK_KEEP, step, 1);
  if (status == HT_OK) {
    status = ht_rank_part_keep(state->own, step);
    if (status == HT_OK)
      status = ht_rank_kept_read(state->own, 0, state->counts[0].tiles, state->kept);
    status = receive_kept(state, peer, status);
  }
  free(peer);
  return status;
}

ht_status ht_lead_show(void *opaque, const ht_visitor *visitor) {
  const ht_rank_lead *state = opaque;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t t = visitor->first; t < visitor->first + visitor->count; t++) {
    const int64_t at = state->kept_tile[state->plan.part[t]] + state->plan.local[t];
    const ht_lattice_fields fields = ht_rank_kept(state->kept + HT_RANK_NUMBERS * at);
    visitor->visit(visitor->user, t, &fields);
  }
  return HT_OK;
}

/* ---- new values ---- */

static void want_part(const ht_rank_lead *state, int p, int32_t *place) {
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    place[t] = state->plan.part[t] == p ? state->plan.local[t] : -1;
}

static ht_status fill_parts(ht_rank_lead *state, const ht_filler *filler, int32_t *place,
                            char *values, size_t room) {
  const size_t a_tile = ht_tile_bytes(state->tables);
  for (int p = 1; p < state->plan.parts; p++) {
    memset(values, 0, room);
    want_part(state, p, place);
    filler->fill(filler->user, place, values);
    ht_ranks_send(p, values, (size_t)state->counts[p].tiles * a_tile);
  }
  want_part(state, 0, place);
  ht_filler own = *filler;
  own.place = place;
  return ht_rank_hear_all(state, ht_rank_part_fill(state->own, &own));
}

ht_status ht_lead_fill(void *opaque, int64_t step, const ht_filler *filler) {
  ht_rank_lead *state = opaque;
  const size_t tiles = (size_t)state->tables->tiling->tiles;
  int64_t most = 0;
  int32_t *place = NULL;
  char *values = NULL;
  (void)step;
  for (int p = 1; p < state->plan.parts; p++)
    if (state->counts[p].tiles > most) most = state->counts[p].tiles;
  size_t room = (size_t)most * ht_tile_bytes(state->tables);
  ht_status status = ht_alloc((void **)&place, tiles, sizeof *place, what);
  if (status == HT_OK) status = ht_alloc((void **)&values, room, 1, what);
  if (status == HT_OK) {
    ht_rank_order_all(state, HT_RANK_FILL, filler->has_walls, 0);
    status = fill_parts(state, filler, place, values, room);
  }
  free(place);
  free(values);
  return status;
}

/* ---- a few nodes ---- */

/* The nodes of part p, as that has them. Returns their number. */
static int64_t list_nodes(const ht_rank_lead *state, int p, int64_t *to) {
  int64_t count = 0;
  for (int64_t i = 0; i < state->nodes; i++)
    if (ht_rank_of_node(state, state->node[i]) == p)
      to[count++] = ht_node_of_rank(state, state->node[i]);
  return count;
}

static ht_status take_nodes(ht_rank_lead *state, int64_t count, const int64_t *node) {
  free(state->node);
  state->nodes = 0;
  HT_TRY(ht_alloc((void **)&state->node, (size_t)count + 1, sizeof *node, what));
  if (count > 0) memcpy(state->node, node, (size_t)count * sizeof *node);
  state->nodes = count;
  return HT_OK;
}

ht_status ht_lead_mark(void *opaque, int64_t count, const int64_t *node) {
  ht_rank_lead *state = opaque;
  int64_t *list;
  HT_TRY(take_nodes(state, count, node));
  HT_TRY(ht_alloc((void **)&list, (size_t)count + 1, sizeof *list, what));
  for (int p = 1; p < state->plan.parts; p++) {
    int64_t some = state->marked[p] = list_nodes(state, p, list);
    const ht_rank_order order = {.task = HT_RANK_MARK, .lattice = state->lattice, .count = some};
    ht_ranks_send(p, &order, sizeof order);
    ht_ranks_send(p, list, (size_t)some * sizeof *list);
  }
  int64_t own = state->marked[0] = list_nodes(state, 0, list);
  ht_status status =
      ht_rank_hear_all(state, state->own->backend->mark(state->own->state, own, list));
  free(list);
  if (status != HT_OK) state->nodes = 0;
  return status;
}

/* Copies the fields of the nodes of part p to the places that they have among all. */
static void place_nodes(const ht_rank_lead *state, int p, const ht_lattice_fields *from,
                        ht_lattice_fields *to) {
  int64_t next = 0;
  for (int64_t i = 0; i < state->nodes; i++) {
    if (ht_rank_of_node(state, state->node[i]) != p) continue;
    if (to->density) to->density[i] = from->density[next];
    if (to->velocity) memcpy(to->velocity + 3 * i, from->velocity + 3 * next, 3 * sizeof(double));
    if (to->stress) memcpy(to->stress + 6 * i, from->stress + 6 * next, 6 * sizeof(double));
    next++;
  }
}

ht_status ht_lead_read(void *opaque, const double *coefficient, ht_lattice_fields *fields) {
  ht_rank_lead *state = opaque;
  double *values;
  if (state->nodes == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&values, ht_rank_few_bytes(state->nodes), 1, what));
  ht_rank_order_all(state, HT_RANK_NODES, 0, 0);
  send_coefficients(state, coefficient);
  ht_lattice_fields own = ht_rank_few(values, state->marked[0]);
  ht_status status = state->own->backend->read_marked(state->own->state, coefficient, &own);
  if (status == HT_OK) place_nodes(state, 0, &own, fields);
  for (int p = 1; p < state->plan.parts; p++) {
    if (ht_rank_hear(p, &status) != HT_OK) continue;
    const ht_lattice_fields some = ht_rank_few(values, state->marked[p]);
    ht_ranks_receive(p, values, ht_rank_few_bytes(state->marked[p]));
    place_nodes(state, p, &some, fields);
  }
  free(values);
  return status;
}

/* ---- the whole state ---- */

static ht_status move_own(ht_rank_lead *state, ht_state *stream) {
  ht_rank_pipe pipe = ht_rank_pipe_open(0, stream);
  ht_status status = ht_rank_transfer(state->own, &pipe, stream->is_loading);
  ht_rank_pipe_close(&pipe);
  return status;
}

static ht_status move_rank(ht_rank_lead *state, int p, ht_state *stream) {
  const int loads = stream->is_loading;
  const ht_rank_order order = {.task = loads ? HT_RANK_LOAD : HT_RANK_SAVE,
                               .lattice = state->lattice};
  ht_rank_pipe rank = ht_rank_pipe_open(p, NULL), here = ht_rank_pipe_open(0, stream);
  ht_ranks_send(p, &order, sizeof order);
  ht_status status = ht_rank_pipe_relay(loads ? &here : &rank, loads ? &rank : &here);
  ht_rank_hear(p, &status);
  ht_rank_pipe_close(&rank);
  ht_rank_pipe_close(&here);
  return status;
}

/* Rank by rank. A rank's own state has its border in it. */
ht_status ht_lead_transfer(void *opaque, ht_state *stream) {
  ht_rank_lead *state = opaque;
  int parts = state->plan.parts;
  HT_TRY(ht_state_part(stream, "ranks"));
  HT_TRY(ht_state_int(stream, &parts, parts, parts));
  HT_TRY(move_own(state, stream));
  for (int p = 1; p < parts; p++) HT_TRY(move_rank(state, p, stream));
  return HT_OK;
}
