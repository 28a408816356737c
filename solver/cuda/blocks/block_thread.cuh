/* Common parts of the kernels of the blocks: how a value is stored, a lane and its nodes, sums over
 * a warp, the launch before. Private to solver/cuda/. */
#ifndef HT_BLOCK_THREAD_CUH
#define HT_BLOCK_THREAD_CUH

#include "solver/cuda/blocks/block_slot.h"
#include "solver/cuda/blocks/blocks.h"
#include "solver/cuda/blocks/cuda_stored.cuh"
#include <cuda_runtime.h>

/* Threads of a group (CUDA's block), and groups of it that one multiprocessor has room for. */
enum { HT_STEP_THREADS = 128 };
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
enum { HT_MOST_GROUPS = 1024 / HT_STEP_THREADS };
#else
enum { HT_MOST_GROUPS = 1536 / HT_STEP_THREADS };
#endif

/* ---- how a value is stored ---- */

/* Work of a step at walls: half-way; interpolated; the slip follows, too (block_walls.cuh). */
enum ht_wall_work { HT_WALLS_HALF_WAY, HT_WALLS_BETWEEN, HT_WALLS_FOLLOW };

/* PAIRED: see ht_slot(); NODES: of a thread, with half-way walls. */
template <class S> struct ht_stored;
template <> struct ht_stored<double> {
  typedef double real;
  enum { PAIRED = 0, NODES = 1 };
};
template <> struct ht_stored<float> {
  typedef float real;
  enum { PAIRED = 0, NODES = 1 };
};
template <> struct ht_stored<ht_half> {
  typedef float real;
  enum { PAIRED = 1, NODES = 2 };
};

/* The least number of groups on a multiprocessor, which limits their registers (measured), by
 * ht_wall_work. pushed: with the correction of diagonals. */
template <class S> HT_INLINE constexpr int ht_groups(int directions, int work, bool pushed) {
  constexpr int by_bytes[3][2][3] = {
      {{8, 8, 7}, {5, 5, 5}}, {{9, 8, 8}, {7, 7, 7}}, {{6, 5, 5}, {5, 4, 4}}};
  constexpr int size = sizeof(S) == 2 ? 0 : sizeof(S) == 4 ? 1 : 2;
  const int groups = pushed && size == 2 ? 4 : by_bytes[size][directions == HT_Q27][work];
  return groups < HT_MOST_GROUPS ? groups : HT_MOST_GROUPS;
}

/* Nodes of a thread. With interpolated walls one: registers do not hold two nodes and the walls. */
template <class S> HT_INLINE constexpr int ht_nodes(int work) {
  return work ? 1 : (int)ht_stored<S>::NODES;
}

HT_INLINE void ht_load_pair(const ht_half *p, float *a, float *b) {
  uint32_t both = *(const uint32_t *)p;
  *a = ht_half_load((ht_half)(both & 0xffff)), *b = ht_half_load((ht_half)(both >> 16));
}
HT_INLINE void ht_store_pair(ht_half *p, float a, float b) {
  *(uint32_t *)p = ht_half_store(a) | (uint32_t)ht_half_store(b) << 16;
}

/* ---- threads ---- */

/* Calls X for every direction, in a template with the number of directions, Q. */
#define HT_ALL_DIRECTIONS(X)                                                                       \
  X(0, 0, 0, 0) HT_D3Q19_MOVING(X) if constexpr (Q == HT_Q27) {                                    \
    HT_D3Q27_CORNERS(X)                                                                            \
  }

HT_INLINE void ht_let_next_begin(void) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

HT_INLINE void ht_wait_for_launch_before(void) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/* Lane of a warp and its nodes: x, y and the lower bit of z from the lane; the upper bit is k. */
struct ht_lane {
  int lane, x, y, z0, k0;
};

HT_INLINE ht_lane ht_lane_make(int nodes) {
  int lane = threadIdx.x & 31;
  return {lane, lane & 3, (lane >> 2) & 3, lane >> 4, nodes == 2 ? 0 : (int)(threadIdx.x >> 5) & 1};
}

/* Sums over the 32 lanes. */
HT_INLINE double ht_warp_total(double value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
  return value;
}

#endif
