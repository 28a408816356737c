/* Moves the state to or from a stream, as it lies on the device. What each step finds again (the
 * values of the ports' nodes next to the blocks, the coefficients) is not part of it. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include <cstdlib>

enum { TRANSFER_BYTES = 1 << 26 }; /* of a piece on the host */

/* Moves `bytes` of the device, by way of the host's `room`. */
static ht_status transfer_piece(void *device, size_t bytes, char *room, ht_state *stream) {
  const char what[] = "copying the state";
  if (!stream->is_loading)
    HT_TRY(ht_cuda_check(cudaMemcpy(room, device, bytes, cudaMemcpyDeviceToHost), what));
  HT_TRY(ht_state_some(stream, room, bytes));
  if (!stream->is_loading) return HT_OK;
  return ht_cuda_check(cudaMemcpy(device, room, bytes, cudaMemcpyHostToDevice), what);
}

static ht_status transfer_array(void *device, size_t bytes, char *room, ht_state *stream) {
  HT_TRY(ht_state_size(stream, bytes));
  for (size_t at = 0; at < bytes; at += TRANSFER_BYTES) {
    size_t now = bytes - at < TRANSFER_BYTES ? bytes - at : (size_t)TRANSFER_BYTES;
    HT_TRY(transfer_piece((char *)device + at, now, room, stream));
  }
  return HT_OK;
}

/* The slips, the mass that the links of the last steps added, and the shares of it. */
static ht_status transfer_walls(ht_cuda_state *state, char *room, ht_state *stream) {
  const ht_lattice_tables *tables = state->tables;
  if (!state->blocks.link) return HT_OK;
  const size_t given = (size_t)tables->wall_tiles * sizeof *state->walls.d_given[0];
  const size_t taken = (size_t)tables->wall_tiles * sizeof *state->walls.d_taken[0];
  HT_TRY(ht_state_part(stream, "links in blocks"));
  HT_TRY(transfer_array(state->walls.d_slip, all_slips(state), room, stream));
  for (int k = 0; k < GIVEN_STEPS; k++)
    HT_TRY(transfer_array(state->walls.d_given[k], given, room, stream));
  return transfer_array(state->walls.d_taken[state->stored.is_up], taken, room, stream);
}

static ht_status transfer_diagonal(ht_cuda_state *state, char *room, ht_state *stream) {
  if (!state->tables->corrected) return HT_OK;
  HT_TRY(ht_state_part(stream, "diagonals"));
  for (void *values : {state->forces.d_carried[state->stored.is_up], state->forces.d_square[0],
                       state->forces.d_square[1]})
    HT_TRY(transfer_array(values, diagonal_bytes(state), room, stream));
  return HT_OK;
}

/* Moves all of the state. Whether the array is compact decides how blocks lie in it, and which of
 * them are watched. */
static ht_status transfer_all(ht_cuda_state *state, char *room, ht_state *stream) {
  int watched = state->measure.watched;
  HT_TRY(ht_state_part(stream, "distributions"));
  HT_TRY(ht_state_int(stream, &watched, state->measure.watched, state->measure.watched));
  HT_TRY(ht_state_int(stream, &state->stored.is_up, 0, 1));
  HT_TRY(transfer_array(place_of_values(state), all_stored(state), room, stream));
  HT_TRY(ht_state_part(stream, "watched velocity"));
  HT_TRY(transfer_array(state->measure.d_last, watch_bytes(state), room, stream));
  HT_TRY(transfer_walls(state, room, stream));
  return transfer_diagonal(state, room, stream);
}

ht_status ht_cuda_transfer(void *opaque, ht_state *stream) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  char *room;
  if (stream->is_loading) state->image.step = -1;
  HT_TRY(ht_cuda_await_fields(state));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->streams.stream[0]), "copying the state"));
  HT_TRY(ht_alloc((void **)&room, TRANSFER_BYTES, 1, "copying the state"));
  ht_status status = transfer_all(state, room, stream);
  free(room);
  return status;
}
