/* The CUDA backend, host side. blocks.h has the layout, block_kernels.cuh the step.
 *
 * There is one array of values. The state lies at its begin or, moved up by `shift` blocks, at its
 * end. A step from the end to the begin goes through the blocks from the first to the last, the
 * next step goes back from the last to the first; so it finds the values written last in the cache.
 *   Usually shift = blocks, which is two copies, and a step is one launch.
 *   Compact (on request, or where two copies do not fit): the array is a little longer than the
 * blocks need. A block then overwrites values that blocks far behind it read. These reads are
 * completed by launches of `portion` blocks, two at a time (ht_blocks_split).
 *
 * Ports: their nodes' values are kept beside the array (`known`), found before the step from the
 * values that the step then overwrites, and put in place before the next. Interpolated walls
 * (wall_links.h) are a part of the step (block_walls.cuh); the launch before it shares out the mass
 * that they added, too (block_ports.cuh). The force that corrects diagonals is a launch over all
 * blocks before the step. A body force is a launch over all blocks after the step, in place, where
 * there is one. */
#include "block_diagonal.cuh"
#include "block_force.cuh"
#include "block_ports.cuh"
#include "block_watch.cuh"
#include "cuda_reading.cuh"
#include "cuda_transfer.cuh"
#include <cmath>
#include <cstdio>
#include <cstring>

static ht_status cuda_create(const ht_lattice_tables *tables, void **opaque, char device[128]) {
  char why[256];
  *opaque = NULL;
  if (!ht_cuda_available(device, why)) return ht_fail(HT_ERR_DEVICE, "no GPU can be used: %s", why);
  cuda_state *state = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  state->tables = tables;
  state->is_up = 1; /* the first step counts up */
  ht_status status = cuda_fill(state);
  if (status == HT_OK)
    *opaque = state;
  else
    cuda_destroy(state);
  return status;
}

/* ---- steps ---- */

/* On a GPU with programmatic dependent launch the kernel begins while the previous one in the
 * stream ends; not the portions of a step, which wait for more than one launch. */
template <class... P, class... A>
static cudaError_t launch(const cuda_state *state, cudaStream_t stream, void (*kernel)(P...),
                          unsigned blocks, unsigned threads, A... arguments) {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = state->overlap && !is_split(state) ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

static unsigned port_groups(const cuda_state *state, int64_t threads) {
  return (unsigned)((state->tables->port_nodes * threads + PORT_THREADS - 1) / PORT_THREADS);
}

/* Portion i of a step, in the order in which they are done. */
static ht_launch portion_at(const cuda_state *state, int64_t i, int backwards) {
  int64_t blocks = state->blocks.blocks, begin = i * state->portion;
  int64_t count = begin + state->portion < blocks ? state->portion : blocks - begin;
  return {(uint32_t)(backwards ? blocks - begin - count : begin), (uint32_t)count, backwards};
}

/* Portion i begins when all up to i - 2 are done: i - 2 is before it in its stream, i - 3 is waited
 * for, and those waited for the ones before. */
static cudaError_t begin_portion(cuda_state *state, int64_t i) {
  if (!is_split(state)) return cudaSuccess;
  if (i == 0) return cudaEventRecord(state->begun, state->stream[0]);
  if (i == 1) return cudaStreamWaitEvent(state->stream[1], state->begun, 0);
  return i == 2 ? cudaSuccess
                : cudaStreamWaitEvent(state->stream[i % 2], state->done[(i - 3) % 4], 0);
}

static cudaError_t end_portion(cuda_state *state, int64_t i) {
  cudaError_t error = cudaSuccess;
  if (!is_split(state)) return error;
  error = cudaEventRecord(state->done[i % 4], state->stream[i % 2]);
  if (error != cudaSuccess || (i + 1) * state->portion < state->blocks.blocks) return error;
  error = cudaStreamWaitEvent(state->stream[0], state->done[(i - 1) % 4], 0);
  return error != cudaSuccess ? error
                              : cudaStreamWaitEvent(state->stream[0], state->done[i % 4], 0);
}

/* By the force that corrects diagonals, see ht_lattice_setup. */
template <class S> static constexpr bool can_be_pushed(int model, int kind) {
  return HT_MODEL_COLLISION(model) == HT_CUMULANT && kind == HT_STEP_FLOW &&
         sizeof(S) > sizeof(ht_half);
}

template <class S, int model, int kind, bool pushed>
static auto kernel_at_walls(const cuda_state *state, int slips_follow) {
  constexpr bool flows = kind == HT_STEP_FLOW;
  constexpr int between = flows ? HT_WALLS_BETWEEN : HT_WALLS_HALF_WAY;
  constexpr int follow = flows ? HT_WALLS_FOLLOW : HT_WALLS_HALF_WAY;
  if (state->tables->wall_links == 0)
    return ht_step_blocks<S, model, kind, HT_WALLS_HALF_WAY, pushed>;
  return slips_follow ? ht_step_blocks<S, model, kind, follow, pushed>
                      : ht_step_blocks<S, model, kind, between, pushed>;
}

template <class S, int model, int kind>
static auto step_kernel(const cuda_state *state, int slips_follow) {
  if constexpr (can_be_pushed<S>(model, kind))
    if (state->tables->corrected) return kernel_at_walls<S, model, kind, true>(state, slips_follow);
  return kernel_at_walls<S, model, kind, false>(state, slips_follow);
}

template <class S, int model, int kind>
static cudaError_t launch_blocks(cuda_state *state, int64_t step, const S *source, S *target) {
  const int backwards = !state->is_up, slips_follow = ht_slip_follows(step);
  constexpr int half_way = ht_nodes<S>(HT_WALLS_HALF_WAY), between = ht_nodes<S>(HT_WALLS_BETWEEN);
  const int nodes = kind == HT_STEP_FLOW && state->tables->wall_links > 0 ? between : half_way;
  const uint32_t blocks_a_group = HT_STEP_THREADS / (nodes == 2 ? 32 : 64);
  cudaError_t error = cudaSuccess;
  for (int64_t i = 0; i * state->portion < state->blocks.blocks; i++) {
    ht_launch now = portion_at(state, i, backwards);
    error = begin_portion(state, i);
    if (error == cudaSuccess)
      error = launch(state, state->stream[i % 2], step_kernel<S, model, kind>(state, slips_follow),
                     (now.count + blocks_a_group - 1) / blocks_a_group, HT_STEP_THREADS, source,
                     target, state->d_blocks, now, state->rate);
    if (error == cudaSuccess) error = end_portion(state, i);
    if (error != cudaSuccess) break;
  }
  return error;
}

static ht_device_ports device_ports(const cuda_state *state, int slips_follow) {
  return {state->d_ports,
          state->d_addresses,
          state->d_shape,
          state->tables->port_nodes,
          {state->d_inner_word, state->d_inner_first, state->d_inner_tile, state->d_inner_link},
          state->d_blocks.walls,
          slips_follow};
}

static ht_share_tables share_tables(const cuda_state *state) {
  return {(const ht_wall_group *)state->d_wall_groups, state->d_given[state->is_up],
          state->d_given[!state->is_up], state->d_taken,
          state->blocks.link ? state->tables->wall_tiles : 0};
}

/* Before the rest of the step: ports and interpolated walls. `row`: see launch_step(). */
template <class S, int model>
static cudaError_t launch_before(cuda_state *state, int64_t step, int row, S *source) {
  const ht_lattice_tables *tables = state->tables;
  const ht_share_tables share = share_tables(state);
  const ht_device_ports ports = device_ports(state, ht_slip_follows(step));
  const int64_t groups = (ports.count + PORTS_A_GROUP - 1) / PORTS_A_GROUP +
                         (share.count + PREPARE_THREADS / 32 - 1) / (PREPARE_THREADS / 32);
  if (groups == 0) return cudaSuccess;
  return launch(state, state->stream[0], ht_prepare_step<S, model>, (unsigned)groups,
                PREPARE_THREADS, source, (const S *)state->d_known[state->is_up],
                (S *)state->d_known[!state->is_up], ports, share,
                state->window.d_row + row * tables->columns, state->rate);
}

/* Before the rest of the step: finds its force, and tells the blocks where that is and where the
 * squares of this step go, in place of those of the step that counts no longer. */
template <class S> static cudaError_t launch_diagonal(cuda_state *state, int64_t step) {
  if constexpr (sizeof(S) == sizeof(ht_half)) {
    return cudaErrorNotSupported;
  } else {
    int64_t nodes = state->blocks.blocks * HT_TILE_NODES;
    ht_squares<S> squares;
    for (int k = 0; k < HT_DIAGONAL_STEPS; k++)
      squares.last[k] = (const S *)state->d_square[(step + 2 - k) % HT_DIAGONAL_STEPS];
    state->d_blocks.force = state->d_force;
    state->d_blocks.square = state->d_square[step % HT_DIAGONAL_STEPS];
    return launch(state, state->stream[0], ht_find_forces<S>,
                  (unsigned)((nodes + FORCE_THREADS - 1) / FORCE_THREADS), FORCE_THREADS, squares,
                  (S *)state->d_force, state->d_blocks, (const int32_t *)state->d_force_kind,
                  (const uint32_t *)state->d_force_list, state->tables->omega);
  }
}

/* In place, after a step. fp16 has no force, see ht_lattice_setup. */
template <class S, int model> static cudaError_t launch_force(cuda_state *state, S *values) {
  if constexpr (sizeof(S) == sizeof(ht_half)) {
    return cudaErrorNotSupported;
  } else {
    int64_t nodes = state->blocks.blocks * HT_TILE_NODES;
    return launch(state, state->stream[0], ht_accelerate_nodes<S, model>,
                  (unsigned)((nodes + FORCE_THREADS - 1) / FORCE_THREADS), FORCE_THREADS, values,
                  state->d_blocks, (const uint64_t *)state->d_fluid,
                  (const double *)state->d_acceleration);
  }
}

/* In place, after the rest of the step. */
template <class S> static cudaError_t launch_sponge(cuda_state *state, S *target) {
  int64_t count = state->tables->sponge_nodes;
  if (count == 0) return cudaSuccess;
  return launch(state, state->stream[0], ht_damp_sponge<S>,
                (unsigned)((count + SPONGE_THREADS - 1) / SPONGE_THREADS), SPONGE_THREADS, target,
                state->d_blocks, (const ht_sponge_place *)state->d_sponge, count);
}

/* `row`: of the window that has the step's coefficients. */
template <class S, int model, int kind>
static cudaError_t launch_step(cuda_state *state, int64_t step, int row) {
  const ht_lattice_tables *tables = state->tables;
  int is_up = state->is_up;
  S *source = values_at<S>(state, is_up), *target = values_at<S>(state, !is_up);
  cudaError_t error = cudaSuccess;
  state->d_blocks.walls = device_walls(state);
  if (kind == HT_STEP_FLOW) error = launch_before<S, model>(state, step, row, source);
  if (error == cudaSuccess && tables->corrected && kind == HT_STEP_FLOW)
    error = launch_diagonal<S>(state, step);
  if (error == cudaSuccess) error = launch_blocks<S, model, kind>(state, step, source, target);
  if (error == cudaSuccess && kind == HT_STEP_FLOW) error = launch_sponge<S>(state, target);
  if (error == cudaSuccess && tables->forced && kind == HT_STEP_FLOW)
    error = launch_force<S, HT_MODEL_GLOBAL(model)>(state, target);
  state->is_up = !is_up;
  return error;
}

/* Before steps, from the blocks to `known`; after them, the other way. */
template <class S> static cudaError_t launch_copy_ports(cuda_state *state, int from_blocks) {
  const int directions = state->tables->directions;
  return launch(state, state->stream[0], ht_copy_ports<S>, port_groups(state, directions),
                PORT_THREADS, values_at<S>(state, state->is_up), (S *)state->d_known[state->is_up],
                state->d_addresses, directions, state->tables->port_nodes, from_blocks);
}

template <class S, int model> static void launch_watch(cuda_state *state) {
  ht_watch_nodes<S, model><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), state->d_blocks, state->watched, state->d_last,
      state->d_sums);
}

template <class S> static void launch_momentum(cuda_state *state) {
  const S *values = values_at<S>(state, state->is_up);
  if (state->tables->directions == HT_Q27)
    ht_sum_momentum<S, HT_Q27><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->stream[0]>>>(
        values, state->d_blocks, state->d_sums);
  else
    ht_sum_momentum<S, HT_Q19><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->stream[0]>>>(
        values, state->d_blocks, state->d_sums);
}

template <class S> static void launch_port_flows(cuda_state *state) {
  ht_port_flows<S><<<port_groups(state, 1), PORT_THREADS, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), (const S *)state->d_known[state->is_up], state->d_ports,
      state->d_addresses, state->tables->directions, state->tables->port_nodes, state->d_port_flow);
}

template <class S, int model, int kind> static const void *kernel_of(const cuda_state *state) {
  return (const void *)step_kernel<S, model, kind>(state, 0);
}

struct step_version {
  cudaError_t (*launch)(cuda_state *state, int64_t step, int row);
  cudaError_t (*copy_ports)(cuda_state *state, int from_blocks);
  void (*watch)(cuda_state *state);
  void (*port_flows)(cuda_state *state);
  void (*momentum)(cuda_state *state);
  const void *(*kernel)(const cuda_state *state);
};

#define VERSION(S, model, kind)                                                                    \
  {                                                                                                \
    launch_step<S, model, kind>, launch_copy_ports<S>, launch_watch<S, HT_MODEL_GLOBAL(model)>,    \
        launch_port_flows<S>, launch_momentum<S>, kernel_of<S, model, kind>                        \
  }

template <class S> static step_version version_of(const ht_lattice_tables *tables) {
  static const step_version flow[] = {VERSION(S, 0, HT_STEP_FLOW),
                                      VERSION(S, 1, HT_STEP_FLOW),
                                      VERSION(S, 2, HT_STEP_FLOW),
                                      VERSION(S, 3, HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_CUMULANT, HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_LOCAL(0), HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_LOCAL(1), HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_LOCAL(2), HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_LOCAL(3), HT_STEP_FLOW),
                                      VERSION(S, HT_MODEL_LOCAL(HT_MODEL_CUMULANT), HT_STEP_FLOW)};
  static const step_version read_write[] = {VERSION(S, 0, HT_STEP_READ_WRITE),
                                            VERSION(S, HT_MODEL_CUMULANT, HT_STEP_READ_WRITE)};
  static const step_version propagate[] = {VERSION(S, 0, HT_STEP_PROPAGATE),
                                           VERSION(S, HT_MODEL_CUMULANT, HT_STEP_PROPAGATE)};
  const int set = tables->directions == HT_Q27;
  if (tables->step_kind == HT_STEP_READ_WRITE) return read_write[set];
  if (tables->step_kind == HT_STEP_PROPAGATE) return propagate[set];
  return flow[tables->rate ? HT_MODEL_LOCAL(tables->model) : tables->model];
}

static step_version choose_version(const ht_lattice_tables *tables) {
  return tables->precision == HT_FP64   ? version_of<double>(tables)
         : tables->precision == HT_FP32 ? version_of<float>(tables)
                                        : version_of<ht_half>(tables);
}

/* The steps of the window, from `first` on. */
static cudaError_t launch_steps(cuda_state *state, int64_t first, int count) {
  step_version version = choose_version(state->tables);
  cudaError_t error = cudaSuccess;
  for (int row = 0; row < count && error == cudaSuccess; row++)
    error = version.launch(state, first + row, row);
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

static cudaError_t run_steps(cuda_state *state, int64_t first, int64_t count) {
  const ht_lattice_tables *tables = state->tables;
  while (count > 0) {
    int now = count < GRAPH_STEPS ? (int)count : GRAPH_STEPS;
    cudaError_t error = ht_drive_window_send(&state->window, tables, first, state->stream[0]);
    if (error == cudaSuccess)
      error = now == GRAPH_STEPS ? launch_graph(state, first) : launch_steps(state, first, now);
    if (error != cudaSuccess) return error;
    first += now, count -= now;
  }
  return cudaSuccess;
}

static ht_status cuda_step(void *opaque, int64_t first, int64_t count) {
  cuda_state *state = (cuda_state *)opaque;
  step_version version = choose_version(state->tables);
  int ports = state->tables->port_nodes > 0 && state->tables->step_kind == HT_STEP_FLOW;
  if (ports) HT_TRY(ht_cuda_check(version.copy_ports(state, 1), "starting a step"));
  HT_TRY(ht_cuda_check(run_steps(state, first, count), "starting a step"));
  if (ports) HT_TRY(ht_cuda_check(version.copy_ports(state, 0), "starting a step"));
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(state->stream[0]), "stepping"));
  ht_drive_window_arrived(&state->window);
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
  /* Of the present state, also before the first step. */
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

/* ---- between blocks and the tiles of the interface ---- */

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

static ht_status cuda_keep(void *opaque, int stays) {
  cuda_state *state = (cuda_state *)opaque;
  const char what[] = "copying the flow to the host";
  HT_TRY(host_room(state));
  if (stays) HT_TRY(device_room(state));
  if (stays && state->d_kept) return ht_cuda_check(send_aside(state), what);
  HT_TRY(wait_for_kept(state));
  HT_TRY(ht_cuda_check(copy_state(state, state->on_host, cudaMemcpyDeviceToHost), what));
  return ht_cuda_check(cudaStreamSynchronize(state->stream[0]), what);
}

template <class S, class T, class Copy>
static ht_status unpack(cuda_state *state, T *values, Copy copy) {
  const int a_block = HT_TILE_VALUES(state->tables->directions);
  S *stored = (S *)state->on_host;
  HT_TRY(wait_for_kept(state));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < state->tables->tiling->tiles; t++)
    memset(values + t * a_block, 0, (size_t)a_block * sizeof *values);
  each_value(state, stored, values, copy);
  return HT_OK;
}

template <class S, class T, class Copy>
static ht_status pack(cuda_state *state, const T *values, Copy copy) {
  const int a_block = HT_TILE_VALUES(state->tables->directions);
  size_t count = (size_t)(state->blocks.blocks * a_block);
  HT_TRY(host_room(state));
  HT_TRY(wait_for_kept(state));
  S *stored = (S *)state->on_host;
  each_value(state, stored, values, copy);
  return ht_cuda_check(cudaMemcpy(values_at<S>(state, state->is_up), stored, count * sizeof *stored,
                                  cudaMemcpyHostToDevice),
                       "copying the flow to the GPU");
}

static ht_status cuda_download(void *opaque, void *values) {
  cuda_state *state = (cuda_state *)opaque;
  auto same = [](auto from, auto &to) { to = from; };
  auto widen = [](ht_half from, float &to) { to = host_half_load(from); };
  if (state->tables->precision == HT_FP64) return unpack<double>(state, (double *)values, same);
  if (state->tables->precision == HT_FP32) return unpack<float>(state, (float *)values, same);
  return unpack<ht_half>(state, (float *)values, widen);
}

static ht_status cuda_download_slip(void *opaque, double *slip) {
  const cuda_state *state = (const cuda_state *)opaque;
  const void *all = (const char *)state->on_host + kept_values(state);
  HT_TRY(wait_for_kept(state));
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

static ht_status cuda_upload(void *opaque, const void *values) {
  cuda_state *state = (cuda_state *)opaque;
  for (int k = 0; k < HT_DIAGONAL_STEPS && state->tables->corrected; k++)
    HT_TRY(ht_cuda_check(cudaMemset(state->d_square[k], 0, diagonal_bytes(state)),
                         "copying the flow to the GPU"));
  auto same = [](auto &to, auto from) { to = from; };
  auto narrow = [](ht_half &to, float from) { to = host_half_store(from); };
  if (state->tables->precision == HT_FP64) return pack<double>(state, (const double *)values, same);
  if (state->tables->precision == HT_FP32) return pack<float>(state, (const float *)values, same);
  return pack<ht_half>(state, (const float *)values, narrow);
}

static void cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cuda_state *state = (const cuda_state *)opaque;
  cost->bytes = state->bytes;
  ht_cuda_measure_kernel(choose_version(state->tables).kernel(state), HT_STEP_THREADS, cost);
}

extern "C" const ht_backend ht_backend_cuda = {cuda_create,
                                               cuda_destroy,
                                               cuda_step,
                                               cuda_watch,
                                               cuda_port_flow,
                                               cuda_reload_ports,
                                               cuda_reload_force,
                                               cuda_momentum,
                                               cuda_download_slip,
                                               cuda_mark,
                                               cuda_read_marked,
                                               cuda_keep,
                                               cuda_download,
                                               cuda_upload,
                                               cuda_transfer,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               cuda_measure_cost};
