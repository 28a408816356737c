/* The velocity sets D3Q19 (Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479) and D3Q27,
 * shared by the CPU and the CUDA backend. The directions of D3Q19 are the first of D3Q27, so the
 * number of directions is all that tables and layouts need: 19 or 27 (HT_MODEL_DIRECTIONS).
 * Directions come in opposite pairs: opposite(1) = 2, opposite(2) = 1, ...
 *
 *   directions               weight in D3Q19    in D3Q27
 *   0       at rest          1/3                8/27
 *   1..6    along the axes   1/18               2/27
 *   7..18   face diagonals   1/36               1/54
 *   19..26  corners          -                  1/216
 */
#ifndef HT_DIRECTIONS_H
#define HT_DIRECTIONS_H

#include "tiling/tiles.h"

enum { HT_Q19 = 19, HT_Q27 = 27, HT_Q_MOST = HT_Q27 };

/* One bit per moving direction, 1 to directions - 1. */
#define HT_MOVING(directions) ((1u << (directions)) - 2)

/* Values of a tile. */
#define HT_TILE_VALUES(directions) ((directions)*HT_TILE_NODES)

/* X(q, cx, cy, cz) for every moving direction of D3Q19; expands to code with constants in it. */
#define HT_D3Q19_MOVING(X)                                                                         \
  X(1, 1, 0, 0)                                                                                    \
  X(2, -1, 0, 0)                                                                                   \
  X(3, 0, 1, 0)                                                                                    \
  X(4, 0, -1, 0)                                                                                   \
  X(5, 0, 0, 1)                                                                                    \
  X(6, 0, 0, -1)                                                                                   \
  X(7, 1, 1, 0)                                                                                    \
  X(8, -1, -1, 0)                                                                                  \
  X(9, 1, -1, 0)                                                                                   \
  X(10, -1, 1, 0)                                                                                  \
  X(11, 1, 0, 1)                                                                                   \
  X(12, -1, 0, -1)                                                                                 \
  X(13, 1, 0, -1)                                                                                  \
  X(14, -1, 0, 1)                                                                                  \
  X(15, 0, 1, 1)                                                                                   \
  X(16, 0, -1, -1)                                                                                 \
  X(17, 0, 1, -1)                                                                                  \
  X(18, 0, -1, 1)

/* The corners, which only D3Q27 has. */
#define HT_D3Q27_CORNERS(X)                                                                        \
  X(19, 1, 1, 1)                                                                                   \
  X(20, -1, -1, -1)                                                                                \
  X(21, 1, 1, -1)                                                                                  \
  X(22, -1, -1, 1)                                                                                 \
  X(23, 1, -1, 1)                                                                                  \
  X(24, -1, 1, -1)                                                                                 \
  X(25, 1, -1, -1)                                                                                 \
  X(26, -1, 1, 1)

#ifdef __CUDACC__
#define HT_INLINE static __device__ __forceinline__
#define HT_TABLE  static __constant__ const
#else
#define HT_INLINE static inline
#define HT_TABLE  static const
#endif

#define HT_ROW(q, x, y, z) {x, y, z},
HT_TABLE signed char ht_c[HT_Q_MOST][3] = {{0, 0, 0},
                                           HT_D3Q19_MOVING(HT_ROW) HT_D3Q27_CORNERS(HT_ROW)};
#undef HT_ROW

/* The weight of direction q. */
HT_INLINE double ht_weight(int q, int directions) {
  if (directions == HT_Q19) return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
  return q == 0 ? 8.0 / 27 : q < 7 ? 2.0 / 27 : q < 19 ? 1.0 / 54 : 1.0 / 216;
}

/* The opposite direction. */
HT_INLINE int ht_opposite(int q) {
  return q == 0 ? 0 : ((q - 1) ^ 1) + 1;
}

/* Tells whether direction q comes into the domain across a plane: `inward` has the inward sign of
 * the plane across each axis, 0 where there is none. */
HT_INLINE int ht_comes_in(const signed char inward[3], int q) {
  return ht_c[q][0] * inward[0] > 0 || ht_c[q][1] * inward[1] > 0 || ht_c[q][2] * inward[2] > 0;
}

/* Finds the neighbour of node `local` of a tile, by steps of -1, 0 or 1: the number of its tile
 * (0..26, 13 is the same tile) and the local node there. */
HT_INLINE void ht_node_beside(int local, int dx, int dy, int dz, int *neighbour, int *beside) {
  int x = (local & 3) + dx, y = ((local >> 2) & 3) + dy, z = (local >> 4) + dz;
  *neighbour = (x < 0   ? 0
                : x > 3 ? 2
                        : 1) +
               3 * (y < 0   ? 0
                    : y > 3 ? 2
                            : 1) +
               9 * (z < 0   ? 0
                    : z > 3 ? 2
                            : 1);
  *beside = (x & 3) + 4 * (y & 3) + 16 * (z & 3);
}

/* Finds the node from which node `local` of a tile pulls direction q. */
HT_INLINE void ht_pull_source(int local, int q, int *neighbour, int *source) {
  ht_node_beside(local, -ht_c[q][0], -ht_c[q][1], -ht_c[q][2], neighbour, source);
}

#endif
