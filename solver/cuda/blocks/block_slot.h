/* The place of a tile block's node among the 64 slots of a direction. Host and device. */
#ifndef HT_BLOCK_SLOT_H
#define HT_BLOCK_SLOT_H

#include "solver/kernels/directions.h"

#ifdef __CUDACC__
#define HT_BOTH static __host__ __device__ __forceinline__
#else
#define HT_BOTH static inline
#endif

/* Plain: x + 4 y + 16 z. Paired, for 16-bit values, where a thread has the nodes z and z + 2: these
 * lie side by side where the direction does not move along z, so that one access takes both; and
 * the fastest of the other axes is an axis along which it does not move either, so that pulls from
 * a neighbour fill whole sectors of memory (the idea of Tomczak & Szafran (2019), eq. 11 to 13, for
 * every direction). */
HT_BOTH int ht_slot(int paired, int cx, int cz, int x, int y, int z) {
  if (!paired) return x + 4 * y + 16 * z;
  int plane = cx == 0 ? x + 4 * y : y + 4 * x;
  return cz == 0 ? (z >> 1) + 2 * (z & 1) + 4 * plane : plane + 16 * z;
}

#endif
