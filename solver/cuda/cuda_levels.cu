/* Steps of levels and their exchange on the GPU: see lattice/interface.h; block_levels.cuh has the
 * kernels.
 *
 * All launches of up to GRAPH_STEPS coarse steps are one CUDA graph, which is kept: so the host has
 * one launch, and it is ahead by up to HT_LEVEL_STEPS coarse steps. Outside of a graph all levels
 * work in the stream of the coarsest. While one is captured, each has its own. A coarse step is
 * then next to the first fine step, and the balance next to the fine step after it; the exchange is
 * in the fine level's stream, as its two steps are what takes longest:
 *
 *   coarse: step -----+     +- count -----------+- count, balance, step ...
 *   fine:   step -----+- exchange ------ step --+- step ...
 *
 * The count after the exchange reads the values that the fine level's next step but one overwrites,
 * with one copy of the values the next one: that waits for it. */
#include "solver/cuda/blocks/block_levels.cuh"
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_launch.cuh"
#include "solver/cuda/host_array.cuh"
#include <algorithm>
#include <cstdlib>
#include <utility>

/* Groups of ht_give_gain(), each of which sums all parts. */
enum { GIVE_GROUPS = 512 };

/* Graphs of 1, 2, 4, ... GRAPH_STEPS coarse steps. */
enum { LENGTHS = 5 };
static_assert(1 << (LENGTHS - 1) == GRAPH_STEPS, "the longest one");

typedef struct ht_cuda_coupling {
  ht_cuda_state *coarse, *fine;
  cudaStream_t own_stream;             /* of the fine level alone, in a capture */
  cudaEvent_t passed, counted, behind; /* see follow(), exchange(), keep_near() */
  ht_cuda_memory memory;
  ht_device_states of_coarse, of_fine;
  int32_t blocks, cells;
  int32_t *d_block_corner, *d_cell_corner;
  uint32_t *d_block_address, *d_cell_address;
  ht_level_links coarse_links, fine_links;
  double *d_gained;     /* [parts of both] in this coarse step */
  double *d_owed;       /* [2] mass that is not taken back yet; [is_up] of the coarse level */
  uint64_t *d_balanced; /* [blocks] by slot: the coarse level's nodes that give back */
  int64_t balanced;     /* their number */
  /* Of the coarsest level: graphs by length, is_up, first step % GRAPHS; NULL: not made yet. The
   * other levels do an even number of steps, so theirs is the same in all. */
  cudaGraphExec_t graph[LENGTHS][2][GRAPHS];
  int64_t ahead; /* coarse steps since `behind` */
} cuda_coupling;

static const char what[] = "the interface of two levels";

/* ---- lists ---- */

template <class T>
static ht_status take(cuda_coupling *made, T **to, const void *from, int64_t count) {
  return ht_cuda_memory_take(&made->memory, (void **)to, from, (size_t)count * sizeof(T));
}

/* The address of a node's value at rest. */
static uint32_t address_of(const ht_cuda_state *state, int64_t node) {
  return ht_blocks_address(&state->blocks, state->blocks.place[node], 0);
}

static ht_status make_states(cuda_coupling *made, const ht_cuda_state *state,
                             const ht_level_states *lists, ht_device_states *to) {
  ht_host_array<uint32_t> address;
  HT_TRY(address.make(lists->reads, what));
  for (int64_t i = 0; i < lists->reads; i++) address[i] = address_of(state, lists->node[i]);
  to->reads = (int32_t)lists->reads;
  to->first_guess = (int32_t)(lists->states - lists->guesses);
  HT_TRY(take(made, &to->address, address.data, lists->reads));
  HT_TRY(take(made, &to->guess, lists->guess, lists->guesses));
  HT_TRY(take(made, &to->from, lists->from, lists->terms));
  return take(made, &to->weight, lists->weight, HT_LEVEL_KINDS * lists->terms);
}

static ht_status make_blocks(cuda_coupling *made, const ht_interface *lists) {
  ht_host_array<int32_t> corner;
  ht_host_array<uint32_t> address;
  HT_TRY(corner.make(HT_CUBE * lists->blocks, what));
  HT_TRY(address.make(lists->blocks, what));
  for (int64_t b = 0; b < lists->blocks; b++) {
    const ht_level_block *block = &lists->block[b];
    std::copy_n(block->corner, (int)HT_CUBE, corner.data + HT_CUBE * b);
    address[b] = address_of(made->coarse, block->node);
  }
  made->blocks = (int32_t)lists->blocks;
  HT_TRY(take(made, &made->d_block_corner, corner.data, HT_CUBE * lists->blocks));
  return take(made, &made->d_block_address, address.data, lists->blocks);
}

static ht_status make_cells(cuda_coupling *made, const ht_interface *lists) {
  ht_host_array<int32_t> corner;
  ht_host_array<uint32_t> address;
  HT_TRY(corner.make(HT_CUBE * lists->cells, what));
  HT_TRY(address.make(HT_CUBE * lists->cells, what));
  for (int64_t c = 0; c < lists->cells; c++) {
    const ht_level_cell *cell = &lists->cell[c];
    std::copy_n(cell->corner, (int)HT_CUBE, corner.data + HT_CUBE * c);
    for (int k = 0; k < HT_CUBE; k++)
      address[HT_CUBE * c + k] =
          cell->node[k] < 0 ? HT_NO_PLACE : address_of(made->fine, cell->node[k]);
  }
  made->cells = (int32_t)lists->cells;
  HT_TRY(take(made, &made->d_cell_corner, corner.data, HT_CUBE * lists->cells));
  return take(made, &made->d_cell_address, address.data, HT_CUBE * lists->cells);
}

/* The links of a node, into `to`; NULL: counts them. */
static int64_t list_links(const ht_cuda_state *state, const ht_level_edge *edge, uint2 *to) {
  const ht_lattice_tables *tables = state->tables;
  int64_t count = 0;
  for (uint32_t left = edge->links & HT_MOVING(tables->directions); left; left &= left - 1) {
    const int q = __builtin_ctz(left), p = ((q - 1) ^ 1) + 1;
    int64_t there;
    int direction;
    ht_blocks_source(tables, &state->blocks, edge->node, p, &there, &direction);
    if (to)
      to[count] = {ht_blocks_address(&state->blocks, state->blocks.place[there], direction),
                   ht_blocks_address(&state->blocks, state->blocks.place[edge->node], q)};
    count++;
  }
  return count;
}

static ht_status make_links(cuda_coupling *made, const ht_cuda_state *state,
                            const ht_interface *lists, int is_fine, ht_level_links *to) {
  ht_host_array<uint2> link;
  for (int64_t e = 0; e < lists->edges; e++)
    if (lists->edge[e].is_fine == is_fine) to->links += list_links(state, &lists->edge[e], NULL);
  HT_TRY(link.make(to->links, what));
  int64_t next = 0;
  for (int64_t e = 0; e < lists->edges; e++)
    if (lists->edge[e].is_fine == is_fine)
      next += list_links(state, &lists->edge[e], link.data + next);
  to->parts = (unsigned)((to->links + HT_LEVEL_LINKS - 1) / HT_LEVEL_LINKS);
  return take(made, &to->link, link.data, to->links);
}

static ht_status make_balanced(cuda_coupling *made) {
  const ht_lattice_tables *tables = made->coarse->tables;
  const ht_blocks *blocks = &made->coarse->blocks;
  ht_host_array<uint64_t> marks;
  HT_TRY(marks.make(blocks->blocks, what));
  for (int64_t t = 0; t < tables->tiling->tiles; t++)
    for (uint64_t left = tables->balanced[t]; left; left &= left - 1, made->balanced++) {
      const uint32_t place = blocks->place[HT_TILE_NODES * t + __builtin_ctzll(left)];
      marks[place / HT_TILE_NODES] |= (uint64_t)1 << place % HT_TILE_NODES;
    }
  return take(made, &made->d_balanced, marks.data, blocks->blocks);
}

/* ---- life ---- */

static ht_status make_events(cuda_coupling *made) {
  const unsigned asleep = cudaEventBlockingSync | cudaEventDisableTiming;
  cudaError_t error = cudaEventCreateWithFlags(&made->passed, cudaEventDisableTiming);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags(&made->counted, cudaEventDisableTiming);
  if (error == cudaSuccess) error = cudaEventCreateWithFlags(&made->behind, asleep);
  return ht_cuda_check(error, "starting");
}

/* Twice as many steps as those of the coarse level. */
static ht_status make_window(cuda_coupling *made) {
  ht_drive_window *window = &made->fine->window;
  ht_drive_window_free(window);
  *window = {};
  return ht_cuda_check(
      ht_drive_window_make(made->fine->tables, 2 * made->coarse->window.steps, window),
      "taking memory");
}

static ht_status build(cuda_coupling *made, const ht_interface *lists) {
  made->memory.bytes = made->coarse->memory.bytes; /* for messages, and the cost of that level */
  HT_TRY(make_states(made, made->coarse, &lists->coarse, &made->of_coarse));
  HT_TRY(ht_cuda_memory_take(&made->memory, &made->of_coarse.state, NULL,
                             (size_t)(HT_LEVEL_VALUES * lists->coarse.states) *
                                 arithmetic_size(made->coarse)));
  HT_TRY(make_states(made, made->fine, &lists->fine, &made->of_fine));
  HT_TRY(make_blocks(made, lists));
  HT_TRY(make_cells(made, lists));
  HT_TRY(make_links(made, made->coarse, lists, 0, &made->coarse_links));
  HT_TRY(make_links(made, made->fine, lists, 1, &made->fine_links));
  HT_TRY(make_balanced(made));
  const int64_t parts = (int64_t)made->coarse_links.parts + made->fine_links.parts;
  HT_TRY(take(made, &made->d_gained, NULL, parts));
  HT_TRY(take(made, &made->d_owed, NULL, 2));
  made->coarse->memory.bytes = made->memory.bytes;
  HT_TRY(make_window(made));
  HT_TRY(make_events(made));
  return ht_cuda_check(cudaStreamSynchronize(made->fine->streams.stream[0]), "starting");
}

/* From now on the fine level's work comes after that of the coarse one, and before what follows. */
static void share_stream(cuda_coupling *made) {
  made->own_stream = made->fine->streams.stream[0];
  made->fine->streams.stream[0] = made->coarse->streams.stream[0];
  made->coarse->finer = made;
}

static void end_sharing(cuda_coupling *made) {
  cudaStreamSynchronize(made->coarse->streams.stream[0]);
  made->fine->streams.stream[0] = made->own_stream;
  made->coarse->finer = NULL;
}

ht_status ht_cuda_couple(void *coarse, void *fine, const ht_interface *lists, void **coupling) {
  cuda_coupling *made = NULL;
  *coupling = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, what));
  made->coarse = (ht_cuda_state *)coarse;
  made->fine = (ht_cuda_state *)fine;
  ht_status status = build(made, lists);
  if (status == HT_OK) {
    share_stream(made);
    *coupling = made;
  } else {
    ht_cuda_decouple(made);
  }
  return status;
}

void ht_cuda_decouple(void *coupling) {
  cuda_coupling *made = (cuda_coupling *)coupling;
  if (!made) return;
  if (made->own_stream) end_sharing(made);
  for (cudaEvent_t event : {made->passed, made->counted, made->behind})
    if (event) cudaEventDestroy(event);
  for (auto &of_length : made->graph)
    for (auto &of_place : of_length)
      for (cudaGraphExec_t graph : of_place)
        if (graph) cudaGraphExecDestroy(graph);
  ht_cuda_memory_free(&made->memory);
  free(made);
}

/* ---- launches ---- */

template <class R>
static ht_device_level<R> level_of(const ht_cuda_state *state, const ht_device_states *states) {
  const ht_lattice_tables *tables = state->tables;
  ht_device_level<R> level = {values_at<R>(state, state->stored.is_up), *states, (R)tables->omega,
                              (R)((1 / tables->omega - 0.5) / 3), state->forces.d_acceleration};
  for (int i = 0; i < HT_CUMULANT_RATES; i++) level.rates[i] = (R)tables->cumulant[i];
  level.rates[0] = level.omega;
  return level;
}

static unsigned groups_of(int64_t count, int64_t a_group) {
  return (unsigned)((count + a_group - 1) / a_group);
}

/* Launches a kernel in a level's stream. */
template <class... P, class... A>
static cudaError_t launch_in(const ht_cuda_state *state, void (*kernel)(P...), int64_t groups,
                             A... arguments) {
  if (groups == 0) return cudaSuccess;
  return launch(state, state->streams.stream[0], kernel, (unsigned)groups, HT_LEVEL_THREADS,
                arguments...);
}

template <class R, int model> static cudaError_t launch_exchange(const cuda_coupling *made) {
  ht_device_interface<R> both = {level_of<R>(made->coarse, &made->of_coarse),
                                 level_of<R>(made->fine, &made->of_fine),
                                 groups_of(made->of_coarse.reads, HT_LEVEL_THREADS),
                                 made->blocks,
                                 made->cells,
                                 made->d_block_corner,
                                 made->d_cell_corner,
                                 made->d_block_address,
                                 made->d_cell_address};
  const cudaError_t error = launch_in(made->fine, ht_place_blocks<R, model>,
                                      both.reading + groups_of(made->blocks, HT_GROUP_CUBES), both);
  return error == cudaSuccess ? launch_in(made->fine, ht_place_cells<R, model>,
                                          groups_of(made->cells, HT_GROUP_CUBES), both)
                              : error;
}

/* Counts what crosses: of the fine level now, and (begins 1: to nothing) of the coarse one. */
template <class R> static cudaError_t launch_count(const cuda_coupling *made, int begins) {
  const ht_cuda_state *coarse = made->coarse, *fine = made->fine;
  const R *of_coarse = begins ? values_at<R>(coarse, coarse->stored.is_up) : NULL;
  return launch_in(coarse, ht_count_gain<R>, made->coarse_links.parts + made->fine_links.parts,
                   made->coarse_links, of_coarse, made->fine_links,
                   (const R *)values_at<R>(fine, fine->stored.is_up), begins, made->d_gained);
}

template <class R> static cudaError_t launch_give(const cuda_coupling *made) {
  const ht_cuda_state *coarse = made->coarse;
  const int is_up = coarse->stored.is_up;
  const unsigned parts = made->coarse_links.parts + made->fine_links.parts;
  const int64_t groups = groups_of(coarse->blocks.blocks * HT_TILE_NODES, HT_LEVEL_THREADS);
  return launch_in(
      coarse, ht_give_gain<R>, std::min(groups, (int64_t)GIVE_GROUPS), values_at<R>(coarse, is_up),
      coarse->tables->directions, (const uint64_t *)made->d_balanced, coarse->blocks.blocks,
      (const double *)made->d_gained, made->coarse_links.parts, parts, (double)made->balanced,
      (const double *)made->d_owed + !is_up, made->d_owed + is_up);
}

template <class R> static cudaError_t launch_spare(const ht_cuda_state *state) {
  const ht_cuda_walls *walls = &state->walls;
  return launch_in(state, ht_spare_nodes<R>, groups_of(walls->spared, HT_LEVEL_THREADS),
                   values_at<R>(state, state->stored.is_up), (const uint2 *)walls->d_spared,
                   walls->spared, (const double *)walls->d_taken[state->stored.is_up]);
}

static int is_double(const ht_cuda_state *state) {
  return state->tables->precision == HT_FP64;
}

/* ---- a step of the levels ---- */

#define TRY_CUDA(call)                                                                             \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_ != cudaSuccess) return error_;                                                      \
  } while (0)

/* A level's next launch waits for an event. */
static cudaError_t await(const ht_cuda_state *state, cudaEvent_t event) {
  state->streams.joins = 1;
  return cudaStreamWaitEvent(state->streams.stream[0], event, 0);
}

/* A level's next launch waits for all that another one has. */
static cudaError_t follow(const cuda_coupling *made, const ht_cuda_state *next,
                          const ht_cuda_state *before) {
  TRY_CUDA(cudaEventRecord(made->passed, before->streams.stream[0]));
  return await(next, made->passed);
}

static cudaError_t count_gain(const cuda_coupling *made, int begins) {
  TRY_CUDA(is_double(made->coarse) ? launch_count<double>(made, begins)
                                   : launch_count<float>(made, begins));
  return begins || is_split(made->fine)
             ? cudaEventRecord(made->counted, made->coarse->streams.stream[0])
             : cudaSuccess;
}

/* Exchanges the levels between two steps of the fine one. */
static cudaError_t exchange(const cuda_coupling *made) {
  static cudaError_t (*const launches[2][HT_MODELS])(const cuda_coupling *) = {
      {launch_exchange<float, 0>, launch_exchange<float, 1>, launch_exchange<float, 2>,
       launch_exchange<float, 3>, launch_exchange<float, HT_MODEL_CUMULANT>},
      {launch_exchange<double, 0>, launch_exchange<double, 1>, launch_exchange<double, 2>,
       launch_exchange<double, 3>, launch_exchange<double, HT_MODEL_CUMULANT>}};
  TRY_CUDA(follow(made, made->fine, made->coarse));
  TRY_CUDA(launches[is_double(made->coarse)][made->coarse->tables->model](made));
  TRY_CUDA(follow(made, made->coarse, made->fine));
  TRY_CUDA(count_gain(made, 1));
  return is_split(made->fine) ? await(made->fine, made->counted) : cudaSuccess;
}

/* Counts what crosses in the second fine step, and takes back a part of what is owed. */
static cudaError_t balance(const cuda_coupling *made) {
  TRY_CUDA(follow(made, made->coarse, made->fine));
  TRY_CUDA(count_gain(made, 0));
  TRY_CUDA(await(made->fine, made->counted));
  return is_double(made->coarse) ? launch_give<double>(made) : launch_give<float>(made);
}

/* Launches a step of a level, whose coefficients are in a row of its window, and those of the finer
 * levels. */
static cudaError_t launch_level(ht_cuda_state *state, int64_t step, int row) {
  const cuda_coupling *made = state->finer;
  if (state->walls.spared > 0)
    TRY_CUDA(is_double(state) ? launch_spare<double>(state) : launch_spare<float>(state));
  TRY_CUDA(state->kernels.step(state, step, row));
  if (!made) return cudaSuccess;
  TRY_CUDA(launch_level(made->fine, 2 * step, 2 * row));
  TRY_CUDA(exchange(made));
  TRY_CUDA(launch_level(made->fine, 2 * step + 1, 2 * row + 1));
  return balance(made);
}

/* ---- graphs of them ---- */

/* Launches coarse steps; in between, the ports' values are those next to the blocks alone. */
static cudaError_t launch_coarse_steps(ht_cuda_state *state, int64_t first, int steps) {
  const cuda_coupling *made;
  for (made = state->finer; made; made = made->fine->finer)
    TRY_CUDA(follow(state->finer, made->fine, state));
  if (has_ports(state)) TRY_CUDA(state->kernels.copy_ports(state, 1));
  for (made = state->finer; made; made = made->fine->finer)
    if (has_ports(made->fine)) TRY_CUDA(made->fine->kernels.copy_ports(made->fine, 1));
  for (int row = 0; row < steps; row++) TRY_CUDA(launch_level(state, first + row, row));
  if (has_ports(state)) TRY_CUDA(state->kernels.copy_ports(state, 0));
  for (made = state->finer; made; made = made->fine->finer) {
    if (has_ports(made->fine)) TRY_CUDA(made->fine->kernels.copy_ports(made->fine, 0));
    TRY_CUDA(follow(state->finer, state, made->fine));
    made->fine->streams.joins = 0;
  }
  state->streams.joins = 0;
  return cudaSuccess;
}

/* Exchanges the stream that the finer levels share for their own, or back. */
static void swap_streams(const ht_cuda_state *state) {
  for (cuda_coupling *made = state->finer; made; made = made->fine->finer)
    std::swap(made->fine->streams.stream[0], made->own_stream);
}

static cudaError_t launch_graph(ht_cuda_state *state, int64_t first, int length) {
  const int is_up = state->stored.is_up, steps = 1 << length;
  cudaGraphExec_t *graph = &state->finer->graph[length][is_up][first % GRAPHS];
  if (!*graph) {
    swap_streams(state);
    const cudaError_t error = make_graph(
        state->streams.stream[0], [=] { return launch_coarse_steps(state, first, steps); }, graph);
    swap_streams(state);
    TRY_CUDA(error);
  }
  state->stored.is_up = (is_up + steps) % 2;
  return cudaGraphLaunch(*graph, state->streams.stream[0]);
}

static cudaError_t send_windows(ht_cuda_state *state, int64_t first, int steps) {
  for (; state; state = state->finer ? state->finer->fine : NULL, first *= 2, steps *= 2)
    TRY_CUDA(ht_drive_window_send(&state->window, state->tables, first, steps,
                                  state->streams.stream[0]));
  return cudaSuccess;
}

/* Waits, after every HT_LEVEL_STEPS steps, for the end of those before. */
static cudaError_t keep_near(ht_cuda_state *state, int steps) {
  cuda_coupling *made = state->finer;
  made->ahead += steps;
  if (made->ahead < HT_LEVEL_STEPS) return cudaSuccess;
  made->ahead = 0;
  TRY_CUDA(cudaEventSynchronize(made->behind));
  return cudaEventRecord(made->behind, state->streams.stream[0]);
}

static cudaError_t launch_levels(ht_cuda_state *state, int64_t first, int64_t count) {
  for (int length = LENGTHS - 1; length >= 0; length--)
    for (; count >= 1 << length; first += 1 << length, count -= 1 << length) {
      TRY_CUDA(send_windows(state, first, 1 << length));
      TRY_CUDA(launch_graph(state, first, length));
      TRY_CUDA(keep_near(state, 1 << length));
    }
  return cudaSuccess;
}

ht_status ht_cuda_step_levels(ht_cuda_state *state, int64_t first, int64_t count) {
  return ht_cuda_check(launch_levels(state, first, count), "stepping the levels");
}

/* ---- what is owed ---- */

ht_status ht_cuda_owed_levels(void *coupling, double *mass) {
  const cuda_coupling *made = (const cuda_coupling *)coupling;
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(made->coarse->streams.stream[0]), "stepping"));
  return ht_cuda_check(cudaMemcpy(mass, made->d_owed + made->coarse->stored.is_up, sizeof *mass,
                                  cudaMemcpyDeviceToHost),
                       "copying the state");
}

ht_status ht_cuda_transfer_levels(void *coupling, ht_state *stream) {
  cuda_coupling *made = (cuda_coupling *)coupling;
  double *const d_owed = made->d_owed + made->coarse->stored.is_up;
  double owed = 0;
  HT_TRY(ht_state_part(stream, "interface"));
  HT_TRY(ht_cuda_owed_levels(coupling, &owed));
  HT_TRY(HT_STATE_OF(stream, owed));
  if (!stream->is_loading) return HT_OK;
  return ht_cuda_check(cudaMemcpy(d_owed, &owed, sizeof owed, cudaMemcpyHostToDevice),
                       "copying the state");
}
