/* The fields of all nodes for the host (block_fields.cuh), found while the state stays, and sent
 * while the next steps run; included by backend_cuda.cu alone. */
#ifndef HT_CUDA_FIELDS_CUH
#define HT_CUDA_FIELDS_CUH

#include "solver/cuda/cuda_reading.cuh"
#include "solver/cuda/cuda_steps.cuh"

/* ---- what they need on the device ---- */

/* Allocates at most half of the free memory: where not all fields fit, they are found piece by
 * piece. */
static ht_status make_values(cuda_state *state) {
  size_t free_bytes = 0, all_bytes = 0;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  const int64_t most = std::max((int64_t)(free_bytes / 2 / fields_bytes(1)), (int64_t)1);
  state->fields.blocks = std::min(state->blocks.blocks, most);
  return device_alloc(state, (void **)&state->fields.d_values, NULL,
                      fields_bytes(state->fields.blocks));
}

static ht_status make_keep(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const uint32_t *place = state->blocks.place;
  ht_host_array<float> keep;
  if (!tables->sponge_node) return HT_OK;
  HT_TRY(keep.make(state->blocks.blocks * HT_TILE_NODES, "the sponge"));
  std::fill(keep.data, keep.data + keep.count, 1.0f);
  for (int64_t i = 0; i < tables->sponge_nodes; i++)
    keep[place[tables->sponge_node[i].node]] = tables->sponge_node[i].keep;
  for (int64_t p = 0; p < tables->port_nodes; p++)
    keep[place[tables->port_node[p].node]] = tables->port_node[p].keep;
  return device_alloc(state, (void **)&state->fields.d_keep, keep.data, keep.bytes());
}

static ht_status make_port_places(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_host_array<uint32_t> place;
  HT_TRY(place.make(tables->port_nodes, "the ports"));
  for (int64_t p = 0; p < tables->port_nodes; p++)
    place[p] = state->blocks.place[tables->port_node[p].node];
  return device_alloc(state, (void **)&state->fields.d_port_place, place.data, place.bytes());
}

static ht_status make_masses(cuda_state *state) {
  ht_device_fields *fields = &state->fields;
  const size_t tiles = (size_t)state->tables->wall_tiles;
  if (!state->blocks.link) return HT_OK;
  for (int k = 0; k < 2; k++)
    HT_TRY(device_alloc(state, (void **)&fields->d_given[k], NULL,
                        (tiles + 1) * sizeof *fields->d_given[k]));
  return device_alloc(state, (void **)&fields->d_taken, NULL, tiles * sizeof *fields->d_taken);
}

static ht_status make_copying(cuda_state *state) {
  const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
  cudaError_t error = cudaSuccess;
  if (!state->copying) error = cudaStreamCreateWithFlags(&state->copying, cudaStreamNonBlocking);
  if (error == cudaSuccess && !state->kept)
    error = cudaEventCreateWithFlags(&state->kept, cudaEventDisableTiming);
  if (error == cudaSuccess && !state->arrived)
    error = cudaEventCreateWithFlags(&state->arrived, asleep);
  return ht_cuda_check(error, "starting");
}

static ht_status make_fields(cuda_state *state) {
  const double *rate = state->tables->rate;
  HT_TRY(make_copying(state));
  HT_TRY(make_port_places(state));
  HT_TRY(make_masses(state));
  HT_TRY(make_keep(state));
  if (rate)
    HT_TRY(device_alloc(state, (void **)&state->fields.d_rate, rate,
                        4 * sizeof *rate * HT_RELAX_ROWS));
  return make_values(state);
}

static ht_status fields_room(cuda_state *state) {
  if (state->fields.d_values) return HT_OK;
  ht_status status = make_fields(state);
  if (status != HT_OK) free_fields(&state->fields);
  return status;
}

/* ---- the launches ---- */

static unsigned field_groups(int64_t blocks) {
  return (unsigned)((blocks * HT_TILE_NODES + HT_STEP_THREADS - 1) / HT_STEP_THREADS);
}

/* Returns the blocks with the masses of the present reading in place of a step's. */
static ht_device_blocks blocks_to_read(const cuda_state *state) {
  const ht_device_fields *fields = &state->fields;
  ht_device_blocks all = state->d_blocks;
  all.walls = {state->d_slip, state->d_slip_rule, state->d_list_tile, fields->d_taken,
               fields->d_given[fields->is_second]};
  return all;
}

static ht_share_tables shares_to_read(const cuda_state *state) {
  const ht_device_fields *fields = &state->fields;
  return shares_of(state, fields->d_given[fields->is_second], fields->d_given[!fields->is_second],
                   fields->d_taken);
}

static ht_fields_rule rule_to_read(const cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_fields_rule rule = {tables->omega, state->fields.d_rate, state->fields.d_keep, {}};
  for (int a = 0; a < 3; a++) rule.push[a] = tables->acceleration[a] / 2;
  return rule;
}

/* Finds what tiles with links take from their nodes, for all pieces of a reading. */
template <class S> static cudaError_t launch_masses(const cuda_state *state) {
  const ht_share_tables share = shares_to_read(state);
  const ht_device_blocks all = blocks_to_read(state);
  const unsigned groups = field_groups(state->blocks.blocks);
  const S *source = values_at<S>(state, state->is_up);
  if (share.count == 0) return cudaSuccess;
  if (state->tables->directions == HT_Q27)
    ht_find_added_mass<S, HT_Q27><<<groups, HT_STEP_THREADS, 0, state->stream[0]>>>(source, all);
  else
    ht_find_added_mass<S, HT_Q19><<<groups, HT_STEP_THREADS, 0, state->stream[0]>>>(source, all);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) return error;
  ht_share_mass<<<share_groups(share), HT_STEP_THREADS, 0, state->stream[0]>>>(share);
  return cudaGetLastError();
}

/* Finds the fields of the blocks from `first` on, to d_values. */
template <class S, int model>
static cudaError_t launch_fields(const cuda_state *state, int64_t first, int64_t count) {
  const S *source = values_at<S>(state, state->is_up);
  const ht_fields_piece piece = {(uint32_t)first, (uint32_t)count, state->fields.d_values};
  const ht_fields_rule rule = rule_to_read(state);
  ht_device_ports ports = device_ports(state, 0);
  ports.walls = blocks_to_read(state).walls;
  ht_find_fields<S, model><<<field_groups(count), HT_STEP_THREADS, 0, state->stream[0]>>>(
      source, blocks_to_read(state), rule, piece);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess || ports.count == 0) return error;
  ht_find_port_fields<S, model><<<port_groups(ports), HT_STEP_THREADS, 0, state->stream[0]>>>(
      source, ports, state->fields.d_port_place, state->window.d_row, rule, piece);
  return cudaGetLastError();
}

typedef struct {
  cudaError_t (*masses)(const cuda_state *state);
  cudaError_t (*fields)(const cuda_state *state, int64_t first, int64_t count);
} field_version;

template <class S> static field_version field_version_of(int model) {
  static const field_version all[HT_MODELS] = {
      {launch_masses<S>, launch_fields<S, 0>},
      {launch_masses<S>, launch_fields<S, 1>},
      {launch_masses<S>, launch_fields<S, 2>},
      {launch_masses<S>, launch_fields<S, 3>},
      {launch_masses<S>, launch_fields<S, HT_MODEL_CUMULANT>}};
  return all[model];
}

static field_version choose_fields(const ht_lattice_tables *tables) {
  return tables->precision == HT_FP64   ? field_version_of<double>(tables->model)
         : tables->precision == HT_FP32 ? field_version_of<float>(tables->model)
                                        : field_version_of<ht_half>(tables->model);
}

/* ---- to the host ---- */

/* Sends all fields at once; later steps need not wait for the way to the host. */
static cudaError_t send_aside(cuda_state *state) {
  const ht_device_fields *fields = &state->fields;
  cudaError_t error = cudaStreamWaitEvent(state->stream[0], state->arrived, 0);
  if (error == cudaSuccess) error = choose_fields(state->tables).fields(state, 0, fields->blocks);
  if (error == cudaSuccess) error = cudaEventRecord(state->kept, state->stream[0]);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(state->copying, state->kept, 0);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(state->on_host, fields->d_values, fields_bytes(fields->blocks),
                            cudaMemcpyDeviceToHost, state->copying);
  return error == cudaSuccess ? cudaEventRecord(state->arrived, state->copying) : error;
}

/* Piece by piece, in the order of the steps' stream. */
static cudaError_t send_in_turn(cuda_state *state) {
  const ht_device_fields *fields = &state->fields;
  const int64_t blocks = state->blocks.blocks;
  cudaError_t error = cudaSuccess;
  for (int64_t b = 0; b < blocks && error == cudaSuccess; b += fields->blocks) {
    const int64_t count = std::min(fields->blocks, blocks - b);
    error = choose_fields(state->tables).fields(state, b, count);
    if (error == cudaSuccess)
      error = cudaMemcpyAsync((double *)state->on_host + b * HT_BLOCK_FIELDS, fields->d_values,
                              fields_bytes(count), cudaMemcpyDeviceToHost, state->stream[0]);
  }
  return error == cudaSuccess ? cudaStreamSynchronize(state->stream[0]) : error;
}

/* Begins the fields. What ports prescribe at `step` is the first row of the window; the next step
 * finds it there. */
static ht_status begin_fields(cuda_state *state, int64_t step) {
  const char what[] = "finding the fields of the flow";
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(host_room(state));
  HT_TRY(fields_room(state));
  HT_TRY(ht_cuda_check(ht_drive_window_send(&state->window, tables, step, state->stream[0]), what));
  if (tables->port_nodes > 0)
    HT_TRY(ht_cuda_check(choose_version(tables).copy_ports(state, 1), what));
  return ht_cuda_check(choose_fields(tables).masses(state), what);
}

static ht_status cuda_keep(void *opaque, int64_t step, int stays) {
  cuda_state *state = (cuda_state *)opaque;
  const char what[] = "copying the flow to the host";
  HT_TRY(begin_fields(state, step));
  const int is_aside = stays && state->is_pinned && state->fields.blocks == state->blocks.blocks;
  if (!is_aside) HT_TRY(wait_for_kept(state));
  cudaError_t error = is_aside ? send_aside(state) : send_in_turn(state);
  state->fields.is_second = !state->fields.is_second;
  return ht_cuda_check(error, what);
}

/* ---- on the host ---- */

static ht_lattice_fields fields_at(double *values) {
  return {values, values + HT_TILE_NODES, values + 4 * HT_TILE_NODES, NULL};
}

/* The nodes of a tile that are packed, one by one. */
static void gather_tile(const cuda_state *state, int64_t tile, double to[HT_BLOCK_FIELDS]) {
  const uint32_t *place = state->blocks.place + HT_TILE_NODES * tile;
  const ht_lattice_fields out = fields_at(to);
  memset(to, 0, HT_BLOCK_FIELDS * sizeof *to);
  for (uint64_t left = state->tables->tiling->inside[tile]; left; left &= left - 1) {
    const int n = __builtin_ctzll(left), from = (int)(place[n] % HT_TILE_NODES);
    const ht_lattice_fields in =
        fields_at((double *)state->on_host + (int64_t)(place[n] / HT_TILE_NODES) * HT_BLOCK_FIELDS);
    out.density[n] = in.density[from];
    memcpy(out.velocity + 3 * n, in.velocity + 3 * from, 3 * sizeof(double));
    memcpy(out.stress + 6 * n, in.stress + 6 * from, 6 * sizeof(double));
  }
}

/* A tile that is a block of its own is shown where it lies. */
static void show_tile(const cuda_state *state, const ht_visitor *visitor, int64_t tile) {
  const int first = __builtin_ctzll(state->tables->tiling->inside[tile]);
  const int64_t block = state->blocks.place[HT_TILE_NODES * tile + first] / HT_TILE_NODES;
  double gathered[HT_BLOCK_FIELDS], *values = (double *)state->on_host + block * HT_BLOCK_FIELDS;
  if (state->blocks.row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED) {
    gather_tile(state, tile, gathered);
    values = gathered;
  }
  const ht_lattice_fields fields = fields_at(values);
  visitor->visit(visitor->user, tile, &fields);
}

static ht_status cuda_show(void *opaque, const ht_visitor *visitor) {
  const cuda_state *state = (const cuda_state *)opaque;
  HT_TRY(wait_for_kept(state));
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t t = visitor->first; t < visitor->first + visitor->count; t++)
    show_tile(state, visitor, t);
  return HT_OK;
}

#endif
