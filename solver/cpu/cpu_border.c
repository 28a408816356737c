/* What crosses between ranks, on the CPU: values, masses and squares, gathered into a buffer and
 * put back from one, in the order of the border's places. */
#include "cpu_state.h"
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

ht_status ht_cpu_border(void *opaque, const ht_border *send, const ht_border *receive) {
  cpu_state *state = opaque;
  state->send = send;
  state->receive = receive;
  HT_TRY(place_border(state, send, &state->send_place));
  return place_border(state, receive, &state->receive_place);
}

/* Where the values of a kind are now. */
static char *values_of(cpu_state *state, ht_cross_kind kind) {
  if (kind == HT_CROSS_VALUES) return state->copy[state->current];
  if (kind == HT_CROSS_MASS) return (char *)state->walls.given;
  return state->diagonal.square[state->last_step % 3];
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
