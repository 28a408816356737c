/* The shares of the walls' mass as a launch of its own, where a state is read. Apart from
 * block_walls.cuh, so that only files that launch it compile it. */
#ifndef HT_BLOCK_SHARE_CUH
#define HT_BLOCK_SHARE_CUH

#include "solver/cuda/blocks/block_walls.cuh"

static __global__ void ht_share_mass(ht_share_tables share) {
  ht_share_by_group(share, blockIdx.x);
}

#endif
