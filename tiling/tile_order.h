/* The order of the tiles in memory: the solver reads a tile and its neighbours, so neighbours in
 * space should be near in memory. */
#ifndef HT_TILE_ORDER_H
#define HT_TILE_ORDER_H

#include "tiling/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tile t becomes tile place[t] (a permutation): positions, nodes and neighbours. On a failure the
 * tiling is as it was. HT_ERR_MEMORY. */
ht_status ht_tiling_renumber(ht_tiling *tiling, const int32_t *place);

/* Puts the tiles in an order, whichever they are in. `first_voxel` is for HT_ORDER_BREADTH (see
 * ht_tiling_options), else unused. Linear in the tiles. HT_ERR_USAGE (no such order; a curve
 * through more than 2^21 tiles along an axis), HT_ERR_MEMORY; the tiling is then as it was. */
ht_status ht_tiling_sort(ht_tiling *tiling, ht_tile_order order, const int first_voxel[3]);

/* Place of a tile along a curve through a cube of 2^bits tiles a side (bits: 1 to 21): 0, 1, ...
 * Hilbert: J. Skilling, AIP Conf. Proc. 707 (2004) 381. */
uint64_t ht_morton_key(const int32_t position[3], int bits);
uint64_t ht_hilbert_key(const int32_t position[3], int bits);

#ifdef __cplusplus
}
#endif
#endif
