/* list-walls: the list of neighbours with interpolated walls (wall_links.h), as a part of the step.
 * Storage, order of the nodes and addresses are those of `list`. A direction that a link brings has
 * an address beyond the storage: the number of the link in its block. The threads of a block first
 * find what its links bring, one thread per link, and put that into shared memory; then each reads
 * the values of its node from there and from memory. So a link costs no second pass over the
 * values.
 *
 * The first groups of a step share out the mass that links added in the last step, for the next, as
 * the solver's do (block_walls.cuh); in every fifth step, a small launch before lets the slip
 * follow. All may begin while the launch before ends, and wait for it before they touch a value. */
#include "solver/cuda/blocks/block_share.cuh"
#include "solver/cuda/blocks/block_walls.cuh"
#include "bench/papers/ladder/chunks.cuh"
#include "solver/cuda/cuda_device.cuh"
#include "solver/cuda/host_array.cuh"
#include "bench/papers/ladder/ladder_rung.h"
#include "bench/papers/ladder/ladder_walls.h"

struct list_walls : list {
  ht_device_walls walls; /* no rules; list_tile: by node; taken and given: of a launch */
  ht_share_tables share; /* of a launch */
  unsigned shares;       /* groups of it that share */
  const uint2 *link;     /* [links] address of the value that is blended in; place of f_p(x) in its
                            block, and above 16 bits the weight's size in half precision */
  const uint32_t *first; /* [blocks + 1] a block's first link */
  const ht_slip_link *slip_link;
  const int32_t *beside; /* of ht_share_tables */
  const double *part;
  unsigned long long *given[5]; /* of step s in number s % 3; 3 and 4: for reading */
  double *taken[3];             /* in step s number s % 2; 2: for reading */
  int64_t links, tiles, blocks;
  uint32_t values, most; /* places in the storage; links of a block */
  bool overlap;          /* the GPU can start a launch while the one before ends */
};

static_assert((int)list::BLOCK == (int)HT_LIST_NODES, "links are in the order of these blocks");

enum { WALL_THREADS = 128 };

/* ---- kernels ---- */

/* Finds the values that the links of a block bring: brought[its links]. One thread per link. */
template <class Store, class Real>
HT_METHOD void find_links(const list_walls &rung, const Store *source, uint32_t block,
                          Real *brought) {
  const uint32_t first = rung.first[block], count = rung.first[block + 1] - first;
  const Store *own = source + (int64_t)block * HT_LIST_VALUES;
  const uint32_t lane = threadIdx.x & 31;
  for (uint32_t warp = threadIdx.x - lane; warp < count; warp += HT_LIST_NODES) {
    const uint32_t i = warp + lane;
    Real change = 0;
    int tile = -1;
    if (i < count) {
      const uint2 link = __ldg(rung.link + first + i);
      const uint32_t at = link.y & 0xffff, chunk = at / HT_CHUNK_VALUES;
      const Real value = ht_load(own + at), other = ht_load(source + link.x);
      const Real slip = ((const Real *)rung.walls.slip)[first + i];
      change = (Real)ht_half_to_float(link.y >> 16) * (other - value) + slip;
      brought[i] = value + change;
      tile = __ldg(rung.walls.list_tile + (int64_t)block * HT_LIST_NODES + chunk * HT_CHUNK_NODES +
                   at % HT_CHUNK_NODES);
    }
    ht_give_mass(rung.walls, ht_find_runs(tile), change);
  }
}

/* The values that arrive at the thread's node; false: it has none. Addresses are constant, so they
 * are read before the launch before has ended. */
template <class Store, class Real>
HT_METHOD bool gather_walls(const list_walls &rung, const Store *__restrict__ source,
                            uint32_t block, list::node &own, Real g[HT_Q19]) {
  extern __shared__ double room[];
  Real *brought = (Real *)room;
  uint32_t from[HT_Q19];
  const bool is_node = rung.find({}, {block, 0, 0, threadIdx.x}, own);
#define HT_FROM(q, cx, cy, cz) from[q] = is_node ? rung.arriving(own, q, cx, cy, cz) : 0;
  HT_D3Q19_MOVING(HT_FROM)
#undef HT_FROM
  const int tile = is_node ? __ldg(rung.walls.list_tile + own.number) : -1;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  find_links(rung, source, block, brought);
  __syncthreads();
  if (!is_node) return false;
  ht_convert(g[0], source[own.value]);
#define HT_TAKE(q, cx, cy, cz)                                                                     \
  if (from[q] < rung.values) ht_convert(g[q], source[from[q]]);
  HT_D3Q19_MOVING(HT_TAKE)
#undef HT_TAKE
#define HT_TAKE(q, cx, cy, cz)                                                                     \
  if (from[q] >= rung.values) g[q] = brought[from[q] - rung.values];
  HT_D3Q19_MOVING(HT_TAKE)
#undef HT_TAKE
  if (tile >= 0) g[0] -= (Real)rung.walls.taken[tile];
  return true;
}

/* Threads of a multiprocessor at least, which limits their registers (measured). */
template <class Store> static constexpr int least_threads() {
  const int room = HT_MOST_GROUPS * HT_STEP_THREADS;
  return sizeof(Store) == 8 ? 768 : room < 1280 ? room : 1280;
}

template <class Store>
__global__ void __launch_bounds__(HT_LIST_NODES, least_threads<Store>() / HT_LIST_NODES)
    step_walls(const list_walls rung, const Store *__restrict__ source, Store *__restrict__ target,
               typename ht_arithmetic<Store>::real omega) {
  list::node own;
  typename ht_arithmetic<Store>::real g[HT_Q19];
  if (blockIdx.x < rung.shares) {
    ht_share_by_group(rung.share, blockIdx.x);
    return;
  }
  if (!gather_walls(rung, source, blockIdx.x - rung.shares, own, g)) return;
  ht_relax(g, omega);
  ht_scatter(rung, own, target, g);
}

/* Density and velocity of the values that arrive: [places][4]. */
template <class Store>
__global__ void __launch_bounds__(HT_LIST_NODES)
    read_walls(const list_walls rung, const Store *__restrict__ source, double *fields) {
  list::node own;
  typename ht_arithmetic<Store>::real g[HT_Q19];
  if (!gather_walls(rung, source, blockIdx.x, own, g)) return;
  double wide[HT_Q19], *out = fields + 4 * rung.place(own);
  for (int q = 0; q < HT_Q19; q++) wide[q] = g[q];
  moments_f64(wide, HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), &out[0], &out[1], &out[2], &out[3]);
}

/* Updates the slips before a step in which they follow. One thread per link. */
template <class Store> __global__ void follow_slips(const list_walls rung, const Store *source) {
  typedef typename ht_arithmetic<Store>::real Real;
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  ht_slip_link link = {};
  if (i < rung.links) link = __ldg(rung.slip_link + i);
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (i >= rung.links) return;
  Real *slip = (Real *)rung.walls.slip + i;
  *slip = HT_FOLLOW_SLIP(*slip, ht_read_asked_slip(source, link));
}

/* ---- launchers ---- */

/* Launches a kernel. On a GPU with programmatic dependent launch it begins while the previous one
 * ends. */
template <class... P, class... A>
static void launch(const list_walls &rung, void (*kernel)(P...), int64_t blocks, int threads,
                   uint32_t shared, A... arguments) {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = (unsigned)blocks;
  config.blockDim = (unsigned)threads;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = rung.overlap ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

static int64_t blocks_of(int64_t threads) {
  return (threads + WALL_THREADS - 1) / WALL_THREADS;
}

/* taken[take] by what links gave in given[last]; given[next] becomes 0. */
static ht_share_tables share_of(const list_walls &rung, int last, int next, int take) {
  return {rung.beside, rung.part, rung.given[last], rung.given[next], rung.taken[take], rung.tiles};
}

template <class Store> static void launch_slips(const list_walls &rung, const Store *source) {
  launch(rung, follow_slips<Store>, blocks_of(rung.links), WALL_THREADS, 0, rung, source);
}

/* A kernel over all blocks, after the groups that share. */
template <class Store, class... P, class... A>
static void launch_blocks(const list_walls &rung, void (*kernel)(list_walls, P...),
                          A... arguments) {
  launch(rung, kernel, rung.shares + rung.blocks, HT_LIST_NODES,
         rung.most * (uint32_t)sizeof(typename ht_arithmetic<Store>::real), rung, arguments...);
}

template <class Store> static void launch_step(ht_ladder *ladder) {
  list_walls rung = ht_layout<list_walls>(ladder);
  const int64_t step = ladder->steps;
  const Store *source = static_cast<const Store *>(ladder->d_copy[ladder->current]);
  Store *target = static_cast<Store *>(ladder->d_copy[!ladder->current]);
  if (ht_slip_follows(step)) launch_slips(rung, source);
  rung.walls.given = rung.given[step % 3];
  rung.walls.taken = rung.taken[step % 2];
  rung.share = share_of(rung, (step + 2) % 3, (step + 1) % 3, (step + 1) % 2);
  rung.shares = (unsigned)((rung.tiles + HT_LIST_NODES - 1) / HT_LIST_NODES);
  launch_blocks<Store>(rung, step_walls<Store>, source, target, ladder->omega);
  ladder->current = !ladder->current;
}

/* Reading takes the mass that the links add now: a first launch finds it. */
template <class Store> static void launch_read(ht_ladder *ladder, double *d_fields) {
  list_walls rung = ht_layout<list_walls>(ladder);
  const Store *source = static_cast<const Store *>(ladder->d_copy[ladder->current]);
  cudaMemsetAsync(rung.given[3], 0, (size_t)rung.tiles * sizeof *rung.given[3]);
  rung.walls.given = rung.given[3];
  rung.walls.taken = rung.taken[2];
  launch_blocks<Store>(rung, read_walls<Store>, source, d_fields);
  launch(rung, ht_share_mass, blocks_of(rung.tiles), WALL_THREADS, 0, share_of(rung, 3, 4, 2));
  rung.walls.given = rung.given[4];
  launch_blocks<Store>(rung, read_walls<Store>, source, d_fields);
}

/* Code compiled for an architecture before 9.0 does not wait for the previous launch. */
template <class Store> static ht_status use_walls(ht_ladder *ladder, list_walls *rung) {
  cudaFuncAttributes compiled;
  ladder->step = launch_step<Store>;
  ladder->read = launch_read<Store>;
  ladder->kernel = reinterpret_cast<const void *>(&step_walls<Store>);
  ladder->threads = HT_LIST_NODES;
  HT_TRY(ht_cuda_check(cudaFuncGetAttributes(&compiled, ladder->kernel), "loading its program"));
  rung->overlap = compiled.ptxVersion >= 90;
  return HT_OK;
}

/* ---- building ---- */

static ht_status keep_shares(const ht_ladder_walls *from, ht_ladder *ladder, list_walls *rung) {
  const int64_t besides = HT_TILE_NEIGHBOURS * from->tiles;
  ht_host_array<int32_t> beside;
  ht_host_array<double> part;
  HT_TRY(beside.make(besides, "the interpolated walls"));
  HT_TRY(part.make(from->tiles + 1, "the interpolated walls"));
  ht_share_fill(from->tile, from->tiles, beside.data, part.data);
  HT_TRY(ht_ladder_table<int32_t>(ladder, beside.data, besides, &rung->beside));
  return ht_ladder_table<double>(ladder, part.data, from->tiles + 1, &rung->part);
}

static ht_status keep_walls(const ht_ladder_walls *from, ht_ladder *ladder, list_walls *rung) {
  const int64_t links = from->links, tiles = from->tiles;
  const int64_t a_slip = ladder->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  ht_device_walls *walls = &rung->walls;
  rung->links = links, rung->tiles = tiles, rung->most = from->most;
  rung->values = (uint32_t)ladder->values;
  rung->blocks = (ladder->places + HT_LIST_NODES - 1) / HT_LIST_NODES;
  HT_TRY(ht_ladder_table(ladder, from->first, rung->blocks + 1, &rung->first));
  HT_TRY(ht_ladder_table(ladder, (const uint2 *)from->link, links, &rung->link));
  HT_TRY(ht_ladder_table(ladder, (const ht_slip_link *)from->slip, links, &rung->slip_link));
  HT_TRY(ht_ladder_table(ladder, from->node_tile, ladder->places, &walls->list_tile));
  HT_TRY(ht_ladder_to_device(ladder, NULL, links * a_slip, (const void **)&walls->slip));
  for (int i = 0; i < 3; i++)
    HT_TRY(ht_ladder_to_device(ladder, NULL, tiles * 8, (const void **)&rung->taken[i]));
  for (int i = 0; i < 5; i++)
    HT_TRY(ht_ladder_to_device(ladder, NULL, (tiles + 1) * 8, (const void **)&rung->given[i]));
  return keep_shares(from, ladder, rung);
}

/* Builds the rung over the layout of `list`, whose start and list of values stay as they are. */
static ht_status use_list_walls(const ht_ladder_walls *from, ht_ladder *ladder) {
  list_walls rung = {};
  static_assert(sizeof rung <= HT_LADDER_LAYOUT_BYTES, "a rung's struct does not fit");
  static_cast<list &>(rung) = ht_layout<list>(ladder);
  HT_TRY(keep_walls(from, ladder, &rung));
  ht_status status = ladder->precision == HT_FP64   ? use_walls<double>(ladder, &rung)
                     : ladder->precision == HT_FP16 ? use_walls<ht_half>(ladder, &rung)
                                                    : use_walls<float>(ladder, &rung);
  memcpy(ladder->layout, &rung, sizeof rung);
  return status;
}

/* Builds list-walls. Without links, and for the steps that only move values, it is `list`. */
ht_status ht_list_walls_build(const char *, const ht_ladder_setup *setup, ht_ladder *ladder) {
  ht_tile_fluid *fluid;
  uint32_t *addresses = NULL;
  ht_ladder_walls walls = {};
  HT_TRY(ht_packed_begin(setup->tiling, ladder, &fluid));
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_ladder_addresses(setup->tiling, fluid, &addresses));
  if (setup->step_kind == HT_STEP_FLOW)
    HT_TRY_DONE(ht_ladder_walls_build(setup, fluid, ladder->values, addresses, &walls));
  HT_TRY_DONE(ht_list_use(addresses, ladder));
  if (walls.links > 0) HT_TRY_DONE(use_list_walls(&walls, ladder));
done:
  ht_ladder_walls_free(&walls);
  free(addresses);
  free(fluid);
  return status;
}
