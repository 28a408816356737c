/* The CUDA backend, host side. blocks.h has the layout, block_kernels.cuh the step.
 *
 * There is one array of values. The state lies at its beginning or, moved up by `shift` blocks, at
 * its end. A step from the end to the beginning goes through the blocks from the first to the last,
 * the next step goes back from the last to the first; so it finds the values written last in the
 * cache.
 *   Usually shift is all blocks, which makes two copies, and a step is one launch.
 *   Compact (on request, or where two copies do not fit): the array is a little longer than the
 * blocks need. A block then overwrites values that blocks far after it read. These reads are
 * completed by launches of `portion` blocks, two at a time (ht_blocks_split).
 *
 * Ports: their nodes' values lie next to the blocks of a state (blocks.h); a reader of a state
 * finds them in the blocks, too. They are found in the first groups of the step's launch; compact
 * by a launch before, as the step overwrites what they read. Interpolated walls (wall_links.h) are
 * a part of the step (block_walls.cuh); other groups of its launch share out the mass that they
 * added in the last one, for the next. The force that corrects diagonals is a launch over all
 * blocks before the step. A body force is a launch over all blocks after the step, in place, where
 * there is one. */
#include "solver/cuda/cuda_fields.cuh"
#include "solver/cuda/cuda_steps.cuh"
#include "solver/cuda/cuda_transfer.cuh"
#include "solver/cuda/cuda_values.cuh"
#include <cmath>
#include <cstdio>
#include <cstring>

/* ---- steps ---- */

/* The steps of the window, from `first` on. */
static cudaError_t launch_steps(cuda_state *state, int64_t first, int count) {
  step_version version = choose_version(state->tables);
  cudaError_t error = cudaSuccess;
  auto one = state->part.way != HT_BY_HOST ? version.linked : version.launch;
  for (int row = 0; row < count && error == cudaSuccess; row++)
    error = one(state, first + row, row);
  return error;
}

/* GRAPH_STEPS steps as one launch, so that small cases do not wait for the program. An even number:
 * the state ends where it began. */
static cudaError_t make_graph(cuda_state *state, int64_t first, cudaGraphExec_t *graph) {
  cudaGraph_t captured = NULL;
  cudaError_t error = cudaStreamBeginCapture(state->stream[0], cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return error;
  error = launch_steps(state, first, GRAPH_STEPS);
  cudaError_t ended = cudaStreamEndCapture(state->stream[0], &captured);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = cudaGraphInstantiate(graph, captured, 0);
  if (captured) cudaGraphDestroy(captured);
  return error;
}

static cudaError_t launch_graph(cuda_state *state, int64_t first) {
  cudaGraphExec_t *graph = &state->graph[state->is_up][first % GRAPHS];
  cudaError_t error = *graph ? cudaSuccess : make_graph(state, first, graph);
  return error == cudaSuccess ? cudaGraphLaunch(*graph, state->stream[0]) : error;
}

/* Marks the place that await_steps() sleeps up to: more than GRAPH_STEPS steps before the end. */
static cudaError_t mark_nearly(const cuda_state *state, int64_t left) {
  if (left <= GRAPH_STEPS || left > 2 * GRAPH_STEPS) return cudaSuccess;
  return cudaEventRecord(state->nearly, state->stream[0]);
}

static cudaError_t run_steps(cuda_state *state, int64_t first, int64_t count) {
  const ht_lattice_tables *tables = state->tables;
  while (count > 0) {
    int now = count < GRAPH_STEPS ? (int)count : GRAPH_STEPS;
    cudaError_t error = mark_nearly(state, count);
    if (error == cudaSuccess)
      error = ht_drive_window_send(&state->window, tables, first, state->stream[0]);
    if (error == cudaSuccess)
      error = now == GRAPH_STEPS ? launch_graph(state, first) : launch_steps(state, first, now);
    if (error != cudaSuccess) return error;
    first += now, count -= now;
  }
  return cudaSuccess;
}

/* Sleeps, so that the core is free for other work during the steps; the last steps are waited for
 * awake, so that the next ones begin at once. */
static cudaError_t await_steps(const cuda_state *state, int64_t count) {
  if (count > GRAPH_STEPS) {
    cudaError_t error = cudaEventSynchronize(state->nearly);
    if (error != cudaSuccess) return error;
  }
  return cudaStreamSynchronize(state->stream[0]);
}

static int has_ports(const cuda_state *state) {
  return state->tables->port_nodes > 0 && state->tables->step_kind == HT_STEP_FLOW;
}

static ht_status cuda_step(void *opaque, int64_t first, int64_t count) {
  cuda_state *state = (cuda_state *)opaque;
  step_version version = choose_version(state->tables);
  const int ports = has_ports(state);
  if (ports) HT_TRY(ht_cuda_check(version.copy_ports(state, 1), "starting a step"));
  HT_TRY(ht_cuda_check(run_steps(state, first, count), "starting a step"));
  if (ports) HT_TRY(ht_cuda_check(version.copy_ports(state, 0), "starting a step"));
  HT_TRY(ht_cuda_check(await_steps(state, count), "stepping"));
  ht_drive_window_arrived(&state->window);
  return check_peers(state);
}

/* ---- a rank's part ---- */

static ht_status cuda_step_edge(void *opaque, int64_t step) {
  cuda_state *state = (cuda_state *)opaque;
  const char what[] = "starting a step";
  step_version version = choose_version(state->tables);
  if (has_ports(state)) HT_TRY(ht_cuda_check(version.copy_ports(state, 1), what));
  HT_TRY(ht_cuda_check(ht_drive_window_send(&state->window, state->tables, step, state->stream[0]),
                       what));
  state->part.is_begun = 1;
  return ht_cuda_check(version.edge(state, step, 0), what);
}

static ht_status cuda_step_rest(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  state->part.is_begun = 0;
  return ht_cuda_check(choose_version(state->tables).rest(state), "starting a step");
}

static ht_status cuda_pack(void *opaque, void *bytes) {
  const cuda_state *state = (const cuda_state *)opaque;
  const ht_cuda_part *part = &state->part;
  const size_t size = (size_t)part->send->bytes;
  const char what[] = "sending to other ranks";
  const int is_up = part->is_begun ? !state->is_up : state->is_up;
  HT_TRY(ht_cuda_check(choose_version(state->tables).pack(state, is_up, state->stream[0]), what));
  HT_TRY(ht_cuda_check(
      cudaMemcpyAsync(part->pinned, part->d_sent, size, cudaMemcpyDeviceToHost, state->stream[0]),
      what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), what));
  if (size > 0) memcpy(bytes, part->pinned, size);
  return HT_OK;
}

/* The nodes of ports get their values here, as the step leaves them next to the blocks. */
static ht_status cuda_unpack(void *opaque, const void *bytes) {
  cuda_state *state = (cuda_state *)opaque;
  const ht_cuda_part *part = &state->part;
  const size_t size = (size_t)part->receive->bytes;
  const char what[] = "receiving from other ranks";
  step_version version = choose_version(state->tables);
  if (size > 0) memcpy(part->pinned, bytes, size);
  HT_TRY(ht_cuda_check(cudaMemcpyAsync(part->d_inbox + part->inbox_buffer[0], part->pinned, size,
                                       cudaMemcpyHostToDevice, state->stream[0]),
                       what));
  HT_TRY(ht_cuda_check(version.unpack(state, state->is_up, state->stream[0]), what));
  if (has_ports(state)) HT_TRY(ht_cuda_check(version.copy_ports(state, 0), what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), what));
  ht_drive_window_arrived(&state->window);
  return HT_OK;
}

static ht_status cuda_exchange(void *opaque) {
  const cuda_state *state = (const cuda_state *)opaque;
  const char what[] = "exchanging with other GPUs";
  HT_TRY(ht_cuda_check(
      choose_version(state->tables).exchange(state, state->is_up, state->stream[0]), what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), what));
  return check_peers(state);
}

/* Watches by block. There are no more blocks than tiles: each has a tile of its own. */
static ht_status cuda_watch_tiles(void *opaque, ht_backend_change *of_tile) {
  cuda_state *state = (cuda_state *)opaque;
  const size_t blocks = (size_t)state->blocks.own;
  ht_host_array<double> change;
  HT_TRY(change.make(3 * (int64_t)blocks, "the change of the flow"));
  if (blocks > 0) choose_version(state->tables).watch_blocks(state);
  HT_TRY(ht_cuda_check(cudaGetLastError(), "measuring the flow"));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), "measuring the flow"));
  HT_TRY(ht_cuda_check(
      cudaMemcpy(change.data, state->part.d_change, change.bytes(), cudaMemcpyDeviceToHost),
      "measuring the flow"));
  for (int64_t t = 0; t < state->tables->own_tiles; t++) of_tile[t] = ht_backend_change{0, 0, 0};
  for (int64_t b = 0; b < (int64_t)blocks; b++)
    of_tile[b] = ht_backend_change{change[3 * b], change[3 * b + 1], change[3 * b + 2]};
  return HT_OK;
}

/* ---- watching and reading ---- */

static ht_status cuda_watch(void *opaque, ht_backend_change *change) {
  cuda_state *state = (cuda_state *)opaque;
  double sums[4 * WATCH_BLOCKS], broken = 0;
  choose_version(state->tables).watch(state);
  HT_TRY(ht_cuda_check(cudaGetLastError(), "measuring the flow"));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), "measuring the flow"));
  HT_TRY(ht_cuda_check(cudaMemcpy(sums, state->d_sums, sizeof sums, cudaMemcpyDeviceToHost),
                       "measuring the flow"));
  *change = ht_backend_change{0, 0, 0};
  for (int b = 0; b < WATCH_BLOCKS; b++) {
    change->difference2 += sums[4 * b];
    change->speed2 += sums[4 * b + 1];
    change->max_speed2 = fmax(change->max_speed2, sums[4 * b + 2]);
    broken += sums[4 * b + 3];
  }
  if (broken > 0) change->max_speed2 = NAN;
  return HT_OK;
}

static ht_status cuda_momentum(void *opaque, double momentum[3]) {
  cuda_state *state = (cuda_state *)opaque;
  double sums[4 * WATCH_BLOCKS];
  choose_version(state->tables).momentum(state);
  HT_TRY(ht_cuda_check(cudaGetLastError(), "measuring the momentum"));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), "measuring the momentum"));
  HT_TRY(ht_cuda_check(cudaMemcpy(sums, state->d_sums, sizeof sums, cudaMemcpyDeviceToHost),
                       "measuring the momentum"));
  for (int a = 0; a < 3; a++) {
    momentum[a] = 0;
    for (int b = 0; b < WATCH_BLOCKS; b++) momentum[a] += sums[4 * b + a];
  }
  return HT_OK;
}

static ht_status cuda_port_flow(void *opaque, double *flow) {
  cuda_state *state = (cuda_state *)opaque;
  if (state->tables->port_nodes == 0) return HT_OK;
  /* Copies the ports of the present state, also before the first step. */
  HT_TRY(ht_cuda_check(choose_version(state->tables).copy_ports(state, 1), "measuring the ports"));
  choose_version(state->tables).port_flows(state);
  HT_TRY(ht_cuda_check(cudaGetLastError(), "measuring the ports"));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), "measuring the ports"));
  return ht_cuda_check(cudaMemcpy(flow, state->d_port_flow,
                                  (size_t)state->tables->port_nodes * sizeof(double),
                                  cudaMemcpyDeviceToHost),
                       "measuring the ports");
}

static ht_status cuda_reload_ports(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(ht_cuda_check(cudaMemcpy(state->d_ports, tables->port_node,
                                  (size_t)tables->port_nodes * sizeof(ht_port_node),
                                  cudaMemcpyHostToDevice),
                       "copying the ports"));
  return ht_cuda_check(cudaMemcpy(state->d_shape, tables->shape,
                                  (size_t)tables->shapes * sizeof(double), cudaMemcpyHostToDevice),
                       "copying the ports");
}

static ht_status cuda_reload_force(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  return ht_cuda_check(cudaMemcpy(state->d_acceleration, state->tables->acceleration,
                                  sizeof state->tables->acceleration, cudaMemcpyHostToDevice),
                       "copying the force");
}

/* ---- the whole state ---- */

static ht_status cuda_download(void *opaque, void *values) {
  cuda_state *state = (cuda_state *)opaque;
  auto same = [](auto from, auto &to) { to = from; };
  auto widen = [](ht_half from, float &to) { to = host_half_load(from); };
  if (state->tables->precision == HT_FP64)
    return values_from_blocks<double>(state, (double *)values, same);
  if (state->tables->precision == HT_FP32)
    return values_from_blocks<float>(state, (float *)values, same);
  return values_from_blocks<ht_half>(state, (float *)values, widen);
}

static ht_status cuda_download_slip(void *opaque, double *slip) {
  cuda_state *state = (cuda_state *)opaque;
  HT_TRY(bring(state, state->d_slip, all_slips(state)));
  const void *all = state->on_host;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < state->tables->wall_links; i++)
    slip[state->blocks.link[i]] = arithmetic_size(state) == sizeof(double)
                                      ? ((const double *)all)[i]
                                      : (double)((const float *)all)[i];
  return HT_OK;
}

/* ---- a few values ---- */

static ht_status cuda_mark(void *opaque, const ht_marked_values *marked) {
  return place_marks((cuda_state *)opaque, marked);
}

template <class S> static void launch_marks(const cuda_state *state) {
  const ht_device_marks *marks = &state->marks;
  int64_t count = marks->values + marks->links;
  ht_read_marks<S><<<(unsigned)((count + MARK_THREADS - 1) / MARK_THREADS), MARK_THREADS, 0,
                     state->stream[0]>>>(values_at<S>(state, state->is_up), state->d_slip, *marks);
}

static ht_status cuda_read_marked(void *opaque, double *values) {
  const cuda_state *state = (const cuda_state *)opaque;
  const char what[] = "reading the marked nodes";
  size_t count = (size_t)(state->marks.values + state->marks.links);
  if (count == 0) return HT_OK;
  if (state->tables->precision == HT_FP64)
    launch_marks<double>(state);
  else if (state->tables->precision == HT_FP32)
    launch_marks<float>(state);
  else
    launch_marks<ht_half>(state);
  HT_TRY(ht_cuda_check(cudaGetLastError(), what));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), what));
  return ht_cuda_check(
      cudaMemcpy(values, state->marks.d_read, count * sizeof *values, cudaMemcpyDeviceToHost),
      what);
}

static ht_status upload_values(cuda_state *state, const void *values) {
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
  cuda_state *state = (cuda_state *)opaque;
  const char what[] = "copying the flow to the GPU";
  for (int k = 0; k < HT_DIAGONAL_STEPS && state->tables->corrected; k++)
    HT_TRY(ht_cuda_check(cudaMemset(state->d_square[k], 0, diagonal_bytes(state)), what));
  HT_TRY(upload_values(state, values));
  if (!state->part.send || !has_ports(state)) return HT_OK;
  return ht_cuda_check(choose_version(state->tables).copy_ports(state, 1), what);
}

static void cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cuda_state *state = (const cuda_state *)opaque;
  cost->bytes = state->bytes;
  ht_cuda_measure_kernel(choose_version(state->tables).kernel(state), HT_STEP_THREADS, cost);
}

/* ---- life ---- */

static const ht_value_access cuda_values = {cuda_download, cuda_upload, cuda_download_slip,
                                            cuda_mark, cuda_read_marked};

static ht_status create(const ht_lattice_tables *tables, int compact, int *is_too_large,
                        void **opaque) {
  cuda_state *state = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  ht_host_image_begin(tables, &cuda_values, &state->image);
  state->image.finds_fields = 1;
  state->tables = tables;
  state->is_up = 1; /* the first step counts up */
  ht_status status = cuda_fill(state, compact);
  *is_too_large = state->is_too_large;
  if (status == HT_OK)
    *opaque = state;
  else
    cuda_destroy(state);
  return status;
}

static ht_status cuda_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  char why[256];
  *opaque = NULL;
  if (!ht_cuda_available(device, why)) return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
  int is_too_large = 0;
  ht_status status = create(tables, tables->compact, &is_too_large, opaque);
  return is_too_large ? create(tables, 1, &is_too_large, opaque) : status;
}

extern "C" const ht_backend ht_backend_cuda = {cuda_create,
                                               cuda_destroy,
                                               cuda_step,
                                               cuda_watch,
                                               cuda_port_flow,
                                               cuda_reload_ports,
                                               cuda_reload_force,
                                               cuda_momentum,
                                               ht_host_image_visit,
                                               ht_host_image_fill,
                                               ht_host_image_mark,
                                               ht_host_image_read_marked,
                                               cuda_transfer,
                                               cuda_measure_cost,
                                               cuda_keep,
                                               cuda_show,
                                               cuda_watch_tiles,
                                               cuda_border,
                                               cuda_step_edge,
                                               cuda_step_rest,
                                               cuda_pack,
                                               cuda_unpack,
                                               cuda_offer,
                                               cuda_link,
                                               ht_nccl_name,
                                               cuda_join,
                                               cuda_exchange,
                                               cuda_unlink,
                                               NULL,
                                               0};
