#include "tiling.h"
#include <stdlib.h>
#include <string.h>

/* Tiles that cover n voxels when the first tile begins `offset` voxels before voxel 0. */
static int tiles_along(int n, int offset) {
  return (n + offset + HT_TILE_SIDE - 1) / HT_TILE_SIDE;
}

/* ---- the 64 origins in one pass ---- */

/* A tile is non-empty where the OR of its voxels is 1, and OR is separable: for a slice z the OR
 * over tile rows along x (4 offsets), of those along y (16 offset pairs), and the slices are
 * gathered into 4 stacks along z (64 origins). Each level reads as many bytes as the slice has
 * voxels. */

typedef struct {
  int nx, ny;       /* voxels of a slice */
  int tx, ty;       /* tiles of a slice at the largest offset */
  uint8_t *along_x; /* [4][ny][tx] */
  uint8_t *plane;   /* [16][ty][tx] offsets ox + 4*oy */
  uint8_t *stack;   /* [64][ty][tx] origins ox + 4*oy + 16*oz, of the tile layer being gathered */
} origin_scan;

static void origin_scan_free(origin_scan *scan) {
  free(scan->along_x);
  free(scan->plane);
  free(scan->stack);
}

static ht_status origin_scan_alloc(const int dim[3], origin_scan *scan) {
  memset(scan, 0, sizeof *scan);
  scan->nx = dim[0];
  scan->ny = dim[1];
  scan->tx = tiles_along(dim[0], HT_TILE_SIDE - 1);
  scan->ty = tiles_along(dim[1], HT_TILE_SIDE - 1);
  size_t plane = (size_t)scan->tx * scan->ty;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&scan->along_x, (size_t)4 * scan->ny * scan->tx, 1, "tiling"));
  HT_TRY_DONE(ht_alloc((void **)&scan->plane, 16 * plane, 1, "tiling"));
  HT_TRY_DONE(ht_alloc((void **)&scan->stack, 64 * plane, 1, "tiling"));
done:
  if (status != HT_OK) origin_scan_free(scan);
  return status;
}

static void scan_rows(const origin_scan *scan, const uint8_t *slice) {
  memset(scan->along_x, 0, (size_t)4 * scan->ny * scan->tx);
  for (int ox = 0; ox < 4; ox++) {
    for (int y = 0; y < scan->ny; y++) {
      const uint8_t *row = slice + (size_t)y * scan->nx;
      uint8_t *out = scan->along_x + ((size_t)ox * scan->ny + y) * scan->tx;
      for (int x = 0; x < scan->nx; x++) out[(x + ox) >> 2] |= row[x] != 0;
    }
  }
}

static void scan_planes(const origin_scan *scan) {
  memset(scan->plane, 0, (size_t)16 * scan->tx * scan->ty);
  for (int o = 0; o < 16; o++) {
    int ox = o & 3, oy = o >> 2;
    for (int y = 0; y < scan->ny; y++) {
      const uint8_t *row = scan->along_x + ((size_t)ox * scan->ny + y) * scan->tx;
      uint8_t *out = scan->plane + ((size_t)o * scan->ty + ((y + oy) >> 2)) * scan->tx;
      for (int x = 0; x < scan->tx; x++) out[x] |= row[x];
    }
  }
}

/* Adds slice z to the stacks; a stack whose tile layer ends at z is counted and emptied. */
static void scan_stack(const origin_scan *scan, int z, int last, int64_t count[64]) {
  size_t plane = (size_t)scan->tx * scan->ty;
  for (int o = 0; o < 64; o++) {
    const uint8_t *in = scan->plane + (o & 15) * plane;
    uint8_t *stack = scan->stack + o * plane;
    for (size_t i = 0; i < plane; i++) stack[i] |= in[i];
    int ends = ((z + (o >> 4)) & 3) == 3 || last;
    if (!ends) continue;
    int64_t tiles = 0;
    for (size_t i = 0; i < plane; i++) tiles += stack[i];
    count[o] += tiles;
    memset(stack, 0, plane);
  }
}

static int slice_has_fluid(const uint8_t *voxels, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (voxels[i]) return 1;
  return 0;
}

ht_status ht_tiling_count_origins(const ht_mask *mask, int64_t *nodes,
                                  int64_t count[HT_TILE_ORIGINS]) {
  origin_scan scan;
  *nodes = ht_mask_count(mask);
  HT_TRY(origin_scan_alloc(mask->grid.dim, &scan));
  memset(count, 0, 64 * sizeof *count);
  size_t slice = (size_t)scan.nx * scan.ny;
  for (int z = 0; z < mask->grid.dim[2]; z++) {
    const uint8_t *voxels = mask->inside + slice * z;
    int last = z == mask->grid.dim[2] - 1;
    if (slice_has_fluid(voxels, slice)) {
      scan_rows(&scan, voxels);
      scan_planes(&scan);
    } else {
      memset(scan.plane, 0, (size_t)16 * scan.tx * scan.ty);
    }
    scan_stack(&scan, z, last, count);
  }
  origin_scan_free(&scan);
  return HT_OK;
}

/* ---- the tiles at one origin ---- */

/* Writes the tiles' node bits into `bits` [tz][ty][tx] of the dense tile grid. */
static void gather_bits(const ht_mask *mask, const int origin[3], const int map_dim[3],
                        uint64_t *bits) {
  const int *dim = mask->grid.dim;
  for (int z = 0; z < dim[2]; z++) {
    int zt = (z + origin[2]) >> 2, zl = (z + origin[2]) & 3;
    for (int y = 0; y < dim[1]; y++) {
      int yt = (y + origin[1]) >> 2, yl = (y + origin[1]) & 3;
      const uint8_t *row = mask->inside + ((size_t)z * dim[1] + y) * dim[0];
      uint64_t *out = bits + ((size_t)zt * map_dim[1] + yt) * map_dim[0];
      int shift = 4 * yl + 16 * zl;
      for (int x = 0; x < dim[0]; x++) {
        if (row[x]) out[(x + origin[0]) >> 2] |= (uint64_t)1 << (((x + origin[0]) & 3) + shift);
      }
    }
  }
}

static ht_status alloc_tiles(ht_tiling *tiling) {
  size_t n = (size_t)tiling->tiles;
  HT_TRY(ht_alloc((void **)&tiling->position, n, 3 * sizeof(int32_t), "the tiles"));
  HT_TRY(ht_alloc((void **)&tiling->neighbour, n, HT_TILE_NEIGHBOURS * sizeof(int32_t),
                  "the tiles' neighbours"));
  return ht_alloc((void **)&tiling->inside, n, sizeof(uint64_t), "the tiles");
}

static void list_tiles(ht_tiling *tiling, const int map_dim[3], const uint64_t *bits) {
  int64_t tile = 0;
  for (int z = 0; z < map_dim[2]; z++) {
    for (int y = 0; y < map_dim[1]; y++) {
      for (int x = 0; x < map_dim[0]; x++) {
        uint64_t inside = bits[((size_t)z * map_dim[1] + y) * map_dim[0] + x];
        if (!inside) continue;
        int32_t *position = tiling->position + 3 * tile;
        position[0] = x, position[1] = y, position[2] = z;
        tiling->inside[tile++] = inside;
      }
    }
  }
}

static int32_t tile_at(const int32_t *map, const int dim[3], int x, int y, int z) {
  if (x < 0 || y < 0 || z < 0 || x >= dim[0] || y >= dim[1] || z >= dim[2]) return -1;
  return map[((size_t)z * dim[1] + y) * dim[0] + x];
}

static ht_status link_neighbours(ht_tiling *tiling) {
  int dim[3];
  int32_t *map;
  HT_TRY(ht_tiling_map(tiling, dim, &map));
  for (int64_t t = 0; t < tiling->tiles; t++) {
    const int32_t *p = tiling->position + 3 * t;
    int32_t *out = tiling->neighbour + HT_TILE_NEIGHBOURS * t;
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++)
      out[i] = tile_at(map, dim, p[0] + i % 3 - 1, p[1] + i / 3 % 3 - 1, p[2] + i / 9 - 1);
  }
  free(map);
  return HT_OK;
}

static ht_status build_at(const ht_mask *mask, ht_tiling *tiling) {
  int map_dim[3];
  for (int a = 0; a < 3; a++) map_dim[a] = tiles_along(tiling->dim[a], tiling->origin[a]);
  size_t cells = (size_t)map_dim[0] * map_dim[1] * map_dim[2];
  uint64_t *bits;
  HT_TRY(ht_alloc((void **)&bits, cells, sizeof *bits, "the tile map"));
  gather_bits(mask, tiling->origin, map_dim, bits);
  for (size_t i = 0; i < cells; i++) {
    tiling->tiles += bits[i] != 0;
    tiling->nodes += __builtin_popcountll(bits[i]);
  }
  ht_status status = alloc_tiles(tiling);
  if (status == HT_OK) list_tiles(tiling, map_dim, bits);
  free(bits);
  HT_TRY(status);
  return link_neighbours(tiling);
}

static void choose_origin(const ht_tiling_options *options, const int64_t count[64],
                          ht_tiling *tiling) {
  int best = 0;
  for (int o = 1; o < 64; o++)
    if (count[o] < count[best]) best = o;
  for (int a = 0; a < 3; a++)
    tiling->origin[a] =
        options && options->fixed_origin ? options->origin[a] & 3 : (best >> (2 * a)) & 3;
}

ht_status ht_tiling_build(const ht_mask *mask, const ht_tiling_options *options,
                          ht_tiling *tiling) {
  memset(tiling, 0, sizeof *tiling);
  int64_t nodes, count[HT_TILE_ORIGINS];
  HT_TRY(ht_tiling_count_origins(mask, &nodes, count));
  if (nodes == 0) return ht_fail(HT_ERR_VESSEL, "the mask is empty: there is nothing to tile");
  if (nodes > INT32_MAX)
    return ht_fail(HT_ERR_MEMORY,
                   "the mask has %lld fluid voxels, more than 2^31: use a coarser "
                   "spacing",
                   (long long)nodes);
  memcpy(tiling->dim, mask->grid.dim, sizeof tiling->dim);
  for (int o = 0; o < 64; o++)
    tiling->utilisation_of[o] = (double)nodes / ((double)HT_TILE_NODES * count[o]);
  choose_origin(options, count, tiling);
  ht_status status = build_at(mask, tiling);
  if (status != HT_OK) {
    ht_tiling_free(tiling);
    return status;
  }
  tiling->utilisation = (double)nodes / ((double)HT_TILE_NODES * tiling->tiles);
  tiling->utilisation_at_origin_000 = tiling->utilisation_of[0];
  return HT_OK;
}

void ht_tiling_free(ht_tiling *tiling) {
  if (!tiling) return;
  free(tiling->position);
  free(tiling->neighbour);
  free(tiling->inside);
  memset(tiling, 0, sizeof *tiling);
}

ht_status ht_tiling_map(const ht_tiling *tiling, int map_dim[3], int32_t **tile_of) {
  for (int a = 0; a < 3; a++) map_dim[a] = tiles_along(tiling->dim[a], tiling->origin[a]);
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
    dim[a] = tiles_along(tiling->dim[a], tiling->origin[a]);
    t[a] = (voxel[a] + tiling->origin[a]) >> 2;
    l[a] = (voxel[a] + tiling->origin[a]) & 3;
  }
  *tile = tile_at(tile_of, dim, t[0], t[1], t[2]);
  *local = l[0] + 4 * l[1] + 16 * l[2];
}
