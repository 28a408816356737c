/* The launches of a step of the CUDA backend, and their versions for precisions and models;
 * included by backend_cuda.cu alone, which describes them. */
#ifndef HT_CUDA_STEPS_CUH
#define HT_CUDA_STEPS_CUH

#include "solver/cuda/blocks/block_diagonal.cuh"
#include "solver/cuda/blocks/block_force.cuh"
#include "solver/cuda/blocks/block_ports.cuh"
#include "solver/cuda/blocks/block_watch.cuh"
#include "solver/cuda/cuda_part.cuh"

static unsigned groups_of(int64_t count, int64_t a_group) {
  return (unsigned)((count + a_group - 1) / a_group);
}

static unsigned port_groups(const ht_device_ports &ports) {
  return groups_of(ports.count, PORTS_A_GROUP);
}

static unsigned share_groups(const ht_share_tables &share) {
  return groups_of(share.count, HT_STEP_THREADS);
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
  if (i == 0) return cudaEventRecord(state->begun, state->stream[0]);
  if (i == 1) return cudaStreamWaitEvent(state->stream[1], state->begun, 0);
  return i == 2 ? cudaSuccess
                : cudaStreamWaitEvent(state->stream[i % 2], state->done[(i - 3) % 4], 0);
}

static cudaError_t end_portion(cuda_state *state, int64_t i) {
  cudaError_t error = cudaEventRecord(state->done[i % 4], state->stream[i % 2]);
  if (error != cudaSuccess || (i + 1) * state->portion < state->blocks.blocks) return error;
  error = cudaStreamWaitEvent(state->stream[0], state->done[(i - 1) % 4], 0);
  return error != cudaSuccess ? error
                              : cudaStreamWaitEvent(state->stream[0], state->done[i % 4], 0);
}

/* Tells whether a step can have the force that corrects diagonals; see ht_lattice_setup. */
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

/* Bytes of shared memory of the groups that find the ports. */
template <class S, int model> static size_t port_room(const ht_beside_blocks &beside) {
  typedef ht_port_room<typename ht_stored<S>::real, HT_MODEL_DIRECTIONS(model)> room;
  return beside.port_groups > 0 ? sizeof(room) : 0;
}

/* Launches a run of blocks, and the work next to them. */
template <class S, int model, int kind>
static cudaError_t launch_run(const cuda_state *state, int64_t step, cudaStream_t stream,
                              const S *source, S *target, ht_launch run,
                              const ht_beside_blocks &beside) {
  constexpr int half_way = ht_nodes<S>(HT_WALLS_HALF_WAY), between = ht_nodes<S>(HT_WALLS_BETWEEN);
  const int nodes = kind == HT_STEP_FLOW && state->tables->wall_links > 0 ? between : half_way;
  const uint32_t blocks_a_group = HT_STEP_THREADS / (nodes == 2 ? 32 : 64);
  const unsigned groups = beside.groups + groups_of(run.count, blocks_a_group);
  if (groups == 0) return cudaSuccess;
  return launch_with(state, stream, step_kernel<S, model, kind>(state, ht_slip_follows(step)),
                     groups, HT_STEP_THREADS, port_room<S, model>(beside), source, target,
                     state->d_blocks, run, state->rate, beside);
}

/* Launches in portions, each after those whose blocks read what it overwrites. */
template <class S, int model, int kind>
static cudaError_t launch_portions(cuda_state *state, int64_t step, const S *source, S *target,
                                   const ht_beside_blocks &beside) {
  cudaError_t error =
      launch_run<S, model, kind>(state, step, state->stream[0], source, target, {0, 0, 0}, beside);
  if (error != cudaSuccess) return error;
  for (int64_t i = 0; i * state->portion < state->blocks.blocks; i++) {
    error = begin_portion(state, i);
    if (error == cudaSuccess)
      error = launch_run<S, model, kind>(state, step, state->stream[i % 2], source, target,
                                         portion_at(state, i, !state->is_up), {});
    if (error == cudaSuccess) error = end_portion(state, i);
    if (error != cudaSuccess) break;
  }
  return error;
}

template <class S, int model, int kind>
static cudaError_t launch_blocks(cuda_state *state, int64_t step, const S *source, S *target,
                                 const ht_beside_blocks &beside) {
  if (is_split(state)) return launch_portions<S, model, kind>(state, step, source, target, beside);
  return launch_run<S, model, kind>(state, step, state->stream[0], source, target,
                                    portion_at(state, 0, !state->is_up), beside);
}

static ht_device_ports device_ports(const cuda_state *state, int slips_follow) {
  return {state->d_ports,
          state->d_addresses,
          state->d_shape,
          state->tables->port_nodes,
          (uint32_t)state->blocks.first_beside,
          {state->d_inner_word, state->d_inner_first, state->d_inner_tile, state->d_inner_link,
           state->d_inner_slip, state->inner_links},
          state->d_blocks.walls,
          slips_follow};
}

static ht_share_tables share_tables(const cuda_state *state, int64_t step) {
  return shares_of(state, state->d_given[(step + GIVEN_STEPS - 1) % GIVEN_STEPS],
                   state->d_given[(step + 1) % GIVEN_STEPS], state->d_taken[!state->is_up]);
}

/* Returns the work next to the blocks of a step with flow: ports and the walls' mass. `row`: see
 * begin_step(). */
static ht_beside_blocks beside_blocks(const cuda_state *state, int64_t step, int row) {
  const ht_device_ports ports = device_ports(state, ht_slip_follows(step));
  const ht_share_tables share = share_tables(state, step);
  return {port_groups(ports), port_groups(ports) + share_groups(share), ports, share,
          state->window.d_row + row * state->tables->columns};
}

/* Finds the force of a step, before the rest of it, and tells the blocks where that is and where
 * the squares of this step go, in place of those of the step that counts no longer. */
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

/* Applies the body force in place, after a step. fp16 has no force, see ht_lattice_setup. */
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

/* Damps the nodes of a sponge from `first` on, in place, after the step of their blocks. */
template <class S>
static cudaError_t launch_sponge(const cuda_state *state, S *target, int64_t first, int64_t count) {
  if (count == 0) return cudaSuccess;
  return launch(state, state->stream[0], ht_damp_sponge<S>,
                (unsigned)((count + SPONGE_THREADS - 1) / SPONGE_THREADS), SPONGE_THREADS, target,
                state->d_blocks, (const ht_sponge_place *)state->d_sponge + first, count);
}

/* Launches what comes before the blocks' launch, and finds the work next to them. `row`: of the
 * window that has the step's coefficients. */
template <class S, int model, int kind>
static cudaError_t begin_step(cuda_state *state, int64_t step, int row, ht_beside_blocks *beside) {
  state->d_blocks.walls = device_walls(state, step);
  *beside = {};
  if (kind != HT_STEP_FLOW) return cudaSuccess;
  *beside = beside_blocks(state, step, row);
  return state->tables->corrected ? launch_diagonal<S>(state, step) : cudaSuccess;
}

template <class S, int model, int kind>
static cudaError_t launch_step(cuda_state *state, int64_t step, int row) {
  const ht_lattice_tables *tables = state->tables;
  int is_up = state->is_up;
  S *source = values_at<S>(state, is_up), *target = values_at<S>(state, !is_up);
  ht_beside_blocks beside;
  cudaError_t error = begin_step<S, model, kind>(state, step, row, &beside);
  if (error == cudaSuccess)
    error = launch_blocks<S, model, kind>(state, step, source, target, beside);
  if (error == cudaSuccess && kind == HT_STEP_FLOW)
    error = launch_sponge<S>(state, target, 0, tables->sponge_nodes);
  if (error == cudaSuccess && tables->forced && kind == HT_STEP_FLOW)
    error = launch_force<S, HT_MODEL_GLOBAL(model)>(state, target);
  state->is_up = !is_up;
  return error;
}

/* ---- a step of a rank's part ---- */

template <class S, int model, int kind>
static cudaError_t launch_edge(cuda_state *state, int64_t step, int row) {
  const int is_up = state->is_up;
  S *target = values_at<S>(state, !is_up);
  ht_beside_blocks beside;
  state->part.last_step = step;
  cudaError_t error = begin_step<S, model, kind>(state, step, row, &beside);
  if (error == cudaSuccess)
    error = launch_run<S, model, kind>(state, step, state->stream[0], values_at<S>(state, is_up),
                                       target, {0, (uint32_t)state->blocks.edge, !is_up}, beside);
  if (error != cudaSuccess || kind != HT_STEP_FLOW) return error;
  return launch_sponge<S>(state, target, 0, state->part.sponge_edge);
}

/* Launches the blocks after the edge; the state is then that after the step. */
template <class S, int model, int kind> static cudaError_t launch_rest(cuda_state *state) {
  const int is_up = state->is_up;
  const int64_t first = state->blocks.edge, sponge = state->part.sponge_edge;
  S *target = values_at<S>(state, !is_up);
  state->is_up = !is_up;
  cudaError_t error = launch_run<S, model, kind>(
      state, state->part.last_step, state->stream[0], values_at<S>(state, is_up), target,
      {(uint32_t)first, (uint32_t)(state->blocks.own - first), !is_up}, {});
  if (error != cudaSuccess || kind != HT_STEP_FLOW) return error;
  return launch_sponge<S>(state, target, sponge, state->tables->sponge_nodes - sponge);
}

/* Launches the exchange, of the state that lies up or not, in the order of a stream. */
template <class S>
static cudaError_t launch_exchange(const cuda_state *state, int is_up, cudaStream_t stream) {
  cudaError_t error = launch_pack<S>(state, is_up, stream);
  if (error == cudaSuccess) error = launch_await(state, stream);
  return error == cudaSuccess ? launch_unpack<S>(state, is_up, stream) : error;
}

/* Launches a step with its exchange, which runs concurrently with the blocks after the edge. */
template <class S, int model, int kind>
static cudaError_t launch_linked(cuda_state *state, int64_t step, int row) {
  const ht_cuda_part *part = &state->part;
  const int is_up = state->is_up;
  cudaError_t error = launch_edge<S, model, kind>(state, step, row);
  if (error == cudaSuccess) error = cudaEventRecord(part->edge_done, state->stream[0]);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(part->side, part->edge_done, 0);
  if (error == cudaSuccess) error = launch_exchange<S>(state, !is_up, part->side);
  if (error == cudaSuccess) error = cudaEventRecord(part->has_come, part->side);
  if (error == cudaSuccess) error = launch_rest<S, model, kind>(state);
  return error == cudaSuccess ? cudaStreamWaitEvent(state->stream[0], part->has_come, 0) : error;
}

/* Copies the ports' values: before steps, from the blocks to the values next to them; after them,
 * the other way. */
template <class S> static cudaError_t launch_copy_ports(cuda_state *state, int from_blocks) {
  const int directions = state->tables->directions;
  ht_device_ports ports = device_ports(state, 0);
  ports.walls.slip = state->d_slip;
  const int64_t most = std::max(directions * ports.count, ports.inner.count);
  return launch(state, state->stream[0], ht_copy_ports<S>, groups_of(most, PORT_THREADS),
                PORT_THREADS, values_at<S>(state, state->is_up), ports, directions, from_blocks);
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
  const ht_device_ports ports = device_ports(state, 0);
  ht_port_flows<S><<<groups_of(ports.count, PORT_THREADS), PORT_THREADS, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), ports, state->tables->directions, state->d_port_flow);
}

template <class S, int model, int kind> static const void *kernel_of(const cuda_state *state) {
  return (const void *)step_kernel<S, model, kind>(state, 0);
}

template <class S, int model> static void launch_watch_blocks(cuda_state *state) {
  ht_watch_blocks<S, model><<<(unsigned)state->blocks.own, HT_TILE_NODES, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), state->d_blocks, state->d_last, state->part.d_change);
}

struct step_version {
  cudaError_t (*launch)(cuda_state *state, int64_t step, int row);
  cudaError_t (*linked)(cuda_state *state, int64_t step, int row);
  cudaError_t (*edge)(cuda_state *state, int64_t step, int row);
  cudaError_t (*rest)(cuda_state *state);
  cudaError_t (*pack)(const cuda_state *state, int is_up, cudaStream_t stream);
  cudaError_t (*unpack)(const cuda_state *state, int is_up, cudaStream_t stream);
  cudaError_t (*exchange)(const cuda_state *state, int is_up, cudaStream_t stream);
  void (*watch_blocks)(cuda_state *state);
  cudaError_t (*copy_ports)(cuda_state *state, int from_blocks);
  void (*watch)(cuda_state *state);
  void (*port_flows)(cuda_state *state);
  void (*momentum)(cuda_state *state);
  const void *(*kernel)(const cuda_state *state);
};

#define VERSION(S, model, kind)                                                                    \
  {                                                                                                \
    launch_step<S, model, kind>, launch_linked<S, model, kind>, launch_edge<S, model, kind>,       \
        launch_rest<S, model, kind>, launch_pack<S>, launch_unpack<S>, launch_exchange<S>,         \
        launch_watch_blocks<S, HT_MODEL_GLOBAL(model)>, launch_copy_ports<S>,                      \
        launch_watch<S, HT_MODEL_GLOBAL(model)>, launch_port_flows<S>, launch_momentum<S>,         \
        kernel_of<S, model, kind>                                                                  \
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

#endif
