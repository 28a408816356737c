/* The tables of neighbours of the ladder's rungs, built on the host. Private to
 * bench/papers/ladder/. The caller frees each with free(). HT_ERR_MEMORY; where it says so,
 * HT_ERR_USAGE. */
#ifndef HT_LADDER_TABLES_H
#define HT_LADDER_TABLES_H

#include "solver/kernels/directions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes of a chunk of the packed rungs. */
enum { HT_CHUNK_NODES = 64, HT_CHUNK_VALUES = HT_Q19 * HT_CHUNK_NODES };

/* The fluid of one tile: 16 bytes, aligned so that a thread reads them at once. */
typedef struct __attribute__((aligned(16))) {
  uint64_t inside; /* as in ht_tiling */
  uint32_t first;  /* fluid nodes of all tiles before it */
  uint32_t count;  /* its own */
} ht_tile_fluid;

/* Node types with a solid layer around the box: [nz+2][ny+2][nx+2], 1 fluid, 0 solid. */
ht_status ht_ladder_types(const ht_mask *mask, uint8_t **types);

/* Links of every voxel, in rows of `pitch` >= nx: [nz][ny][pitch]. Bit q: direction q comes from a
 * wall; bit 0: the voxel is fluid. 0 at solid voxels. */
ht_status ht_ladder_row_links(const ht_mask *mask, int64_t pitch, uint32_t **links);

/* Makes the links by tile: [tiles][64]. */
ht_status ht_ladder_tile_links(const ht_tiling *tiling, uint32_t **links);

/* Makes the fluid of each tile, [tiles + 1]: the last, without fluid, stands for every missing
 * tile. HT_ERR_USAGE above 2^32 fluid nodes. */
ht_status ht_ladder_fluid(const ht_tiling *tiling, ht_tile_fluid **fluid);

/* Lists the place of each fluid node, in the order of tiles: [nodes] tile << 6 | local.
 * HT_ERR_USAGE above 2^26 tiles. */
ht_status ht_ladder_node_words(const ht_tiling *tiling, uint32_t **words);

/* Number of a fluid node in the order of tiles. */
uint32_t ht_packed_node(const ht_tile_fluid *fluid, int64_t tile, int local);

/* Place of its value of direction q in the packed storage [chunks][19][64]. */
int64_t ht_packed_value(uint32_t node, int q);

/* Place in the packed storage [chunks][19][64] of the value that arrives at each node along each
 * moving direction, walls included: [chunks][18][64]. HT_ERR_USAGE above 2^32 values. */
ht_status ht_ladder_addresses(const ht_tiling *tiling, const ht_tile_fluid *fluid,
                              uint32_t **addresses);

#ifdef __cplusplus
}
#endif

#endif
