#include "tiling/tile_map.h"
#include <stdlib.h>
#include <string.h>

ht_status ht_tile_map_make(const ht_tiling *tiling, ht_tile_map *map) {
  memset(map, 0, sizeof *map);
  for (int a = 0; a < 3; a++) map->dim[a] = ht_tile_grid(tiling, a);
  map->words = (map->dim[0] + 63) / 64;
  size_t words = (size_t)map->words * map->dim[1] * map->dim[2];
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&map->bits, words, sizeof(uint64_t), "the map of tiles"));
  HT_TRY_DONE(ht_alloc((void **)&map->before, words, sizeof(int32_t), "the map of tiles"));
  for (int64_t t = 0; t < tiling->tiles; t++) {
    const int32_t *at = tiling->position + 3 * t;
    int64_t row = at[1] + (int64_t)map->dim[1] * at[2];
    map->bits[row * map->words + (at[0] >> 6)] |= (uint64_t)1 << (at[0] & 63);
  }
  int32_t before = 0;
  for (size_t w = 0; w < words; w++) {
    map->before[w] = before;
    before += __builtin_popcountll(map->bits[w]);
  }
done:
  if (status != HT_OK) ht_tile_map_free(map);
  return status;
}

void ht_tile_map_free(ht_tile_map *map) {
  free(map->bits);
  free(map->before);
  memset(map, 0, sizeof *map);
}
