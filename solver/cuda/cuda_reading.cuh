/* What the host reads of the CUDA backend's state: values of a few nodes, and copies of all of it;
 * included by backend_cuda.cu alone. */
#ifndef HT_CUDA_READING_CUH
#define HT_CUDA_READING_CUH

#include "cuda_state.cuh"

/* ---- values to read alone ---- */

static ht_status place_marked_values(cuda_state *state, const ht_marked_values *marked) {
  size_t count = (size_t)marked->values;
  uint32_t *address;
  HT_TRY(ht_alloc((void **)&address, count + 1, sizeof *address, "the marked nodes"));
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) address[i] = address_of_value(state, marked->place[i]);
  ht_status status =
      device_alloc(state, (void **)&state->marks.d_address, address, count * sizeof *address);
  free(address);
  return status;
}

/* state->blocks.link has the tables' number of each link; this has it the other way round. */
static ht_status place_marked_links(cuda_state *state, const ht_marked_values *marked) {
  size_t links = (size_t)state->tables->wall_links, count = (size_t)marked->links;
  uint32_t *number, *link = NULL;
  HT_TRY(ht_alloc((void **)&number, links + 1, sizeof *number, "the marked nodes"));
  ht_status status = ht_alloc((void **)&link, count + 1, sizeof *link, "the marked nodes");
  for (size_t i = 0; i < links; i++) number[state->blocks.link[i]] = (uint32_t)i;
  for (size_t i = 0; i < count && status == HT_OK; i++) link[i] = number[marked->link[i]];
  if (status == HT_OK)
    status = device_alloc(state, (void **)&state->marks.d_link, link, count * sizeof *link);
  free(number);
  free(link);
  return status;
}

static ht_status place_marks(cuda_state *state, const ht_marked_values *marked) {
  size_t count = (size_t)(marked->values + marked->links);
  free_marks(&state->marks);
  HT_TRY(place_marked_values(state, marked));
  HT_TRY(place_marked_links(state, marked));
  HT_TRY(device_alloc(state, (void **)&state->marks.d_read, NULL, count * sizeof(double)));
  state->marks.values = marked->values;
  state->marks.links = marked->links;
  return HT_OK;
}

/* ---- copies for the host ---- */

static size_t kept_values(const cuda_state *state) {
  return (size_t)(state->blocks.blocks * HT_TILE_VALUES(state->tables->directions)) *
         stored_size(state);
}

/* Of the blocks' values and, behind them, of the slips. */
static size_t kept_bytes(const cuda_state *state) {
  return kept_values(state) + (size_t)state->tables->wall_links * arithmetic_size(state);
}

/* Kept for the next time: new pages take longer than the copy. Page-locked, where there is enough
 * of that. */
static ht_status host_room(cuda_state *state) {
  if (state->on_host) return HT_OK;
  state->is_pinned = cudaMallocHost(&state->on_host, kept_bytes(state)) == cudaSuccess;
  if (state->is_pinned) {
    memset(state->on_host, 0, kept_bytes(state)); /* slots without a node stay 0 */
    return HT_OK;
  }
  cudaGetLastError();
  state->on_host = NULL;
  return ht_alloc(&state->on_host, kept_bytes(state), 1, "the distribution functions");
}

/* At most half of the free memory. Without it the host waits for the copy. */
static ht_status device_room(cuda_state *state) {
  size_t free_bytes = 0, all_bytes = 0;
  if (state->d_kept || !state->is_pinned) return HT_OK;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  if (kept_bytes(state) > free_bytes / 2) return HT_OK;
  cudaError_t error = cudaSuccess;
  if (!state->copying) error = cudaStreamCreateWithFlags(&state->copying, cudaStreamNonBlocking);
  if (error == cudaSuccess && !state->kept)
    error = cudaEventCreateWithFlags(&state->kept, cudaEventDisableTiming);
  if (error == cudaSuccess && !state->arrived)
    error =
        cudaEventCreateWithFlags(&state->arrived, cudaEventBlockingSync | cudaEventDisableTiming);
  HT_TRY(ht_cuda_check(error, "starting"));
  return device_alloc(state, &state->d_kept, NULL, kept_bytes(state));
}

/* The present values and slips, to `to`. */
static cudaError_t copy_state(const cuda_state *state, void *to, cudaMemcpyKind kind) {
  const void *values =
      state->tables->precision == HT_FP64   ? (const void *)values_at<double>(state, state->is_up)
      : state->tables->precision == HT_FP32 ? (const void *)values_at<float>(state, state->is_up)
                                            : (const void *)values_at<ht_half>(state, state->is_up);
  size_t bytes = kept_values(state), slips = kept_bytes(state) - bytes;
  cudaError_t error = cudaMemcpyAsync(to, values, bytes, kind, state->stream[0]);
  if (error != cudaSuccess || slips == 0) return error;
  return cudaMemcpyAsync((char *)to + bytes, state->d_slip, slips, kind, state->stream[0]);
}

/* By way of a copy on the device, which takes no time, so that the next steps need not wait for the
 * way to the host. */
static cudaError_t send_aside(cuda_state *state) {
  cudaError_t error = cudaStreamWaitEvent(state->stream[0], state->arrived, 0);
  if (error == cudaSuccess) error = copy_state(state, state->d_kept, cudaMemcpyDeviceToDevice);
  if (error == cudaSuccess) error = cudaEventRecord(state->kept, state->stream[0]);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(state->copying, state->kept, 0);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(state->on_host, state->d_kept, kept_bytes(state),
                            cudaMemcpyDeviceToHost, state->copying);
  return error == cudaSuccess ? cudaEventRecord(state->arrived, state->copying) : error;
}

/* Until what was kept is on the host. */
static ht_status wait_for_kept(const cuda_state *state) {
  if (!state->arrived) return HT_OK;
  return ht_cuda_check(cudaEventSynchronize(state->arrived), "copying the flow to the host");
}

#endif
