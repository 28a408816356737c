/* Cuts a tiling into parts of equal cost, one for each rank: compact in space, so that few values
 * cross from part to part. Each tile is in one part. */
#ifndef HT_TILE_PARTS_H
#define HT_TILE_PARTS_H

#include "tiling/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_PARTS_MAX = 4096 };

/* The part of each tile: part[tiles], 0 to parts - 1; no part is empty. Recursive bisection (Berger
 * & Bokhari, IEEE Trans. Comput. C-36 (1987) 570): the tiles are put in order along each of 13
 * directions, those of the axes and of the diagonals, and along the vessel (by their steps from one
 * of its ends), and cut where the cost is right; the order with the fewest fluid nodes at the cut
 * is taken. Linear in the tiles and in the logarithm of the parts.
 * cost: [tiles] of a step, above 0; NULL: the fluid nodes.
 * with: [tiles] the tile in whose part a tile has to be, itself where it is free, and free itself;
 * NULL: all are free.
 * HT_ERR_USAGE: fewer than 1 part, more than HT_PARTS_MAX or than free tiles; HT_ERR_MEMORY. */
ht_status ht_tile_parts_cut(const ht_tiling *tiling, const double *cost, const int32_t *with,
                            int parts, int32_t *part);

typedef struct {
  double imbalance;      /* cost of the costliest part over the mean, less 1 */
  int64_t shared_values; /* that cross from part to part in a step, with D3Q19 */
  int64_t most_shared;   /* the most that one part receives */
  int most_neighbours;   /* the most parts that one part receives from */
} ht_tile_parts_figures;

/* Measures such parts, with the same cost. HT_ERR_MEMORY. */
ht_status ht_tile_parts_measure(const ht_tiling *tiling, const double *cost, int parts,
                                const int32_t *part, ht_tile_parts_figures *figures);

#ifdef __cplusplus
}
#endif
#endif
