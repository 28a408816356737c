/* The CPU backend's state to and from a stream, as it lies in memory. */
#include "solver/cpu/cpu_state.h"
#include <stdio.h>

/* Moves what the next steps need of the walls: the slips, and the mass that the last two steps
 * added. */
static ht_status transfer_walls(cpu_state *state, ht_state *stream) {
  const ht_lattice_tables *tables = state->tables;
  size_t slip = tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  if (tables->wall_links == 0) return HT_OK;
  HT_TRY(ht_state_part(stream, "walls"));
  HT_TRY(ht_state_bytes(stream, state->walls.slip, (size_t)tables->wall_links * slip));
  const size_t given = (size_t)tables->wall_tiles * sizeof(double);
  HT_TRY(ht_state_bytes(stream, state->walls.given, given));
  return ht_state_bytes(stream, state->walls.given_last, given);
}

static ht_status transfer_diagonal(cpu_state *state, ht_state *stream) {
  if (!state->tables->corrected) return HT_OK;
  HT_TRY(ht_state_part(stream, "diagonals"));
  for (int k = 0; k < 3; k++) HT_TRY(ht_state_bytes(stream, state->square[k], squares_size(state)));
  return HT_OK;
}

ht_status ht_cpu_transfer(void *opaque, ht_state *stream) {
  cpu_state *state = opaque;
  size_t nodes = (size_t)state->tables->tiling->tiles * HT_TILE_NODES;
  if (stream->is_loading) state->image.step = -1;
  HT_TRY(ht_state_part(stream, "distributions"));
  HT_TRY(ht_state_bytes(stream, state->copy[state->current], copy_size(state)));
  HT_TRY(ht_state_part(stream, "watched velocity"));
  HT_TRY(ht_state_bytes(stream, state->last_velocity, nodes * 3 * sizeof(float)));
  HT_TRY(transfer_walls(state, stream));
  return transfer_diagonal(state, stream);
}
