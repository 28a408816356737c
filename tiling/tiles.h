/* Cubic tiles of 4x4x4 nodes over the fluid nodes of a mask, numbered, with their neighbours. Made
 * by tiling.h.
 *
 * Tiles lie on a uniform grid whose origin is one of the 64 offsets (0..3)^3; empty tiles are left
 * out (Tomczak & Szafran, Comput. Phys. Commun. 235 (2019) 258, algorithm 1, there with origin
 * (0,0,0) only). Tile utilisation is fluid nodes / (64 * tiles), their equation 14. */
#ifndef HT_TILES_H
#define HT_TILES_H

#include "core/status.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_TILE_SIDE = 4, HT_TILE_NODES = 64, HT_TILE_NEIGHBOURS = 27, HT_TILE_ORIGINS = 64 };

/* The order of the tiles in memory. */
typedef enum {
  HT_ORDER_RASTER = 0, /* x fastest, then y, then z */
  HT_ORDER_SWEEP,      /* raster with the longest axis of the tile grid as the slowest */
  HT_ORDER_MORTON,     /* along the Z curve: the interleaved bits of x, y and z */
  HT_ORDER_HILBERT,    /* along the Hilbert curve */
  HT_ORDER_BREADTH     /* by the number of faces to pass from a first tile, near ones first */
} ht_tile_order;

/* "raster", "sweep", "morton", "hilbert", "breadth"; NULL after the last. */
extern const char *const ht_tile_order_words[];

typedef struct {
  int dim[3];         /* of the mask, voxels */
  int origin[3];      /* 0..3: voxel (x,y,z) is in tile ((x+origin)/4); shift of the tile grid */
  int64_t tiles;      /* non-empty tiles */
  int32_t *position;  /* [tiles][3] tile coordinates; voxel of local node 0 = 4*position - origin */
  int32_t *neighbour; /* [tiles][27] number of the neighbouring tile at (dx,dy,dz), index
                         (dx+1) + 3*(dy+1) + 9*(dz+1); -1: empty. [13] is the tile itself */
  uint64_t *inside;   /* [tiles] bit x + 4*y + 16*z: local node (x,y,z) is fluid */
  int64_t nodes;      /* fluid nodes */
  double utilisation; /* nodes / (64 * tiles), at this origin */
  double utilisation_at_origin_000; /* the same with origin (0,0,0) */
  double utilisation_of[64];        /* for every origin, index ox + 4*oy + 16*oz */
  ht_tile_order order;
} ht_tiling;

/* Allocates the arrays of tiling->tiles tiles; the old ones are replaced, not freed. HT_ERR_MEMORY:
 * all three are then NULL.
 */
ht_status ht_tiles_alloc(ht_tiling *tiling);

void ht_tiling_free(ht_tiling *tiling);

/* Makes *first, [tiles + 1], which the caller frees: the number of each tile's first fluid node,
 * counted tile by tile; after them the number of all. HT_ERR_MEMORY. */
ht_status ht_tiling_first_nodes(const ht_tiling *tiling, int64_t **first);

/* Size of the tile grid along axis a. */
static inline int ht_tile_grid(const ht_tiling *tiling, int a) {
  return (int)(((int64_t)tiling->dim[a] + tiling->origin[a] + HT_TILE_SIDE - 1) / HT_TILE_SIDE);
}

/* Tile and local node of a voxel: *tile = -1 where its tile is empty. */
void ht_tiling_find(const ht_tiling *tiling, const int32_t *tile_of, const int voxel[3],
                    int64_t *tile, int *local);

/* Dense map [tz][ty][tx] of tile numbers, -1 empty, for ht_tiling_find; its size in map_dim. The
 * caller frees it with free(). */
ht_status ht_tiling_map(const ht_tiling *tiling, int map_dim[3], int32_t **tile_of);

#ifdef __cplusplus
}
#endif
#endif
