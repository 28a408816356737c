/* The launches of the CUDA backend's kernels, as templates of the stored type, the model and the
 * kind of step. Private to solver/cuda/: kernels_fp64.cu, kernels_fp32.cu and kernels_fp16.cu
 * compile them for a type each; backend_cuda.cu describes them. */
#ifndef HT_CUDA_LAUNCHES_CUH
#define HT_CUDA_LAUNCHES_CUH

#include "solver/cuda/blocks/block_force.cuh"
#include "solver/cuda/blocks/block_ports.cuh"
#include "solver/cuda/blocks/block_share.cuh"
#include "solver/cuda/blocks/block_watch.cuh"
#include "solver/cuda/cuda_launch.cuh"
#include <algorithm>

enum { PORT_THREADS = 64, FORCE_THREADS = 128, MARK_THREADS = 128 };

static unsigned groups_of(int64_t count, int64_t a_group) {
  return (unsigned)((count + a_group - 1) / a_group);
}

static unsigned port_groups(const ht_device_ports &ports, int a_warp) {
  return groups_of(ports.count, PORT_WARPS * a_warp);
}

static unsigned share_groups(const ht_share_tables &share) {
  return groups_of(share.count, HT_STEP_THREADS);
}

/* Returns the tables of these sums and shares of the walls' mass; none without interpolated
 * walls. */
static ht_share_tables shares_of(const ht_cuda_state *state, const unsigned long long *given_last,
                                 unsigned long long *given_next, double *taken) {
  return {state->walls.d_beside,
          state->walls.d_part,
          given_last,
          given_next,
          taken,
          state->blocks.link ? state->tables->wall_tiles : 0};
}

/* Returns the walls of a step. */
static ht_device_walls device_walls(const ht_cuda_state *state, int64_t step) {
  return {state->walls.d_slip, state->walls.d_rule, state->walls.d_list_tile,
          state->walls.d_taken[state->stored.is_up], state->walls.d_given[step % GIVEN_STEPS]};
}

/* ---- a step ---- */

/* Portion i of a step, in the order in which they are done. */
static ht_launch portion_at(const ht_cuda_state *state, int64_t i, int backwards) {
  int64_t blocks = state->blocks.blocks, begin = i * state->stored.portion;
  int64_t count = begin + state->stored.portion < blocks ? state->stored.portion : blocks - begin;
  return {(uint32_t)(backwards ? blocks - begin - count : begin), (uint32_t)count, backwards};
}

/* Portion i begins when all up to i - 2 are done: i - 2 is before it in its stream, i - 3 is waited
 * for, and those waited for the ones before. */
static cudaError_t begin_portion(ht_cuda_state *state, int64_t i) {
  if (i == 0) return cudaEventRecord(state->streams.begun, state->streams.stream[0]);
  if (i == 1) return cudaStreamWaitEvent(state->streams.stream[1], state->streams.begun, 0);
  return i == 2 ? cudaSuccess
                : cudaStreamWaitEvent(state->streams.stream[i % 2],
                                      state->streams.done[(i - 3) % 4], 0);
}

static cudaError_t end_portion(ht_cuda_state *state, int64_t i) {
  cudaError_t error = cudaEventRecord(state->streams.done[i % 4], state->streams.stream[i % 2]);
  if (error != cudaSuccess || (i + 1) * state->stored.portion < state->blocks.blocks) return error;
  error = cudaStreamWaitEvent(state->streams.stream[0], state->streams.done[(i - 1) % 4], 0);
  return error != cudaSuccess
             ? error
             : cudaStreamWaitEvent(state->streams.stream[0], state->streams.done[i % 4], 0);
}

/* Tells whether a step can have the force that corrects diagonals; see ht_lattice_setup. */
template <class S> static constexpr bool can_be_pushed(int model, int kind) {
  return HT_MODEL_COLLISION(model) == HT_CUMULANT && kind == HT_STEP_FLOW &&
         sizeof(S) > sizeof(ht_half);
}

template <class S, int model, int kind, bool pushed>
static auto kernel_at_walls(const ht_cuda_state *state, int slips_follow) {
  constexpr bool flows = kind == HT_STEP_FLOW;
  constexpr int between = flows ? HT_WALLS_BETWEEN : HT_WALLS_HALF_WAY;
  constexpr int follow = flows ? HT_WALLS_FOLLOW : HT_WALLS_HALF_WAY;
  if (state->tables->wall_links == 0)
    return ht_step_blocks<S, model, kind, HT_WALLS_HALF_WAY, pushed>;
  return slips_follow ? ht_step_blocks<S, model, kind, follow, pushed>
                      : ht_step_blocks<S, model, kind, between, pushed>;
}

template <class S, int model, int kind>
static auto step_kernel(const ht_cuda_state *state, int slips_follow) {
  if constexpr (can_be_pushed<S>(model, kind))
    if (state->tables->corrected) return kernel_at_walls<S, model, kind, true>(state, slips_follow);
  return kernel_at_walls<S, model, kind, false>(state, slips_follow);
}

/* Bytes of shared memory of the groups that find the ports. */
template <class S, int model> static size_t port_room(const ht_beside_blocks &beside) {
  typedef ht_step_room<typename ht_stored<S>::real, HT_MODEL_DIRECTIONS(model)> room;
  return beside.port_groups > 0 ? sizeof(room) : 0;
}

/* Launches a run of blocks, and the work next to them. */
template <class S, int model, int kind>
static cudaError_t launch_run(const ht_cuda_state *state, int64_t step, cudaStream_t stream,
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
static cudaError_t launch_portions(ht_cuda_state *state, int64_t step, const S *source, S *target,
                                   const ht_beside_blocks &beside) {
  cudaError_t error = launch_run<S, model, kind>(state, step, state->streams.stream[0], source,
                                                 target, {0, 0, 0}, beside);
  if (error != cudaSuccess) return error;
  for (int64_t i = 0; i * state->stored.portion < state->blocks.blocks; i++) {
    error = begin_portion(state, i);
    if (error == cudaSuccess)
      error = launch_run<S, model, kind>(state, step, state->streams.stream[i % 2], source, target,
                                         portion_at(state, i, !state->stored.is_up), {});
    if (error == cudaSuccess) error = end_portion(state, i);
    if (error != cudaSuccess) break;
  }
  return error;
}

template <class S, int model, int kind>
static cudaError_t launch_blocks(ht_cuda_state *state, int64_t step, const S *source, S *target,
                                 const ht_beside_blocks &beside) {
  if (is_split(state)) return launch_portions<S, model, kind>(state, step, source, target, beside);
  return launch_run<S, model, kind>(state, step, state->streams.stream[0], source, target,
                                    portion_at(state, 0, !state->stored.is_up), beside);
}

/* Returns the ports of a step. */
static ht_device_ports device_ports(const ht_cuda_state *state, int slips_follow) {
  ht_device_ports ports = state->ports;
  ports.walls = state->d_blocks.walls;
  ports.slips_follow = slips_follow;
  return ports;
}

static ht_share_tables share_tables(const ht_cuda_state *state, int64_t step) {
  return shares_of(state, state->walls.d_given[(step + GIVEN_STEPS - 1) % GIVEN_STEPS],
                   state->walls.d_given[(step + 1) % GIVEN_STEPS],
                   state->walls.d_taken[!state->stored.is_up]);
}

/* Returns the work next to the blocks of a step with flow: ports and the walls' mass. `row`: see
 * begin_step(). */
static ht_beside_blocks beside_blocks(const ht_cuda_state *state, int64_t step, int row) {
  const ht_device_ports ports = device_ports(state, ht_slip_follows(step));
  const ht_share_tables share = share_tables(state, step);
  const unsigned groups = port_groups(ports, ports.a_warp);
  return {groups, groups + share_groups(share), ports, share,
          state->window.d_row + row * state->tables->columns};
}

/* Applies the body force in place, after a step. fp16 has no force, see ht_lattice_setup. */
template <class S, int model> static cudaError_t launch_force(ht_cuda_state *state, S *values) {
  if constexpr (sizeof(S) == sizeof(ht_half)) {
    return cudaErrorNotSupported;
  } else {
    int64_t nodes = state->blocks.blocks * HT_TILE_NODES;
    return launch(state, state->streams.stream[0], ht_accelerate_nodes<S, model>,
                  groups_of(nodes, FORCE_THREADS), FORCE_THREADS, values, state->d_blocks,
                  (const uint64_t *)state->forces.d_fluid,
                  (const double *)state->forces.d_acceleration);
  }
}

/* Finds what a step does, and the work next to its blocks. `row`: of the window that has the step's
 * coefficients. */
template <int kind>
static ht_beside_blocks begin_step(ht_cuda_state *state, int64_t step, int row) {
  const int is_up = state->stored.is_up;
  ht_device_diagonal *diagonal = &state->d_blocks.diagonal;
  state->d_blocks.walls = device_walls(state, step);
  diagonal->carried = state->forces.d_carried[is_up];
  diagonal->next = state->forces.d_carried[!is_up];
  diagonal->square = state->forces.d_square[is_up];
  diagonal->oldest = state->forces.d_square[!is_up];
  if (kind != HT_STEP_FLOW) return {};
  return beside_blocks(state, step, row);
}

template <class S, int model, int kind>
static cudaError_t launch_step(ht_cuda_state *state, int64_t step, int row) {
  const ht_lattice_tables *tables = state->tables;
  int is_up = state->stored.is_up;
  S *source = values_at<S>(state, is_up), *target = values_at<S>(state, !is_up);
  cudaError_t error = launch_blocks<S, model, kind>(state, step, source, target,
                                                    begin_step<kind>(state, step, row));
  if (error == cudaSuccess && tables->forced && kind == HT_STEP_FLOW)
    error = launch_force<S, HT_MODEL_GLOBAL(model)>(state, target);
  state->stored.is_up = !is_up;
  return error;
}

/* ---- a step of a rank's part ---- */

template <class S, int model, int kind>
static cudaError_t launch_edge(ht_cuda_state *state, int64_t step, int row) {
  const int is_up = state->stored.is_up;
  S *target = values_at<S>(state, !is_up);
  const ht_beside_blocks beside = begin_step<kind>(state, step, row);
  state->part.last_step = step;
  return launch_run<S, model, kind>(state, step, state->streams.stream[0],
                                    values_at<S>(state, is_up), target,
                                    {0, (uint32_t)state->blocks.edge, !is_up}, beside);
}

/* Launches the blocks after the edge; the state is then that after the step. */
template <class S, int model, int kind> static cudaError_t launch_rest(ht_cuda_state *state) {
  const int is_up = state->stored.is_up;
  const int64_t first = state->blocks.edge;
  S *target = values_at<S>(state, !is_up);
  state->stored.is_up = !is_up;
  return launch_run<S, model, kind>(
      state, state->part.last_step, state->streams.stream[0], values_at<S>(state, is_up), target,
      {(uint32_t)first, (uint32_t)(state->blocks.own - first), !is_up}, {});
}

/* ---- what crosses between ranks ---- */

/* Returns what crosses, with the state at the end of the array (is_up) or at its beginning. */
static ht_border_values border_values(const ht_cuda_state *state, int is_up) {
  char *values = (char *)state->stored.d_values;
  if (is_up)
    values += (size_t)state->stored.shift * (size_t)HT_TILE_VALUES(state->tables->directions) *
              stored_size(state);
  return {values, state->walls.d_given[state->part.last_step % GIVEN_STEPS],
          state->forces.d_carried[is_up]};
}

template <class S>
static cudaError_t launch_pack(const ht_cuda_state *state, int is_up, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  const ht_border_list list = {part->d_send_piece, part->d_send_place};
  const int64_t groups = part->send_pieces > 0 ? part->send_pieces : 1;
  return launch(state, stream, ht_pack_border<S>, (unsigned)groups, BORDER_THREADS,
                border_values(state, is_up), list, part->send_pieces,
                (const ht_border_target *)part->d_target, (int)part->peers, part->d_count);
}

template <class S>
static cudaError_t launch_unpack(const ht_cuda_state *state, int is_up, cudaStream_t stream) {
  const ht_cuda_part *part = &state->part;
  const ht_border_list list = {part->d_receive_piece, part->d_receive_place};
  const int odd = part->way == HT_BY_PEERS; /* the others fill the even one */
  if (part->receive_pieces == 0) return cudaSuccess;
  return launch(state, stream, ht_unpack_border<S>, (unsigned)part->receive_pieces, BORDER_THREADS,
                border_values(state, is_up), list,
                (const char *)part->d_inbox + part->inbox_buffer[0],
                (const char *)part->d_inbox + part->inbox_buffer[odd],
                (const ht_border_count *)part->d_count);
}

/* ---- ports and measurements ---- */

/* Copies the ports' values: before steps, from the blocks to the values next to them; after them,
 * the other way. */
template <class S> static cudaError_t launch_copy_ports(ht_cuda_state *state, int from_blocks) {
  const int directions = state->tables->directions;
  ht_device_ports ports = device_ports(state, 0);
  ports.walls.slip = state->walls.d_slip;
  const int64_t most = std::max(directions * ports.count, ports.inner.count);
  return launch(state, state->streams.stream[0], ht_copy_ports<S>, groups_of(most, PORT_THREADS),
                PORT_THREADS, values_at<S>(state, state->stored.is_up), ports, directions,
                from_blocks);
}

template <class S, int model> static void launch_watch(ht_cuda_state *state) {
  ht_watch_nodes<S, model><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->streams.stream[0]>>>(
      values_at<S>(state, state->stored.is_up), state->d_blocks, state->measure.watched,
      state->measure.d_last, state->measure.d_sums);
}

template <class S> static void launch_momentum(ht_cuda_state *state) {
  const S *values = values_at<S>(state, state->stored.is_up);
  if (state->tables->directions == HT_Q27)
    ht_sum_momentum<S, HT_Q27><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->streams.stream[0]>>>(
        values, state->d_blocks, state->measure.d_sums);
  else
    ht_sum_momentum<S, HT_Q19><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->streams.stream[0]>>>(
        values, state->d_blocks, state->measure.d_sums);
}

template <class S> static void launch_port_flows(ht_cuda_state *state) {
  const ht_device_ports ports = device_ports(state, 0);
  ht_port_flows<S>
      <<<groups_of(ports.count, PORT_THREADS), PORT_THREADS, 0, state->streams.stream[0]>>>(
          values_at<S>(state, state->stored.is_up), ports, state->tables->directions,
          state->measure.d_port_flow);
}

template <class S, int model, int kind> static const void *kernel_of(const ht_cuda_state *state) {
  return (const void *)step_kernel<S, model, kind>(state, 0);
}

template <class S, int model> static void launch_watch_blocks(ht_cuda_state *state) {
  ht_watch_blocks<S, model>
      <<<(unsigned)state->blocks.own, HT_TILE_NODES, 0, state->streams.stream[0]>>>(
          values_at<S>(state, state->stored.is_up), state->d_blocks, state->measure.d_last,
          state->part.d_change);
}

/* ---- reading ---- */

template <class S> static void launch_marks(const ht_cuda_state *state) {
  const ht_device_marks *marks = &state->reading.marks;
  int64_t count = marks->values + marks->links;
  ht_read_marks<S><<<groups_of(count, MARK_THREADS), MARK_THREADS, 0, state->streams.stream[0]>>>(
      values_at<S>(state, state->stored.is_up), state->walls.d_slip, *marks);
}

static unsigned field_groups(int64_t blocks) {
  return groups_of(blocks * HT_TILE_NODES, HT_STEP_THREADS);
}

/* Returns the blocks with the masses of the present reading in place of a step's. */
static ht_device_blocks blocks_to_read(const ht_cuda_state *state) {
  const ht_device_fields *fields = &state->reading.fields;
  ht_device_blocks all = state->d_blocks;
  all.walls = {state->walls.d_slip, state->walls.d_rule, state->walls.d_list_tile, fields->d_taken,
               fields->d_given[fields->is_second]};
  return all;
}

static ht_share_tables shares_to_read(const ht_cuda_state *state) {
  const ht_device_fields *fields = &state->reading.fields;
  return shares_of(state, fields->d_given[fields->is_second], fields->d_given[!fields->is_second],
                   fields->d_taken);
}

static ht_fields_rule rule_to_read(const ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_fields_rule rule = {tables->omega, state->reading.fields.d_rate, state->d_blocks.keep, {}};
  for (int a = 0; a < 3; a++) rule.push[a] = tables->acceleration[a] / 2;
  return rule;
}

/* Finds the mass that links add in each tile, for all pieces of a reading. */
template <class S> static cudaError_t launch_masses(const ht_cuda_state *state) {
  const ht_device_blocks all = blocks_to_read(state);
  const unsigned groups = field_groups(state->blocks.own);
  const S *source = values_at<S>(state, state->stored.is_up);
  if (!state->blocks.link) return cudaSuccess;
  if (state->tables->directions == HT_Q27)
    ht_find_added_mass<S, HT_Q27>
        <<<groups, HT_STEP_THREADS, 0, state->streams.stream[0]>>>(source, all);
  else
    ht_find_added_mass<S, HT_Q19>
        <<<groups, HT_STEP_THREADS, 0, state->streams.stream[0]>>>(source, all);
  return cudaGetLastError();
}

/* Finds what tiles with links take from their nodes, from these masses. */
static cudaError_t launch_shares(const ht_cuda_state *state) {
  const ht_share_tables share = shares_to_read(state);
  if (share.count == 0) return cudaSuccess;
  ht_share_mass<<<share_groups(share), HT_STEP_THREADS, 0, state->streams.stream[0]>>>(share);
  return cudaGetLastError();
}

/* Finds the fields of the blocks from `first` on, to d_values. */
template <class S, int model>
static cudaError_t launch_fields(const ht_cuda_state *state, int64_t first, int64_t count) {
  const S *source = values_at<S>(state, state->stored.is_up);
  const ht_fields_piece piece = {(uint32_t)first, (uint32_t)count, state->reading.fields.d_values};
  const ht_fields_rule rule = rule_to_read(state);
  ht_device_ports ports = device_ports(state, 0);
  ports.walls = blocks_to_read(state).walls;
  ht_find_fields<S, model><<<field_groups(count), HT_STEP_THREADS, 0, state->streams.stream[0]>>>(
      source, blocks_to_read(state), rule, piece);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess || ports.count == 0) return error;
  ht_find_port_fields<S, model>
      <<<port_groups(ports, 1), HT_STEP_THREADS, 0, state->streams.stream[0]>>>(
          source, ports, state->reading.fields.d_port_place, state->window.d_row, rule, piece);
  return cudaGetLastError();
}

/* ---- the versions ---- */

#define HT_CUDA_VERSION(S, model, kind)                                                            \
  {                                                                                                \
    launch_step<S, model, kind>, launch_edge<S, model, kind>, launch_rest<S, model, kind>,         \
        launch_pack<S>, launch_unpack<S>, launch_copy_ports<S>,                                    \
        launch_watch<S, HT_MODEL_GLOBAL(model)>, launch_watch_blocks<S, HT_MODEL_GLOBAL(model)>,   \
        launch_port_flows<S>, launch_momentum<S>, launch_marks<S>, launch_masses<S>,               \
        launch_shares, NULL, kernel_of<S, model, kind>, (const void *)ht_copy_ports<S>             \
  }

template <class S> static ht_cuda_kernels version_of(const ht_lattice_tables *tables) {
  static const ht_cuda_kernels flow[] = {
      HT_CUDA_VERSION(S, 0, HT_STEP_FLOW),
      HT_CUDA_VERSION(S, 1, HT_STEP_FLOW),
      HT_CUDA_VERSION(S, 2, HT_STEP_FLOW),
      HT_CUDA_VERSION(S, 3, HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_CUMULANT, HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_LOCAL(0), HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_LOCAL(1), HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_LOCAL(2), HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_LOCAL(3), HT_STEP_FLOW),
      HT_CUDA_VERSION(S, HT_MODEL_LOCAL(HT_MODEL_CUMULANT), HT_STEP_FLOW)};
  static const ht_cuda_kernels read_write[] = {
      HT_CUDA_VERSION(S, 0, HT_STEP_READ_WRITE),
      HT_CUDA_VERSION(S, HT_MODEL_CUMULANT, HT_STEP_READ_WRITE)};
  static const ht_cuda_kernels propagate[] = {
      HT_CUDA_VERSION(S, 0, HT_STEP_PROPAGATE),
      HT_CUDA_VERSION(S, HT_MODEL_CUMULANT, HT_STEP_PROPAGATE)};
  const int set = tables->directions == HT_Q27;
  if (tables->step_kind == HT_STEP_READ_WRITE) return read_write[set];
  if (tables->step_kind == HT_STEP_PROPAGATE) return propagate[set];
  return flow[tables->rate ? HT_MODEL_LOCAL(tables->model) : tables->model];
}

template <class S> static ht_cuda_kernels choose_kernels(const ht_lattice_tables *tables) {
  static cudaError_t (*const fields[HT_MODELS])(const ht_cuda_state *, int64_t, int64_t) = {
      launch_fields<S, 0>, launch_fields<S, 1>, launch_fields<S, 2>, launch_fields<S, 3>,
      launch_fields<S, HT_MODEL_CUMULANT>};
  ht_cuda_kernels chosen = version_of<S>(tables);
  chosen.fields = fields[tables->model];
  return chosen;
}

#endif
