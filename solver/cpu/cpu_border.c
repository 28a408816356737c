/* Exchange between ranks, on the CPU: values, masses and squares, gathered into a buffer and put
 * back from one, in the order of the border's places. */
#include "solver/cpu/cpu_state.h"
#include <stdlib.h>
#include <string.h>

/* The places in this layout. */
static ht_status place_border(const cpu_state *state, const ht_border *border, int64_t **own) {
  const ht_lattice_tables *tables = state->tables;
  const int a_tile = HT_TILE_VALUES(tables->directions);
  HT_TRY(ht_alloc((void **)own, (size_t)border->places, sizeof **own, "the border"));
  memcpy(*own, border->place, (size_t)border->places * sizeof **own);
  for (int s = 0; s < border->sections; s++) {
    const ht_border_section *section = &border->section[s];
    if (section->kind != HT_CROSS_VALUES) continue;
    for (int64_t i = section->first; i < section->first + section->count; i++) {
      int64_t tile = border->place[i] / a_tile;
      int in_tile = (int)(border->place[i] % a_tile);
      (*own)[i] =
          ht_cpu_place(tables->directions, tables->tiling->tiles, tile, in_tile / 64, in_tile % 64);
    }
  }
  return HT_OK;
}

/* ---- the edge ---- */

/* Fewer tiles than these between two of the edge are stepped with it: the kernel prefetches within
 * a run only. */
enum { GAP = 64 };

static void close_gaps(int64_t tiles, uint8_t *is_edge) {
  int64_t behind = 0; /* the latest tile of the edge */
  for (int64_t t = 0; t < tiles; t++) {
    if (!is_edge[t]) continue;
    if (t - behind <= GAP) memset(is_edge + behind, 1, (size_t)(t - behind));
    behind = t + 1;
  }
  if (behind > 0 && tiles - behind <= GAP) memset(is_edge + behind, 1, (size_t)(tiles - behind));
}

/* A port's node reads what the step makes of the walls of the node inside of it, so the tile of
 * that goes with the port's. */
static void keep_ports_whole(const ht_lattice_tables *tables, uint8_t *is_edge) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (int64_t p = 0; p < tables->port_nodes; p++) {
      const ht_port_node *port = &tables->port_node[p];
      uint8_t *inner = &is_edge[port->inner / HT_TILE_NODES];
      if (!is_edge[port->node / HT_TILE_NODES] || *inner) continue;
      *inner = changed = 1;
    }
  }
}

/* Runs of the own tiles whose mark is `wanted`. */
static ht_status list_runs(int64_t tiles, const uint8_t *is_edge, int wanted, ht_cpu_runs *runs) {
  int64_t count = 0;
  for (int64_t t = 0; t < tiles; t++)
    count += is_edge[t] == wanted && (t == 0 || is_edge[t - 1] != wanted);
  HT_TRY(ht_alloc((void **)&runs->run, (size_t)count, sizeof *runs->run, "the border"));
  for (int64_t t = 0; t < tiles; t++) {
    if (is_edge[t] != wanted) continue;
    if (t == 0 || is_edge[t - 1] != wanted) runs->run[runs->count++].begin = t;
    runs->run[runs->count - 1].end = t + 1;
    runs->tiles++;
  }
  return HT_OK;
}

static ht_status build_edge(const ht_lattice_tables *tables, const ht_border *send,
                            ht_cpu_edge *edge) {
  uint8_t *is_edge = NULL;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&is_edge, (size_t)tables->own_tiles, 1, "the border"));
  HT_TRY_DONE(ht_alloc((void **)&edge->is_port, (size_t)tables->port_nodes, 1, "the border"));
  ht_border_mark(tables, send, is_edge);
  close_gaps(tables->own_tiles, is_edge);
  keep_ports_whole(tables, is_edge);
  for (int64_t p = 0; p < tables->port_nodes; p++)
    edge->is_port[p] = is_edge[tables->port_node[p].node / HT_TILE_NODES];
  HT_TRY_DONE(list_runs(tables->own_tiles, is_edge, 1, &edge->runs));
  HT_TRY_DONE(list_runs(tables->own_tiles, is_edge, 0, &edge->rest));
done:
  free(is_edge);
  return status;
}

void ht_cpu_edge_free(ht_cpu_edge *edge) {
  free(edge->runs.run);
  free(edge->rest.run);
  free(edge->is_port);
}

ht_status ht_cpu_border(void *opaque, const ht_border *send, const ht_border *receive,
                        const ht_part_peer *peer, int64_t peers) {
  cpu_state *state = opaque;
  (void)peer, (void)peers; /* the host sends to each */
  state->send = send;
  state->receive = receive;
  HT_TRY(place_border(state, send, &state->send_place));
  HT_TRY(place_border(state, receive, &state->receive_place));
  return build_edge(state->tables, send, &state->edge);
}

/* ---- what crosses ---- */

/* Returns the present values of a kind. */
static char *values_of(cpu_state *state, ht_cross_kind kind) {
  if (kind == HT_CROSS_VALUES) return state->copy[state->current];
  if (kind == HT_CROSS_MASS) return (char *)state->walls.given;
  return state->square[state->last_step % 3];
}

#define GATHER(type)                                                                               \
  for (int64_t i = 0; i < count; i++) ((type *)to)[i] = ((const type *)values)[place[i]]
#define SCATTER(type)                                                                              \
  for (int64_t i = 0; i < count; i++) ((type *)values)[place[i]] = ((const type *)from)[i]

static void gather(const void *values, const int64_t *place, int64_t count, int64_t bytes,
                   void *to) {
  if (bytes == 2)
    GATHER(uint16_t);
  else if (bytes == 4)
    GATHER(uint32_t);
  else
    GATHER(uint64_t);
}

static void scatter(const void *from, const int64_t *place, int64_t count, int64_t bytes,
                    void *values) {
  if (bytes == 2)
    SCATTER(uint16_t);
  else if (bytes == 4)
    SCATTER(uint32_t);
  else
    SCATTER(uint64_t);
}

ht_status ht_cpu_pack(void *opaque, void *bytes) {
  cpu_state *state = opaque;
  for (int s = 0; s < state->send->sections; s++) {
    const ht_border_section *section = &state->send->section[s];
    gather(values_of(state, section->kind), state->send_place + section->first, section->count,
           ht_cross_bytes(state->tables->precision, section->kind),
           (char *)bytes + section->offset);
  }
  return HT_OK;
}

ht_status ht_cpu_unpack(void *opaque, const void *bytes) {
  cpu_state *state = opaque;
  for (int s = 0; s < state->receive->sections; s++) {
    const ht_border_section *section = &state->receive->section[s];
    scatter((const char *)bytes + section->offset, state->receive_place + section->first,
            section->count, ht_cross_bytes(state->tables->precision, section->kind),
            values_of(state, section->kind));
  }
  return HT_OK;
}
