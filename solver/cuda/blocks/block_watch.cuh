/* The change of the flow, over the blocks of blocks.h. */
#ifndef HT_BLOCK_WATCH_CUH
#define HT_BLOCK_WATCH_CUH

#include "solver/cuda/blocks/block_kernels.cuh"

/* Adds up over a block; the first thread has the sum. */
template <class T, class Op> __device__ T ht_reduce(T value, Op combine) {
  __shared__ T part[32];
  for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_down_sync(~0u, value, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0);
    for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_down_sync(~0u, value, d));
  }
  return value;
}

/* Node n of a block, in double. */
template <class S, int Q>
__device__ void ht_read_node(const S *block, int packed, int n, double g[Q]) {
#define READ(q, cx, cy, cz)                                                                        \
  g[q] =                                                                                           \
      ht_load(block + 64 * q +                                                                     \
              (packed ? n : ht_slot(ht_stored<S>::PAIRED, cx, cz, n & 3, (n >> 2) & 3, n >> 4)));
  HT_ALL_DIRECTIONS(READ)
#undef READ
}

/* Each block of threads writes its own sums: difference, square (of the sample), largest square,
 * number that are not finite (of all). Of the sample: every `watched`-th block. Solid nodes and
 * unused slots have no velocity. The velocity before the next propagation is that after it: a
 * collision keeps momentum. */
template <class S, int model>
__global__ void ht_watch_nodes(const S *values, ht_device_blocks all, int watched, float *last,
                               double *sums) {
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  double difference = 0, square = 0, most = 0, broken = 0;
  int64_t nodes = (int64_t)all.blocks * HT_TILE_NODES;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < nodes;
       i += (int64_t)gridDim.x * blockDim.x) {
    int64_t block = i >> 6;
    double g[Q], rho, u[3], size = 0;
    ht_read_node<S, Q>(values + block * HT_TILE_VALUES(Q),
                       all.row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED,
                       (int)(i & 63), g);
    velocity_f64(g, model, &rho, u);
    for (int a = 0; a < 3; a++) size += u[a] * u[a];
    most = fmax(most, size);
    broken += !(isfinite(size) && isfinite(rho));
    if (block % watched) continue;
    float *before = last + 3 * (block / watched * HT_TILE_NODES + (i & 63));
    for (int a = 0; a < 3; a++) {
      difference += (u[a] - before[a]) * (u[a] - before[a]);
      before[a] = (float)u[a];
    }
    square += size;
  }
  auto add = [](double a, double b) { return a + b; };
  auto larger = [](double a, double b) { return fmax(a, b); };
  difference = ht_reduce(difference, add);
  square = ht_reduce(square, add);
  most = ht_reduce(most, larger);
  broken = ht_reduce(broken, add);
  if (threadIdx.x) return;
  double *out = sums + 4 * blockIdx.x;
  out[0] = difference, out[1] = square, out[2] = most, out[3] = broken;
}

/* Finds the change of each of the first blocks of a rank's part, which has both copies: a group of
 * 64 threads per block, change[blocks][3]: difference, square, largest square, NaN where one is not
 * finite. */
template <class S, int model>
__global__ void ht_watch_blocks(const S *values, ht_device_blocks all, float *last,
                                double *change) {
  constexpr int Q = HT_MODEL_DIRECTIONS(model);
  const int64_t block = blockIdx.x;
  const int n = (int)threadIdx.x;
  double g[Q], rho, u[3], difference = 0, size = 0;
  ht_read_node<S, Q>(values + block * HT_TILE_VALUES(Q),
                     all.row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED, n, g);
  velocity_f64(g, model, &rho, u);
  float *before = last + 3 * (block * HT_TILE_NODES + n);
  for (int a = 0; a < 3; a++) {
    size += u[a] * u[a];
    difference += (u[a] - before[a]) * (u[a] - before[a]);
    before[a] = (float)u[a];
  }
  double broken = !(isfinite(size) && isfinite(rho));
  auto add = [](double a, double b) { return a + b; };
  auto larger = [](double a, double b) { return fmax(a, b); };
  difference = ht_reduce(difference, add);
  broken = ht_reduce(broken, add);
  const double most = ht_reduce(size, larger), square = ht_reduce(size, add);
  if (threadIdx.x) return;
  double *out = change + 3 * block;
  out[0] = difference, out[1] = square, out[2] = broken > 0 ? (double)NAN : most;
}

#endif
