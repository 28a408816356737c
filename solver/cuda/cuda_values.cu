/* The values of the blocks to and from the host's image. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include "solver/cuda/host_array.cuh"
#include <cstring>

static float host_half_load(ht_half half) {
  return __half2float(__ushort_as_half(half)) * HT_HALF_UNSCALE;
}

static ht_half host_half_store(float value) {
  return __half_as_ushort(__float2half_rn(value * HT_HALF_SCALE));
}

/* Copies the values of all fluid nodes; T: the interface's type, S: the stored one. */
template <class S, class T, class Copy>
static void each_value(const ht_cuda_state *state, S *stored, T *values, Copy copy) {
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
static ht_status values_from_blocks(ht_cuda_state *state, T *values, Copy copy) {
  const int a_block = HT_TILE_VALUES(state->tables->directions);
  HT_TRY(ht_cuda_bring(state, place_of_values(state), all_stored(state)));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    memset(values + t * a_block, 0, (size_t)a_block * sizeof *values);
  each_value(state, (S *)state->reading.on_host, values, copy);
  return HT_OK;
}

template <class S, class T, class Copy>
static ht_status values_to_blocks(ht_cuda_state *state, const T *values, Copy copy) {
  const size_t bytes = all_stored(state);
  HT_TRY(ht_cuda_host_room(state));
  HT_TRY(ht_cuda_await_fields(state));
  memset(state->reading.on_host, 0, bytes); /* slots without a node are 0 */
  each_value(state, (S *)state->reading.on_host, values, copy);
  return ht_cuda_check(
      cudaMemcpy(place_of_values(state), state->reading.on_host, bytes, cudaMemcpyHostToDevice),
      "copying the flow to the GPU");
}

static ht_status cuda_download(void *opaque, void *values) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  auto same = [](auto from, auto &to) { to = from; };
  auto widen = [](ht_half from, float &to) { to = host_half_load(from); };
  if (state->tables->precision == HT_FP64)
    return values_from_blocks<double>(state, (double *)values, same);
  if (state->tables->precision == HT_FP32)
    return values_from_blocks<float>(state, (float *)values, same);
  return values_from_blocks<ht_half>(state, (float *)values, widen);
}

static ht_status cuda_download_slip(void *opaque, double *slip) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  HT_TRY(ht_cuda_bring(state, state->walls.d_slip, all_slips(state)));
  const void *all = state->reading.on_host;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < state->tables->wall_links; i++)
    slip[state->blocks.link[i]] = arithmetic_size(state) == sizeof(double)
                                      ? ((const double *)all)[i]
                                      : (double)((const float *)all)[i];
  return HT_OK;
}

static ht_status upload_values(ht_cuda_state *state, const void *values) {
  auto same = [](auto &to, auto from) { to = from; };
  auto narrow = [](ht_half &to, float from) { to = host_half_store(from); };
  if (state->tables->precision == HT_FP64)
    return values_to_blocks<double>(state, (const double *)values, same);
  if (state->tables->precision == HT_FP32)
    return values_to_blocks<float>(state, (const float *)values, same);
  return values_to_blocks<ht_half>(state, (const float *)values, narrow);
}

/* Copies the ports' values next to the blocks, too: these are the ones that cross. */
static ht_status cuda_upload(void *opaque, const void *values) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const char what[] = "copying the flow to the GPU";
  for (void *kept : {state->forces.d_carried[state->stored.is_up], state->forces.d_square[0],
                     state->forces.d_square[1]})
    if (kept) HT_TRY(ht_cuda_check(cudaMemset(kept, 0, diagonal_bytes(state)), what));
  HT_TRY(upload_values(state, values));
  if (!state->part.send || !has_ports(state)) return HT_OK;
  return ht_cuda_check(state->kernels.copy_ports(state, 1), what);
}

/* ---- a few values ---- */

static void give_marks(ht_cuda_state *state) {
  ht_device_marks *marks = &state->reading.marks;
  ht_cuda_memory_give_back(&state->memory, marks->d_address);
  ht_cuda_memory_give_back(&state->memory, marks->d_link);
  ht_cuda_memory_give_back(&state->memory, marks->d_read);
  *marks = {};
}

static ht_status place_marked_values(ht_cuda_state *state, const ht_marked_values *marked) {
  ht_host_array<uint32_t> address;
  HT_TRY(address.make(marked->values, "the marked nodes"));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < marked->values; i++)
    address[i] = ht_cuda_address(state, marked->place[i]);
  return ht_cuda_take(state, &state->reading.marks.d_address, address.data, address.bytes());
}

/* state->blocks.link has the tables' number of each link; this has it the other way round. */
static ht_status place_marked_links(ht_cuda_state *state, const ht_marked_values *marked) {
  const int64_t links = state->tables->wall_links;
  ht_host_array<uint32_t> number, link;
  HT_TRY(number.make(links, "the marked nodes"));
  HT_TRY(link.make(marked->links, "the marked nodes"));
  for (int64_t i = 0; i < links; i++) number[state->blocks.link[i]] = (uint32_t)i;
  for (int64_t i = 0; i < marked->links; i++) link[i] = number[marked->link[i]];
  return ht_cuda_take(state, &state->reading.marks.d_link, link.data, link.bytes());
}

static ht_status cuda_mark(void *opaque, const ht_marked_values *marked) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  size_t count = (size_t)(marked->values + marked->links);
  give_marks(state);
  HT_TRY(place_marked_values(state, marked));
  HT_TRY(place_marked_links(state, marked));
  HT_TRY(ht_cuda_take(state, &state->reading.marks.d_read, NULL, count * sizeof(double)));
  state->reading.marks.values = marked->values;
  state->reading.marks.links = marked->links;
  return HT_OK;
}

static ht_status cuda_read_marked(void *opaque, double *values) {
  const ht_cuda_state *state = (const ht_cuda_state *)opaque;
  size_t count = (size_t)(state->reading.marks.values + state->reading.marks.links);
  if (count == 0) return HT_OK;
  state->kernels.marks(state);
  return ht_cuda_bring_result(state, state->reading.marks.d_read, count * sizeof *values, values,
                              "reading the marked nodes");
}

const ht_value_access ht_cuda_values = {.download = cuda_download,
                                        .upload = cuda_upload,
                                        .download_slip = cuda_download_slip,
                                        .mark = cuda_mark,
                                        .read_marked = cuda_read_marked};
