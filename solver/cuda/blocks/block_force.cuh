/* A body force on the nodes of the blocks, and the sum of their momentum. */
#ifndef HT_BLOCK_FORCE_CUH
#define HT_BLOCK_FORCE_CUH

#include "solver/cuda/blocks/block_kernels.cuh"
#include "solver/cuda/blocks/block_watch.cuh"

HT_INLINE void ht_accelerate(float *g, int model, const double *a) {
  const float single[3] = {(float)a[0], (float)a[1], (float)a[2]};
  accelerate_f32(g, model, single);
}
HT_INLINE void ht_accelerate(double *g, int model, const double *a) {
  accelerate_f64(g, model, a);
}

/* Place of direction q of node n in a block. */
template <class S> HT_INLINE int ht_place_in(int packed, int n, int q, int cx, int cz) {
  return 64 * q + (packed ? n : ht_slot(ht_stored<S>::PAIRED, cx, cz, n & 3, (n >> 2) & 3, n >> 4));
}

/* Accelerates the nodes after a step, in place: one thread per node. `fluid`: [blocks] one bit per
 * fluid node; the zeros of the others stay. `acceleration` lies in memory, not among the arguments,
 * so that a graph of steps needs no change when it does. */
template <class S, int model>
__global__ void ht_accelerate_nodes(S *values, ht_device_blocks all, const uint64_t *fluid,
                                    const double *acceleration) {
  typedef typename ht_stored<S>::real R;
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, block = i >> 6;
  const int n = (int)(i & 63);
  bool on = block < all.blocks && ((fluid[block] >> n) & 1);
  int packed = on && all.row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED;
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (!on) return;
  const double a[3] = {acceleration[0], acceleration[1], acceleration[2]};
  S *own = values + block * HT_TILE_VALUES(Q);
  R g[Q];
#define LOAD(q, cx, cy, cz) g[q] = ht_load(own + ht_place_in<S>(packed, n, q, cx, cz));
  HT_ALL_DIRECTIONS(LOAD)
#undef LOAD
  ht_accelerate(g, model, a);
#define STORE(q, cx, cy, cz) ht_store(own + ht_place_in<S>(packed, n, q, cx, cz), g[q]);
  HT_ALL_DIRECTIONS(STORE)
#undef STORE
}

/* Each block of threads writes its own sums of c g, [3] of 4. Solid nodes and unused slots have no
 * velocity. In whatever order the slots of a direction are, their sum is the same nodes'. */
template <class S, int Q>
__global__ void ht_sum_momentum(const S *values, ht_device_blocks all, double *sums) {
  double momentum[3] = {0, 0, 0};
  int64_t slots = (int64_t)all.blocks * HT_TILE_NODES;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < slots;
       i += (int64_t)gridDim.x * blockDim.x) {
    const S *own = values + (i >> 6) * HT_TILE_VALUES(Q) + (i & 63);
#define ADD(q, cx, cy, cz)                                                                         \
  {                                                                                                \
    double g = ht_load(own + 64 * q);                                                              \
    momentum[0] += cx * g, momentum[1] += cy * g, momentum[2] += cz * g;                           \
  }
    HT_ALL_DIRECTIONS(ADD)
#undef ADD
  }
  auto add = [](double a, double b) { return a + b; };
  for (int k = 0; k < 3; k++) {
    double sum = ht_reduce(momentum[k], add);
    if (threadIdx.x == 0) sums[4 * blockIdx.x + k] = sum;
  }
}

#endif
