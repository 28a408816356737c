/* The D2Q9 velocity set (Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479), for plane
 * flows, shared by the CPU and the CUDA backend. As in directions.h directions come in opposite
 * pairs, and ht_opposite() serves both. Weights: 4/9 at rest, 1/9 along the axes (1..4), 1/36 along
 * the diagonals (5..8). */
#ifndef HT_D2Q9_H
#define HT_D2Q9_H

#include "solver/kernels/directions.h"

enum { HT_D2Q9_Q = 9 };

/* X(q, cx, cy) for every moving direction; expands to code with constants in it. */
#define HT_D2Q9_MOVING(X)                                                                          \
  X(1, 1, 0)                                                                                       \
  X(2, -1, 0)                                                                                      \
  X(3, 0, 1)                                                                                       \
  X(4, 0, -1)                                                                                      \
  X(5, 1, 1)                                                                                       \
  X(6, -1, -1)                                                                                     \
  X(7, 1, -1)                                                                                      \
  X(8, -1, 1)

#define HT_D2Q9_ROW(q, x, y) {x, y},
HT_TABLE signed char ht_d2q9_c[HT_D2Q9_Q][2] = {{0, 0}, HT_D2Q9_MOVING(HT_D2Q9_ROW)};
#undef HT_D2Q9_ROW

#endif
