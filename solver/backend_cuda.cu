/* The CUDA backend, host side. blocks.h has the layout, block_kernels.cuh the step.
 *
 * There is one array of values. The state lies at its begin or, moved up by `shift` blocks, at its
 * end. A step from the end to the begin goes through the blocks from the first to the last, the
 * next step goes back from the last to the first; so it finds in the cache what was written last.
 *   Usually shift = blocks, which is two copies, and a step is one launch.
 *   Compact (where two copies do not fit, or asked for): the array is a little longer than the
 * blocks need. What a block overwrites then is what blocks far behind it had to read. That these
 * have been read is made sure by launches of `portion` blocks, two at a time (ht_blocks_split).
 *
 * Ports: their nodes' values are kept beside the array (`known`), found before the step from the
 * values that the step then overwrites, and put in place before the next. Interpolated walls
 * (wall_links.h) are a launch over the list of their links before that, where there are any. */
#include "block_kernels.cuh"
#include "block_watch.cuh"
#include "cuda_device.cuh"
#include "drive_window.cuh"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* ---- host side ---- */

/* Compact: the change is measured on every 16th block, since the velocities of the last time would
 * take as much as one direction and a half in fp64; the largest speed always on all. */
enum { COMPACT_WATCHED = 16 };
enum { WATCH_BLOCKS = 512, WATCH_THREADS = 256, GRAPH_STEPS = 16 };
enum { PORT_THREADS = 64, WALL_THREADS = 256 };

typedef struct {
  const ht_lattice_tables *tables;
  ht_blocks blocks;
  ht_device_blocks d_blocks;
  int64_t portion, shift; /* blocks, see above */
  int watched;            /* one block of so many has its change measured */
  void *d_values;
  int is_up; /* the state lies at the end of d_values */
  int32_t *d_row;
  uint32_t *d_exception, *d_list;
  ht_port_node *d_ports;
  ht_port_addresses *d_addresses;
  ht_wall_address *d_walls;
  int64_t plain_walls; /* so many of them need no value of a port's node */
  void *d_known[2];    /* [ports][19] the values of the ports' nodes; [is_up]: of the state */
  float *d_last;
  double *d_sums;
  double *d_port_flow;
  double *d_shape;
  ht_drive_window window;     /* coefficients of the next GRAPH_STEPS steps */
  int64_t bytes;              /* of all these */
  int overlap;                /* the GPU can start a step while the one before ends */
  cudaStream_t stream[2];     /* the second for every other portion */
  cudaEvent_t begun, done[4]; /* the step; its last portions */
  cudaGraphExec_t graph[2];   /* GRAPH_STEPS steps that begin with is_up; NULL: not made yet */
} cuda_state;

extern "C" int ht_cuda_available(char name[128], char why[256]) {
  int count = 0;
  cudaDeviceProp properties;
  name[0] = why[0] = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) error = cudaGetDeviceProperties(&properties, 0);
  if (error != cudaSuccess || count == 0) {
    snprintf(why, 256, "no CUDA device was found (%s)",
             error == cudaSuccess ? "none installed" : cudaGetErrorString(error));
    cudaGetLastError(); /* forget it */
    return 0;
  }
  snprintf(name, 128, "%s", properties.name);
  return 1;
}

static size_t stored_size(const cuda_state *state) {
  ht_precision precision = state->tables->precision;
  return precision == HT_FP64 ? sizeof(double) : precision == HT_FP32 ? sizeof(float) : 2;
}

/* Where the state lies (or will, after the next step: `is_up` the other one). */
template <class S> static S *values_at(const cuda_state *state, int is_up) {
  return (S *)state->d_values + (is_up ? state->shift * HT_TILE_VALUES : 0);
}

static void cuda_destroy(void *opaque) {
  cuda_state *state = (cuda_state *)opaque;
  if (!state) return;
  for (int k = 0; k < 2; k++) {
    if (state->graph[k]) cudaGraphExecDestroy(state->graph[k]);
    cudaFree(state->d_known[k]);
  }
  cudaFree(state->d_values);
  for (int k = 0; k < 2; k++)
    if (state->stream[k]) cudaStreamDestroy(state->stream[k]);
  for (int k = 0; k < 4; k++)
    if (state->done[k]) cudaEventDestroy(state->done[k]);
  if (state->begun) cudaEventDestroy(state->begun);
  cudaFree(state->d_row);
  cudaFree(state->d_exception);
  cudaFree(state->d_list);
  cudaFree(state->d_ports);
  cudaFree(state->d_addresses);
  cudaFree(state->d_walls);
  cudaFree(state->d_last);
  cudaFree(state->d_sums);
  cudaFree(state->d_port_flow);
  cudaFree(state->d_shape);
  ht_drive_window_free(&state->window);
  ht_blocks_free(&state->blocks);
  free(state);
}

/* Memory of the device, filled from the host, or with zeros where `from` is NULL. */
static ht_status device_alloc(cuda_state *state, void **to, const void *from, size_t bytes) {
  size_t free_bytes = 0, all_bytes = 0, room = bytes > 0 ? bytes : sizeof(double);
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  if (room > free_bytes)
    return ht_fail(
        HT_ERR_MEMORY,
        "not enough memory on the GPU: %.2f GB more are needed and %.2f GB are free; use "
        "a coarser spacing, a lower precision, or --device cpu",
        (double)room / 1e9, (double)free_bytes / 1e9);
  HT_TRY(ht_cuda_check(cudaMalloc(to, room), "taking memory"));
  state->bytes += (int64_t)room;
  if (from && bytes > 0)
    return ht_cuda_check(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice), "copying the case");
  return ht_cuda_check(cudaMemset(*to, 0, room), "clearing memory");
}

static void find_addresses(const cuda_state *state, int64_t node, int64_t *address) {
  for (int q = 0; q < HT_Q; q++) {
    int64_t from = node;
    int direction = q;
    ht_blocks_source(state->tables, &state->blocks, node, q, &from, &direction);
    int64_t port = ht_find_port_node(state->tables, from);
    address[q] = port >= 0 ? ~(HT_Q * port + direction)
                           : (int64_t)ht_blocks_address(&state->blocks, state->blocks.place[from],
                                                        direction);
  }
}

static ht_status place_ports(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  size_t count = (size_t)tables->port_nodes;
  ht_port_addresses *all;
  HT_TRY(ht_alloc((void **)&all, count, sizeof *all, "the ports"));
#pragma omp parallel for schedule(static)
  for (size_t p = 0; p < count; p++) {
    const ht_port_node *port = &tables->port_node[p];
    find_addresses(state, port->node, all[p].from);
    find_addresses(state, port->inner, all[p].inside);
    for (int q = 0; q < HT_Q; q++)
      all[p].own[q] = ht_blocks_address(&state->blocks, state->blocks.place[port->node], q);
  }
  ht_status status = device_alloc(state, (void **)&state->d_addresses, all, count * sizeof *all);
  free(all);
  HT_TRY(status);
  for (int k = 0; k < 2; k++)
    HT_TRY(device_alloc(state, &state->d_known[k], NULL, HT_Q * count * stored_size(state)));
  HT_TRY(device_alloc(state, (void **)&state->d_port_flow, NULL, count * sizeof(double)));
  return device_alloc(state, (void **)&state->d_ports, tables->port_node,
                      count * sizeof(ht_port_node));
}

static int by_address(const void *a, const void *b) {
  const ht_wall_address *x = (const ht_wall_address *)a, *y = (const ht_wall_address *)b;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

static uint32_t address_of_value(const cuda_state *state, int64_t value) {
  int64_t node = value / HT_TILE_VALUES * HT_TILE_NODES + value % HT_TILE_NODES;
  return ht_blocks_address(&state->blocks, state->blocks.place[node],
                           (int)(value % HT_TILE_VALUES / HT_TILE_NODES));
}

/* Place among the values of the ports' nodes; -1: it is none of theirs. */
static int64_t known_place(const cuda_state *state, int64_t value) {
  int64_t node = value / HT_TILE_VALUES * HT_TILE_NODES + value % HT_TILE_NODES;
  int64_t port = ht_find_port_node(state->tables, node);
  return port < 0 ? -1 : HT_Q * port + value % HT_TILE_VALUES / HT_TILE_NODES;
}

/* Links that need a port's node come last, the others in the order of the array. */
static void fill_walls(cuda_state *state, ht_wall_address *walls) {
  const ht_lattice_tables *tables = state->tables;
  int64_t last = tables->wall_links;
  for (int64_t i = 0; i < tables->wall_links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    int64_t known = known_place(state, link->other);
    uint32_t other = known < 0 ? address_of_value(state, link->other) : (uint32_t)known;
    walls[known < 0 ? state->plain_walls++ : --last] = {address_of_value(state, link->slot), other,
                                                        link->weight};
  }
  qsort(walls, (size_t)state->plain_walls, sizeof *walls, by_address);
}

static ht_status place_walls(cuda_state *state) {
  size_t count = (size_t)state->tables->wall_links;
  ht_wall_address *walls;
  if (count == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&walls, count, sizeof *walls, "the interpolated walls"));
  fill_walls(state, walls);
  ht_status status = device_alloc(state, (void **)&state->d_walls, walls, count * sizeof *walls);
  free(walls);
  return status;
}

static int is_split(const cuda_state *state) {
  return state->portion < state->blocks.blocks;
}

/* Of the whole array. */
static size_t all_values(const cuda_state *state) {
  return (size_t)(state->blocks.blocks + state->shift) * HT_TILE_VALUES;
}

static size_t watch_bytes(const cuda_state *state) {
  size_t watched = (size_t)(state->blocks.blocks / state->watched + 1);
  return watched * HT_TILE_NODES * 3 * sizeof(float);
}

static void choose_portion(cuda_state *state, int compact) {
  ht_blocks_split(&state->blocks, compact, &state->portion, &state->shift);
  state->watched = is_split(state) ? COMPACT_WATCHED : 1;
}

/* Compact where asked for, or where the usual two copies do not fit; a sixteenth of what is free is
 * left for graphs and programs. */
static ht_status take_values(cuda_state *state) {
  size_t free_bytes = 0, all_bytes = 0;
  choose_portion(state, state->tables->compact);
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  if (all_values(state) * stored_size(state) + watch_bytes(state) > free_bytes - free_bytes / 16)
    choose_portion(state, 1);
  HT_TRY(device_alloc(state, &state->d_values, NULL, all_values(state) * stored_size(state)));
  return device_alloc(state, (void **)&state->d_last, NULL, watch_bytes(state));
}

static ht_status make_streams(cuda_state *state) {
  cudaError_t error = cudaEventCreateWithFlags(&state->begun, cudaEventDisableTiming);
  for (int k = 0; k < 2 && error == cudaSuccess; k++) error = cudaStreamCreate(&state->stream[k]);
  for (int k = 0; k < 4 && error == cudaSuccess; k++)
    error = cudaEventCreateWithFlags(&state->done[k], cudaEventDisableTiming);
  return ht_cuda_check(error, "starting");
}

/* Code compiled for an architecture before 9.0 does not wait for the step before, whatever the GPU
 * that it runs on. */
static ht_status find_overlap(cuda_state *state) {
  cudaFuncAttributes compiled;
  HT_TRY(ht_cuda_check(cudaFuncGetAttributes(&compiled, (const void *)ht_copy_ports<float>),
                       "loading its program"));
  state->overlap = compiled.ptxVersion >= 90;
  return HT_OK;
}

static ht_status cuda_fill(cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_blocks *blocks = &state->blocks;
  HT_TRY(find_overlap(state));
  HT_TRY(make_streams(state));
  HT_TRY(ht_blocks_build(tables, tables->precision == HT_FP16, HT_BLOCK_FILL, blocks));
  HT_TRY(device_alloc(state, (void **)&state->d_row, blocks->row,
                      (size_t)blocks->blocks * HT_BLOCK_ROW * sizeof(int32_t)));
  HT_TRY(device_alloc(state, (void **)&state->d_exception, blocks->exception,
                      (size_t)blocks->exceptions * sizeof(uint32_t)));
  HT_TRY(device_alloc(state, (void **)&state->d_list, blocks->list,
                      (size_t)blocks->lists * HT_LIST_VALUES * sizeof(uint32_t)));
  state->d_blocks = {state->d_row, state->d_exception, state->d_list, (uint32_t)blocks->blocks};
  HT_TRY(place_ports(state));
  HT_TRY(place_walls(state));
  HT_TRY(device_alloc(state, (void **)&state->d_shape, tables->shape,
                      (size_t)tables->shapes * sizeof(double)));
  HT_TRY(ht_cuda_check(ht_drive_window_make(tables, GRAPH_STEPS, &state->window), "taking memory"));
  HT_TRY(take_values(state));
  return device_alloc(state, (void **)&state->d_sums, NULL, 4 * WATCH_BLOCKS * sizeof(double));
}

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

/* On a GPU that can, the kernel begins while the one before it in the stream ends; not the portions
 * of a step, which wait for more than the one before. */
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

template <class S, int model, int kind>
static cudaError_t launch_blocks(cuda_state *state, const S *source, S *target, int backwards) {
  uint32_t blocks_a_group = HT_STEP_THREADS / (ht_stored<S>::NODES == 2 ? 32 : 64);
  cudaError_t error = cudaSuccess;
  for (int64_t i = 0; i * state->portion < state->blocks.blocks; i++) {
    ht_launch now = portion_at(state, i, backwards);
    error = begin_portion(state, i);
    if (error == cudaSuccess)
      error = launch(state, state->stream[i % 2], ht_step_blocks<S, model, kind>,
                     (now.count + blocks_a_group - 1) / blocks_a_group, HT_STEP_THREADS, source,
                     target, state->d_blocks, now, state->tables->omega);
    if (error == cudaSuccess) error = end_portion(state, i);
    if (error != cudaSuccess) break;
  }
  return error;
}

/* In place, before anything else of the step reads the state. */
template <class S> static cudaError_t launch_walls(cuda_state *state) {
  int64_t count = state->tables->wall_links;
  if (count == 0) return cudaSuccess;
  return launch(state, state->stream[0], ht_interpolate_walls<S>,
                (unsigned)((count + WALL_THREADS - 1) / WALL_THREADS), WALL_THREADS,
                values_at<S>(state, state->is_up), (const S *)state->d_known[state->is_up],
                state->d_walls, count, state->plain_walls);
}

/* `row`: of the window that has the step's coefficients. */
template <class S, int model, int kind> static cudaError_t launch_step(cuda_state *state, int row) {
  const ht_lattice_tables *tables = state->tables;
  int is_up = state->is_up;
  S *source = values_at<S>(state, is_up), *target = values_at<S>(state, !is_up);
  cudaError_t error = kind == HT_STEP_FLOW ? launch_walls<S>(state) : cudaSuccess;
  if (error == cudaSuccess && tables->port_nodes && kind == HT_STEP_FLOW)
    error = launch(
        state, state->stream[0], ht_step_ports<S, model>, port_groups(state, 1), PORT_THREADS,
        source, (const S *)state->d_known[is_up], (S *)state->d_known[!is_up],
        ht_device_ports{state->d_ports, state->d_addresses, state->d_shape, tables->port_nodes},
        state->window.d_row + row * tables->columns, tables->omega);
  if (error == cudaSuccess) error = launch_blocks<S, model, kind>(state, source, target, !is_up);
  state->is_up = !is_up;
  return error;
}

/* Before steps, from the blocks to `known`; after them, the other way. */
template <class S> static cudaError_t launch_copy_ports(cuda_state *state, int from_blocks) {
  return launch(state, state->stream[0], ht_copy_ports<S>, port_groups(state, HT_Q), PORT_THREADS,
                values_at<S>(state, state->is_up), (S *)state->d_known[state->is_up],
                state->d_addresses, state->tables->port_nodes, from_blocks);
}

struct step_version {
  cudaError_t (*launch)(cuda_state *state, int row);
  cudaError_t (*copy_ports)(cuda_state *state, int from_blocks);
  const void *kernel;
};

#define VERSION(S, model, kind)                                                                    \
  {                                                                                                \
    launch_step<S, model, kind>, launch_copy_ports<S>,                                             \
        (const void *)ht_step_blocks<S, model, kind>                                               \
  }

template <class S> static step_version version_of(const ht_lattice_tables *tables) {
  static const step_version flow[] = {VERSION(S, 0, HT_STEP_FLOW), VERSION(S, 1, HT_STEP_FLOW),
                                      VERSION(S, 2, HT_STEP_FLOW), VERSION(S, 3, HT_STEP_FLOW)};
  if (tables->step_kind == HT_STEP_READ_WRITE) return VERSION(S, 0, HT_STEP_READ_WRITE);
  if (tables->step_kind == HT_STEP_PROPAGATE) return VERSION(S, 0, HT_STEP_PROPAGATE);
  return flow[tables->model];
}

static step_version choose_version(const ht_lattice_tables *tables) {
  return tables->precision == HT_FP64   ? version_of<double>(tables)
         : tables->precision == HT_FP32 ? version_of<float>(tables)
                                        : version_of<ht_half>(tables);
}

/* The steps of the window. */
static cudaError_t launch_steps(cuda_state *state, int count) {
  step_version version = choose_version(state->tables);
  cudaError_t error = cudaSuccess;
  for (int row = 0; row < count && error == cudaSuccess; row++) error = version.launch(state, row);
  return error;
}

/* GRAPH_STEPS steps as one launch, so that small cases do not wait for the program. An even number:
 * the state ends where it began. */
static cudaError_t make_graph(cuda_state *state, cudaGraphExec_t *graph) {
  cudaGraph_t captured = NULL;
  cudaError_t error = cudaStreamBeginCapture(state->stream[0], cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return error;
  error = launch_steps(state, GRAPH_STEPS);
  cudaError_t ended = cudaStreamEndCapture(state->stream[0], &captured);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = cudaGraphInstantiate(graph, captured, 0);
  if (captured) cudaGraphDestroy(captured);
  return error;
}

static cudaError_t launch_graph(cuda_state *state) {
  cudaGraphExec_t *graph = &state->graph[state->is_up];
  cudaError_t error = *graph ? cudaSuccess : make_graph(state, graph);
  return error == cudaSuccess ? cudaGraphLaunch(*graph, state->stream[0]) : error;
}

static cudaError_t run_steps(cuda_state *state, int64_t first, int64_t count) {
  const ht_lattice_tables *tables = state->tables;
  while (count > 0) {
    int now = count < GRAPH_STEPS ? (int)count : GRAPH_STEPS;
    cudaError_t error = ht_drive_window_send(&state->window, tables, first, state->stream[0]);
    if (error == cudaSuccess)
      error = now == GRAPH_STEPS ? launch_graph(state) : launch_steps(state, now);
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

template <class S> static void launch_watch(cuda_state *state) {
  ht_watch_nodes<S><<<WATCH_BLOCKS, WATCH_THREADS, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), state->d_blocks, state->tables->model % 2, state->watched,
      state->d_last, state->d_sums);
}

template <class S> static void launch_port_flows(cuda_state *state) {
  ht_port_flows<S><<<port_groups(state, 1), PORT_THREADS, 0, state->stream[0]>>>(
      values_at<S>(state, state->is_up), (const S *)state->d_known[state->is_up], state->d_ports,
      state->d_addresses, state->tables->port_nodes, state->d_port_flow);
}

static ht_status cuda_watch(void *opaque, ht_backend_change *change) {
  cuda_state *state = (cuda_state *)opaque;
  double sums[4 * WATCH_BLOCKS], broken = 0;
  if (state->tables->precision == HT_FP64)
    launch_watch<double>(state);
  else if (state->tables->precision == HT_FP32)
    launch_watch<float>(state);
  else
    launch_watch<ht_half>(state);
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

static ht_status cuda_port_flow(void *opaque, double *flow) {
  cuda_state *state = (cuda_state *)opaque;
  if (state->tables->port_nodes == 0) return HT_OK;
  /* Of the state as it is, a new one too that has not been stepped yet. */
  HT_TRY(ht_cuda_check(choose_version(state->tables).copy_ports(state, 1), "measuring the ports"));
  if (state->tables->precision == HT_FP64)
    launch_port_flows<double>(state);
  else if (state->tables->precision == HT_FP32)
    launch_port_flows<float>(state);
  else
    launch_port_flows<ht_half>(state);
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
  int64_t nodes = state->tables->tiling->tiles * HT_TILE_NODES;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < nodes; i++) {
    uint32_t place = state->blocks.place[i];
    if (place == HT_NO_PLACE) continue;
    for (int q = 0; q < HT_Q; q++)
      copy(stored[ht_blocks_address(&state->blocks, place, q)],
           values[(i >> 6) * HT_TILE_VALUES + 64 * q + (i & 63)]);
  }
}

template <class S, class T, class Copy>
static ht_status unpack(cuda_state *state, T *values, Copy copy) {
  S *stored;
  size_t count = (size_t)state->blocks.blocks * HT_TILE_VALUES;
  HT_TRY(ht_alloc((void **)&stored, count, sizeof *stored, "the distribution functions"));
  ht_status status = ht_cuda_check(cudaMemcpy(stored, values_at<S>(state, state->is_up),
                                              count * sizeof *stored, cudaMemcpyDeviceToHost),
                                   "copying the flow to the host");
  memset(values, 0, (size_t)state->tables->tiling->tiles * HT_TILE_VALUES * sizeof *values);
  if (status == HT_OK) each_value(state, stored, values, copy);
  free(stored);
  return status;
}

template <class S, class T, class Copy>
static ht_status pack(cuda_state *state, const T *values, Copy copy) {
  S *stored;
  size_t count = (size_t)state->blocks.blocks * HT_TILE_VALUES;
  HT_TRY(ht_alloc((void **)&stored, count, sizeof *stored, "the distribution functions"));
  each_value(state, stored, values, copy);
  ht_status status = ht_cuda_check(cudaMemcpy(values_at<S>(state, state->is_up), stored,
                                              count * sizeof *stored, cudaMemcpyHostToDevice),
                                   "copying the flow to the GPU");
  free(stored);
  return status;
}

static ht_status cuda_download(void *opaque, void *values) {
  cuda_state *state = (cuda_state *)opaque;
  auto same = [](auto from, auto &to) { to = from; };
  auto widen = [](ht_half from, float &to) { to = host_half_load(from); };
  if (state->tables->precision == HT_FP64) return unpack<double>(state, (double *)values, same);
  if (state->tables->precision == HT_FP32) return unpack<float>(state, (float *)values, same);
  return unpack<ht_half>(state, (float *)values, widen);
}

static ht_status cuda_upload(void *opaque, const void *values) {
  cuda_state *state = (cuda_state *)opaque;
  auto same = [](auto &to, auto from) { to = from; };
  auto narrow = [](ht_half &to, float from) { to = host_half_store(from); };
  if (state->tables->precision == HT_FP64) return pack<double>(state, (const double *)values, same);
  if (state->tables->precision == HT_FP32) return pack<float>(state, (const float *)values, same);
  return pack<ht_half>(state, (const float *)values, narrow);
}

static void cuda_measure_cost(const void *opaque, ht_lattice_cost *cost) {
  const cuda_state *state = (const cuda_state *)opaque;
  cost->bytes = state->bytes;
  ht_cuda_measure_kernel(choose_version(state->tables).kernel, HT_STEP_THREADS, cost);
}

extern "C" const ht_backend ht_backend_cuda = {cuda_create,   cuda_destroy,   cuda_step,
                                               cuda_watch,    cuda_port_flow, cuda_reload_ports,
                                               cuda_download, cuda_upload,    cuda_measure_cost};
