#include "solver/ranks/part_needs.h"
#include <stdlib.h>
#include <string.h>

static ht_status add_place(ht_places *list, int64_t place) {
  if (list->count == list->room) {
    int64_t room = list->room ? 2 * list->room : 256;
    int64_t *more = realloc(list->place, (size_t)room * sizeof *more);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for the borders of the ranks");
    list->place = more;
    list->room = room;
  }
  list->place[list->count++] = place;
  return HT_OK;
}

static int compare_places(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts the list and keeps each place once. */
static void put_in_order(ht_places *list) {
  int64_t kept = 0;
  if (list->count == 0) return;
  qsort(list->place, (size_t)list->count, sizeof *list->place, compare_places);
  for (int64_t i = 0; i < list->count; i++)
    if (kept == 0 || list->place[i] != list->place[kept - 1]) list->place[kept++] = list->place[i];
  list->count = kept;
}

/* The values that a tile's nodes pull. */
static ht_status need_pulled(const ht_lattice_tables *whole, const int32_t *part, int64_t tile,
                             const ht_needs *needs) {
  const int own = part[tile];
  for (int i = 0; i < HT_TILE_NODES * (whole->directions - 1); i++) {
    int n = i % HT_TILE_NODES, q = 1 + i / HT_TILE_NODES, slot, from;
    uint32_t links = whole->links[HT_TILE_NODES * tile + n];
    if (!(links & 1) || ((links >> q) & 1)) continue;
    ht_pull_source(n, q, &slot, &from);
    int64_t there = whole->neighbour[HT_TILE_NEIGHBOURS * tile + slot];
    if (part[there] == own) continue;
    HT_TRY(add_place(ht_needs_of(needs, HT_CROSS_VALUES, own, part[there]),
                     there * HT_TILE_VALUES(whole->directions) + HT_TILE_NODES * q + from));
  }
  return HT_OK;
}

/* Squares of two layers of nodes at each face. */
static ht_status need_squares(const ht_lattice_tables *whole, const int32_t *part, int64_t tile,
                              const ht_needs *needs) {
  static const int step[3] = {1, 3, 9};
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2, high = side % 2;
    int64_t there = whole->neighbour[HT_TILE_NEIGHBOURS * tile + 13 + (high ? 1 : -1) * step[axis]];
    if (there < 0 || part[there] == part[tile]) continue;
    for (int n = 0; n < HT_TILE_NODES; n++) {
      int at = (n >> (2 * axis)) & 3, is_near = high ? at < 2 : at > 1;
      if (!is_near || !((whole->tiling->inside[there] >> n) & 1)) continue;
      HT_TRY(add_place(ht_needs_of(needs, HT_CROSS_SQUARES, part[tile], part[there]),
                       HT_TILE_NODES * (3 * there + axis) + n));
    }
  }
  return HT_OK;
}

static ht_status need_tiles(const ht_lattice_tables *whole, const int32_t *part,
                            const ht_needs *needs) {
  for (int64_t t = 0; t < whole->tiling->tiles; t++) {
    int is_border = 0;
    for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
      int32_t there = whole->neighbour[HT_TILE_NEIGHBOURS * t + i];
      is_border |= there >= 0 && part[there] != part[t];
    }
    if (!is_border) continue;
    HT_TRY(need_pulled(whole, part, t, needs));
    if (whole->corrected && whole->corrected[t]) HT_TRY(need_squares(whole, part, t, needs));
  }
  return HT_OK;
}

/* The slip of a wall reads one value of x + c_q that no step pulls there; a tile's share of the
 * mass is that of the walls around it. */
static ht_status need_walls(const ht_lattice_tables *whole, const int32_t *part,
                            const ht_needs *needs) {
  const int64_t a_tile = HT_TILE_VALUES(whole->directions);
  for (int64_t i = 0; i < whole->wall_links; i++) {
    const ht_wall_link *link = &whole->wall_link[i];
    if (link->near_leaving < 0) continue;
    int own = part[link->slot / a_tile], other = part[link->near_leaving / a_tile];
    if (own != other)
      HT_TRY(add_place(ht_needs_of(needs, HT_CROSS_VALUES, own, other), link->near_leaving));
  }
  for (int64_t i = 0; i < whole->wall_tiles * HT_TILE_NEIGHBOURS; i++) {
    const ht_wall_tile *tile = &whole->wall_tile[i / HT_TILE_NEIGHBOURS];
    int32_t there = tile->beside[i % HT_TILE_NEIGHBOURS];
    if (there < 0) continue;
    int own = part[tile->tile], other = part[whole->wall_tile[there].tile];
    if (own != other) HT_TRY(add_place(ht_needs_of(needs, HT_CROSS_MASS, own, other), there));
  }
  return HT_OK;
}

ht_status ht_needs_find(const ht_lattice_tables *whole, int parts, const int32_t *part,
                        ht_needs *needs) {
  const int64_t lists = (int64_t)HT_CROSS_KINDS * parts * parts;
  *needs = (ht_needs){.parts = parts};
  HT_TRY(ht_alloc((void **)&needs->of, (size_t)lists, sizeof *needs->of, "the ranks' borders"));
  ht_status status = need_tiles(whole, part, needs);
  if (status == HT_OK) status = need_walls(whole, part, needs);
  for (int64_t i = 0; i < lists; i++) put_in_order(&needs->of[i]);
  if (status != HT_OK) ht_needs_free(needs);
  return status;
}

void ht_needs_free(ht_needs *needs) {
  for (int64_t i = 0; needs->of && i < (int64_t)HT_CROSS_KINDS * needs->parts * needs->parts; i++)
    free(needs->of[i].place);
  free(needs->of);
  *needs = (ht_needs){.parts = 0};
}
