/* The exchange between two levels on the GPU: see lattice/interface.h; block_levels.cuh has the
 * kernels.
 *
 * Both levels work in one stream, that of the coarser, and steps of a level are not waited for: the
 * host is ahead by up to HT_LEVEL_STEPS coarse steps. What crosses is counted once a coarse step,
 * at its end: the coarse level's values are then still those of the exchange, and the fine level's
 * lie in its other copy; with one copy only (compact) they are counted in the exchange. */
#include "solver/cuda/blocks/block_levels.cuh"
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/cuda_launch.cuh"
#include "solver/cuda/host_array.cuh"
#include <algorithm>
#include <cstdlib>

/* Groups of ht_give_gain(), each of which sums all parts. */
enum { GIVE_GROUPS = 512 };

typedef struct {
  ht_cuda_state *coarse, *fine;
  cudaStream_t own_stream; /* of the fine level alone, while it works in that of the coarse one */
  cudaEvent_t given;       /* the last step that the host waits for */
  ht_cuda_memory memory;
  ht_device_states of_coarse, of_fine;
  int32_t blocks, cells;
  int32_t *d_block_corner, *d_cell_corner;
  uint32_t *d_block_address, *d_cell_address;
  ht_level_links coarse_links, fine_links;
  double *d_gained;  /* [parts of both] in this coarse step */
  double *d_owed;    /* [2] mass that is not taken back yet, after even steps and after odd ones */
  uint64_t *d_own;   /* [blocks] by slot: the coarse level's own nodes */
  int64_t steps;     /* coarse steps */
  int64_t own_nodes; /* their number */
  int has_counted;   /* 0: d_gained begins anew */
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
  HT_TRY(take(made, &to->weight, lists->weight, HT_LEVEL_KINDS * lists->terms));
  return ht_cuda_memory_take(&made->memory, &to->state, NULL,
                             (size_t)(HT_LEVEL_VALUES * lists->states) * arithmetic_size(state));
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

static ht_status make_own(cuda_coupling *made) {
  const ht_lattice_tables *tables = made->coarse->tables;
  const ht_blocks *blocks = &made->coarse->blocks;
  ht_host_array<uint64_t> own;
  HT_TRY(own.make(blocks->blocks, what));
  for (int64_t t = 0; t < tables->tiling->tiles; t++)
    for (uint64_t left = tables->own[t]; left; left &= left - 1, made->own_nodes++) {
      const uint32_t place = blocks->place[HT_TILE_NODES * t + __builtin_ctzll(left)];
      own[place / HT_TILE_NODES] |= (uint64_t)1 << place % HT_TILE_NODES;
    }
  return take(made, &made->d_own, own.data, blocks->blocks);
}

/* ---- life ---- */

static ht_status build(cuda_coupling *made, const ht_interface *lists) {
  made->memory.bytes = made->coarse->memory.bytes; /* for messages, and the cost of that level */
  HT_TRY(make_states(made, made->coarse, &lists->coarse, &made->of_coarse));
  HT_TRY(make_states(made, made->fine, &lists->fine, &made->of_fine));
  HT_TRY(make_blocks(made, lists));
  HT_TRY(make_cells(made, lists));
  HT_TRY(make_links(made, made->coarse, lists, 0, &made->coarse_links));
  HT_TRY(make_links(made, made->fine, lists, 1, &made->fine_links));
  HT_TRY(make_own(made));
  const int64_t parts = (int64_t)made->coarse_links.parts + made->fine_links.parts;
  HT_TRY(take(made, &made->d_gained, NULL, parts));
  HT_TRY(take(made, &made->d_owed, NULL, 2));
  made->coarse->memory.bytes = made->memory.bytes;
  HT_TRY(ht_cuda_check(
      cudaEventCreateWithFlags(&made->given, cudaEventBlockingSync | cudaEventDisableTiming),
      "starting"));
  return ht_cuda_check(cudaStreamSynchronize(made->fine->streams.stream[0]), "starting");
}

/* Orders the work of the two levels: from now on each comes after that of the other. */
static void share_stream(cuda_coupling *made) {
  made->own_stream = made->fine->streams.stream[0];
  made->fine->streams.stream[0] = made->coarse->streams.stream[0];
  made->coarse->streams.goes_on = made->fine->streams.goes_on = 1;
}

static void end_sharing(cuda_coupling *made) {
  cudaStreamSynchronize(made->coarse->streams.stream[0]);
  made->fine->streams.stream[0] = made->own_stream;
  made->coarse->streams.goes_on = made->fine->streams.goes_on = 0;
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
  if (made->given) cudaEventDestroy(made->given);
  ht_cuda_memory_free(&made->memory);
  free(made);
}

/* ---- launches ---- */

template <class R>
static ht_device_level<R> level_of(const ht_cuda_state *state, const ht_device_states *states) {
  const ht_lattice_tables *tables = state->tables;
  ht_device_level<R> level = {values_at<R>(state, state->stored.is_up), *states, (R)tables->omega,
                              (R)((1 / tables->omega - 0.5) / 3)};
  for (int a = 0; a < 3; a++) {
    level.force[a] = (R)tables->acceleration[a];
    level.half_force[a] = (R)(0.5 * tables->acceleration[a]);
  }
  level.forced = tables->forced;
  for (int i = 0; i < HT_CUMULANT_RATES; i++) level.rates[i] = (R)tables->cumulant[i];
  level.rates[0] = level.omega;
  return level;
}

static unsigned groups_of(int64_t count, int64_t a_group) {
  return (unsigned)((count + a_group - 1) / a_group);
}

/* Launches a kernel over both levels, after what both have in the stream. */
template <class... P, class... A>
static cudaError_t launch_on(const cuda_coupling *made, void (*kernel)(P...), int64_t groups,
                             A... arguments) {
  if (groups == 0) return cudaSuccess;
  const ht_cuda_state *split = is_split(made->fine) ? made->fine : made->coarse;
  return launch(split, made->coarse->streams.stream[0], kernel, (unsigned)groups, HT_LEVEL_THREADS,
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
  const unsigned fine_groups = groups_of(made->of_fine.reads, HT_LEVEL_THREADS);
  cudaError_t error =
      launch_on(made, ht_read_states<R, model>, both.coarse_groups + fine_groups, both);
  if (error == cudaSuccess)
    error =
        launch_on(made, ht_place_blocks<R, model>, groups_of(made->blocks, HT_GROUP_CUBES), both);
  return error == cudaSuccess ? launch_on(made, ht_place_cells<R, model>,
                                          groups_of(made->cells, HT_GROUP_CUBES), both)
                              : error;
}

/* Counts what crosses: of the coarse level (with_coarse), of the fine one now, and (with_before)
 * of its values before its last step. */
template <class R>
static cudaError_t launch_count(const cuda_coupling *made, int with_coarse, int with_before) {
  const ht_cuda_state *coarse = made->coarse, *fine = made->fine;
  const R *of_coarse = with_coarse ? values_at<R>(coarse, coarse->stored.is_up) : NULL;
  const R *before = with_before ? values_at<R>(fine, !fine->stored.is_up) : NULL;
  return launch_on(made, ht_count_gain<R>, made->coarse_links.parts + made->fine_links.parts,
                   made->coarse_links, of_coarse, made->fine_links,
                   (const R *)values_at<R>(fine, fine->stored.is_up), before, !made->has_counted,
                   made->d_gained);
}

template <class R> static cudaError_t launch_give(const cuda_coupling *made) {
  const ht_cuda_state *coarse = made->coarse;
  const unsigned parts = made->coarse_links.parts + made->fine_links.parts;
  const int64_t groups = groups_of(coarse->blocks.blocks * HT_TILE_NODES, HT_LEVEL_THREADS);
  return launch_on(made, ht_give_gain<R>, std::min(groups, (int64_t)GIVE_GROUPS),
                   values_at<R>(coarse, coarse->stored.is_up), coarse->tables->directions,
                   (const uint64_t *)made->d_own, coarse->blocks.blocks,
                   (const double *)made->d_gained, made->coarse_links.parts, parts,
                   (double)made->own_nodes, (const double *)made->d_owed + made->steps % 2,
                   made->d_owed + (made->steps + 1) % 2);
}

static int is_double(const ht_cuda_state *state) {
  return state->tables->precision == HT_FP64;
}

static ht_status count(cuda_coupling *made, int with_coarse, int with_before) {
  auto launch = is_double(made->coarse) ? launch_count<double> : launch_count<float>;
  HT_TRY(ht_cuda_check(launch(made, with_coarse, with_before), "balancing the levels"));
  made->has_counted = 1;
  return HT_OK;
}

/* ---- the functions of the backend ---- */

ht_status ht_cuda_exchange_levels(void *coupling) {
  static cudaError_t (*const launches[2][HT_MODELS])(const cuda_coupling *) = {
      {launch_exchange<float, 0>, launch_exchange<float, 1>, launch_exchange<float, 2>,
       launch_exchange<float, 3>, launch_exchange<float, HT_MODEL_CUMULANT>},
      {launch_exchange<double, 0>, launch_exchange<double, 1>, launch_exchange<double, 2>,
       launch_exchange<double, 3>, launch_exchange<double, HT_MODEL_CUMULANT>}};
  cuda_coupling *made = (cuda_coupling *)coupling;
  auto exchange = launches[is_double(made->coarse)][made->coarse->tables->model];
  HT_TRY(ht_cuda_check(exchange(made), "exchanging the levels"));
  return is_split(made->fine) ? count(made, 0, 0) : HT_OK;
}

/* Takes back what is owed; the host waits for an earlier step, so that it is not too far ahead. */
static ht_status give_back(cuda_coupling *made) {
  auto launch = is_double(made->coarse) ? launch_give<double> : launch_give<float>;
  cudaError_t error = launch(made);
  made->has_counted = 0;
  if (++made->steps % HT_LEVEL_STEPS == 0) {
    if (error == cudaSuccess) error = cudaEventSynchronize(made->given);
    if (error == cudaSuccess) error = cudaEventRecord(made->given, made->coarse->streams.stream[0]);
  }
  return ht_cuda_check(error, "balancing the levels");
}

ht_status ht_cuda_balance_levels(void *coupling) {
  cuda_coupling *made = (cuda_coupling *)coupling;
  HT_TRY(count(made, 1, !is_split(made->fine)));
  return give_back(made);
}

ht_status ht_cuda_owed_levels(void *coupling, double *mass) {
  const cuda_coupling *made = (const cuda_coupling *)coupling;
  HT_TRY(ht_cuda_check(cudaStreamSynchronize(made->coarse->streams.stream[0]), "stepping"));
  return ht_cuda_check(
      cudaMemcpy(mass, made->d_owed + made->steps % 2, sizeof *mass, cudaMemcpyDeviceToHost),
      "copying the state");
}

ht_status ht_cuda_transfer_levels(void *coupling, ht_state *stream) {
  cuda_coupling *made = (cuda_coupling *)coupling;
  double *const d_owed = made->d_owed + made->steps % 2;
  double owed = 0;
  HT_TRY(ht_state_part(stream, "interface"));
  HT_TRY(ht_cuda_owed_levels(coupling, &owed));
  HT_TRY(HT_STATE_OF(stream, owed));
  if (!stream->is_loading) return HT_OK;
  return ht_cuda_check(cudaMemcpy(d_owed, &owed, sizeof owed, cudaMemcpyHostToDevice),
                       "copying the state");
}

/* ---- walls that an interface cuts ---- */

template <class R> static cudaError_t launch_spare(const ht_cuda_state *state) {
  const ht_cuda_walls *walls = &state->walls;
  return launch(state, state->streams.stream[0], ht_spare_nodes<R>,
                groups_of(walls->spared, HT_LEVEL_THREADS), HT_LEVEL_THREADS,
                values_at<R>(state, state->stored.is_up), (const uint2 *)walls->d_spared,
                walls->spared, (const double *)walls->d_taken[state->stored.is_up]);
}

cudaError_t ht_cuda_spare_nodes(const ht_cuda_state *state) {
  if (state->walls.spared == 0) return cudaSuccess;
  return is_double(state) ? launch_spare<double>(state) : launch_spare<float>(state);
}
