/* The exchange between two levels over the blocks of blocks.h (lattice/interface.h), in two
 * launches: the outer nodes of the coarse level, and the states of its others; the outer nodes of
 * the fine level. Eight threads find the corners of a cube, a corner each, also those that are
 * extrapolated; so these are found wherever they are needed, and no launch waits for another more.
 * A fine node is a corner of one cube: its state is found there, by the first launch. A node is
 * made by one thread, and sums have one order: results do not depend on which thread is first. */
#ifndef HT_BLOCK_LEVELS_CUH
#define HT_BLOCK_LEVELS_CUH

#include "solver/cuda/blocks/block_watch.cuh"
#include "solver/kernels/nodes.h"
#include "solver/lattice/interface.h"

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/kernels/level_node.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/kernels/level_node.h"
#undef HT_REAL
#undef HT_NODE

enum {
  HT_LEVEL_THREADS = 128,
  HT_GROUP_CUBES = HT_LEVEL_THREADS / HT_CUBE,
  HT_CORNERS = HT_CUBE * HT_LEVEL_VALUES + 4, /* whole vectors, cubes begin in different banks */
  HT_LEVEL_LINKS = 1024                       /* that a group of threads sums */
};

/* Lists of ht_level_states on the device. An address is that of a node's value at rest. */
struct ht_device_states {
  int32_t reads, first_guess; /* numbers of states */
  const uint32_t *address;    /* [reads] */
  const ht_level_guess *guess;
  const int32_t *from;
  const float *weight;
  void *state; /* [states][HT_LEVEL_VALUES] in the precision of the arithmetic; fine: NULL */
};

/* One of the two levels in an exchange. */
template <class R> struct ht_device_level {
  R *values;
  ht_device_states states;
  R omega, nu;
  const double *acceleration; /* [3] by a body force; NULL: there is none. It may change */
  R rates[HT_CUMULANT_RATES]; /* cumulant_rates of cumulant.h */
};

/* Both of them, and the outer nodes, addresses as above. */
template <class R> struct ht_device_interface {
  ht_device_level<R> coarse, fine;
  unsigned reading; /* groups of ht_place_blocks() that read the coarse level's states */
  int32_t blocks, cells;
  const int32_t *block_corner, *cell_corner; /* [blocks][8], [cells][8] states */
  const uint32_t *block_address;             /* [blocks] */
  const uint32_t *cell_address;              /* [cells][8]; HT_NO_PLACE: not an outer node */
};

/* ---- the physics of a node, in both precisions ---- */

template <class R> struct ht_push { R along[3]; };

/* Returns a share of the acceleration. */
template <class R> HT_INLINE ht_push<R> ht_push_of(const ht_device_level<R> &level, double share) {
  ht_push<R> push;
  for (int a = 0; a < 3; a++)
    push.along[a] = level.acceleration ? (R)(share * level.acceleration[a]) : (R)0;
  return push;
}

template <int model>
HT_INLINE void ht_level_read(const float *g, const ht_device_level<float> &of, float *state) {
  level_read_f32(g, model, of.omega, ht_push_of(of, 0.5).along, state, 1);
}
template <int model>
HT_INLINE void ht_level_read(const double *g, const ht_device_level<double> &of, double *state) {
  level_read_f64(g, model, of.omega, ht_push_of(of, 0.5).along, state, 1);
}

/* A point of a cube: weights of its corners, and what goes with the step and the spacing, see
 * level_node.h. */
template <class R> struct ht_cube_point { R weight[HT_CUBE], bent, times; };

template <int Q>
HT_INLINE void ht_cube_state(const float *corner, float nu, const ht_cube_point<float> &at,
                             float *state, float *added) {
  float cube[HT_CUBE_VALUES];
  cube_find_f32(corner, 1, Q, nu, cube);
  cube_mean_f32(corner, cube, 1, at.weight, at.bent, at.times, state, added);
}
template <int Q>
HT_INLINE void ht_cube_state(const double *corner, double nu, const ht_cube_point<double> &at,
                             double *state, double *added) {
  double cube[HT_CUBE_VALUES];
  cube_find_f64(corner, 1, Q, nu, cube);
  cube_mean_f64(corner, cube, 1, at.weight, at.bent, at.times, state, added);
}

template <int model>
HT_INLINE void ht_level_make(float *g, const ht_device_level<float> &to, const float *state,
                             const float *added) {
  level_make_f32(g, model, (const cumulant_rates_f32 *)to.rates, state, added,
                 ht_push_of(to, 0.5).along);
  if (to.acceleration) accelerate_f32(g, model, ht_push_of(to, 1).along);
}
template <int model>
HT_INLINE void ht_level_make(double *g, const ht_device_level<double> &to, const double *state,
                             const double *added) {
  level_make_f64(g, model, (const cumulant_rates_f64 *)to.rates, state, added,
                 ht_push_of(to, 0.5).along);
  if (to.acceleration) accelerate_f64(g, model, ht_push_of(to, 1).along);
}

HT_INLINE void ht_cube_weights(int at, float *weight) {
  cube_weights_f32(at, weight);
}
HT_INLINE void ht_cube_weights(int at, double *weight) {
  cube_weights_f64(at, weight);
}

/* ---- states ---- */

static_assert(HT_LEVEL_VALUES % 2 == 0, "a state is read and kept by twos");
template <class R> struct ht_two;
template <> struct ht_two<float> { typedef float2 type; };
template <> struct ht_two<double> { typedef double2 type; };

/* State `number` of all that are kept. */
template <class R> HT_INLINE void ht_load_kept(const void *all, int64_t number, R *state) {
  typedef typename ht_two<R>::type two;
  const two *from = (const two *)all + HT_LEVEL_VALUES / 2 * number;
#pragma unroll
  for (int i = 0; i < HT_LEVEL_VALUES / 2; i++) {
    const two values = from[i];
    state[2 * i] = values.x, state[2 * i + 1] = values.y;
  }
}
template <class R> HT_INLINE void ht_keep_state(void *all, int64_t number, const R *state) {
  typedef typename ht_two<R>::type two;
  two *to = (two *)all + HT_LEVEL_VALUES / 2 * number;
#pragma unroll
  for (int i = 0; i < HT_LEVEL_VALUES / 2; i++) to[i] = {state[2 * i], state[2 * i + 1]};
}

/* Adds the state of a node to `sum`, weighted by kind. */
template <class R, int model>
HT_INLINE void ht_add_node(const ht_device_level<R> &of, uint32_t address,
                           const R weight[HT_LEVEL_KINDS], R *sum) {
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  R g[Q], state[HT_LEVEL_VALUES];
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = of.values[address + HT_TILE_NODES * q];
  ht_level_read<model>(g, of, state);
#pragma unroll
  for (int v = 0; v < HT_LEVEL_VALUES; v++) sum[v] += weight[HT_KIND_OF(v)] * state[v];
}

/* The weights of a term of a guess. */
template <class R> HT_INLINE void ht_weights(const ht_device_states &of, int32_t term, R *weight) {
#pragma unroll
  for (int kind = 0; kind < HT_LEVEL_KINDS; kind++)
    weight[kind] = (R)__ldg(of.weight + HT_LEVEL_KINDS * term + kind);
}

/* Reads a state of a level that has none but those of nodes and guesses. */
template <class R, int model>
HT_INLINE void ht_read_state(const ht_device_level<R> &of, int32_t number, R *to) {
  const ht_device_states &states = of.states;
  const bool is_guess = number >= states.first_guess;
  const ht_level_guess guess =
      is_guess ? states.guess[number - states.first_guess] : ht_level_guess{0, 0, 1};
#pragma unroll
  for (int v = 0; v < HT_LEVEL_VALUES; v++) to[v] = 0;
  for (int32_t k = guess.first; k < guess.first + guess.terms; k++) {
    R weight[HT_LEVEL_KINDS] = {1, 1, 1};
    if (is_guess) ht_weights(states, k, weight);
    const int32_t from = is_guess ? __ldg(states.from + k) : number;
    ht_add_node<R, model>(of, __ldg(states.address + from), weight, to);
  }
}

/* Loads a state of a level, or extrapolates it. */
template <class R> HT_INLINE void ht_load_state(const ht_device_states &of, int32_t number, R *to) {
  R sum[HT_LEVEL_VALUES], state[HT_LEVEL_VALUES];
  if (number < of.first_guess) {
    ht_load_kept(of.state, number, to);
    return;
  }
  const ht_level_guess guess = of.guess[number - of.first_guess];
#pragma unroll
  for (int v = 0; v < HT_LEVEL_VALUES; v++) sum[v] = 0;
  for (int32_t k = guess.first; k < guess.first + guess.terms; k++) {
    R weight[HT_LEVEL_KINDS];
    ht_load_kept(of.state, __ldg(of.from + k), state);
    ht_weights(of, k, weight);
#pragma unroll
    for (int v = 0; v < HT_LEVEL_VALUES; v++) sum[v] += weight[HT_KIND_OF(v)] * state[v];
  }
#pragma unroll
  for (int v = 0; v < HT_LEVEL_VALUES; v++) to[v] = sum[v];
}

/* ---- outer nodes ---- */

/* Thread of a cube, and the state of its corner; -1: none. */
struct ht_cube_thread {
  int32_t cube, corner;
};

HT_INLINE ht_cube_thread ht_cube_thread_make(unsigned group, const int32_t *corner, int32_t cubes) {
  const int32_t cube = (int32_t)(group * HT_GROUP_CUBES + threadIdx.x / HT_CUBE);
  return {cube,
          cube < cubes ? __ldg(corner + (int64_t)HT_CUBE * cube + threadIdx.x % HT_CUBE) : -1};
}

/* Makes the values of a node from its state. */
template <class R, int model>
HT_INLINE void ht_place_node(const ht_device_level<R> &to, uint32_t address, const R *state,
                             const R *added) {
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  R g[Q];
  ht_level_make<model>(g, to, state, added);
#pragma unroll
  for (int q = 0; q < Q; q++) to.values[address + HT_TILE_NODES * q] = g[q];
}

/* Reads the coarse level's states, a thread each. */
template <class R, int model>
HT_INLINE void ht_read_coarse(const ht_device_level<R> &coarse, unsigned group) {
  const int32_t i = (int32_t)(group * HT_LEVEL_THREADS + threadIdx.x);
  const R all[HT_LEVEL_KINDS] = {1, 1, 1};
  const uint32_t address = i < coarse.states.reads ? __ldg(coarse.states.address + i) : 0;
  R state[HT_LEVEL_VALUES] = {};
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= coarse.states.reads) return;
  ht_add_node<R, model>(coarse, address, all, state);
  ht_keep_state(coarse.states.state, i, state);
}

/* The coarse level's outer nodes, in the middle of their cubes. Eight threads of a group read a
 * cube; then the first threads make a node each, so that the other warps end. The nodes' states are
 * kept for the fine level, as those that the first groups read. */
template <class R, int model>
__global__ void __launch_bounds__(HT_LEVEL_THREADS)
    ht_place_blocks(const __grid_constant__ ht_device_interface<R> both) {
  __shared__ R room[HT_GROUP_CUBES][HT_CORNERS];
  if (blockIdx.x < both.reading) {
    ht_read_coarse<R, model>(both.coarse, blockIdx.x);
    return;
  }
  const ht_cube_thread thread =
      ht_cube_thread_make(blockIdx.x - both.reading, both.block_corner, both.blocks);
  const int32_t cube = (int32_t)((blockIdx.x - both.reading) * HT_GROUP_CUBES + threadIdx.x);
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (thread.corner >= 0)
    ht_read_state<R, model>(both.fine, thread.corner,
                            room[threadIdx.x / HT_CUBE] +
                                HT_LEVEL_VALUES * (threadIdx.x % HT_CUBE));
  __syncthreads();
  if (threadIdx.x >= HT_GROUP_CUBES || cube >= both.blocks) return;
  ht_cube_point<R> middle = {{}, (R)HT_COARSEN_BENT, (R)HT_COARSEN_TIMES};
  R added[HT_CUBE_VALUES], state[HT_LEVEL_VALUES];
#pragma unroll
  for (int i = 0; i < HT_CUBE; i++) middle.weight[i] = (R)0.125;
  ht_cube_state<HT_MODEL_DIRECTIONS(model)>(room[threadIdx.x], both.fine.nu, middle, state, added);
  ht_keep_state(both.coarse.states.state, both.coarse.states.reads + cube, state);
  ht_place_node<R, model>(both.coarse, __ldg(both.block_address + cube), state, added);
}

/* The fine level's outer nodes: each of eight threads makes that next to its corner. */
template <class R, int model>
__global__ void __launch_bounds__(HT_LEVEL_THREADS)
    ht_place_cells(const __grid_constant__ ht_device_interface<R> both) {
  __shared__ R room[HT_GROUP_CUBES][HT_CORNERS];
  const ht_cube_thread thread = ht_cube_thread_make(blockIdx.x, both.cell_corner, both.cells);
  const int at = (int)(threadIdx.x % HT_CUBE);
  const uint32_t address = thread.corner >= 0
                               ? __ldg(both.cell_address + (int64_t)HT_CUBE * thread.cube + at)
                               : HT_NO_PLACE;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  R *const corner = room[threadIdx.x / HT_CUBE];
  if (thread.corner >= 0)
    ht_load_state(both.coarse.states, thread.corner, corner + HT_LEVEL_VALUES * at);
  __syncwarp();
  if (address == HT_NO_PLACE) return;
  ht_cube_point<R> point = {{}, (R)HT_REFINE_BENT, (R)HT_REFINE_TIMES};
  R added[HT_CUBE_VALUES], state[HT_LEVEL_VALUES];
  ht_cube_weights(at, point.weight);
  ht_cube_state<HT_MODEL_DIRECTIONS(model)>(corner, both.coarse.nu, point, state, added);
  ht_place_node<R, model>(both.fine, address, state, added);
}

/* ---- mass ---- */

/* Links across the interface: addresses of the value that comes and of the one that leaves. */
struct ht_level_links {
  const uint2 *link;
  int64_t links;
  unsigned parts; /* of HT_LEVEL_LINKS */
};

/* What the links [first, last) bring, of a thread of the group; 0 where values is NULL. */
template <class R>
HT_INLINE double ht_links_gain(const R *values, const uint2 *link, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t i = first + threadIdx.x; values && i < last; i += HT_LEVEL_THREADS) {
    const uint2 at = __ldg(link + i);
    sum += (double)values[at.x] - (double)values[at.y];
  }
  return sum;
}

/* Counts the mass that each part's links gain in a coarse step, in addition to what is counted
 * (begins 1: to nothing): of the coarse level, then of the fine one. A group per part. NULL: not
 * counted. */
template <class R>
__global__ void __launch_bounds__(HT_LEVEL_THREADS)
    ht_count_gain(ht_level_links coarse, const R *coarse_values, ht_level_links fine,
                  const R *fine_values, int begins, double *gained) {
  const bool is_fine = blockIdx.x >= coarse.parts;
  const ht_level_links of = is_fine ? fine : coarse;
  const int64_t first = (int64_t)(blockIdx.x - (is_fine ? coarse.parts : 0)) * HT_LEVEL_LINKS;
  const int64_t last = first + HT_LEVEL_LINKS < of.links ? first + HT_LEVEL_LINKS : of.links;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  double sum = ht_links_gain(is_fine ? fine_values : coarse_values, of.link, first, last);
  sum = ht_reduce(sum, [](double a, double b) { return a + b; });
  if (threadIdx.x == 0) gained[blockIdx.x] = begins ? sum : gained[blockIdx.x] + sum;
}

/* Takes a part of what both levels gained from the values at rest of the coarse level's balanced
 * nodes, whose number is `nodes`: see cpu_levels.c. Each group finds the share, by the same sum.
 * owed: mass before, and after. balanced: [blocks] by slot. */
template <class R>
__global__ void __launch_bounds__(HT_LEVEL_THREADS)
    ht_give_gain(R *values, int directions, const uint64_t *balanced, int64_t blocks,
                 const double *gained, unsigned coarse_parts, unsigned parts, double nodes,
                 const double *owed, double *still_owed) {
  __shared__ double share;
  double sum = 0;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  for (unsigned p = threadIdx.x; p < parts; p += HT_LEVEL_THREADS)
    sum += p < coarse_parts ? 8 * gained[p] : -gained[p];
  sum = ht_reduce(sum, [](double a, double b) { return a + b; });
  if (threadIdx.x == 0) {
    const double all = *owed + sum, taken = all / HT_LEVEL_STEPS;
    share = taken / (8 * nodes);
    if (blockIdx.x == 0) *still_owed = all - taken;
  }
  __syncthreads();
  const int64_t first = (int64_t)blockIdx.x * HT_LEVEL_THREADS + threadIdx.x;
  const int64_t threads = (int64_t)gridDim.x * HT_LEVEL_THREADS;
  for (int64_t i = first; i < HT_TILE_NODES * blocks; i += threads)
    if ((balanced[i >> 6] >> (i & 63)) & 1)
      values[(i >> 6) * HT_TILE_VALUES(directions) + (i & 63)] -= (R)share;
}

/* Adds to the values at rest of nodes what the next step takes from them: those of a tile with
 * interpolated walls that do not share its mass. spared: address, number of the tile among those
 * with links. */
template <class R>
__global__ void __launch_bounds__(HT_LEVEL_THREADS)
    ht_spare_nodes(R *values, const uint2 *spared, int64_t count, const double *taken) {
  const int64_t i = (int64_t)blockIdx.x * HT_LEVEL_THREADS + threadIdx.x;
  const uint2 at = i < count ? __ldg(spared + i) : uint2{0, 0};
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i < count) values[at.x] += (R)taken[at.y];
}

#endif
