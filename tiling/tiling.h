/* tiling/: covers the fluid nodes with cubic tiles of 4x4x4, placed for the highest tile
 * utilisation.
 *
 * Tiles lie on a uniform grid whose origin is one of the 64 offsets (0..3)^3; empty tiles are left
 * out (Tomczak & Szafran, Comput. Phys. Commun. 235 (2019) 258, algorithm 1, there with origin
 * (0,0,0) only). Tile utilisation is fluid nodes / (64 * tiles), their equation 14.
 */
#ifndef HT_TILING_H
#define HT_TILING_H

#include "tiling/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int fixed_origin; /* 1: use `origin`; 0: the best of all 64 (the default) */
  int origin[3];
  ht_tile_order order;
  int first_voxel[3]; /* HT_ORDER_BREADTH: begin at the tile of this voxel, or the one nearest */
} ht_tiling_options;

/* Linear in the voxels, on all cores; memory: one bit per voxel of the largest slice and 128 bytes
 * per tile. `options` may be NULL: all 0. HT_ERR_VESSEL where the mask is empty, HT_ERR_MEMORY,
 * HT_ERR_USAGE (no such order; more than 2^31 tiles). The caller frees with ht_tiling_free. */
ht_status ht_tiling_build(const ht_mask *mask, const ht_tiling_options *options, ht_tiling *tiling);

/* The fluid nodes, and the non-empty tiles of each of the 64 origins (index ox + 4*oy + 16*oz),
 * exactly and in one pass; without the tiles themselves. All 0 where the mask is empty.
 * HT_ERR_MEMORY. */
ht_status ht_tiling_count_origins(const ht_mask *mask, int64_t *nodes,
                                  int64_t tiles[HT_TILE_ORIGINS]);

#ifdef __cplusplus
}
#endif
#endif
