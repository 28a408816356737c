/* The kernels of the CUDA backend, over the blocks of blocks.h.
 *
 * A warp steps a block, or half of one: NODES (1 or 2) nodes a thread, node lane + 32 k. It loads
 * the numbers of the neighbouring blocks once, a lane each, and gets them by shuffles; a block
 * without walls and packed neighbours needs nothing else.
 *
 * A step is one launch or several (see backend_cuda.cu: values move within one array). Where it is
 * one, a GPU with programmatic dependent launch begins it while the previous one ends, so that its
 * start costs nothing: every kernel lets the next one begin at once, reads the constant tables, and
 * waits for the end of all previous launches before it touches a value. */
#ifndef HT_BLOCK_KERNELS_CUH
#define HT_BLOCK_KERNELS_CUH

#include "block_slot.h"
#include "blocks.h"
#include "cuda_stored.cuh"
#include "nodes.h"
#include "wall_links.h"
#include <cuda_runtime.h>

/* Threads of a group (CUDA's block), and groups of it that one multiprocessor has room for. */
enum { HT_STEP_THREADS = 128 };
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
enum { HT_MOST_GROUPS = 1024 / HT_STEP_THREADS };
#else
enum { HT_MOST_GROUPS = 1536 / HT_STEP_THREADS };
#endif

/* ---- how a value is stored ---- */

/* GROUPS: the least number of groups on a multiprocessor, which limits their registers (measured);
 * GROUPS27: with D3Q27. */
template <class S> struct ht_stored;
template <> struct ht_stored<double> {
  typedef double real;
  enum { PAIRED = 0, NODES = 1, GROUPS = 6, GROUPS27 = 5 };
};
template <> struct ht_stored<float> {
  typedef float real;
  enum { PAIRED = 0, NODES = 1, GROUPS = HT_MOST_GROUPS < 9 ? HT_MOST_GROUPS : 9, GROUPS27 = 8 };
};
template <> struct ht_stored<ht_half> {
  typedef float real;
  enum { PAIRED = 1, NODES = 2, GROUPS = 8, GROUPS27 = 5 };
};

HT_INLINE void ht_load_pair(const ht_half *p, float *a, float *b) {
  uint32_t both = *(const uint32_t *)p;
  *a = ht_half_load((ht_half)(both & 0xffff)), *b = ht_half_load((ht_half)(both >> 16));
}
HT_INLINE void ht_store_pair(ht_half *p, float a, float b) {
  *(uint32_t *)p = ht_half_store(a) | (uint32_t)ht_half_store(b) << 16;
}

/* omega = 1/tau; of a local model (model.h) each node has its own from `table` (relax_table.h),
 * float or double as the arithmetic. Of cumulants all rates, in both precisions: see cumulant_rates
 * of cumulant.h. */
struct ht_rate {
  double omega;
  const void *table;
  double full[HT_CUMULANT_RATES];
  float single[HT_CUMULANT_RATES];
};

template <int model> HT_INLINE void ht_relax(float *g, ht_rate rate) {
  if constexpr (HT_MODEL_IS_LOCAL(model))
    relax_f32(g, HT_MODEL_GLOBAL(model), local_rate_f32(g, model, (const float *)rate.table));
  else if constexpr (HT_MODEL_COLLISION(model) == HT_CUMULANT)
    cumulant_f32(g, (const cumulant_rates_f32 *)rate.single);
  else
    relax_f32(g, model, (float)rate.omega);
}
template <int model> HT_INLINE void ht_relax(double *g, ht_rate rate) {
  if constexpr (HT_MODEL_IS_LOCAL(model))
    relax_f64(g, HT_MODEL_GLOBAL(model), local_rate_f64(g, model, (const double *)rate.table));
  else if constexpr (HT_MODEL_COLLISION(model) == HT_CUMULANT)
    cumulant_f64(g, (const cumulant_rates_f64 *)rate.full);
  else
    relax_f64(g, model, rate.omega);
}

/* Of a port's node. */
template <int model> HT_INLINE void ht_relax_port(float *g, int is_rebuilt, ht_rate rate) {
  float omega = (float)rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f32(g, model, (const float *)rate.table);
  relax_port_f32(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}
template <int model> HT_INLINE void ht_relax_port(double *g, int is_rebuilt, ht_rate rate) {
  double omega = rate.omega;
  if constexpr (HT_MODEL_IS_LOCAL(model))
    omega = local_rate_f64(g, model, (const double *)rate.table);
  relax_port_f64(g, HT_MODEL_GLOBAL(model), is_rebuilt, omega);
}

/* ---- the step ---- */

/* Interpolated walls, see wall_links.h. */
struct ht_device_walls {
  const uint4 *link; /* [links] address of f_p(x + c_q); slot of f_p(x) in its block; weight, here,
                        near, across of ht_wall_link in half precision */
  const unsigned long long *mask; /* of ht_blocks */
  void *slip;                     /* [links], in the precision of the arithmetic */
  const int32_t *list_tile;       /* of ht_blocks; NULL: no links at all */
  const double *taken;            /* [tiles with links] from each value at rest in this step */
  unsigned long long *given;      /* [tiles with links] the mass that links add: ht_fixed() */
};

struct ht_device_blocks {
  const int32_t *row;
  const uint32_t *exception, *list;
  uint32_t blocks;
  ht_device_walls walls;
};

/* The blocks that a launch steps. */
struct ht_launch {
  uint32_t first, count;
  int backwards; /* begins with the last */
};

/* In a template with the number of directions, Q. */
#define HT_ALL_DIRECTIONS(X)                                                                       \
  X(0, 0, 0, 0) HT_D3Q19_MOVING(X) if constexpr (Q == HT_Q27) {                                    \
    HT_D3Q27_CORNERS(X)                                                                            \
  }

HT_INLINE void ht_let_next_begin(void) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

HT_INLINE void ht_wait_for_launch_before(void) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/* Of the 32 lanes. */
HT_INLINE unsigned ht_warp_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
  return value;
#endif
}

HT_INLINE unsigned ht_warp_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, value);
#else
  for (int d = 16; d > 0; d /= 2) value |= __shfl_xor_sync(~0u, value, d);
  return value;
#endif
}

/* Lane of a warp and its nodes: x, y and the lower bit of z from the lane; the upper bit is k. */
struct ht_lane {
  int lane, x, y, z0, k0;
};

HT_INLINE ht_lane ht_lane_make(int nodes) {
  int lane = threadIdx.x & 31;
  return {lane, lane & 3, (lane >> 2) & 3, lane >> 4, nodes == 2 ? 0 : (int)(threadIdx.x >> 5) & 1};
}

template <class S, int Q>
HT_INLINE const S *ht_tile_source(const S *source, const ht_lane &at, int near, int q, int cx,
                                  int cy, int cz, int z) {
  int xs = at.x - cx, ys = at.y - cy, zs = z - cz;
  int slot = (1 + (xs >> 2)) + 3 * (1 + (ys >> 2)) + 9 * (1 + (zs >> 2));
  uint32_t block = (uint32_t)__shfl_sync(~0u, near, slot);
  uint32_t local = (uint32_t)ht_slot(ht_stored<S>::PAIRED, cx, cz, xs & 3, ys & 3, zs & 3);
  return source + (block * HT_TILE_VALUES(Q) + 64 * q + local); /* an address has 32 bits */
}

/* From the neighbours alone. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_gather_plain(const S *source, const ht_lane &at, int near, R g[N][Q]) {
#define GATHER(q, cx, cy, cz)                                                                      \
  if constexpr (ht_stored<S>::PAIRED && N == 2 && cz == 0)                                         \
    ht_load_pair(ht_tile_source<S, Q>(source, at, near, q, cx, cy, cz, at.z0), &g[0][q],           \
                 &g[N - 1][q]);                                                                    \
  else {                                                                                           \
    _Pragma("unroll") for (int k = 0; k < N; k++) g[k][q] =                                        \
        ht_load(ht_tile_source<S, Q>(source, at, near, q, cx, cy, cz, at.z0 + 2 * (k + at.k0)));   \
  }
  HT_ALL_DIRECTIONS(GATHER)
#undef GATHER
}

/* ---- interpolated walls ---- */

/* Sums of fixed-point numbers do not depend on their order. */
HT_INLINE unsigned long long ht_fixed(double value) {
  return (unsigned long long)__double2ll_rn(value * 0x1p52);
}
HT_INLINE double ht_from_fixed(unsigned long long value) {
  return (double)(long long)value * 0x1p-52;
}

HT_INLINE double ht_warp_total(double value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
  return value;
}

/* What a link adds to the value `own` = f_p(x); coming: f_p(x + c_q), leaving: f_q(x),
 * near_leaving: f_q(x + c_q). *slip: before and after. Links without a slip have coefficients of 0.
 */
template <class R>
HT_INLINE R ht_link_change(uint4 link, R own, R coming, R leaving, R near_leaving, R *slip) {
  const float weight = ht_half_to_float(link.z & 0xffff), here = ht_half_to_float(link.z >> 16);
  const float near = ht_half_to_float(link.w & 0xffff), across = ht_half_to_float(link.w >> 16);
  R change = (R)fabsf(weight) * ((weight < 0 ? leaving : coming) - own);
  R asked =
      (R)here * (leaving - own) + (R)near * (near_leaving - coming) + (R)across * (coming - own);
  *slip = HT_FOLLOW_SLIP(*slip, asked);
  return change + *slip;
}

/* The values that a link reads. */
template <class R> struct ht_link_values {
  uint4 link;
  R own, coming, leaving, near_leaving, slip;
};

/* Of link i; own: the block's values. The opposite direction q of p is beside it, and its values
 * lie in the same slot (ht_slot). */
template <class S, class R>
HT_INLINE ht_link_values<R> ht_read_link(const S *source, const S *own,
                                         const ht_device_walls &walls, uint32_t i) {
  const uint4 link = __ldg(walls.link + i);
  const int apart =
      link.y & HT_TILE_NODES ? HT_TILE_NODES : -HT_TILE_NODES; /* p is odd: q = p + 1 */
  return {link,
          ht_load(own + link.y),
          ht_load(source + link.x),
          ht_load(own + link.y + apart),
          ht_load(source + link.x + apart),
          ((const R *)walls.slip)[i]};
}

/* What link i adds, also to *added or to its tile among `tiles`. */
template <class R>
HT_INLINE R ht_follow_link(const ht_link_values<R> &values, const ht_device_walls &walls,
                           uint32_t i, const int32_t *tiles, double *added) {
  R slip = values.slip;
  R change = ht_link_change<R>(values.link, values.own, values.coming, values.leaving,
                               values.near_leaving, &slip);
  ((R *)walls.slip)[i] = slip;
  if (tiles)
    atomicAdd(walls.given + tiles[values.link.y & (HT_TILE_NODES - 1)], ht_fixed((double)change));
  else
    *added += (double)change;
  return change;
}

/* The threads that step one block. A barrier's number is constant: a variable one would take all 16
 * barriers, and leave a multiprocessor room for four groups. */
template <int N> HT_INLINE void ht_meet_threads(void) {
  if (N == 2)
    __syncwarp();
  else if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
}

/* Changes of this many links of a block wait in shared memory: nearly always all of them. */
enum { HT_CHANGES = 512 };

/* The changes of links `begin` and up, a thread a link; returns the mass that they add to the tile.
 * `tiles`: of a packed block, whose nodes are of several tiles. */
template <class S, class R, int N, int Q>
HT_INLINE double ht_find_changes(const S *source, const S *own, const ht_device_walls &walls,
                                 uint32_t first, uint32_t begin, uint32_t links,
                                 const int32_t *tiles, R *change) {
  const uint32_t threads = N == 2 ? 32 : 64;
  const uint32_t end = links - begin < HT_CHANGES ? links - begin : HT_CHANGES;
  double added = 0;
  first += begin;
  for (uint32_t i = threadIdx.x & (threads - 1); i < end; i += threads) {
    const ht_link_values<R> values = ht_read_link<S, R>(source, own, walls, first + i);
    change[i] = ht_follow_link<R>(values, walls, first + i, tiles, &added);
  }
  return added;
}

/* Adds the changes of links `begin` and up to the values that they replace. */
template <class R, int N, int Q>
HT_INLINE void ht_add_changes(const ht_lane &at, unsigned long long my_mask, uint32_t begin,
                              const R *change, R g[N][Q]) {
  uint32_t before = 0;
#pragma unroll
  for (int q = 1; q < Q; q++) {
    const unsigned long long mask = __shfl_sync(~0u, my_mask, q);
    if (mask == 0) continue;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const int n = at.lane + 32 * (k + at.k0);
      const uint32_t i = before + (uint32_t)__popcll(mask & ((1ull << n) - 1)) - begin;
      if ((mask >> n) & 1 && i < HT_CHANGES) g[k][q] += change[i];
    }
    before += (uint32_t)__popcll(mask);
  }
}

/* Interpolates the walls of a block, whose values were gathered as if they were half-way. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_interpolate_block(const S *source, const S *own, const ht_device_walls &walls,
                                    const ht_lane &at, int near, const int32_t *tiles, R g[N][Q]) {
  __shared__ R changes[HT_STEP_THREADS / (N == 2 ? 32 : 64)][HT_CHANGES];
  R *change = changes[threadIdx.x / (N == 2 ? 32 : 64)];
  const int masks = __shfl_sync(~0u, near, HT_BLOCK_MASKS);
  if (masks < 0) return;
  const uint32_t first = (uint32_t)__shfl_sync(~0u, near, HT_BLOCK_FIRST_LINK);
  const uint32_t links = (uint32_t)__shfl_sync(~0u, near, HT_BLOCK_LINKS);
  const unsigned long long mask =
      at.lane < Q ? __ldg(walls.mask + (int64_t)Q * masks + at.lane) : 0;
  double added = 0;
  for (uint32_t begin = 0; begin < links; begin += HT_CHANGES) {
    if (begin > 0) ht_meet_threads<N>();
    added += ht_find_changes<S, R, N, Q>(source, own, walls, first, begin, links, tiles, change);
    ht_meet_threads<N>();
    ht_add_changes<R, N, Q>(at, mask, begin, change, g);
  }
  if (tiles) return;
  added = ht_warp_total(added);
  const int tile = __shfl_sync(~0u, near, HT_BLOCK_WALLS);
  if (at.lane == 0) atomicAdd(walls.given + tile, ht_fixed(added));
}

/* The mass that links added in the last step, from the values at rest. (Of a solid node nobody
 * reads what that makes of it.) */
template <class R, int N, int Q>
HT_INLINE void ht_take_mass(const ht_device_walls &walls, const ht_lane &at, int near,
                            const int32_t *tiles, R g[N][Q]) {
  int tile = __shfl_sync(~0u, near, HT_BLOCK_WALLS);
#pragma unroll
  for (int k = 0; k < N; k++) {
    if (tiles) tile = tiles[at.lane + 32 * (k + at.k0)];
    if (tile >= 0) g[k][0] -= (R)walls.taken[tile];
  }
}

/* ---- gathering ---- */

/* Where the addresses of the lane's nodes begin: behind those of all nodes before. */
template <int N, int Q>
HT_INLINE void ht_find_addresses(const uint32_t *words, const ht_lane &at, uint32_t word[N],
                                 const uint32_t *mine[N]) {
  int before = HT_TILE_NODES;
#pragma unroll
  for (int k = 0; k < N; k++) word[k] = words[at.lane + 32 * (k + at.k0)];
  if (N == 1 && at.k0) before += (int)ht_warp_sum((unsigned)__popc(words[at.lane] & HT_MOVING(Q)));
#pragma unroll
  for (int k = 0; k < N; k++) {
    int count = __popc(word[k] & HT_MOVING(Q)), sum = count;
    for (int d = 1; d < 32; d <<= 1) {
      int lower = __shfl_up_sync(~0u, sum, d);
      if (at.lane >= d) sum += lower;
    }
    mine[k] = words + before + (sum - count);
    before += __shfl_sync(~0u, sum, 31);
  }
}

/* From the neighbours, and from addresses where the node's word has the bit. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_gather_walls(const S *source, const ht_lane &at, int near, const uint32_t *words,
                               R g[N][Q]) {
  uint32_t word[N], any = 0;
  const uint32_t *mine[N];
  ht_find_addresses<N, Q>(words, at, word, mine);
#pragma unroll
  for (int k = 0; k < N; k++) any |= word[k];
  any = ht_warp_or(any);
#define GATHER(q, cx, cy, cz)                                                                      \
  _Pragma("unroll") for (int k = 0; k < N; k++) {                                                  \
    const S *p = ht_tile_source<S, Q>(source, at, near, q, cx, cy, cz, at.z0 + 2 * (k + at.k0));   \
    if (q && ((any >> q) & 1)) {                                                                   \
      bool own = (word[k] >> q) & 1;                                                               \
      uint32_t address = 0;                                                                        \
      if (own) address = __ldg(mine[k] + __popc(word[k] & HT_MOVING(Q) & ((1u << q) - 1)));        \
      if (own) p = source + address;                                                               \
    }                                                                                              \
    g[k][q] = ht_load(p);                                                                          \
  }
  HT_ALL_DIRECTIONS(GATHER)
#undef GATHER
#pragma unroll
  for (int k = 0; k < N; k++) {
    if (word[k] & 1) continue;
#pragma unroll
    for (int q = 0; q < Q; q++) g[k][q] = 0; /* solid */
  }
}

/* From an address a moving direction and node. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_gather_packed(const S *source, const S *own, const ht_lane &at,
                                const uint32_t *list, R g[N][Q]) {
#pragma unroll
  for (int k = 0; k < N; k++) {
    int n = at.lane + 32 * (k + at.k0);
    uint32_t address[Q];
#pragma unroll
    for (int q = 1; q < Q; q++) address[q] = __ldcs(list + 64 * (q - 1) + n);
    g[k][0] = ht_load(own + n);
#pragma unroll
    for (int q = 1; q < Q; q++) g[k][q] = ht_load(source + address[q]);
  }
}

/* A block's own values, in the order of its slots: the diagnostic kernel that only moves data. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_read_own(const S *own, const ht_lane &at, R g[N][Q]) {
#pragma unroll
  for (int k = 0; k < N; k++)
#pragma unroll
    for (int q = 0; q < Q; q++) g[k][q] = ht_load(own + 64 * q + at.lane + 32 * (k + at.k0));
}

template <class S, class R, int N, int Q>
HT_INLINE void ht_write_tile(S *out, const ht_lane &at, R g[N][Q]) {
#define WRITE(q, cx, cy, cz)                                                                       \
  if constexpr (ht_stored<S>::PAIRED && N == 2 && cz == 0)                                         \
    ht_store_pair(out + 64 * q + ht_slot(ht_stored<S>::PAIRED, cx, cz, at.x, at.y, at.z0),         \
                  g[0][q], g[N - 1][q]);                                                           \
  else {                                                                                           \
    _Pragma("unroll") for (int k = 0; k < N; k++) ht_store(                                        \
        out + 64 * q + ht_slot(ht_stored<S>::PAIRED, cx, cz, at.x, at.y, at.z0 + 2 * (k + at.k0)), \
        g[k][q]);                                                                                  \
  }
  HT_ALL_DIRECTIONS(WRITE)
#undef WRITE
}

template <class S, class R, int N, int Q>
HT_INLINE void ht_write_packed(S *out, const ht_lane &at, R g[N][Q]) {
#pragma unroll
  for (int k = 0; k < N; k++)
#pragma unroll
    for (int q = 0; q < Q; q++) ht_store(out + 64 * q + at.lane + 32 * (k + at.k0), g[k][q]);
}

enum { HT_ROWS_AHEAD = 2048 }; /* more than the blocks in flight; measured */

/* Prefetches the row of a later block into the L2 cache (none past the last block), so that the
 * block's first read is fast. fp32 and fp16 gain 1 to 4 %, fp64 loses 0.2 %. */
HT_INLINE void ht_fetch_row(const ht_device_blocks &all, uint32_t block) {
  if (block < all.blocks)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(all.row + (int64_t)block * HT_BLOCK_ROW));
}

/* The tiles of a packed block's nodes; NULL: it is a tile block. */
HT_INLINE const int32_t *ht_list_tiles(const ht_device_walls &walls, int block_kind) {
  return block_kind > HT_KIND_PACKED
             ? NULL
             : walls.list_tile + HT_TILE_NODES * (int64_t)(HT_KIND_PACKED - block_kind);
}

/* Pull, walls, collision. */
template <class S, class R, int N, int Q, int model, int kind>
HT_INLINE void ht_compute_block(const S *source, const S *own, const ht_device_blocks &all,
                                const ht_lane &at, int near, int block_kind, ht_rate rate,
                                R g[N][Q]) {
  if (kind == HT_STEP_READ_WRITE)
    ht_read_own<S, R, N, Q>(own, at, g);
  else if (block_kind == HT_KIND_PLAIN)
    ht_gather_plain<S, R, N, Q>(source, at, near, g);
  else if (block_kind >= 0)
    ht_gather_walls<S, R, N, Q>(source, at, near, all.exception + block_kind, g);
  else
    ht_gather_packed<S, R, N, Q>(
        source, own, at, all.list + (int64_t)(HT_KIND_PACKED - block_kind) * HT_LIST_VALUES(Q), g);
  if (kind == HT_STEP_FLOW) {
    if (all.walls.list_tile && block_kind != HT_KIND_PLAIN) {
      const int32_t *tiles = ht_list_tiles(all.walls, block_kind);
      ht_interpolate_block<S, R, N, Q>(source, own, all.walls, at, near, tiles, g);
      ht_take_mass<R, N, Q>(all.walls, at, near, tiles, g);
    }
#pragma unroll
    for (int k = 0; k < N; k++) ht_relax<model>(g[k], rate);
  }
}

/* model: see model.h; kind: ht_step_kind. */
template <class S, int model, int kind>
__global__ void __launch_bounds__(HT_STEP_THREADS, HT_MODEL_DIRECTIONS(model) == HT_Q27
                                                       ? ht_stored<S>::GROUPS27
                                                       : ht_stored<S>::GROUPS)
    ht_step_blocks(const S *source, S *target, ht_device_blocks all, ht_launch launch,
                   ht_rate rate) {
  typedef typename ht_stored<S>::real R;
  constexpr int N = ht_stored<S>::NODES, Q = HT_MODEL_DIRECTIONS(model);
  uint32_t i = (blockIdx.x * HT_STEP_THREADS + threadIdx.x) / (N == 2 ? 32 : 64);
  uint32_t b = launch.first + (launch.backwards ? launch.count - 1 - i : i);
  const ht_lane at = ht_lane_make(N);
  if (sizeof(S) < sizeof(double) && threadIdx.x == 0)
    ht_fetch_row(all, launch.backwards ? b - HT_ROWS_AHEAD : b + HT_ROWS_AHEAD);
  int near = i < launch.count ? __ldg(all.row + (int64_t)b * HT_BLOCK_ROW + at.lane) : 0;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= launch.count) return;
  int block_kind = __shfl_sync(~0u, near, HT_BLOCK_KIND);
  S *out = target + (int64_t)b * HT_TILE_VALUES(Q);
  R g[N][Q];
  ht_compute_block<S, R, N, Q, model, kind>(source, source + (int64_t)b * HT_TILE_VALUES(Q), all,
                                            at, near, block_kind, rate, g);
  if (kind == HT_STEP_READ_WRITE || block_kind <= HT_KIND_PACKED)
    ht_write_packed<S, R, N, Q>(out, at, g);
  else
    ht_write_tile<S, R, N, Q>(out, at, g);
}

/* ---- the balance of mass at interpolated walls ---- */

/* A tile of wall_links.h. */
struct ht_wall_group {
  int32_t sharing, beside[HT_TILE_NEIGHBOURS];
};

/* Before a step: what it takes from each value at rest of a tile, ht_wall_share() of the last step;
 * and a sum of 0 for its own. A warp a tile. */
static __global__ void ht_share_mass(const ht_wall_group *groups,
                                     const unsigned long long *given_last,
                                     unsigned long long *given, double *taken, int64_t count) {
  int64_t g = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  uint32_t lane = threadIdx.x & 31;
  int32_t beside = g < count && lane < HT_TILE_NEIGHBOURS ? groups[g].beside[lane] : -1;
  double sharing = beside < 0 ? 1 : (double)groups[beside].sharing;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (g >= count) return;
  double sum = ht_warp_total(beside < 0 ? 0 : ht_from_fixed(given_last[beside]) / sharing);
  if (lane > 0) return;
  taken[g] = sum;
  given[g] = 0;
}

/* ---- sponge ---- */

/* A node of a sponge: its place (blocks.h), and what its deviation keeps. */
struct ht_sponge_place {
  uint32_t place;
  float keep;
};

HT_INLINE void ht_damp(float *g, float keep) {
  damp_f32(g, keep);
}
HT_INLINE void ht_damp(double *g, float keep) {
  damp_f64(g, (double)keep);
}

/* After a step, in place: a thread a node; only with cumulants. */
template <class S>
__global__ void ht_damp_sponge(S *values, ht_device_blocks all, const ht_sponge_place *sponge,
                               int64_t count) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_Q27;
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_sponge_place at = {};
  if (i < count) at = sponge[i];
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= count) return;
  uint32_t block = at.place / HT_TILE_NODES;
  int n = (int)(at.place % HT_TILE_NODES), x = n & 3, y = (n >> 2) & 3, z = n >> 4;
  bool packed = __ldg(all.row + (int64_t)block * HT_BLOCK_ROW + HT_BLOCK_KIND) <= HT_KIND_PACKED;
  S *own = values + (int64_t)block * HT_TILE_VALUES(Q);
  R g[Q];
#define SLOT(q, cx, cz)     64 * q + (packed ? n : ht_slot(ht_stored<S>::PAIRED, cx, cz, x, y, z))
#define LOAD(q, cx, cy, cz) g[q] = ht_load(own + SLOT(q, cx, cz));
  HT_ALL_DIRECTIONS(LOAD)
#undef LOAD
  ht_damp(g, at.keep);
#define STORE(q, cx, cy, cz) ht_store(own + SLOT(q, cx, cz), g[q]);
  HT_ALL_DIRECTIONS(STORE)
#undef STORE
#undef SLOT
}

/* ---- ports ---- */

/* Addresses of a port's node: where its values come from, those of the node inside, its own: places
 * in [3][directions]. Negative: ~place among the values of the ports, [ports][directions]. */
enum { HT_PORT_FROM = 0, HT_PORT_INSIDE, HT_PORT_OWN, HT_PORT_ADDRESSES };

HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const float *inside, float *g) {
  set_port_f32(port, asked, model, inside, g);
}
HT_INLINE void ht_set_port(const ht_port_node *port, ht_port_asked asked, int model,
                           const double *inside, double *g) {
  set_port_f64(port, asked, model, inside, g);
}

/* A link of the node inside a port: addresses of its values, see ht_link_change(). near_leaving
 * HT_FROM_PORT: coming is a place in `known`, and there is no slip. */
struct ht_inner_link {
  uint32_t link, leaving, coming, near_leaving;
};
#define HT_FROM_PORT HT_NO_PLACE

/* The links of the nodes inside: the ports' condition sees what the step will make of them. */
struct ht_inner_links {
  const uint32_t *word;      /* [ports] bit q: direction q comes from an interpolated wall */
  const uint32_t *first;     /* [ports] of its links */
  const int32_t *tile;       /* [ports] its tile's number among those with links; -1: none */
  const ht_inner_link *link; /* in the order of the directions */
};

struct ht_device_ports {
  const ht_port_node *node; /* [count] */
  const int64_t *addresses; /* [count][HT_PORT_ADDRESSES][directions] */
  const double *shape;      /* of the modes, see ht_lattice_tables */
  int64_t count;
  ht_inner_links inner;
  ht_device_walls walls;
};

/* The values that arrive at the node inside, half-way so far, as the step will have them. */
template <class S, class R, int Q>
HT_INLINE void ht_follow_inner(const S *source, const S *known, const ht_device_ports &ports,
                               int64_t p, R inside[Q]) {
  if (!ports.walls.list_tile) return;
  const int32_t tile = ports.inner.tile[p];
  const uint32_t word = ports.inner.word[p];
  const ht_inner_link *link = ports.inner.link + ports.inner.first[p];
  if (tile >= 0) inside[0] -= (R)ports.walls.taken[tile];
#pragma unroll
  for (int q = 1; q < Q; q++) {
    if (!((word >> q) & 1)) continue;
    const bool at_port = link->near_leaving == HT_FROM_PORT;
    R coming = ht_load((at_port ? known : source) + link->coming);
    R near_leaving = at_port ? coming : ht_load(source + link->near_leaving);
    R slip = ((const R *)ports.walls.slip)[link->link];
    inside[q] += ht_link_change<R>(ports.walls.link[link->link], inside[q], coming,
                                   ht_load(source + link->leaving), near_leaving, &slip);
    link++;
  }
}

/* The value at an address, of a port's node from `known`. */
template <class S>
HT_INLINE typename ht_stored<S>::real ht_load_port(const S *source, const S *known,
                                                   int64_t address) {
  return ht_load(address < 0 ? known + ~address : source + address);
}

/* Before a step: copies the last result for the ports' nodes (`known`) over the values that the
 * blocks wrote there, and computes the next from the values before the step overwrites them. The
 * prescribed values are read first: they were copied before the first of the launches that overlap.
 */
template <class S, int model>
__global__ void ht_step_ports(S *source, const S *known, S *next, ht_device_ports ports,
                              const double *coefficient, ht_rate rate) {
  typedef typename ht_stored<S>::real R;
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_port_asked asked = {};
  if (p < ports.count) asked = ht_port_ask(ports.node + p, coefficient, ports.shape);
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (p >= ports.count) return;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  const int64_t *at = ports.addresses + HT_PORT_ADDRESSES * Q * p;
  R g[Q], inside[Q];
#pragma unroll
  for (int q = 0; q < Q; q++) {
    source[at[HT_PORT_OWN * Q + q]] = known[Q * p + q];
    g[q] = ht_load_port(source, known, at[HT_PORT_FROM * Q + q]);
    inside[q] = ht_load_port(source, known, at[HT_PORT_INSIDE * Q + q]);
  }
  ht_follow_inner<S, R, Q>(source, known, ports, p, inside);
  ht_set_port(ports.node + p, asked, model, inside, g);
  ht_relax_port<model>(g, !ht_port_bounces(ports.node + p, asked), rate);
  if constexpr (Q == HT_Q27)
    if (ports.node[p].keep < 1) ht_damp(g, ports.node[p].keep);
#pragma unroll
  for (int q = 0; q < Q; q++) ht_store(next + Q * p + q, g[q]);
}

/* Between the ports' own values and those of their blocks. */
template <class S>
__global__ void ht_copy_ports(S *values, S *known, const int64_t *addresses, int directions,
                              int64_t count, int from_blocks) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= directions * count) return;
  int64_t p = i / directions, q = i % directions;
  S *there = values + addresses[(HT_PORT_ADDRESSES * p + HT_PORT_OWN) * directions + q];
  if (from_blocks)
    known[i] = *there;
  else
    *there = known[i];
}

/* As port_flow() of backend_cpu.c. */
template <class S>
__global__ void ht_port_flows(const S *values, const S *known, const ht_port_node *ports,
                              const int64_t *addresses, int directions, int64_t count,
                              double *flow) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  double sum = 0;
  const int64_t *at = addresses + HT_PORT_ADDRESSES * directions * p;
  for (int q = 1; q < directions; q++)
    if ((ports[p].flow_links >> q) & 1)
      sum += (double)ht_load(values + at[HT_PORT_OWN * directions + q]) -
             (double)ht_load_port(values, known, at[HT_PORT_FROM * directions + ht_opposite(q)]);
  flow[p] = sum;
}

#endif
