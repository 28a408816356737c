/* The sweep for the correction of diagonals (diagonal.h) over the blocks of blocks.h: the force of
 * the next step, from the squares of the velocity's components that the last three steps kept.
 * Squares and forces are [blocks][3][64], by place; solid nodes and unused slots have 0. */
#ifndef HT_BLOCK_DIAGONAL_CUH
#define HT_BLOCK_DIAGONAL_CUH

#include "solver/cuda/blocks/block_kernels.cuh"
#include "solver/cuda/blocks/diagonal_places.h"

template <class R> struct ht_squares {
  const R *last[HT_DIAGONAL_STEPS]; /* the latest step first */
};

HT_INLINE float ht_carry_on(const ht_squares<float> &squares, uint32_t i) {
  return carry_on_f32(squares.last[0][i], squares.last[1][i], squares.last[2][i]);
}
HT_INLINE double ht_carry_on(const ht_squares<double> &squares, uint32_t i) {
  return carry_on_f64(squares.last[0][i], squares.last[1][i], squares.last[2][i]);
}
HT_INLINE float ht_diagonal_force(const float *w, int low, int high, double omega) {
  return diagonal_force_f32(w, low, high, diagonal_factor_f32((float)omega));
}
HT_INLINE double ht_diagonal_force(const double *w, int low, int high, double omega) {
  return diagonal_force_f64(w, low, high, diagonal_factor_f64(omega));
}

/* Value `axis` of a place. */
HT_INLINE uint32_t ht_square_at(uint32_t place, int axis) {
  return place / HT_TILE_NODES * (3 * HT_TILE_NODES) + HT_TILE_NODES * axis + place % HT_TILE_NODES;
}

/* The place `distance` nodes along an axis from node n of a plain block. */
HT_INLINE uint32_t ht_place_along(const int32_t *row, int n, int axis, int distance) {
  const int stride = axis == 0 ? 1 : axis == 1 ? 3 : 9, mask = 3 << (2 * axis);
  const int at = ((n >> (2 * axis)) & 3) + distance, beside = at < 0 ? -1 : at >> 2;
  return (uint32_t)(__ldg(row + HT_TILE_NEIGHBOURS / 2 + stride * beside) * HT_TILE_NODES +
                    ((n & ~mask) | ((at & 3) << (2 * axis))));
}

enum { HT_FORCE_THREADS = 128, HT_FORCE_BLOCKS = HT_FORCE_THREADS / HT_TILE_NODES };

/* A plain block's values along each axis: lines from two nodes before it to two after it. */
template <class R> struct ht_force_lines { R w[3][8][16]; };

/* Number of the line along an axis that node n of a block is on, and its place there. */
HT_INLINE int ht_line_of(int n, int axis) {
  return axis == 0 ? n >> 2 : axis == 1 ? (n & 3) | n >> 4 << 2 : n & 15;
}
HT_INLINE int ht_place_on_line(int n, int axis) {
  return 2 + (n >> (2 * axis) & 3);
}

/* Finds the forces before a step: one thread per node. The threads of a plain block carry on the
 * value of their own node and of one two nodes away along each axis, for all that need them. The
 * forces of blocks without a corrected node stay 0. */
template <class R>
__global__ void __launch_bounds__(HT_FORCE_THREADS)
    ht_find_forces(ht_squares<R> squares, R *force, ht_device_blocks all, const int32_t *kinds,
                   const uint32_t *lists, double omega) {
  __shared__ ht_force_lines<R> room[HT_FORCE_BLOCKS];
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, block = i / HT_TILE_NODES;
  const int n = (int)(i % HT_TILE_NODES);
  const int kind = block < all.blocks ? __ldg(kinds + block) : (int)HT_FORCE_NONE;
  const int32_t *row = all.row + (int64_t)block * HT_BLOCK_ROW;
  const uint32_t *list = lists + (int64_t)kind * (HT_FORCE_NEIGHBOURS * HT_TILE_NODES) + n;
  ht_force_lines<R> &lines = room[threadIdx.x / HT_TILE_NODES];
  ht_let_next_begin();
  ht_wait_for_launch_before();
  if (kind == HT_FORCE_BY_ROW) {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      const int line = ht_line_of(n, axis), at = ht_place_on_line(n, axis), away = at < 4 ? -2 : 2;
      const uint32_t there = ht_place_along(row, n, axis, away);
      lines.w[axis][at][line] = ht_carry_on(squares, ht_square_at(i, axis));
      lines.w[axis][at + away][line] = ht_carry_on(squares, ht_square_at(there, axis));
    }
  }
  __syncthreads();
  if (kind == HT_FORCE_NONE) return;
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    R w[5];
    bool solid[5];
#pragma unroll
    for (int k = 0; k < 5; k++) {
      solid[k] = false;
      if (kind == HT_FORCE_BY_ROW) {
        w[k] = lines.w[axis][ht_place_on_line(n, axis) + k - 2][ht_line_of(n, axis)];
        continue;
      }
      uint32_t place = i;
      if (k != 2) place = __ldcs(list + HT_TILE_NODES * (4 * axis + (k < 2 ? k : k - 1)));
      solid[k] = place == HT_NO_PLACE;
      w[k] = solid[k] ? (R)0 : ht_carry_on(squares, ht_square_at(place, axis));
    }
    force[ht_square_at(i, axis)] = ht_diagonal_force(w, solid[1], solid[3], omega);
  }
}

#endif
