/* The correction of diagonals (diagonal.h) within a step over the blocks of blocks.h. A node finds
 * its force from w of its neighbours, which the step before has carried on, and carries its own on
 * for the next. Private to solver/cuda/. */
#ifndef HT_BLOCK_DIAGONAL_CUH
#define HT_BLOCK_DIAGONAL_CUH

#include "solver/cuda/blocks/block_thread.cuh"
#include "solver/cuda/blocks/diagonal_places.h"
#include "solver/kernels/nodes.h"

/* Arrays of values are [blocks][3][64], by axis and place, in the precision of the arithmetic;
 * solid nodes and unused slots have 0. */
struct ht_device_diagonal {
  const int32_t *kind; /* of ht_diagonal_places */
  const uint32_t *list;
  const void *carried; /* w of this step */
  void *next;          /* w of the next */
  const void *square;  /* of the velocity's components one step before */
  void *oldest;        /* the same two steps before, then of this step */
  double factor;       /* of diagonal_force() */
};

/* What a node needs beside its values. */
template <class R> struct ht_node_push {
  R force[3], earlier[3]; /* earlier: see carry_earlier() */
};

HT_INLINE float ht_carry_on(float first, float earlier) {
  return carry_on_f32(first, earlier);
}
HT_INLINE double ht_carry_on(double first, double earlier) {
  return carry_on_f64(first, earlier);
}
HT_INLINE float ht_carry_earlier(float second, float third) {
  return carry_earlier_f32(second, third);
}
HT_INLINE double ht_carry_earlier(double second, double third) {
  return carry_earlier_f64(second, third);
}
HT_INLINE float ht_diagonal_force(const float *w, int low, int high, double factor) {
  return diagonal_force_f32(w, low, high, (float)factor);
}
HT_INLINE double ht_diagonal_force(const double *w, int low, int high, double factor) {
  return diagonal_force_f64(w, low, high, factor);
}

/* Place of a node's value along an axis; n: its place in the block. */
HT_INLINE uint32_t ht_value_along(uint32_t block, int axis, int n) {
  return block * (3 * HT_TILE_NODES) + HT_TILE_NODES * axis + (uint32_t)n;
}

/* Places of the ends of a node's lines, in a tile's block: along x, y, and on both sides along z.
 */
struct ht_line_ends {
  uint32_t place[4], marks; /* marks: see diagonal_places.h */
};

HT_INLINE ht_line_ends ht_find_ends(uint32_t block, const ht_lane &at, int near) {
  constexpr int own = HT_TILE_NEIGHBOURS / 2;
  const uint32_t n = (uint32_t)(at.lane + 32 * at.k0), other = n ^ 32;
  const uint32_t along_x = (uint32_t)__shfl_sync(~0u, near, at.x < 2 ? own + 1 : own - 1);
  const uint32_t along_y = (uint32_t)__shfl_sync(~0u, near, at.y < 2 ? own + 3 : own - 3);
  const uint32_t along_z = (uint32_t)__shfl_sync(~0u, near, at.k0 ? own + 9 : own - 9);
  return {{along_x * HT_TILE_NODES + n, along_y * HT_TILE_NODES + n,
           (at.k0 ? block : along_z) * HT_TILE_NODES + other,
           (at.k0 ? along_z : block) * HT_TILE_NODES + other},
          0};
}

HT_INLINE ht_line_ends ht_load_ends(const uint32_t *list) {
  ht_line_ends ends;
#pragma unroll
  for (int k = 0; k < 4; k++) ends.place[k] = __ldcs(list + HT_TILE_NODES * k);
  ends.marks = __ldcs(list + HT_TILE_NODES * HT_FORCE_MARKS);
  return ends;
}

/* Value of a node along an axis; 0 at a solid one. */
template <class R> HT_INLINE R ht_value_at(const R *all, uint32_t place, int axis) {
  return place == HT_NO_PLACE
             ? (R)0
             : all[ht_value_along(place / HT_TILE_NODES, axis, (int)(place % HT_TILE_NODES))];
}

/* w at -2 to 2 along x or y, of whose lines a warp has all four nodes. end: w at -4 or 4. */
template <class R> HT_INLINE void ht_find_line(R own, R end, int lane, int here, int step, R w[5]) {
  const int mask = 3 * step;
  const bool is_low = here < 2;
  const R two = __shfl_xor_sync(~0u, own, 2 * step), two_end = __shfl_xor_sync(~0u, end, 2 * step);
  w[0] = is_low ? two_end : two;
  w[1] = __shfl_sync(~0u, here == 3 ? end : own, (lane & ~mask) | ((lane - step) & mask));
  w[2] = own;
  w[3] = __shfl_sync(~0u, here == 0 ? end : own, (lane & ~mask) | ((lane + step) & mask));
  w[4] = is_low ? two : two_end;
}

/* The same along z, of which a warp has two nodes. low, high: w at -2 and 2. */
template <class R> HT_INLINE void ht_find_column(R own, R low, R high, int z, R w[5]) {
  const R one = __shfl_xor_sync(~0u, own, 16), one_end = __shfl_xor_sync(~0u, z ? low : high, 16);
  w[0] = low;
  w[1] = z ? one : one_end;
  w[2] = own;
  w[3] = z ? one_end : one;
  w[4] = high;
}

template <class R>
HT_INLINE void ht_force_in_tile(const ht_device_diagonal &of, uint32_t block, const ht_lane &at,
                                const ht_line_ends &ends, R force[3]) {
  const R *all = (const R *)of.carried;
  R own[3], end[4], w[3][5];
#pragma unroll
  for (int axis = 0; axis < 3; axis++)
    own[axis] = all[ht_value_along(block, axis, at.lane + 32 * at.k0)];
#pragma unroll
  for (int k = 0; k < 4; k++) end[k] = ht_value_at(all, ends.place[k], k < 2 ? k : 2);
  ht_find_line(own[0], end[0], at.lane, at.x, 1, w[0]);
  ht_find_line(own[1], end[1], at.lane, at.y, 4, w[1]);
  ht_find_column(own[2], end[2], end[3], at.z0, w[2]);
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const R found = ht_diagonal_force(w[axis], (ends.marks & HT_FORCE_SOLID(axis, 0)) != 0,
                                      (ends.marks & HT_FORCE_SOLID(axis, 1)) != 0, of.factor);
    force[axis] = ends.marks & HT_FORCE_OFF ? (R)0 : found;
  }
}

/* list: that of the node. Few blocks are packed, so that short code counts more than speed. */
template <class R>
HT_INLINE void ht_force_in_packed(const ht_device_diagonal &of, uint32_t own, const uint32_t *list,
                                  R force[3]) {
  const R *all = (const R *)of.carried;
#pragma unroll 1
  for (int axis = 0; axis < 3; axis++, list += 4 * HT_TILE_NODES) {
    uint32_t place[5];
    R w[5];
#pragma unroll
    for (int k = 0; k < 5; k++)
      place[k] = k == 2 ? own : __ldcs(list + HT_TILE_NODES * (k < 2 ? k : k - 1));
#pragma unroll
    for (int k = 0; k < 5; k++) w[k] = ht_value_at(all, place[k], axis);
    const R found =
        ht_diagonal_force(w, place[1] == HT_NO_PLACE, place[3] == HT_NO_PLACE, of.factor);
    if (axis == 0) force[0] = found;
    if (axis == 1) force[1] = found;
    if (axis == 2) force[2] = found;
  }
}

/* Finds what the correction needs of the steps before, for a thread with one node. */
template <class R>
HT_INLINE ht_node_push<R> ht_find_push(const ht_device_diagonal &of, uint32_t block,
                                       const ht_lane &at, int near, int block_kind) {
  const int kind = __ldg(of.kind + block), n = at.lane + 32 * at.k0;
  const uint32_t *list = of.list + (int64_t)kind * HT_TILE_NODES + n;
  ht_node_push<R> push = {};
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const uint32_t i = ht_value_along(block, axis, n);
    push.earlier[axis] = ht_carry_earlier(((const R *)of.square)[i], ((const R *)of.oldest)[i]);
  }
  if (kind == HT_FORCE_NONE) return push;
  if (block_kind <= HT_KIND_PACKED) {
    ht_force_in_packed<R>(of, block * HT_TILE_NODES + (uint32_t)n, list, push.force);
    return push;
  }
  const ht_line_ends ends =
      kind == HT_FORCE_BY_ROW ? ht_find_ends(block, at, near) : ht_load_ends(list);
  ht_force_in_tile<R>(of, block, at, ends, push.force);
  return push;
}

/* Keeps the squares of this step, and carries them on for the next. */
template <class R>
HT_INLINE void ht_keep_squares(const ht_device_diagonal &of, uint32_t block, const ht_lane &at,
                               const R square[3], const R earlier[3]) {
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const uint32_t i = ht_value_along(block, axis, at.lane + 32 * at.k0);
    ((R *)of.oldest)[i] = square[axis];
    ((R *)of.next)[i] = ht_carry_on(square[axis], earlier[axis]);
  }
}

#endif
