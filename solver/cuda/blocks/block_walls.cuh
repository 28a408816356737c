/* The walls between the nodes, as a part of a block's step (wall_links.h). Private to solver/cuda/.
 *
 * Of the values that a link needs, a thread reads all but f_q(x) for its node anyway: what half-way
 * walls bring, f_p(x), and what direction p pulls, f_p(x + c_q). A link has no address; its code is
 * in the place of one (blocks.h). f_q(x) and the slip are copied to shared memory while the thread
 * reads the values of its node, so that nothing waits for anything else. */
#ifndef HT_BLOCK_WALLS_CUH
#define HT_BLOCK_WALLS_CUH

#include "solver/cuda/blocks/block_thread.cuh"
#include "solver/lattice/wall_links.h"

/* Interpolated walls, see wall_links.h. */
struct ht_device_walls {
  void *slip;                /* [links], in the precision of the arithmetic */
  const uint2 *rule;         /* [links] here, near, across of ht_wall_link in half precision */
  const int32_t *list_tile;  /* of ht_blocks; NULL: no links at all */
  const double *taken;       /* [tiles with links] from each value at rest in this step */
  unsigned long long *given; /* [tiles with links + 1] the mass that links add in it: ht_fixed() */
};

/* Sums of fixed-point numbers do not depend on their order. */
HT_INLINE unsigned long long ht_fixed(double value) {
  return (unsigned long long)__double2ll_rn(value * 0x1p52);
}
HT_INLINE double ht_from_fixed(unsigned long long value) {
  return (double)(long long)value * 0x1p-52;
}

/* ---- copies to shared memory, beside what the thread does next ---- */

/* Begins a copy of 4 or 8 bytes. */
template <class T> HT_INLINE void ht_begin_copy(T *to, const T *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
      "l"(from), "n"(sizeof(T))
      : "memory");
#else
  *to = *from;
#endif
}
/* A value of 16 bits comes with its neighbour. */
HT_INLINE void ht_begin_copy(float *to, const ht_half *from) {
  ht_begin_copy(to, (const float *)((uintptr_t)from & ~(uintptr_t)3));
}
/* Waits for the copies. Called by all threads of a warp: the compiler moves no load from before the
 * barrier past the wait. */
HT_INLINE void ht_await_copies(void) {
#if __CUDA_ARCH__ >= 800
  __syncwarp();
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Returns the value copied from an address, by the type that is stored there. */
template <class S> HT_INLINE float ht_copied(float copy, uint32_t address) {
  if (sizeof(S) == sizeof(float)) return copy;
  const uint32_t both = __float_as_uint(copy);
  return ht_half_load((ht_half)(address & 1 ? both >> 16 : both & 0xffff));
}
template <class S> HT_INLINE double ht_copied(double copy, uint32_t) {
  return copy;
}

/* Room for a thread's copies: COUNT of them, HT_STEP_THREADS apart. Each thread reads its own. */
template <class T, int COUNT, int which> HT_INLINE T *ht_copies(void) {
  __shared__ T room[COUNT][HT_STEP_THREADS];
  return &room[0][threadIdx.x];
}

/* ---- the slip ---- */

/* A link, for its slip: addresses of f_p(x) and f_p(x + c_q); here, near, across of ht_wall_link in
 * half precision. Above `across` is 1 where q comes after p: the opposite directions lie next to
 * each other, and their values in the same slot (ht_slot). Links without a slip have coefficients
 * of 0. */
typedef uint4 ht_slip_link;

/* Returns the target of the slip. here_near: here, and near above it. */
template <class R>
HT_INLINE R ht_asked_slip(uint32_t here_near, uint32_t across, R own, R leaving, R coming,
                          R near_leaving) {
  return (R)ht_half_to_float((ht_half)here_near) * (leaving - own) +
         (R)ht_half_to_float((ht_half)(here_near >> 16)) * (near_leaving - coming) +
         (R)ht_half_to_float((ht_half)across) * (coming - own);
}

/* The slip that the link's slip follows. */
template <class S>
HT_INLINE typename ht_stored<S>::real ht_read_asked_slip(const S *source, ht_slip_link link) {
  const int apart = link.w >> 16 ? HT_TILE_NODES : -HT_TILE_NODES;
  return ht_asked_slip(link.z, link.w, ht_load(source + link.x), ht_load(source + link.x + apart),
                       ht_load(source + link.y), ht_load(source + link.y + apart));
}

/* ---- a node's links ---- */

/* Number of the first link of the warp's nodes `half` * 32 to `half` * 32 + 31; -1: the block has
 * none. */
HT_INLINE int ht_first_link(int near, int half) {
  const int masks = __shfl_sync(~0u, near, HT_BLOCK_MASKS);
  const int first = __shfl_sync(~0u, near, HT_BLOCK_FIRST_LINK);
  const int before = __shfl_sync(~0u, near, HT_BLOCK_HALF) & 0xffff;
  return masks < 0 ? -1 : first + (half ? before : 0);
}

enum { HT_COPY_SLIP, HT_COPY_LEAVING, HT_COPY_NEAR_LEAVING };

/* Links of a node, by opposite pairs of directions. */
template <int Q> struct ht_node_links {
  uint32_t code[Q / 2]; /* 0: none */
  uint32_t near[Q / 2]; /* address of f_q(x + c_q), where the slip follows */
};

/* Gives the node's links their half-way addresses, and begins to copy what they need. self: the
 * addresses of the node's own values. */
template <class S, class R, int Q, int work>
HT_INLINE ht_node_links<Q> ht_begin_links(const S *source, const ht_device_walls &walls, int first,
                                          const uint32_t self[Q], uint32_t from[Q]) {
  const uint32_t lower = (1u << (threadIdx.x & 31)) - 1;
  ht_node_links<Q> links;
#pragma unroll
  for (int j = 0; j < Q / 2; j++) {
    const int q = 2 * j + 1, p = q + 1, at = j * HT_STEP_THREADS;
    uint32_t code = 0;
    if (from[q] >= HT_LINK_CODES) code = from[q], from[q] = self[p];
    if (from[p] >= HT_LINK_CODES) code = from[p], from[p] = self[q];
    const uint32_t have = __ballot_sync(~0u, code != 0), is_second = code & HT_LINK_SECOND;
    links.code[j] = code;
    links.near[j] = is_second ? from[q] + HT_TILE_NODES : from[p] - HT_TILE_NODES;
    if (code)
      ht_begin_copy(ht_copies<R, Q / 2, HT_COPY_SLIP>() + at,
                    (const R *)walls.slip + (first + __popc(have & lower)));
    if (work == HT_WALLS_FOLLOW ? code : code & HT_LINK_FAR)
      ht_begin_copy(ht_copies<R, Q / 2, HT_COPY_LEAVING>() + at,
                    source + (is_second ? self[p] : self[q]));
    if constexpr (work == HT_WALLS_FOLLOW)
      if (code)
        ht_begin_copy(ht_copies<R, Q / 2, HT_COPY_NEAR_LEAVING>() + at, source + links.near[j]);
    first += __popc(have);
  }
  return links;
}

/* Interpolates the node's values, which are half-way. Returns the mass that this adds. */
template <class S, class R, int Q, int work>
HT_INLINE R ht_apply_links(const ht_node_links<Q> &links, const ht_device_walls &walls, int first,
                           const uint32_t self[Q], R g[Q]) {
  const uint32_t lower = (1u << (threadIdx.x & 31)) - 1;
  R added = 0;
#pragma unroll
  for (int j = 0; j < Q / 2; j++) {
    const int q = 2 * j + 1, p = q + 1, at = j * HT_STEP_THREADS;
    const uint32_t code = links.code[j], is_second = code & HT_LINK_SECOND;
    int number = 0;
    if constexpr (work == HT_WALLS_FOLLOW) {
      const uint32_t have = __ballot_sync(~0u, code != 0);
      number = first + __popc(have & lower);
      first += __popc(have);
    }
    if (!code) continue;
    const R own = is_second ? g[p] : g[q], coming = is_second ? g[q] : g[p];
    const R leaving =
        ht_copied<S>(ht_copies<R, Q / 2, HT_COPY_LEAVING>()[at], is_second ? self[p] : self[q]);
    R slip = ht_copies<R, Q / 2, HT_COPY_SLIP>()[at];
    if constexpr (work == HT_WALLS_FOLLOW) {
      const uint2 rule = __ldg(walls.rule + number);
      const R near_leaving =
          ht_copied<S>(ht_copies<R, Q / 2, HT_COPY_NEAR_LEAVING>()[at], links.near[j]);
      slip =
          HT_FOLLOW_SLIP(slip, ht_asked_slip(rule.x, rule.y, own, leaving, coming, near_leaving));
      ((R *)walls.slip)[number] = slip;
    }
    const R other = code & HT_LINK_FAR ? leaving : coming;
    const R change = (R)ht_half_to_float((ht_half)(code & HT_LINK_WEIGHT)) * (other - own) + slip;
    if (is_second)
      g[p] = own + change;
    else
      g[q] = own + change;
    added += change;
  }
  return added;
}

/* ---- the balance of mass ---- */

/* The tile of a lane's node, by its number among those with links; -1: none. Adjacent lanes with
 * nodes of one tile are a run. */
struct ht_lane_tile {
  int tile;
  uint32_t runs; /* bit of the first lane of each */
};

HT_INLINE ht_lane_tile ht_find_runs(int tile) {
  const int before = __shfl_up_sync(~0u, tile, 1);
  return {tile, __ballot_sync(~0u, (threadIdx.x & 31) == 0 || before != tile)};
}

HT_INLINE ht_lane_tile ht_find_tile(const ht_device_walls &walls, int block_kind, const ht_lane &at,
                                    int near) {
  if (block_kind > HT_KIND_PACKED) return {__shfl_sync(~0u, near, HT_BLOCK_WALLS), 1};
  return ht_find_runs(__ldg(walls.list_tile +
                            HT_TILE_NODES * (int64_t)(HT_KIND_PACKED - block_kind) + at.lane +
                            32 * at.k0));
}

/* Returns what is taken from the value at rest of the lane's node. */
HT_INLINE double ht_taken(const ht_device_walls &walls, const ht_lane_tile &at) {
  return at.tile < 0 ? 0 : walls.taken[at.tile];
}

/* The sum of the lane and those after it in its run. */
template <class R> HT_INLINE R ht_sum_of_run(const ht_lane_tile &at, R added) {
  const int lane = threadIdx.x & 31;
  const uint32_t after = at.runs & ~((2u << lane) - 1);
  const int end = after ? __ffs((int)after) - 1 : 32;
  for (int d = 1; d < 32; d *= 2) {
    const R more = __shfl_down_sync(~0u, added, d);
    if (lane + d < end) added += more;
  }
  return added;
}

/* Adds the mass of the lanes' nodes to their tiles. */
template <class R>
HT_INLINE void ht_give_mass(const ht_device_walls &walls, const ht_lane_tile &at, R added) {
  const R sum = ht_sum_of_run(at, added);
  if (at.tile >= 0 && ((at.runs >> (threadIdx.x & 31)) & 1))
    atomicAdd(walls.given + at.tile, ht_fixed((double)sum));
}

/* Tables of what the next step takes from each value at rest of the tiles with links:
 * ht_wall_share() of the last step. */
struct ht_share_tables {
  const int32_t
      *beside;        /* [HT_TILE_NEIGHBOURS][count] of ht_wall_tile; `count` where there is none */
  const double *part; /* [count + 1] 1 / sharing of ht_wall_tile; the last is 0 */
  const unsigned long long *given_last; /* [count + 1] */
  unsigned long long *given_next;       /* [count + 1] becomes 0: the sums of the next step */
  double *taken;                        /* [count] in the next step */
  int64_t count;
};

/* Fills the constant ones, on the host. */
static inline void ht_share_fill(const ht_wall_tile *tile, int64_t count, int32_t *beside,
                                 double *part) {
  part[count] = 0;
  for (int64_t i = 0; i < count; i++) {
    part[i] = 1.0 / tile[i].sharing;
    for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
      beside[k * count + i] = tile[i].beside[k] < 0 ? (int32_t)count : tile[i].beside[k];
  }
}

/* Finds the shares during a step: one thread per tile, `group` of the launch's groups that
 * share. */
HT_INLINE void ht_share_by_group(const ht_share_tables &share, unsigned group) {
  const int64_t tile = (int64_t)group * blockDim.x + threadIdx.x;
  int32_t beside[HT_TILE_NEIGHBOURS];
  double sum = 0;
#pragma unroll
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    beside[k] = tile < share.count ? __ldg(share.beside + k * share.count + tile) : 0;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (tile >= share.count) return;
#pragma unroll
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    sum += ht_from_fixed(share.given_last[beside[k]]) * __ldg(share.part + beside[k]);
  share.taken[tile] = sum;
  share.given_next[tile] = 0;
}

#endif
