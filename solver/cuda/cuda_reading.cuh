/* Reads the CUDA backend's state to the host: values of a few nodes, and copies of all of it;
 * included by backend_cuda.cu alone. */
#ifndef HT_CUDA_READING_CUH
#define HT_CUDA_READING_CUH

#include "solver/cuda/cuda_state.cuh"

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

static size_t all_stored(const cuda_state *state) {
  return (size_t)(state->blocks.blocks * HT_TILE_VALUES(state->tables->directions)) *
         stored_size(state);
}

static size_t all_slips(const cuda_state *state) {
  return (size_t)state->tables->wall_links * arithmetic_size(state);
}

static size_t fields_bytes(int64_t blocks) {
  return (size_t)blocks * HT_BLOCK_FIELDS * sizeof(double);
}

/* Room for the blocks' values, for the slips, or for the fields. Kept for the next time: new pages
 * take longer than the copy. Page-locked, where there is enough of that. */
static ht_status host_room(cuda_state *state) {
  const size_t fields = fields_bytes(state->blocks.blocks);
  const size_t bytes = std::max(fields, std::max(all_stored(state), all_slips(state)));
  if (state->on_host) return HT_OK;
  state->is_pinned = cudaMallocHost(&state->on_host, bytes) == cudaSuccess;
  if (state->is_pinned) return HT_OK;
  cudaGetLastError();
  state->on_host = NULL;
  return ht_alloc(&state->on_host, bytes, 1, "the flow on the host");
}

/* Waits until what is on its way to the host has arrived. */
static ht_status wait_for_kept(const cuda_state *state) {
  if (!state->arrived) return HT_OK;
  return ht_cuda_check(cudaEventSynchronize(state->arrived), "copying the flow to the host");
}

/* Copies to the room on the host. */
static ht_status bring(cuda_state *state, const void *from, size_t bytes) {
  HT_TRY(host_room(state));
  HT_TRY(wait_for_kept(state));
  if (bytes == 0) return HT_OK;
  return ht_cuda_check(cudaMemcpy(state->on_host, from, bytes, cudaMemcpyDeviceToHost),
                       "copying the flow to the host");
}

/* The values lie at the end of the array or at its beginning; a step's order of blocks depends on
 * it. */
static void *place_of_values(const cuda_state *state) {
  size_t before = state->is_up
                      ? (size_t)state->shift * (size_t)HT_TILE_VALUES(state->tables->directions) *
                            stored_size(state)
                      : 0;
  return (char *)state->d_values + before;
}

#endif
