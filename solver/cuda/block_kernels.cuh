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

#include "block_walls.cuh"
#include "nodes.h"

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

/* With the correction of diagonals: see cumulant_pushed() of cumulant.h. */
template <int model>
HT_INLINE void ht_relax_pushed(float *g, ht_rate rate, const float *force, float *square) {
  if constexpr (HT_MODEL_IS_LOCAL(model)) {
    cumulant_rates_f32 own =
        cumulant_rates_of_f32(local_rate_f32(g, model, (const float *)rate.table));
    cumulant_pushed_f32(g, &own, force, square);
  } else {
    cumulant_pushed_f32(g, (const cumulant_rates_f32 *)rate.single, force, square);
  }
}
template <int model>
HT_INLINE void ht_relax_pushed(double *g, ht_rate rate, const double *force, double *square) {
  if constexpr (HT_MODEL_IS_LOCAL(model)) {
    cumulant_rates_f64 own =
        cumulant_rates_of_f64(local_rate_f64(g, model, (const double *)rate.table));
    cumulant_pushed_f64(g, &own, force, square);
  } else {
    cumulant_pushed_f64(g, (const cumulant_rates_f64 *)rate.full, force, square);
  }
}

/* ---- the step ---- */

struct ht_device_blocks {
  const int32_t *row;
  const uint32_t *exception, *list;
  uint32_t blocks;
  ht_device_walls walls;
  const void *force; /* of this step, and where it keeps its squares: see block_diagonal.cuh */
  void *square;
};

/* The blocks that a launch steps. */
struct ht_launch {
  uint32_t first, count;
  int backwards; /* begins with the last */
};

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

/* Pull; half-way walls. */
template <class S, class R, int N, int Q, int kind>
HT_INLINE void ht_gather(const S *source, const S *own, const ht_device_blocks &all,
                         const ht_lane &at, int near, int block_kind, R g[N][Q]) {
  if (kind == HT_STEP_READ_WRITE)
    ht_read_own<S, R, N, Q>(own, at, g);
  else if (block_kind == HT_KIND_PLAIN)
    ht_gather_plain<S, R, N, Q>(source, at, near, g);
  else if (block_kind >= 0)
    ht_gather_walls<S, R, N, Q>(source, at, near, all.exception + block_kind, g);
  else
    ht_gather_packed<S, R, N, Q>(
        source, own, at, all.list + (int64_t)(HT_KIND_PACKED - block_kind) * HT_LIST_VALUES(Q), g);
}

/* Pull, walls, collision. The changes of the links come first, while the registers are free. */
template <class S, class R, int N, int Q, int model, int kind, bool interpolates, bool pushed>
HT_INLINE void ht_compute_block(const S *source, const S *own, const ht_device_blocks &all,
                                const ht_lane &at, uint32_t block, int near, int block_kind,
                                ht_rate rate, R g[N][Q]) {
  const bool walls =
      interpolates && kind == HT_STEP_FLOW && all.walls.list_tile && block_kind != HT_KIND_PLAIN;
  int tile[N] = {};
  ht_block_links links = {-1, 0, 0};
  R *change = ht_changes_of_block<R, N>();
  if (walls) {
    links = ht_find_links(near);
    ht_find_tiles<N>(all.walls, block_kind, at, near, tile);
    if (links.masks >= 0) ht_find_changes<S, R, N>(source, own, all.walls, links, 0, change);
  }
  ht_gather<S, R, N, Q, kind>(source, own, all, at, near, block_kind, g);
  if (walls) {
    if (links.masks >= 0)
      ht_interpolate_block<S, R, N, Q>(source, own, all.walls, links, at, tile, change, g);
    ht_take_mass<R, N, Q>(all.walls, tile, g);
  }
  if constexpr (pushed) {
    static_assert(N == 1, "a thread has one node");
    const uint32_t place = block * (3 * HT_TILE_NODES) + (uint32_t)(at.lane + 32 * at.k0);
    ht_relax_pushed<model>(g[0], rate, (const R *)all.force + place, (R *)all.square + place);
  } else if (kind == HT_STEP_FLOW) {
#pragma unroll
    for (int k = 0; k < N; k++) ht_relax<model>(g[k], rate);
  }
}

/* model: see model.h; kind: ht_step_kind; interpolates: walls, where there are any; pushed: by the
 * force of diagonal.h. */
template <class S, int model, int kind, bool interpolates, bool pushed>
__global__ void __launch_bounds__(HT_STEP_THREADS,
                                  ht_groups<S>(HT_MODEL_DIRECTIONS(model), interpolates))
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
  ht_compute_block<S, R, N, Q, model, kind, interpolates, pushed>(
      source, source + (int64_t)b * HT_TILE_VALUES(Q), all, at, b, near, block_kind, rate, g);
  if (kind == HT_STEP_READ_WRITE || block_kind <= HT_KIND_PACKED)
    ht_write_packed<S, R, N, Q>(out, at, g);
  else
    ht_write_tile<S, R, N, Q>(out, at, g);
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

#endif
