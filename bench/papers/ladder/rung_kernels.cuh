/* The kernels, the same for every rung: one thread per node pulls the 19 values that arrive,
 * collides and writes. A rung is a plain struct that defines the place of each value:
 *
 *   struct shared        the neighbours' data that the threads of a block share
 *   struct node          a thread's data about its node
 *   SHARES, BLOCK        whether `share` does anything; the largest block
 *   grid(), block()      of the launch
 *   share(near, at)      fills its part of `shared`, before a barrier
 *   find(near, at, own)  the thread's node; false: it has none that is fluid
 *   arriving(own, q, cx, cy, cz)  place of the value that arrives along q (walls included)
 *   leaving(own, q, cx, cy, cz)   place where the value that leaves along q is put
 *   place(own)           number of the node in the rung's order, for reading back
 *   voxel(own, position, at)      its voxel; position [3] of each tile's first or each packed node
 *
 * q, cx, cy, cz are constants once inlined. A place is an index of 64 bits into one copy. */
#ifndef HT_RUNG_KERNELS_CUH
#define HT_RUNG_KERNELS_CUH

#include "solver/kernels/half.h"
#include "bench/papers/ladder/ladder_state.cuh"
#include "solver/kernels/nodes.h"
#include "solver/kernels/start_noise.h"
#include <cstring>

#ifdef __CUDACC__
#define HT_METHOD __device__ __forceinline__
#else
#define HT_METHOD inline
#endif

/* Number of a thread. */
struct ht_thread {
  unsigned x, y, z; /* of its block */
  unsigned thread;  /* in the block */
};

/* ---- nodes of tiles ---- */

HT_METHOD int ht_local(int x, int y, int z) {
  return x + 4 * y + 16 * z;
}

/* Slot of the neighbour that a node is in whose coordinates may be -1 or 4. */
HT_METHOD int ht_slot(int x, int y, int z) {
  return (1 + (x >> 2)) + 3 * (1 + (y >> 2)) + 9 * (1 + (z >> 2));
}

/* Fluid nodes of a tile that come before one of its nodes. */
HT_METHOD int ht_below(uint64_t inside, int local) {
  uint64_t before = inside & ((UINT64_C(1) << local) - 1);
#ifdef __CUDACC__
  return __popcll(before);
#else
  return __builtin_popcountll(before);
#endif
}

/* All 16 bytes in one load. */
HT_METHOD ht_tile_fluid ht_load_fluid(const ht_tile_fluid *from) {
#ifdef __CUDACC__
  ulonglong2 raw = *reinterpret_cast<const ulonglong2 *>(from);
  return {raw.x, (uint32_t)raw.y, (uint32_t)(raw.y >> 32)};
#else
  return *from;
#endif
}

/* ---- precisions ---- */

HT_METHOD void ht_collide(float *g, float omega) {
  lbgk_f32(g, HT_INCOMPRESSIBLE, omega);
}
HT_METHOD void ht_collide(double *g, double omega) {
  lbgk_f64(g, HT_INCOMPRESSIBLE, omega);
}

/* value = stored, stored = value. */
template <class T> HT_METHOD void ht_convert(T &to, const T &from) {
  to = from;
}
HT_METHOD void ht_convert(double &to, const float &from) {
  to = from;
}
HT_METHOD void ht_convert(float &to, const double &from) {
  to = (float)from;
}
HT_METHOD void ht_convert(float &to, const ht_half &from) {
  to = ht_half_load(from);
}
HT_METHOD void ht_convert(double &to, const ht_half &from) {
  to = ht_half_load(from);
}
HT_METHOD void ht_convert(ht_half &to, const float &from) {
  to = ht_half_store(from);
}
HT_METHOD void ht_convert(ht_half &to, const double &from) {
  to = ht_half_store((float)from);
}

/* The type of a step's arithmetic. Steps that only move values move them as stored. */
template <class Store> struct ht_arithmetic { typedef Store real; };
template <> struct ht_arithmetic<ht_half> { typedef float real; };
template <int Kind, class Store> struct ht_carried { typedef Store value; };
template <class Store> struct ht_carried<HT_STEP_FLOW, Store> {
  typedef typename ht_arithmetic<Store>::real value;
};

/* ---- kernels ---- */

template <class Rung> HT_METHOD bool ht_find_node(const Rung &rung, typename Rung::node &own) {
  __shared__ typename Rung::shared near;
  ht_thread at = {blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x};
  if (Rung::SHARES) {
    rung.share(near, at);
    __syncthreads();
  }
  return rung.find(near, at, own);
}

/* The 19 values of a node: those that arrive there, or those that left it. */
template <bool Arriving, class Rung, class Store, class Value>
HT_METHOD void ht_gather(const Rung &rung, const typename Rung::node &own,
                         const Store *__restrict__ source, Value *g) {
#define HT_TAKE(q, cx, cy, cz)                                                                     \
  ht_convert(g[q], source[Arriving && q ? rung.arriving(own, q, cx, cy, cz)                        \
                                        : rung.leaving(own, q, cx, cy, cz)]);
  HT_TAKE(0, 0, 0, 0)
  HT_D3Q19_MOVING(HT_TAKE)
#undef HT_TAKE
}

template <class Rung, class Store, class Value>
HT_METHOD void ht_scatter(const Rung &rung, const typename Rung::node &own,
                          Store *__restrict__ target, const Value *g) {
#define HT_PUT(q, cx, cy, cz) ht_convert(target[rung.leaving(own, q, cx, cy, cz)], g[q]);
  HT_PUT(0, 0, 0, 0)
  HT_D3Q19_MOVING(HT_PUT)
#undef HT_PUT
}

HT_METHOD void ht_relax(float *g, double omega) {
  ht_collide(g, (float)omega);
}
HT_METHOD void ht_relax(double *g, double omega) {
  ht_collide(g, omega);
}
HT_METHOD void ht_relax(ht_half *, double) {}

template <int Kind, class Rung, class Store>
__global__ void __launch_bounds__(Rung::BLOCK)
    ht_step_kernel(const Rung rung, const Store *__restrict__ source, Store *__restrict__ target,
                   typename ht_arithmetic<Store>::real omega) {
  typename Rung::node own;
  if (!ht_find_node(rung, own)) return;
  typename ht_carried<Kind, Store>::value g[HT_Q19];
  ht_gather<Kind != HT_STEP_READ_WRITE>(rung, own, source, g);
  if (Kind == HT_STEP_FLOW) ht_relax(g, omega);
  ht_scatter(rung, own, target, g);
}

template <class Rung, class Store>
__global__ void ht_start_kernel(const Rung rung, Store *target, double noise,
                                const int32_t *position) {
  typename Rung::node own;
  if (!ht_find_node(rung, own)) return;
  int at[3];
  rung.voxel(own, position, at);
  double g[HT_Q19];
  for (int q = 0; q < HT_Q19; q++)
    g[q] = ht_start_value(noise, (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2], q, HT_Q19);
  ht_scatter(rung, own, target, g);
}

/* Density and velocity of the values that arrive, in double: [places][4]. */
template <class Rung, class Store>
__global__ void ht_read_kernel(const Rung rung, const Store *source, double *fields) {
  typename Rung::node own;
  if (!ht_find_node(rung, own)) return;
  double g[HT_Q19];
  ht_gather<true>(rung, own, source, g);
  double *out = fields + 4 * rung.place(own);
  moments_f64(g, HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), &out[0], &out[1], &out[2], &out[3]);
}

/* The values that left each node: [places][19]. */
template <class Rung, class Store>
__global__ void ht_list_kernel(const Rung rung, const Store *source, double *values) {
  typename Rung::node own;
  if (!ht_find_node(rung, own)) return;
  ht_gather<false>(rung, own, source, values + HT_Q19 * rung.place(own));
}

/* ---- launchers ---- */

template <class Rung> static const Rung &ht_layout(const ht_ladder *ladder) {
  return *reinterpret_cast<const Rung *>(ladder->layout);
}

template <int Kind, class Rung, class Store> static void ht_launch_step(ht_ladder *ladder) {
  typedef typename ht_arithmetic<Store>::real real;
  const Rung &rung = ht_layout<Rung>(ladder);
  const Store *source = static_cast<const Store *>(ladder->d_copy[ladder->current]);
  Store *target = static_cast<Store *>(ladder->d_copy[!ladder->current]);
  auto kernel = ht_step_kernel<Kind, Rung, Store>;
  kernel<<<rung.grid(), rung.block()>>>(rung, source, target, (real)ladder->omega);
  ladder->current = !ladder->current;
}

template <class Rung, class Store>
static void ht_launch_start(ht_ladder *ladder, double noise, const int32_t *d_position) {
  const Rung &rung = ht_layout<Rung>(ladder);
  Store *target = static_cast<Store *>(ladder->d_copy[ladder->current]);
  auto kernel = ht_start_kernel<Rung, Store>;
  kernel<<<rung.grid(), rung.block()>>>(rung, target, noise, d_position);
}

template <class Rung, class Store> static void ht_launch_read(ht_ladder *ladder, double *d_fields) {
  const Rung &rung = ht_layout<Rung>(ladder);
  const Store *source = static_cast<const Store *>(ladder->d_copy[ladder->current]);
  auto kernel = ht_read_kernel<Rung, Store>;
  kernel<<<rung.grid(), rung.block()>>>(rung, source, d_fields);
}

template <class Rung, class Store> static void ht_launch_list(ht_ladder *ladder, double *d_values) {
  const Rung &rung = ht_layout<Rung>(ladder);
  const Store *source = static_cast<const Store *>(ladder->d_copy[ladder->current]);
  auto kernel = ht_list_kernel<Rung, Store>;
  kernel<<<rung.grid(), rung.block()>>>(rung, source, d_values);
}

template <int Kind, class Rung, class Store> static void ht_use_kind(ht_ladder *ladder) {
  ladder->step = ht_launch_step<Kind, Rung, Store>;
  ladder->kernel = reinterpret_cast<const void *>(&ht_step_kernel<Kind, Rung, Store>);
}

template <class Rung, class Store> static void ht_use_precision(ht_ladder *ladder) {
  ladder->start = ht_launch_start<Rung, Store>;
  ladder->read = ht_launch_read<Rung, Store>;
  ladder->list = ht_launch_list<Rung, Store>;
  if (ladder->kind == HT_STEP_READ_WRITE)
    ht_use_kind<HT_STEP_READ_WRITE, Rung, Store>(ladder);
  else if (ladder->kind == HT_STEP_PROPAGATE)
    ht_use_kind<HT_STEP_PROPAGATE, Rung, Store>(ladder);
  else
    ht_use_kind<HT_STEP_FLOW, Rung, Store>(ladder);
}

/* The last act of a family's build. */
template <class Rung> static void ht_use_rung(ht_ladder *ladder, const Rung &rung) {
  static_assert(sizeof(Rung) <= HT_LADDER_LAYOUT_BYTES, "a rung's struct does not fit");
  memcpy(ladder->layout, &rung, sizeof rung);
  ladder->threads = (int)rung.block().x;
  if (ladder->precision == HT_FP64)
    ht_use_precision<Rung, double>(ladder);
  else if (ladder->precision == HT_FP16)
    ht_use_precision<Rung, ht_half>(ladder);
  else
    ht_use_precision<Rung, float>(ladder);
}

#endif
