/* The step of the CUDA backend, over the blocks of blocks.h.
 *
 * A warp steps a block, or half of one: NODES (1 or 2) nodes per thread, node lane + 32 k. It loads
 * the numbers of the neighbouring blocks once, a lane each, and gets them by shuffles; a block
 * without walls and packed neighbours needs nothing else.
 *
 * A step is one launch or several (see backend_cuda.cu: values move within one array). Where it is
 * one, a GPU with programmatic dependent launch begins it while the previous one ends, so that its
 * start costs nothing: every kernel lets the next one begin at once, reads the constant tables, and
 * waits for the end of all previous launches before it touches a value. Its first groups find what
 * else a step needs, which reads the state before the step as the blocks do (block_ports.cuh). */
#ifndef HT_BLOCK_KERNELS_CUH
#define HT_BLOCK_KERNELS_CUH

#include "solver/cuda/blocks/block_diagonal.cuh"
#include "solver/cuda/blocks/block_ports.cuh"

/* ---- the step ---- */

struct ht_device_blocks {
  const int32_t *row;
  const uint32_t *exception, *list;
  uint32_t blocks;
  ht_device_walls walls;
  const float *keep; /* [blocks][64] part of its deviation that a sponge leaves a node; NULL: all */
  ht_device_diagonal diagonal;
};

/* The blocks that a launch steps. */
struct ht_launch {
  uint32_t first, count;
  int backwards; /* begins with the last */
};

/* The address that a node of a tile block pulls direction q from, among the neighbours. An address
 * has 32 bits. */
template <class S, int Q>
HT_INLINE uint32_t ht_tile_source(const ht_lane &at, int near, int q, int cx, int cy, int cz,
                                  int z) {
  int xs = at.x - cx, ys = at.y - cy, zs = z - cz;
  int slot = (1 + (xs >> 2)) + 3 * (1 + (ys >> 2)) + 9 * (1 + (zs >> 2));
  uint32_t block = (uint32_t)__shfl_sync(~0u, near, slot);
  uint32_t local = (uint32_t)ht_slot(ht_stored<S>::PAIRED, cx, cz, xs & 3, ys & 3, zs & 3);
  return block * HT_TILE_VALUES(Q) + 64 * q + local;
}

/* Gathers from the neighbours alone. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_gather_plain(const S *source, const ht_lane &at, int near, R g[N][Q]) {
#define GATHER(q, cx, cy, cz)                                                                      \
  if constexpr (ht_stored<S>::PAIRED && N == 2 && cz == 0)                                         \
    ht_load_pair(source + ht_tile_source<S, Q>(at, near, q, cx, cy, cz, at.z0), &g[0][q],          \
                 &g[N - 1][q]);                                                                    \
  else {                                                                                           \
    _Pragma("unroll") for (int k = 0; k < N; k++) g[k][q] =                                        \
        ht_load(source + ht_tile_source<S, Q>(at, near, q, cx, cy, cz, at.z0 + 2 * (k + at.k0)));  \
  }
  HT_ALL_DIRECTIONS(GATHER)
#undef GATHER
}

/* The addresses of node k of a tile block: from the neighbours, or of its own where its word has
 * the bit. Returns the word. */
template <class S, int Q>
HT_INLINE uint32_t ht_list_addresses(const ht_lane &at, int near, const uint32_t *words, int k,
                                     uint32_t from[Q]) {
  const uint32_t word = __ldg(words + at.lane + 32 * k), lower = (1u << at.lane) - 1;
  const uint32_t half = (uint32_t)__shfl_sync(~0u, near, HT_BLOCK_HALF) >> 16;
  const uint32_t *list = words + HT_TILE_NODES + (k ? half : 0);
#define FIND(q, cx, cy, cz)                                                                        \
  {                                                                                                \
    from[q] = ht_tile_source<S, Q>(at, near, q, cx, cy, cz, at.z0 + 2 * k);                        \
    if constexpr (q > 0) {                                                                         \
      const bool own = (word >> q) & 1;                                                            \
      const uint32_t have = __ballot_sync(~0u, own);                                               \
      if (own) from[q] = __ldg(list + __popc(have & lower));                                       \
      list += __popc(have);                                                                        \
    }                                                                                              \
  }
  HT_ALL_DIRECTIONS(FIND)
#undef FIND
  return word;
}

/* Finds the addresses of node k of a packed block: an address a moving direction and node. */
template <int Q>
HT_INLINE void ht_packed_addresses(const ht_lane &at, uint32_t own, const uint32_t *list, int k,
                                   uint32_t from[Q]) {
  const int n = at.lane + 32 * k;
  from[0] = own + n;
#pragma unroll
  for (int q = 1; q < Q; q++) from[q] = __ldcs(list + 64 * (q - 1) + n);
}

/* The addresses of a node's own values. */
template <class S, int Q>
HT_INLINE void ht_own_addresses(const ht_lane &at, uint32_t own, bool packed, int k,
                                uint32_t self[Q]) {
#define OWN(q, cx, cy, cz)                                                                         \
  self[q] = own + 64 * q +                                                                         \
            (!ht_stored<S>::PAIRED || packed                                                       \
                 ? at.lane + 32 * k                                                                \
                 : ht_slot(ht_stored<S>::PAIRED, cx, cz, at.x, at.y, at.z0 + 2 * k));
  HT_ALL_DIRECTIONS(OWN)
#undef OWN
}

/* The addresses of node k, from the constant tables. Returns its word, of a packed block 1: fluid.
 */
template <class S, int Q>
HT_INLINE uint32_t ht_find_addresses(const ht_device_blocks &all, const ht_lane &at, int near,
                                     int block_kind, uint32_t own, int k, uint32_t from[Q]) {
  if (block_kind >= 0)
    return ht_list_addresses<S, Q>(at, near, all.exception + block_kind, k, from);
  ht_packed_addresses<Q>(
      at, own, all.list + (int64_t)(HT_KIND_PACKED - block_kind) * HT_LIST_VALUES(Q), k, from);
  return 1;
}

template <class R, int Q> HT_INLINE void ht_clear_solid(uint32_t word, R g[Q]) {
  if (word & 1) return;
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = 0;
}

/* Gathers from addresses. own: address of the block's first value. meanwhile: is called while the
 * values are on their way. */
template <class S, class R, int N, int Q, class F>
HT_INLINE void ht_gather_listed(const S *source, uint32_t own, const ht_device_blocks &all,
                                const ht_lane &at, int near, int block_kind, F meanwhile,
                                R g[N][Q]) {
  uint32_t word[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    uint32_t from[Q];
    word[k] = ht_find_addresses<S, Q>(all, at, near, block_kind, own, k + at.k0, from);
    if (k == 0) ht_wait_for_launch_before();
#pragma unroll
    for (int q = 0; q < Q; q++) g[k][q] = ht_load(source + from[q]);
  }
  meanwhile();
#pragma unroll
  for (int k = 0; k < N; k++) ht_clear_solid<R, Q>(word[k], g[k]);
}

/* Gathers with interpolated walls and the balance of mass, for a thread with one node. Solid nodes,
 * which are 0, give their share, too: a density without velocity, which the next step clears.
 * Returns the mass that the node's links add. */
template <class S, class R, int Q, int work>
HT_INLINE R ht_gather_between(const S *source, uint32_t own, const ht_device_blocks &all,
                              const ht_lane &at, int near, int block_kind, const ht_lane_tile &tile,
                              R g[Q]) {
  uint32_t from[Q], self[Q];
  const int first = ht_first_link(near, at.k0);
  const uint32_t word = ht_find_addresses<S, Q>(all, at, near, block_kind, own, at.k0, from);
  ht_own_addresses<S, Q>(at, own, block_kind < 0, at.k0, self);
  ht_node_links<Q> links;
  R added = 0;
  ht_wait_for_launch_before();
  if (first >= 0) links = ht_begin_links<S, R, Q, work>(source, all.walls, first, self, from);
  const R taken = (R)ht_taken(all.walls, tile);
#pragma unroll
  for (int q = 0; q < Q; q++) g[q] = ht_load(source + from[q]);
  ht_clear_solid<R, Q>(word, g);
  ht_await_copies();
  if (first >= 0) added = ht_apply_links<S, R, Q, work>(links, all.walls, first, self, g);
  g[0] -= taken;
  return added;
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

/* Pull; half-way walls. meanwhile: as above. */
template <class S, class R, int N, int Q, int kind, class F>
HT_INLINE void ht_gather(const S *source, uint32_t own, const ht_device_blocks &all,
                         const ht_lane &at, int near, int block_kind, F meanwhile, R g[N][Q]) {
  if (kind != HT_STEP_READ_WRITE && block_kind != HT_KIND_PLAIN) {
    ht_gather_listed<S, R, N, Q>(source, own, all, at, near, block_kind, meanwhile, g);
    return;
  }
  ht_wait_for_launch_before();
  if (kind == HT_STEP_READ_WRITE)
    ht_read_own<S, R, N, Q>(source + own, at, g);
  else
    ht_gather_plain<S, R, N, Q>(source, at, near, g);
  meanwhile();
}

/* Damps the nodes of a sponge, after their collision; only with cumulants. */
template <class R, int N, int Q, int model>
HT_INLINE void ht_damp_nodes(const float *keep, const ht_lane &at, uint32_t block, R g[N][Q]) {
  if constexpr (HT_MODEL_COLLISION(model) == HT_CUMULANT) {
    if (!keep) return;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const float of_node = __ldg(keep + HT_TILE_NODES * block + at.lane + 32 * (k + at.k0));
      if (__builtin_expect(of_node < 1, 0)) ht_damp(g[k], of_node); /* out of the way */
    }
  }
}

/* push: of the correction of diagonals, where it is pushed. */
template <class S, class R, int N, int Q, int model, int kind, bool pushed>
HT_INLINE void ht_collide(const ht_device_blocks &all, const ht_lane &at, uint32_t block,
                          const ht_rate &rate, const ht_node_push<R> &push, R g[N][Q]) {
  if constexpr (pushed) {
    R square[3];
    ht_relax_pushed<model>(g[0], rate, push.force, square);
    ht_keep_squares(all.diagonal, block, at, square, push.earlier);
  } else if (kind == HT_STEP_FLOW) {
#pragma unroll
    for (int k = 0; k < N; k++) ht_relax<model>(g[k], rate);
  }
  if constexpr (kind == HT_STEP_FLOW) ht_damp_nodes<R, N, Q, model>(all.keep, at, block, g);
}

/* A block, N nodes a thread. A plain block has no walls around. */
template <class S, int N, int model, int kind, int work, bool pushed>
HT_INLINE void ht_step_block(const S *source, S *target, const ht_device_blocks &all,
                             const ht_lane &at, uint32_t block, int near, int block_kind,
                             const ht_rate &rate) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  const uint32_t own = block * HT_TILE_VALUES(Q);
  const bool between = work && block_kind != HT_KIND_PLAIN;
  ht_lane_tile tile = {};
  ht_node_push<R> push;
  R g[N][Q], added = 0;
  const auto find_push = [&] {
    static_assert(N == 1 || !pushed, "a thread has one node");
    if constexpr (pushed) push = ht_find_push<R>(all.diagonal, block, at, near, block_kind);
  };
  if (between)
    tile = ht_find_tile(all.walls, block_kind, at, near);
  else
    ht_gather<S, R, N, Q, kind>(source, own, all, at, near, block_kind, find_push, g);
  if constexpr (work)
    if (between) {
      added = ht_gather_between<S, R, Q, work>(source, own, all, at, near, block_kind, tile, g[0]);
      find_push(); /* before, the registers would not hold both */
    }
  ht_collide<S, R, N, Q, model, kind, pushed>(all, at, block, rate, push, g);
  if (kind == HT_STEP_READ_WRITE || block_kind <= HT_KIND_PACKED)
    ht_write_packed<S, R, N, Q>(target + own, at, g);
  else
    ht_write_tile<S, R, N, Q>(target + own, at, g);
  if (between) ht_give_mass(all.walls, tile, added);
}

/* model: see model.h; kind: ht_step_kind; work: ht_wall_work, where there are walls between nodes;
 * pushed: by the force of diagonal.h. */
template <class S, int model, int kind, int work, bool pushed>
__global__ void __launch_bounds__(HT_STEP_THREADS,
                                  ht_groups<S>(HT_MODEL_DIRECTIONS(model), work, pushed))
    ht_step_blocks(const S *source, S *target, ht_device_blocks all, ht_launch launch,
                   const __grid_constant__ ht_rate rate,
                   const __grid_constant__ ht_beside_blocks beside) {
  constexpr int N = ht_nodes<S>(work), MOST = ht_stored<S>::NODES;
  if constexpr (kind == HT_STEP_FLOW) {
    if (blockIdx.x < beside.groups) {
      ht_step_beside<S, model>(source, target, beside, rate);
      return;
    }
  }
  const uint32_t group = blockIdx.x - beside.groups;
  uint32_t i = (group * HT_STEP_THREADS + threadIdx.x) / (N == 2 ? 32 : 64);
  uint32_t b = launch.first + (launch.backwards ? launch.count - 1 - i : i);
  const ht_lane at = ht_lane_make(N);
  if (sizeof(S) < sizeof(double) && threadIdx.x == 0)
    ht_fetch_row(all, launch.backwards ? b - HT_ROWS_AHEAD : b + HT_ROWS_AHEAD);
  int near = i < launch.count ? __ldg(all.row + (int64_t)b * HT_BLOCK_ROW + at.lane) : 0;
  ht_let_next_begin();
  if (i >= launch.count) return;
  const int block_kind = __shfl_sync(~0u, near, HT_BLOCK_KIND);
  if (N < MOST && block_kind == HT_KIND_PLAIN) {
    if (at.k0 == 0) /* one of the two warps is enough */
      ht_step_block<S, MOST, model, kind, HT_WALLS_HALF_WAY, pushed>(source, target, all, at, b,
                                                                     near, block_kind, rate);
    return;
  }
  ht_step_block<S, N, model, kind, work, pushed>(source, target, all, at, b, near, block_kind,
                                                 rate);
}

#endif
