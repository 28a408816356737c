/* The values of the CUDA backend's blocks to and from the tiles of the interface, on the host;
 * included by backend_cuda.cu alone. */
#ifndef HT_CUDA_VALUES_CUH
#define HT_CUDA_VALUES_CUH

#include "solver/cuda/cuda_reading.cuh"
#include <cstring>

static float host_half_load(ht_half half) {
  return __half2float(__ushort_as_half(half)) * HT_HALF_UNSCALE;
}

static ht_half host_half_store(float value) {
  return __half_as_ushort(__float2half_rn(value * HT_HALF_SCALE));
}

/* Copies the values of all fluid nodes; T: the interface's type, S: the stored one. */
template <class S, class T, class Copy>
static void each_value(const cuda_state *state, S *stored, T *values, Copy copy) {
  const int directions = state->tables->directions;
  int64_t nodes = state->tables->tiling->tiles * HT_TILE_NODES;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < nodes; i++) {
    uint32_t place = state->blocks.place[i];
    if (place == HT_NO_PLACE) continue;
    for (int q = 0; q < directions; q++)
      copy(stored[ht_blocks_address(&state->blocks, place, q)],
           values[(i >> 6) * HT_TILE_VALUES(directions) + 64 * q + (i & 63)]);
  }
}

template <class S, class T, class Copy>
static ht_status values_from_blocks(cuda_state *state, T *values, Copy copy) {
  const int a_block = HT_TILE_VALUES(state->tables->directions);
  HT_TRY(bring(state, place_of_values(state), all_stored(state)));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    memset(values + t * a_block, 0, (size_t)a_block * sizeof *values);
  each_value(state, (S *)state->on_host, values, copy);
  return HT_OK;
}

template <class S, class T, class Copy>
static ht_status values_to_blocks(cuda_state *state, const T *values, Copy copy) {
  const size_t bytes = all_stored(state);
  HT_TRY(host_room(state));
  HT_TRY(wait_for_kept(state));
  memset(state->on_host, 0, bytes); /* slots without a node are 0 */
  each_value(state, (S *)state->on_host, values, copy);
  return ht_cuda_check(
      cudaMemcpy(place_of_values(state), state->on_host, bytes, cudaMemcpyHostToDevice),
      "copying the flow to the GPU");
}

#endif
