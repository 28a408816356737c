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
 * added in the last one, for the next. The step finds the force that corrects diagonals, too
 * (block_diagonal.cuh). A body force is a launch over all blocks after the step, in place, where
 * there is one. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_nccl.cuh"
#include "solver/cuda/cuda_reading.cuh"
#include <cstdlib>

/* ---- the array of values ---- */

/* The ports' values lie after all blocks of a state, wherever that lies. */
static int64_t place_beside(const ht_cuda_state *state) {
  return state->blocks.blocks + (is_split(state) ? state->stored.shift : 0);
}

/* Number of values of the whole array. */
static size_t all_values(const ht_cuda_state *state) {
  const int64_t beside = state->blocks.beside;
  const int64_t before = beside > 0 ? place_beside(state) : state->blocks.blocks;
  return (size_t)((before + state->stored.shift + beside) *
                  HT_TILE_VALUES(state->tables->directions));
}

/* Chooses the portion, before the tables have any address of a port. */
static ht_status choose_portion(ht_cuda_state *state, int compact) {
  if (state->tables->send && compact)
    return ht_fail(HT_ERR_USAGE, "storage in half the memory does not work on several GPUs");
  ht_blocks_split(&state->blocks, compact, &state->stored.portion, &state->stored.shift);
  state->measure.watched = is_split(state) ? COMPACT_WATCHED : 1;
  if (!is_split(state)) return HT_OK;
  return ht_blocks_move_beside(state->tables->tiling, place_beside(state), &state->blocks);
}

/* A sixteenth of the free memory is left for graphs and programs. */
static ht_status take_values(ht_cuda_state *state, int compact) {
  size_t free_bytes = 0, all_bytes = 0;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  state->stored.is_too_large =
      !compact && !state->tables->send &&
      all_values(state) * stored_size(state) + watch_bytes(state) > free_bytes - free_bytes / 16;
  if (state->stored.is_too_large)
    return ht_fail(HT_ERR_MEMORY, "two copies of the flow do not fit the GPU's memory");
  HT_TRY(
      ht_cuda_take(state, &state->stored.d_values, NULL, all_values(state) * stored_size(state)));
  return ht_cuda_take(state, &state->measure.d_last, NULL, watch_bytes(state));
}

static ht_status make_streams(ht_cuda_state *state) {
  const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
  cudaError_t error = cudaEventCreateWithFlags(&state->streams.begun, cudaEventDisableTiming);
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&state->streams.nearly, asleep);
  for (int k = 0; k < 2 && error == cudaSuccess; k++)
    error = cudaStreamCreate(&state->streams.stream[k]);
  for (int k = 0; k < 4 && error == cudaSuccess; k++)
    error = cudaEventCreateWithFlags(&state->streams.done[k], cudaEventDisableTiming);
  return ht_cuda_check(error, "starting");
}

/* Code compiled for an architecture before 9.0 does not wait for the previous step, on any GPU. */
static ht_status find_overlap(ht_cuda_state *state) {
  cudaFuncAttributes compiled;
  HT_TRY(ht_cuda_check(cudaFuncGetAttributes(&compiled, state->kernels.small_kernel),
                       "loading its program"));
  state->streams.overlap = compiled.ptxVersion >= 90;
  return HT_OK;
}

/* ---- life ---- */

static ht_cuda_kernels choose_kernels(const ht_lattice_tables *tables) {
  return tables->precision == HT_FP64   ? ht_cuda_kernels_fp64(tables)
         : tables->precision == HT_FP32 ? ht_cuda_kernels_fp32(tables)
                                        : ht_cuda_kernels_fp16(tables);
}

/* Fills the state. compact: see above. HT_ERR_MEMORY with is_too_large: compact may fit. */
static ht_status cuda_fill(ht_cuda_state *state, int compact) {
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(find_overlap(state));
  HT_TRY(make_streams(state));
  HT_TRY(ht_blocks_build(tables, tables->precision == HT_FP16, HT_BLOCK_FILL, &state->blocks));
  HT_TRY(choose_portion(state, compact));
  HT_TRY(ht_cuda_place_tables(state));
  HT_TRY(ht_cuda_check(ht_drive_window_make(tables, GRAPH_STEPS, &state->window), "taking memory"));
  HT_TRY(take_values(state, compact));
  return ht_cuda_take(state, &state->measure.d_sums, NULL, 4 * WATCH_BLOCKS * sizeof(double));
}

static void free_streams(ht_cuda_streams *streams) {
  for (int k = 0; k < 2; k++)
    if (streams->stream[k]) cudaStreamDestroy(streams->stream[k]);
  for (int k = 0; k < 4; k++)
    if (streams->done[k]) cudaEventDestroy(streams->done[k]);
  if (streams->begun) cudaEventDestroy(streams->begun);
  if (streams->nearly) cudaEventDestroy(streams->nearly);
}

static void cuda_destroy(void *opaque) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  if (!state) return;
  ht_cuda_host_free(&state->reading);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < GRAPHS; i++)
      if (state->streams.graph[k][i]) cudaGraphExecDestroy(state->streams.graph[k][i]);
  ht_cuda_memory_free(&state->memory);
  ht_cuda_part_free(&state->part);
  free_streams(&state->streams);
  ht_drive_window_free(&state->window);
  ht_blocks_free(&state->blocks);
  ht_host_image_end(&state->image);
  free(state);
}

static ht_status create(const ht_lattice_tables *tables, int compact, int *is_too_large,
                        void **opaque) {
  ht_cuda_state *state = NULL;
  HT_TRY(ht_alloc((void **)&state, 1, sizeof *state, "the solver"));
  ht_host_image_begin(tables, &ht_cuda_values, &state->image);
  state->image.finds_fields = 1;
  state->tables = tables;
  state->kernels = choose_kernels(tables);
  state->stored.is_up = 1; /* the first step counts up */
  ht_status status = cuda_fill(state, compact);
  *is_too_large = state->stored.is_too_large;
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

/* ---- new values of the tables ---- */

static ht_status cuda_reload_ports(void *opaque) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(ht_cuda_check(cudaMemcpy((void *)state->ports.node, tables->port_node,
                                  (size_t)tables->port_nodes * sizeof(ht_port_node),
                                  cudaMemcpyHostToDevice),
                       "copying the ports"));
  return ht_cuda_check(cudaMemcpy((void *)state->ports.shape, tables->shape,
                                  (size_t)tables->shapes * sizeof(double), cudaMemcpyHostToDevice),
                       "copying the ports");
}

static ht_status cuda_reload_force(void *opaque) {
  ht_cuda_state *state = (ht_cuda_state *)opaque;
  return ht_cuda_check(cudaMemcpy(state->forces.d_acceleration, state->tables->acceleration,
                                  sizeof state->tables->acceleration, cudaMemcpyHostToDevice),
                       "copying the force");
}

extern "C" const ht_backend ht_backend_cuda = {.create = cuda_create,
                                               .destroy = cuda_destroy,
                                               .step = ht_cuda_step,
                                               .watch = ht_cuda_watch,
                                               .port_flow = ht_cuda_port_flow,
                                               .reload_ports = cuda_reload_ports,
                                               .reload_force = cuda_reload_force,
                                               .momentum = ht_cuda_momentum,
                                               .visit = ht_host_image_visit,
                                               .fill = ht_host_image_fill,
                                               .mark = ht_host_image_mark,
                                               .read_marked = ht_host_image_read_marked,
                                               .transfer = ht_cuda_transfer,
                                               .measure_cost = ht_cuda_measure_cost,
                                               .keep = ht_cuda_keep,
                                               .show = ht_cuda_show,
                                               .watch_tiles = ht_cuda_watch_tiles,
                                               .border = ht_cuda_border,
                                               .step_edge = ht_cuda_step_edge,
                                               .step_rest = ht_cuda_step_rest,
                                               .pack = ht_cuda_pack,
                                               .unpack = ht_cuda_unpack,
                                               .offer = ht_cuda_offer,
                                               .link = ht_cuda_link,
                                               .name = ht_nccl_name,
                                               .join = ht_cuda_join,
                                               .exchange = ht_cuda_exchange,
                                               .unlink = ht_cuda_unlink,
                                               .couple = ht_cuda_couple,
                                               .decouple = ht_cuda_decouple,
                                               .transfer_levels = ht_cuda_transfer_levels,
                                               .owed_levels = ht_cuda_owed_levels};
