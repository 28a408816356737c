/* The walls between the nodes, as a part of a block's step (wall_links.h). Private to solver/cuda/.
 */
#ifndef HT_BLOCK_WALLS_CUH
#define HT_BLOCK_WALLS_CUH

#include "block_thread.cuh"
#include "wall_links.h"

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

/* The tiles of a packed block's nodes; NULL: it is a tile block. */
HT_INLINE const int32_t *ht_list_tiles(const ht_device_walls &walls, int block_kind) {
  return block_kind > HT_KIND_PACKED
             ? NULL
             : walls.list_tile + HT_TILE_NODES * (int64_t)(HT_KIND_PACKED - block_kind);
}

/* Sums of fixed-point numbers do not depend on their order. */
HT_INLINE unsigned long long ht_fixed(double value) {
  return (unsigned long long)__double2ll_rn(value * 0x1p52);
}
HT_INLINE double ht_from_fixed(unsigned long long value) {
  return (double)(long long)value * 0x1p-52;
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

/* The mass that links added in the last step, from the values at rest. Solid nodes, which are 0,
 * give it, too: a density without velocity, which the next step clears. */
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

#endif
