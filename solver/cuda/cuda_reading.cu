#include "solver/cuda/cuda_reading.cuh"
#include <algorithm>
#include <cstdlib>

ht_status ht_cuda_host_room(ht_cuda_state *state) {
  const size_t fields = fields_bytes(state->blocks.blocks);
  const size_t bytes = std::max(fields, std::max(all_stored(state), all_slips(state)));
  if (state->reading.on_host) return HT_OK;
  state->reading.is_pinned = cudaMallocHost(&state->reading.on_host, bytes) == cudaSuccess;
  if (state->reading.is_pinned) return HT_OK;
  cudaGetLastError();
  state->reading.on_host = NULL;
  return ht_alloc(&state->reading.on_host, bytes, 1, "the flow on the host");
}

ht_status ht_cuda_await_fields(const ht_cuda_state *state) {
  if (!state->reading.arrived) return HT_OK;
  return ht_cuda_check(cudaEventSynchronize(state->reading.arrived),
                       "copying the flow to the host");
}

ht_status ht_cuda_bring(ht_cuda_state *state, const void *from, size_t bytes) {
  HT_TRY(ht_cuda_host_room(state));
  HT_TRY(ht_cuda_await_fields(state));
  if (bytes == 0) return HT_OK;
  return ht_cuda_check(cudaMemcpy(state->reading.on_host, from, bytes, cudaMemcpyDeviceToHost),
                       "copying the flow to the host");
}

ht_status ht_cuda_bring_result(const ht_cuda_state *state, const void *from, size_t bytes, void *to,
                               const char *doing) {
  HT_TRY(ht_cuda_check(cudaGetLastError(), doing));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->streams.stream[0]), doing));
  return ht_cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), doing);
}

void ht_cuda_host_free(ht_cuda_reading *reading) {
  if (reading->copying) cudaStreamSynchronize(reading->copying);
  if (reading->is_pinned)
    cudaFreeHost(reading->on_host);
  else
    free(reading->on_host);
  if (reading->copying) cudaStreamDestroy(reading->copying);
  if (reading->kept) cudaEventDestroy(reading->kept);
  if (reading->arrived) cudaEventDestroy(reading->arrived);
}
