/* The links of interpolated walls for a list of neighbours, built on the host from those of the
 * solver (wall_links.h). Private to bench/papers/ladder/. */
#ifndef HT_LADDER_WALLS_H
#define HT_LADDER_WALLS_H

#include "solver/lattice/backend.h"
#include "bench/papers/ladder/ladder_rung.h"
#include "bench/papers/ladder/ladder_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes that a block of threads steps, and the places of their values. */
enum { HT_LIST_NODES = 256, HT_LIST_VALUES = HT_LIST_NODES * HT_Q19 };

/* Links in the order of the blocks, in a block in that of the tiles. */
typedef struct {
  int64_t links, tiles; /* tiles: those with links */
  uint32_t most;        /* links of one block */
  uint32_t *first;      /* [blocks + 1] number of a block's first link */
  uint32_t (*link)[2];  /* [links] as list_walls.link (list_walls.cu) */
  uint32_t (*slip)[4];  /* [links] as ht_slip_link */
  int32_t *node_tile;   /* [nodes] number of the node's tile among those with links; -1: none */
  ht_wall_tile *tile;   /* [tiles] */
} ht_ladder_walls;

/* Builds the walls. Also changes the addresses (ht_ladder_addresses) of the directions that links
 * bring: to `values`, the number of places in the storage, + the number of the link in its block.
 * No links where setup->wall_distance is NULL. HT_ERR_MEMORY, HT_ERR_USAGE above 2^32 addresses.
 * The caller frees, also after a failure. */
ht_status ht_ladder_walls_build(const ht_ladder_setup *setup, const ht_tile_fluid *fluid,
                                int64_t values, uint32_t *addresses, ht_ladder_walls *walls);
void ht_ladder_walls_free(ht_ladder_walls *walls);

#ifdef __cplusplus
}
#endif

#endif
