/* Room on the host for what comes from the GPU or goes there. Private to solver/cuda/. */
#ifndef HT_CUDA_READING_CUH
#define HT_CUDA_READING_CUH

#include "solver/cuda/cuda_state.cuh"

/* Makes room for the blocks' values, for the slips, or for the fields. Kept for the next time: new
 * pages take longer than the copy. Page-locked, where there is enough of that. HT_ERR_MEMORY. */
ht_status ht_cuda_host_room(ht_cuda_state *state);

/* Frees it, after what is on its way has arrived, with the stream and the events of the fields. */
void ht_cuda_host_free(ht_cuda_reading *reading);

/* Waits until the fields on their way to the host have arrived. HT_ERR_DEVICE. */
ht_status ht_cuda_await_fields(const ht_cuda_state *state);

/* Copies to the room on the host. HT_ERR_MEMORY, HT_ERR_DEVICE. */
ht_status ht_cuda_bring(ht_cuda_state *state, const void *from, size_t bytes);

/* Copies what the latest launches have found, after checking and waiting for them; `doing`: see
 * ht_cuda_check(). HT_ERR_DEVICE. */
ht_status ht_cuda_bring_result(const ht_cuda_state *state, const void *from, size_t bytes, void *to,
                               const char *doing);

static inline size_t all_stored(const ht_cuda_state *state) {
  return (size_t)(state->blocks.blocks * HT_TILE_VALUES(state->tables->directions)) *
         stored_size(state);
}

static inline size_t all_slips(const ht_cuda_state *state) {
  return (size_t)state->tables->wall_links * arithmetic_size(state);
}

static inline size_t fields_bytes(int64_t blocks) {
  return (size_t)blocks * HT_BLOCK_FIELDS * sizeof(double);
}

/* The values lie at the end of the array or at its beginning; a step's order of blocks depends on
 * it. */
static inline void *place_of_values(const ht_cuda_state *state) {
  size_t before = state->stored.is_up
                      ? (size_t)state->stored.shift *
                            (size_t)HT_TILE_VALUES(state->tables->directions) * stored_size(state)
                      : 0;
  return (char *)state->stored.d_values + before;
}

#endif
