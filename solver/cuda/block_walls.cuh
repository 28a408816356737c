/* The walls between the nodes, as a part of a block's step (wall_links.h). Private to solver/cuda/.
 */
#ifndef HT_BLOCK_WALLS_CUH
#define HT_BLOCK_WALLS_CUH

#include "block_thread.cuh"
#include "wall_links.h"

/* Interpolated walls, see wall_links.h. */
struct ht_device_walls {
  const uint2 *link; /* [links] address of the value that is blended in; slot of f_p(x) in its
                        block, and above 16 bits the weight's size in half precision */
  const unsigned long long *mask; /* of ht_blocks */
  const void *slip;               /* [links], in the precision of the arithmetic */
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

HT_INLINE float ht_link_weight(uint2 link) {
  return ht_half_to_float(link.y >> 16);
}

/* ---- the slip ---- */

/* A link, for its slip: addresses of f_p(x) and f_p(x + c_q); here, near, across of ht_wall_link in
 * half precision. Above `across` is 1 where q comes after p: the opposite directions lie beside
 * each other, and their values in the same slot (ht_slot). Links without a slip have coefficients
 * of 0. */
typedef uint4 ht_slip_link;

/* Before a step in which the slip follows (wall_links.h). A thread a link. */
template <class S>
__global__ void ht_follow_slips(const S *source, const ht_slip_link *links, void *slips,
                                int64_t count) {
  typedef typename ht_stored<S>::real R;
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_slip_link link = {};
  if (i < count) link = __ldg(links + i);
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= count) return;
  const int apart = link.w >> 16 ? HT_TILE_NODES : -HT_TILE_NODES;
  const R here = (R)ht_half_to_float(link.z & 0xffff), near = (R)ht_half_to_float(link.z >> 16);
  const R across = (R)ht_half_to_float(link.w & 0xffff);
  const R own = ht_load(source + link.x), leaving = ht_load(source + link.x + apart);
  const R coming = ht_load(source + link.y), near_leaving = ht_load(source + link.y + apart);
  const R asked = here * (leaving - own) + near * (near_leaving - coming) + across * (coming - own);
  R *slip = (R *)slips + i;
  *slip = HT_FOLLOW_SLIP(*slip, asked);
}

/* ---- a block's links ---- */

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

/* The links of a block. */
struct ht_block_links {
  int masks; /* -1: none */
  uint32_t first, count;
};

HT_INLINE ht_block_links ht_find_links(int near) {
  return {__shfl_sync(~0u, near, HT_BLOCK_MASKS),
          (uint32_t)__shfl_sync(~0u, near, HT_BLOCK_FIRST_LINK),
          (uint32_t)__shfl_sync(~0u, near, HT_BLOCK_LINKS)};
}

/* What links `begin` and up add to the values that they replace, a thread a link. own: the block's
 * values. */
template <class S, class R, int N>
HT_INLINE void ht_find_changes(const S *source, const S *own, const ht_device_walls &walls,
                               const ht_block_links &links, uint32_t begin, R *change) {
  const uint32_t threads = N == 2 ? 32 : 64;
  const uint32_t left = links.count - begin, end = left < HT_CHANGES ? left : HT_CHANGES;
  for (uint32_t i = threadIdx.x & (threads - 1); i < end; i += threads) {
    const uint32_t number = links.first + begin + i;
    const uint2 link = __ldg(walls.link + number);
    const R value = ht_load(own + (link.y & 0xffff)), other = ht_load(source + link.x);
    change[i] = (R)ht_link_weight(link) * (other - value) + ((const R *)walls.slip)[number];
  }
}

/* Adds the changes of links `begin` and up to the values that they replace, and to `added`, the
 * mass that they add to each of the lane's nodes. */
template <class R, int N, int Q>
HT_INLINE void ht_add_changes(const ht_lane &at, unsigned long long my_mask, uint32_t begin,
                              const R *change, R g[N][Q], R added[N]) {
  uint32_t before = 0;
#pragma unroll
  for (int q = 1; q < Q; q++) {
    const unsigned long long mask = __shfl_sync(~0u, my_mask, q);
    if (mask == 0) continue;
#pragma unroll
    for (int k = 0; k < N; k++) {
      const int n = at.lane + 32 * (k + at.k0);
      const uint32_t i = before + (uint32_t)__popcll(mask & ((1ull << n) - 1)) - begin;
      if (!((mask >> n) & 1) || i >= HT_CHANGES) continue;
      g[k][q] += change[i];
      added[k] += change[i];
    }
    before += (uint32_t)__popcll(mask);
  }
}

/* Adds the mass of the lanes' nodes to their tiles, of which each has neighbouring lanes. */
HT_INLINE void ht_give_mass(const ht_device_walls &walls, int lane, int tile, double added) {
  for (int d = 1; d < 32; d *= 2) {
    const double more = __shfl_down_sync(~0u, added, d);
    const int its_tile = __shfl_down_sync(~0u, tile, d);
    if (lane + d < 32 && its_tile == tile) added += more;
  }
  const int before = __shfl_up_sync(~0u, tile, 1);
  if (tile >= 0 && (lane == 0 || before != tile)) atomicAdd(walls.given + tile, ht_fixed(added));
}

/* The changes of a block's links, in shared memory. */
template <class R, int N> HT_INLINE R *ht_changes_of_block(void) {
  __shared__ R changes[HT_STEP_THREADS / (N == 2 ? 32 : 64)][HT_CHANGES];
  return changes[threadIdx.x / (N == 2 ? 32 : 64)];
}

/* Interpolates the walls of a block, whose values were gathered as if they were half-way. change:
 * of its first links; tile: of each of the lane's nodes. */
template <class S, class R, int N, int Q>
HT_INLINE void ht_interpolate_block(const S *source, const S *own, const ht_device_walls &walls,
                                    const ht_block_links &links, const ht_lane &at,
                                    const int tile[N], R *change, R g[N][Q]) {
  const unsigned long long mask =
      at.lane < Q ? __ldg(walls.mask + (int64_t)Q * links.masks + at.lane) : 0;
  R added[N] = {};
  for (uint32_t begin = 0; begin < links.count; begin += HT_CHANGES) {
    if (begin > 0) {
      ht_meet_threads<N>();
      ht_find_changes<S, R, N>(source, own, walls, links, begin, change);
    }
    ht_meet_threads<N>();
    ht_add_changes<R, N, Q>(at, mask, begin, change, g, added);
  }
#pragma unroll
  for (int k = 0; k < N; k++) ht_give_mass(walls, at.lane, tile[k], (double)added[k]);
}

/* The number of each of the lane's nodes' tiles among those with links; -1: none. */
template <int N>
HT_INLINE void ht_find_tiles(const ht_device_walls &walls, int block_kind, const ht_lane &at,
                             int near, int tile[N]) {
  const int32_t *tiles = ht_list_tiles(walls, block_kind);
#pragma unroll
  for (int k = 0; k < N; k++)
    tile[k] =
        tiles ? __ldg(tiles + at.lane + 32 * (k + at.k0)) : __shfl_sync(~0u, near, HT_BLOCK_WALLS);
}

/* The mass that links added in the last step, from the values at rest. Solid nodes, which are 0,
 * give it, too: a density without velocity, which the next step clears. */
template <class R, int N, int Q>
HT_INLINE void ht_take_mass(const ht_device_walls &walls, const int tile[N], R g[N][Q]) {
#pragma unroll
  for (int k = 0; k < N; k++)
    if (tile[k] >= 0) g[k][0] -= (R)walls.taken[tile[k]];
}

/* ---- the balance of mass at interpolated walls ---- */

/* A tile of wall_links.h. */
struct ht_wall_group {
  int32_t sharing, beside[HT_TILE_NEIGHBOURS];
};

/* What a step takes from each value at rest of the tiles with links: ht_wall_share() of the last
 * step. */
struct ht_share_tables {
  const ht_wall_group *group;           /* [count] */
  const unsigned long long *given_last; /* [count] */
  unsigned long long *given;            /* [count] becomes 0: the sums of the step itself */
  double *taken;                        /* [count] */
  int64_t count;
};

/* A lane's tile among those around one, from the constant tables. */
struct ht_share_part {
  int32_t beside, sharing; /* beside -1: none */
};

HT_INLINE ht_share_part ht_share_find(const ht_share_tables &share, int64_t tile, uint32_t lane) {
  const int within = tile >= 0 && tile < share.count && lane < HT_TILE_NEIGHBOURS;
  const int32_t beside = within ? share.group[tile].beside[lane] : -1;
  return {beside, beside < 0 ? 1 : share.group[beside].sharing};
}

/* Of the warp's tile. */
HT_INLINE double ht_share_total(const ht_share_tables &share, ht_share_part part) {
  return ht_warp_total(
      part.beside < 0 ? 0 : ht_from_fixed(share.given_last[part.beside]) / (double)part.sharing);
}

/* Before a step: a warp a tile, `group` of the launch's groups that share. */
HT_INLINE void ht_share_by_group(const ht_share_tables &share, unsigned group) {
  const int64_t tile = ((int64_t)group * blockDim.x + threadIdx.x) / 32;
  const uint32_t lane = threadIdx.x & 31;
  const ht_share_part part = ht_share_find(share, tile, lane);
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (tile >= share.count) return;
  const double sum = ht_share_total(share, part);
  if (lane > 0) return;
  share.taken[tile] = sum;
  share.given[tile] = 0;
}

static __global__ void ht_share_mass(ht_share_tables share) {
  ht_share_by_group(share, blockIdx.x);
}

#endif
