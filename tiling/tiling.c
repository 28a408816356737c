#include "tiling/tiling.h"
#include "tiling/placement.h"
#include "tiling/row_bits.h"
#include "tiling/tile_map.h"
#include "tiling/tile_order.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const int tile_sides[3] = {HT_TILE_SIDE, HT_TILE_SIDE, HT_TILE_SIDE};

/* ---- the tiles of a layer ---- */

/* Voxel row r = y + 4 * z of a layer of tiles: 16 rows of bits, 4 of them a tile. */
typedef struct {
  const ht_mask *mask;
  const ht_tiling *tiling;
  int words;
  uint64_t *row; /* [16][words] */
} layer;

/* Reads the 16 rows of voxels of a row of tiles. */
static void read_rows(const layer *at, int ty, int tz) {
  const int *dim = at->tiling->dim, *origin = at->tiling->origin;
  for (int r = 0; r < 16; r++) {
    int y = HT_TILE_SIDE * ty - origin[1] + (r & 3), z = HT_TILE_SIDE * tz - origin[2] + (r >> 2);
    uint64_t *row = at->row + (size_t)r * at->words;
    if (y >= 0 && z >= 0 && y < dim[1] && z < dim[2])
      ht_row_bits(at->mask->inside + ((size_t)z * dim[1] + y) * dim[0], dim[0], origin[0],
                  at->words, row);
    else
      memset(row, 0, (size_t)at->words * sizeof *row);
  }
}

/* Bit 4 i: the tile i of these 16 has fluid. */
static uint64_t tiles_of_word(const layer *at, int word) {
  uint64_t any = 0;
  for (int r = 0; r < 16; r++) any |= at->row[(size_t)r * at->words + word];
  any |= any >> 2;
  return (any | any >> 1) & 0x1111111111111111u;
}

static uint64_t tile_bits(const layer *at, int word, int shift) {
  uint64_t inside = 0;
  for (int r = 0; r < 16; r++)
    inside |= ((at->row[(size_t)r * at->words + word] >> shift) & 15) << (4 * r);
  return inside;
}

/* Writes the tiles of layer tz from number `tile` on. */
static void list_layer(const layer *at, int tz, int64_t tile) {
  for (int ty = 0; ty < ht_tile_grid(at->tiling, 1); ty++) {
    read_rows(at, ty, tz);
    for (int w = 0; w < at->words; w++) {
      for (uint64_t left = tiles_of_word(at, w); left; left &= left - 1) {
        int shift = __builtin_ctzll(left);
        int32_t *position = at->tiling->position + 3 * tile;
        position[0] = 16 * w + shift / HT_TILE_SIDE, position[1] = ty, position[2] = tz;
        at->tiling->inside[tile++] = tile_bits(at, w, shift);
      }
    }
  }
}

/* ---- all tiles ---- */

/* First tile of each layer, from the counts of the placements. */
static void number_layers(const ht_placement *placement, const ht_tiling *tiling, int64_t *first) {
  int origins = HT_TILE_SIDE * HT_TILE_SIDE;
  int o = tiling->origin[0] + HT_TILE_SIDE * tiling->origin[1];
  int64_t tile = 0;
  for (int tz = 0; tz < ht_tile_grid(tiling, 2); tz++) {
    int end = HT_TILE_SIDE * tz - tiling->origin[2] + HT_TILE_SIDE - 1;
    first[tz] = tile;
    tile += placement->of_end[(int64_t)end * origins + o];
  }
}

static void list_tiles(const layer *shared, const int64_t *first, int threads) {
#pragma omp parallel num_threads(threads)
  {
    layer at = *shared;
    at.row += (size_t)16 * at.words * omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (int tz = 0; tz < ht_tile_grid(at.tiling, 2); tz++) list_layer(&at, tz, first[tz]);
  }
}

static void link_tile(const ht_tile_map *map, const int32_t *at, int32_t *neighbour) {
  for (int i = 0; i < 9; i++) {
    int y = at[1] + i % 3 - 1, z = at[2] + i / 3 - 1;
    int outside = y < 0 || z < 0 || y >= map->dim[1] || z >= map->dim[2];
    int64_t row = y + (int64_t)map->dim[1] * z;
    for (int x = 0; x < 3; x++)
      neighbour[3 * i + x] = outside ? -1 : ht_tile_map_at(map, row, at[0] + x - 1);
  }
}

static ht_status link_tiles(const ht_tiling *tiling) {
  ht_tile_map map;
  HT_TRY(ht_tile_map_make(tiling, &map));
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tiling->tiles; t++)
    link_tile(&map, tiling->position + 3 * t, tiling->neighbour + HT_TILE_NEIGHBOURS * t);
  ht_tile_map_free(&map);
  return HT_OK;
}

static ht_status build_tiles(const ht_mask *mask, const ht_placement *placement,
                             ht_tiling *tiling) {
  layer shared = {.mask = mask, .tiling = tiling};
  int threads = omp_get_max_threads();
  int64_t *first = NULL;
  ht_status status = HT_OK;
  shared.words = (tiling->dim[0] + tiling->origin[0] + 63) / 64;
  HT_TRY_DONE(ht_alloc((void **)&first, (size_t)ht_tile_grid(tiling, 2), sizeof *first,
                       "the layers of tiles"));
  HT_TRY_DONE(ht_alloc((void **)&shared.row, (size_t)16 * shared.words * threads, sizeof(uint64_t),
                       "rows of voxels"));
  HT_TRY_DONE(ht_tiles_alloc(tiling));
  number_layers(placement, tiling, first);
  list_tiles(&shared, first, threads);
  status = link_tiles(tiling);
done:
  free(first);
  free(shared.row);
  return status;
}

/* ---- placement ---- */

static void choose_origin(const ht_tiling_options *options, const int64_t *count,
                          ht_tiling *tiling) {
  int best = 0;
  for (int o = 1; o < HT_TILE_ORIGINS; o++)
    if (count[o] < count[best]) best = o;
  for (int a = 0; a < 3; a++)
    tiling->origin[a] = options->fixed_origin ? options->origin[a] & 3 : (best >> (2 * a)) & 3;
}

static ht_status place_tiles(const ht_mask *mask, const ht_tiling_options *options,
                             const ht_placement *placement, ht_tiling *tiling) {
  double values = (double)placement->nodes / HT_TILE_NODES;
  memcpy(tiling->dim, mask->grid.dim, sizeof tiling->dim);
  choose_origin(options, placement->boxes, tiling);
  const int *o = tiling->origin;
  tiling->nodes = placement->nodes;
  tiling->tiles = placement->boxes[o[0] + 4 * o[1] + 16 * o[2]];
  for (int i = 0; i < HT_TILE_ORIGINS; i++)
    tiling->utilisation_of[i] = values / (double)placement->boxes[i];
  tiling->utilisation = values / (double)tiling->tiles;
  tiling->utilisation_at_origin_000 = tiling->utilisation_of[0];
  if (tiling->tiles > INT32_MAX)
    return ht_fail(HT_ERR_USAGE,
                   "the mask needs %lld tiles; 2^31 can be numbered: use a coarser spacing",
                   (long long)tiling->tiles);
  return build_tiles(mask, placement, tiling);
}

ht_status ht_tiling_build(const ht_mask *mask, const ht_tiling_options *options,
                          ht_tiling *tiling) {
  static const ht_tiling_options standard = {0};
  ht_placement placement;
  if (!options) options = &standard;
  memset(tiling, 0, sizeof *tiling);
  HT_TRY(ht_placement_count(mask, tile_sides, &placement));
  ht_status status = placement.nodes > 0
                         ? place_tiles(mask, options, &placement, tiling)
                         : ht_fail(HT_ERR_VESSEL, "the mask is empty: there is nothing to tile");
  ht_placement_free(&placement);
  if (status == HT_OK && options->order != HT_ORDER_RASTER)
    status = ht_tiling_sort(tiling, options->order, options->first_voxel);
  if (status != HT_OK) ht_tiling_free(tiling);
  return status;
}

ht_status ht_tiling_count_origins(const ht_mask *mask, int64_t *nodes,
                                  int64_t tiles[HT_TILE_ORIGINS]) {
  ht_placement placement;
  HT_TRY(ht_placement_count(mask, tile_sides, &placement));
  *nodes = placement.nodes;
  memcpy(tiles, placement.boxes, HT_TILE_ORIGINS * sizeof *tiles);
  ht_placement_free(&placement);
  return HT_OK;
}
