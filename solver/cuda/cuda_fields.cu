/* The fields of all nodes for the host (block_fields.cuh), found while the state stays, and sent
 * while the next steps run. Of a rank's part, those of its own nodes. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include "solver/cuda/host_array.cuh"
#include <algorithm>
#include <cstring>

/* ---- what they need on the device ---- */

/* Allocates at most half of the free memory: where not all fields fit, they are found piece by
 * piece. */
static ht_status make_values(ht_cuda_state *state) {
  size_t free_bytes = 0, all_bytes = 0;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  const int64_t most = std::max((int64_t)(free_bytes / 2 / fields_bytes(1)), (int64_t)1);
  state->reading.fields.blocks = std::min(state->blocks.own, most);
  return ht_cuda_take(state, &state->reading.fields.d_values, NULL,
                      fields_bytes(state->reading.fields.blocks));
}

static ht_status make_port_places(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_host_array<uint32_t> place;
  HT_TRY(place.make(tables->port_nodes, "the ports"));
  for (int64_t p = 0; p < tables->port_nodes; p++)
    place[p] = state->blocks.place[tables->port_node[p].node];
  return ht_cuda_take(state, &state->reading.fields.d_port_place, place.data, place.bytes());
}

static ht_status make_masses(ht_cuda_state *state) {
  ht_device_fields *fields = &state->reading.fields;
  const size_t tiles = (size_t)state->tables->wall_tiles;
  if (!state->blocks.link) return HT_OK;
  for (int k = 0; k < 2; k++)
    HT_TRY(
        ht_cuda_take(state, &fields->d_given[k], NULL, (tiles + 1) * sizeof *fields->d_given[k]));
  return ht_cuda_take(state, &fields->d_taken, NULL, tiles * sizeof *fields->d_taken);
}

static ht_status make_copying(ht_cuda_state *state) {
  const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
  cudaError_t error = cudaSuccess;
  if (!state->reading.copying)
    error = cudaStreamCreateWithFlags(&state->reading.copying, cudaStreamNonBlocking);
  if (error == cudaSuccess && !state->reading.kept)
    error = cudaEventCreateWithFlags(&state->reading.kept, cudaEventDisableTiming);
  if (error == cudaSuccess && !state->reading.arrived)
    error = cudaEventCreateWithFlags(&state->reading.arrived, asleep);
  return ht_cuda_check(error, "starting");
}

static ht_status make_fields(ht_cuda_state *state) {
  const double *rate = state->tables->rate;
  HT_TRY(make_copying(state));
  HT_TRY(make_port_places(state));
  HT_TRY(make_masses(state));
  if (rate)
    HT_TRY(
        ht_cuda_take(state, &state->reading.fields.d_rate, rate, 4 * sizeof *rate * HT_RELAX_ROWS));
  return make_values(state);
}

static void give_fields(ht_cuda_state *state) {
  ht_cuda_memory *memory = &state->memory;
  ht_device_fields *fields = &state->reading.fields;
  for (int k = 0; k < 2; k++) ht_cuda_memory_give_back(memory, fields->d_given[k]);
  ht_cuda_memory_give_back(memory, fields->d_taken);
  ht_cuda_memory_give_back(memory, fields->d_port_place);
  ht_cuda_memory_give_back(memory, fields->d_rate);
  ht_cuda_memory_give_back(memory, fields->d_values);
  *fields = {};
}

static ht_status fields_room(ht_cuda_state *state) {
  if (state->reading.fields.d_values) return HT_OK;
  ht_status status = make_fields(state);
  if (status != HT_OK) give_fields(state);
  return status;
}

/* ---- to the host ---- */

/* Sends all fields at once; later steps need not wait for the way to the host. */
static cudaError_t send_aside(ht_cuda_state *state) {
  const ht_device_fields *fields = &state->reading.fields;
  cudaError_t error = cudaStreamWaitEvent(state->streams.stream[0], state->reading.arrived, 0);
  if (error == cudaSuccess) error = state->kernels.fields(state, 0, fields->blocks);
  if (error == cudaSuccess) error = cudaEventRecord(state->reading.kept, state->streams.stream[0]);
  if (error == cudaSuccess)
    error = cudaStreamWaitEvent(state->reading.copying, state->reading.kept, 0);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(state->reading.on_host, fields->d_values, fields_bytes(fields->blocks),
                            cudaMemcpyDeviceToHost, state->reading.copying);
  return error == cudaSuccess ? cudaEventRecord(state->reading.arrived, state->reading.copying)
                              : error;
}

/* Sends them piece by piece, in the order of the steps' stream. */
static cudaError_t send_in_turn(ht_cuda_state *state) {
  const ht_device_fields *fields = &state->reading.fields;
  const int64_t blocks = state->blocks.own;
  cudaError_t error = cudaSuccess;
  for (int64_t b = 0; b < blocks && error == cudaSuccess; b += fields->blocks) {
    const int64_t count = std::min(fields->blocks, blocks - b);
    error = state->kernels.fields(state, b, count);
    if (error == cudaSuccess)
      error =
          cudaMemcpyAsync((double *)state->reading.on_host + b * HT_BLOCK_FIELDS, fields->d_values,
                          fields_bytes(count), cudaMemcpyDeviceToHost, state->streams.stream[0]);
  }
  return error == cudaSuccess ? cudaStreamSynchronize(state->streams.stream[0]) : error;
}

static const char finding[] = "finding the fields of the flow";

/* Begins the fields. What ports prescribe at `step` is the first row of the window; the next step
 * finds it there. */
static ht_status begin_fields(ht_cuda_state *state, int64_t step) {
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(ht_cuda_host_room(state));
  HT_TRY(fields_room(state));
  HT_TRY(ht_cuda_check(
      ht_drive_window_send(&state->window, tables, step, 1, state->streams.stream[0]), finding));
  if (tables->port_nodes > 0) HT_TRY(ht_cuda_check(state->kernels.copy_ports(state, 1), finding));
  return ht_cuda_check(state->kernels.masses(state), finding);
}

/* Brings the mass that walls have added in the tiles at the border of a rank's part from the ranks
 * that step them. These wait, also where this one has failed so far (status). */
static ht_status exchange_masses(ht_cuda_state *state, ht_status status) {
  const ht_host_image *image = &state->image;
  const size_t bytes = (size_t)state->tables->wall_tiles * sizeof *state->part.given;
  unsigned long long *d_given = state->reading.fields.d_given[state->reading.fields.is_second];
  if (status == HT_OK && d_given)
    status = ht_cuda_bring_result(state, d_given, bytes, state->part.given, finding);
  image->exchange(image->user, HT_CROSS_MASS, state->part.given);
  if (status == HT_OK && d_given)
    status = ht_cuda_check(cudaMemcpyAsync(d_given, state->part.given, bytes,
                                           cudaMemcpyHostToDevice, state->streams.stream[0]),
                           finding);
  return status;
}

ht_status ht_cuda_keep(void *opaque, int64_t step, int stays) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const char what[] = "copying the flow to the host";
  ht_status status = begin_fields(state, step);
  if (state->image.exchange) status = exchange_masses(state, status);
  if (status != HT_OK) return status;
  HT_TRY(ht_cuda_check(state->kernels.shares(state), finding));
  const int is_aside =
      stays && state->reading.is_pinned && state->reading.fields.blocks == state->blocks.own;
  if (!is_aside) HT_TRY(ht_cuda_await_fields(state));
  cudaError_t error = is_aside ? send_aside(state) : send_in_turn(state);
  state->reading.fields.is_second = !state->reading.fields.is_second;
  return ht_cuda_check(error, what);
}

/* ---- on the host ---- */

static ht_lattice_fields fields_at(double *values) {
  return {values, values + HT_TILE_NODES, values + 4 * HT_TILE_NODES, NULL};
}

/* Gathers the nodes of a tile that are packed, one by one. */
static void gather_tile(const ht_cuda_state *state, int64_t tile, double to[HT_BLOCK_FIELDS]) {
  const uint32_t *place = state->blocks.place + HT_TILE_NODES * tile;
  const ht_lattice_fields out = fields_at(to);
  memset(to, 0, HT_BLOCK_FIELDS * sizeof *to);
  for (uint64_t left = state->tables->tiling->inside[tile]; left; left &= left - 1) {
    const int n = __builtin_ctzll(left), from = (int)(place[n] % HT_TILE_NODES);
    const ht_lattice_fields in = fields_at((double *)state->reading.on_host +
                                           (int64_t)(place[n] / HT_TILE_NODES) * HT_BLOCK_FIELDS);
    out.density[n] = in.density[from];
    memcpy(out.velocity + 3 * n, in.velocity + 3 * from, 3 * sizeof(double));
    memcpy(out.stress + 6 * n, in.stress + 6 * from, 6 * sizeof(double));
  }
}

/* A tile that is a block of its own is shown where it lies. */
static void show_tile(const ht_cuda_state *state, const ht_visitor *visitor, int64_t tile) {
  const int first = __builtin_ctzll(state->tables->tiling->inside[tile]);
  const int64_t block = state->blocks.place[HT_TILE_NODES * tile + first] / HT_TILE_NODES;
  double gathered[HT_BLOCK_FIELDS],
      *values = (double *)state->reading.on_host + block * HT_BLOCK_FIELDS;
  if (state->blocks.row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED) {
    gather_tile(state, tile, gathered);
    values = gathered;
  }
  const ht_lattice_fields fields = fields_at(values);
  visitor->visit(visitor->user, tile, &fields);
}

ht_status ht_cuda_show(void *opaque, const ht_visitor *visitor) {
  const ht_cuda_state *state = (const ht_cuda_state *)opaque;
  HT_TRY(ht_cuda_await_fields(state));
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t t = visitor->first; t < visitor->first + visitor->count; t++)
    show_tile(state, visitor, t);
  return HT_OK;
}
