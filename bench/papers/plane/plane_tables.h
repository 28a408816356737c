/* The tables of a plane flow from its setup. Private to bench/papers/plane/. */
#ifndef HT_PLANE_TABLES_H
#define HT_PLANE_TABLES_H

#include "bench/papers/plane/plane_backend.h"
#include "bench/papers/plane/plane_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tiles of a mask: those with fluid, in raster order. */
typedef struct {
  int nx, ny, tiles_x, tiles_y;
  int32_t *tile_of; /* [tiles_y][tiles_x]; -1: no fluid */
} ht_plane_map;

/* tile * 256 + local of (x, y); -1 outside the box and in a tile without fluid. */
int64_t ht_plane_find(const ht_plane_map *map, int x, int y);

/* The caller zeroes both, and frees both also after a failure. HT_ERR_USAGE, HT_ERR_UNSTABLE,
 * HT_ERR_MEMORY as ht_plane_create. */
ht_status ht_plane_build(const ht_plane_setup *setup, ht_plane_map *map, ht_plane_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
