#include "tiling/tiles.h"
#include <stdlib.h>
#include <string.h>

const char *const ht_tile_order_words[] = {"raster", "sweep", "morton", "hilbert", "breadth", NULL};

ht_status ht_tiles_alloc(ht_tiling *tiling) {
  size_t n = (size_t)tiling->tiles;
  ht_status status = HT_OK;
  tiling->position = tiling->neighbour = NULL;
  tiling->inside = NULL;
  HT_TRY_DONE(ht_alloc((void **)&tiling->position, n, 3 * sizeof(int32_t), "the tiles"));
  HT_TRY_DONE(ht_alloc((void **)&tiling->neighbour, n, HT_TILE_NEIGHBOURS * sizeof(int32_t),
                       "the tiles' neighbours"));
  HT_TRY_DONE(ht_alloc((void **)&tiling->inside, n, sizeof(uint64_t), "the tiles"));
done:
  if (status != HT_OK) ht_tiling_free(tiling);
  return status;
}

void ht_tiling_free(ht_tiling *tiling) {
  if (!tiling) return;
  free(tiling->position);
  free(tiling->neighbour);
  free(tiling->inside);
  memset(tiling, 0, sizeof *tiling);
}

ht_status ht_tiling_first_nodes(const ht_tiling *tiling, int64_t **first) {
  HT_TRY(ht_alloc((void **)first, (size_t)tiling->tiles + 1, sizeof **first,
                  "the numbers of the nodes"));
  for (int64_t t = 0; t < tiling->tiles; t++)
    (*first)[t + 1] = (*first)[t] + __builtin_popcountll(tiling->inside[t]);
  return HT_OK;
}

/* ---- where a voxel is ---- */

ht_status ht_tiling_map(const ht_tiling *tiling, int map_dim[3], int32_t **tile_of) {
  for (int a = 0; a < 3; a++) map_dim[a] = ht_tile_grid(tiling, a);
  size_t cells = (size_t)map_dim[0] * map_dim[1] * map_dim[2];
  HT_TRY(ht_alloc((void **)tile_of, cells, sizeof(int32_t), "the tile map"));
  memset(*tile_of, 0xff, cells * sizeof(int32_t)); /* -1: empty */
  for (int64_t t = 0; t < tiling->tiles; t++) {
    const int32_t *p = tiling->position + 3 * t;
    (*tile_of)[((size_t)p[2] * map_dim[1] + p[1]) * map_dim[0] + p[0]] = (int32_t)t;
  }
  return HT_OK;
}

void ht_tiling_find(const ht_tiling *tiling, const int32_t *tile_of, const int voxel[3],
                    int64_t *tile, int *local) {
  int t[3], l[3], dim[3];
  for (int a = 0; a < 3; a++) {
    dim[a] = ht_tile_grid(tiling, a);
    t[a] = (voxel[a] + tiling->origin[a]) >> 2;
    l[a] = (voxel[a] + tiling->origin[a]) & 3;
  }
  int inside = ht_voxel_in_grid(dim, t);
  *tile = inside ? tile_of[ht_voxel_index(dim, t)] : -1;
  *local = l[0] + 4 * l[1] + 16 * l[2];
}
