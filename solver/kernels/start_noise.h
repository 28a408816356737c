/* A number for each place that looks random (also for the noise of inlets), and the initial state
 * of the tests and the benchmark: every value of a fluid node deviates slightly from rest, by a
 * number that depends only on its voxel and direction, so that it is the same for every tiling,
 * layout and device. Plain C that CUDA also takes. */
#ifndef HT_START_NOISE_H
#define HT_START_NOISE_H

#include "solver/kernels/directions.h"

/* A number in [-1, 1) that depends only on its place (splitmix64: Steele, Lea & Flood, Proc. OOPSLA
 * 2014, p. 453). */
HT_INLINE double ht_noise_at(uint64_t place) {
  uint64_t x = place * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Value of direction q, one of `directions`, at voxel (x, y, z): `amplitude` of the direction's
 * weight. */
HT_INLINE double ht_start_value(double amplitude, uint64_t x, uint64_t y, uint64_t z, int q,
                                int directions) {
  return amplitude * ht_weight(q, directions) *
         ht_noise_at(x + (y << 20) + (z << 40) + ((uint64_t)q << 59));
}

#endif
