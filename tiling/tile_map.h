/* Maps a place in the tile grid to the number of its tile: one bit per place and a running count,
 * so that an empty grid needs little memory. Private to tiling/. */
#ifndef HT_TILE_MAP_H
#define HT_TILE_MAP_H

#include "tiling/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int dim[3];      /* places of the tile grid */
  int words;       /* of a row */
  uint64_t *bits;  /* [dim[2]][dim[1]][words] bit x: there is a tile */
  int32_t *before; /* the same: tiles before this word. In raster order that is their number */
} ht_tile_map;

/* Makes the map of tiles in raster order. HT_ERR_MEMORY. The caller frees. */
ht_status ht_tile_map_make(const ht_tiling *tiling, ht_tile_map *map);
void ht_tile_map_free(ht_tile_map *map);

/* Number of the tile at a place of row `row` (y + dim[1] * z); -1: none. */
static inline int32_t ht_tile_map_at(const ht_tile_map *map, int64_t row, int x) {
  if (x < 0 || x >= map->dim[0]) return -1;
  int64_t word = row * map->words + (x >> 6);
  uint64_t bits = map->bits[word], place = (uint64_t)1 << (x & 63);
  return bits & place ? map->before[word] + __builtin_popcountll(bits & (place - 1)) : -1;
}

#ifdef __cplusplus
}
#endif
#endif
