/* list-walls: the list of neighbours with interpolated walls (wall_links.h), as a part of the step.
 * Storage, order of the nodes and addresses are those of `list`. A direction that a link brings has
 * an address beyond the storage: the number of the link in its block. The threads of a block first
 * find what its links bring, a thread a link, and put that into shared memory; then each reads the
 * values of its node from there and from memory. So a link costs no second pass over the values.
 *
 * Two small launches come before a step: one, the solver's (block_walls.cuh), shares out the mass
 * that links added in the last step; in every fifth step, another lets the slip follow. All may
 * begin while the launch before ends, and wait for it before they touch a value. */
#include "block_walls.cuh"
#include "chunks.cuh"
#include "cuda_device.cuh"
#include "ladder.h"
#include "ladder_walls.h"

struct list_walls : list {
  ht_device_walls walls; /* no rules; list_tile: by node; given: of the next step */
  const uint2 *link;     /* [links] address of the value that is blended in; place of f_p(x) in its
                            block, and above 16 bits the weight's size in half precision */
  const uint32_t *first; /* [blocks + 1] a block's first link */
  const ht_slip_link *slip_link;
  const ht_wall_group *groups;
  unsigned long long *given[3]; /* 0 and 1 in turns; 2: for reading */
  int64_t links, tiles, blocks;
  uint32_t values, most; /* places in the storage; links of a block */
  bool overlap;          /* the GPU can start a launch while the one before ends */
};

static_assert((int)list::BLOCK == (int)HT_LIST_NODES, "links are in the order of these blocks");

enum { WALL_THREADS = 128 };

/* ---- kernels ---- */

/* What the links of a block bring: brought[its links]. A thread a link. */
template <class Store, class Real>
HT_METHOD void find_links(const list_walls &rung, const Store *source, Real *brought) {
  const uint32_t first = rung.first[blockIdx.x], count = rung.first[blockIdx.x + 1] - first;
  const Store *own = source + (int64_t)blockIdx.x * HT_LIST_VALUES;
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
      tile = __ldg(rung.walls.list_tile + (int64_t)blockIdx.x * HT_LIST_NODES +
                   chunk * HT_CHUNK_NODES + at % HT_CHUNK_NODES);
    }
    ht_give_mass(rung.walls, ht_find_runs(tile), change);
  }
}

/* The values that arrive at the thread's node; false: it has none. Addresses are constant, so they
 * are read before the launch before has ended. */
template <class Store, class Real>
HT_METHOD bool gather_walls(const list_walls &rung, const Store *__restrict__ source,
                            list::node &own, Real g[HT_Q19]) {
  extern __shared__ double room[];
  Real *brought = (Real *)room;
  uint32_t from[HT_Q19];
  const bool is_node = rung.find({}, {blockIdx.x, 0, 0, threadIdx.x}, own);
#define HT_FROM(q, cx, cy, cz) from[q] = is_node ? rung.arriving(own, q, cx, cy, cz) : 0;
  HT_D3Q19_MOVING(HT_FROM)
#undef HT_FROM
  const int tile = is_node ? __ldg(rung.walls.list_tile + own.number) : -1;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  find_links(rung, source, brought);
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
  if (!gather_walls(rung, source, own, g)) return;
  ht_relax(g, omega);
  ht_scatter(rung, own, target, g);
}

/* Density and velocity of the values that arrive: [places][4]. */
template <class Store>
__global__ void __launch_bounds__(HT_LIST_NODES)
    read_walls(const list_walls rung, const Store *__restrict__ source, double *fields) {
  list::node own;
  typename ht_arithmetic<Store>::real g[HT_Q19];
  if (!gather_walls(rung, source, own, g)) return;
  double wide[HT_Q19], *out = fields + 4 * rung.place(own);
  for (int q = 0; q < HT_Q19; q++) wide[q] = g[q];
  moments_f64(wide, HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), &out[0], &out[1], &out[2], &out[3]);
}

/* Before a step in which the slip follows. A thread a link. */
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

/* On a GPU with programmatic dependent launch the kernel begins while the previous one ends. */
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

/* Takes what given[last] says, and makes room in given[next]. */
static void launch_share(const list_walls &rung, int last, int next) {
  launch(rung, ht_share_mass, blocks_of(32 * rung.tiles), WALL_THREADS, 0,
         ht_share_tables{rung.groups, rung.given[last], rung.given[next],
                         (double *)rung.walls.taken, rung.tiles});
}

template <class Store> static void launch_slips(const list_walls &rung, const Store *source) {
  launch(rung, follow_slips<Store>, blocks_of(rung.links), WALL_THREADS, 0, rung, source);
}

/* A kernel over all blocks; their links add to given[next]. */
template <class Store, class... P, class... A>
static void launch_blocks(list_walls rung, int next, void (*kernel)(list_walls, P...),
                          A... arguments) {
  rung.walls.given = rung.given[next];
  launch(rung, kernel, rung.blocks, HT_LIST_NODES,
         rung.most * (uint32_t)sizeof(typename ht_arithmetic<Store>::real), rung, arguments...);
}

template <class Store> static void launch_step(ht_ladder *ladder) {
  const list_walls &rung = ht_layout<list_walls>(ladder);
  const int last = ladder->current, next = !last;
  const Store *source = static_cast<const Store *>(ladder->d_copy[last]);
  Store *target = static_cast<Store *>(ladder->d_copy[next]);
  if (ht_slip_follows(ladder->steps)) launch_slips(rung, source);
  launch_share(rung, last, next);
  launch_blocks<Store>(rung, next, step_walls<Store>, source, target, ladder->omega);
  ladder->current = next;
}

/* Reading takes the mass that the links add now, not that of the last step: a first launch finds
 * it. */
template <class Store> static void launch_read(ht_ladder *ladder, double *d_fields) {
  const list_walls &rung = ht_layout<list_walls>(ladder);
  const int last = ladder->current, next = !last;
  const Store *source = static_cast<const Store *>(ladder->d_copy[last]);
  launch_share(rung, last, next);
  launch_blocks<Store>(rung, next, read_walls<Store>, source, d_fields);
  launch_share(rung, next, 2);
  launch_blocks<Store>(rung, 2, read_walls<Store>, source, d_fields);
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

static ht_status keep_groups(const ht_ladder_walls *from, ht_ladder *ladder, list_walls *rung) {
  ht_wall_group *groups;
  HT_TRY(ht_alloc((void **)&groups, (size_t)from->tiles, sizeof *groups, "the interpolated walls"));
  for (int64_t i = 0; i < from->tiles; i++) {
    groups[i].sharing = from->tile[i].sharing;
    memcpy(groups[i].beside, from->tile[i].beside, sizeof groups[i].beside);
  }
  ht_status status = ht_ladder_table(ladder, groups, from->tiles, &rung->groups);
  free(groups);
  return status;
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
  HT_TRY(ht_ladder_table<double>(ladder, NULL, tiles, &walls->taken));
  for (int i = 0; i < 3; i++)
    HT_TRY(ht_ladder_to_device(ladder, NULL, tiles * 8, (const void **)&rung->given[i]));
  return keep_groups(from, ladder, rung);
}

/* Over the layout of `list`, whose start and list of values stay as they are. */
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

/* Without links, and for the steps that only move values, this is `list`. */
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
