/* Small random masks and the same numbers everywhere, for the tests of tiling/. */
#ifndef HT_RANDOM_MASK_H
#define HT_RANDOM_MASK_H

#include "core/vessel/volume.h"

/* xorshift64, from one seed a program. */
uint64_t ht_random_next(void);

/* Returns a random number from 0 to below - 1. */
int ht_random_below(int below);

/* Makes a mask of 1 to `longest` voxels a side, from nearly empty to full, values 0, 1 and 2; at
 * least one voxel is fluid. Fails the test where there is no memory. */
ht_mask ht_random_mask(int longest);

/* Boxes of the grid of `side` voxels, shifted by `origin` as a tiling is, that hold a fluid voxel:
 * looked for one by one. */
int64_t ht_count_boxes(const ht_mask *mask, const int origin[3], const int side[3]);

#endif
