#include "solver/cuda/blocks/diagonal_places.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the correction of diagonals";

static int is_corrected(const ht_lattice_tables *tables, int64_t node) {
  return (int)((tables->corrected[node / HT_TILE_NODES] >> node % HT_TILE_NODES) & 1);
}

static int32_t block_kind(const ht_blocks *blocks, int64_t block) {
  return blocks->row[block * HT_BLOCK_ROW + HT_BLOCK_KIND];
}

static int goes_by_row(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node) {
  return block_kind(blocks, blocks->place[node] / HT_TILE_NODES) == HT_KIND_PLAIN &&
         tables->corrected[node / HT_TILE_NODES] == UINT64_MAX;
}

static void find_kinds(const ht_lattice_tables *tables, const ht_blocks *blocks,
                       ht_diagonal_places *places) {
  for (int64_t b = 0; b < blocks->blocks; b++) places->kind[b] = HT_FORCE_NONE;
  for (int64_t node = 0; node < tables->tiling->tiles * HT_TILE_NODES; node++) {
    if (!is_corrected(tables, node)) continue;
    const int64_t block = blocks->place[node] / HT_TILE_NODES;
    if (places->kind[block] != HT_FORCE_NONE) continue;
    if (goes_by_row(tables, blocks, node)) {
      places->kind[block] = HT_FORCE_BY_ROW;
    } else {
      places->kind[block] = (int32_t)places->lists;
      places->lists +=
          block_kind(blocks, block) <= HT_KIND_PACKED ? HT_FORCE_NEIGHBOURS : HT_FORCE_LISTS;
    }
  }
}

static uint32_t place_along(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node,
                            int axis, int distance) {
  const int64_t there = ht_node_along(tables, node, axis, distance);
  return there < 0 ? HT_NO_PLACE : blocks->place[there];
}

static uint32_t marks_of(const ht_lattice_tables *tables, int64_t node) {
  uint32_t marks = is_corrected(tables, node) ? 0 : HT_FORCE_OFF;
  for (int axis = 0; axis < 3; axis++)
    for (int high = 0; high < 2; high++)
      if (ht_node_along(tables, node, axis, high ? 1 : -1) < 0) marks |= HT_FORCE_SOLID(axis, high);
  return marks;
}

/* Fills the lists of a tile's own block: of all nodes, as a solid one may be beside an end. */
static void fill_tile(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile,
                      uint32_t *list) {
  for (int n = 0; n < HT_TILE_NODES; n++) {
    const int64_t node = HT_TILE_NODES * tile + n;
    const int to_x = (n & 3) < 2 ? HT_TILE_SIDE : -HT_TILE_SIDE;
    const int to_y = (n >> 2 & 3) < 2 ? HT_TILE_SIDE : -HT_TILE_SIDE;
    uint32_t *to = list + n;
    to[HT_TILE_NODES * HT_FORCE_END_X] = place_along(tables, blocks, node, 0, to_x);
    to[HT_TILE_NODES * HT_FORCE_END_Y] = place_along(tables, blocks, node, 1, to_y);
    to[HT_TILE_NODES * HT_FORCE_LOW_Z] = place_along(tables, blocks, node, 2, -2);
    to[HT_TILE_NODES * HT_FORCE_HIGH_Z] = place_along(tables, blocks, node, 2, 2);
    to[HT_TILE_NODES * HT_FORCE_MARKS] = marks_of(tables, node);
  }
}

/* Fills what the lists of a packed block have of one node. */
static void fill_packed(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node,
                        uint32_t *to) {
  static const int distance[4] = {-2, -1, 1, 2};
  for (int k = 0; k < HT_FORCE_NEIGHBOURS; k++)
    to[HT_TILE_NODES * k] = place_along(tables, blocks, node, k / 4, distance[k % 4]);
}

static void fill(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile,
                 const ht_diagonal_places *places) {
  for (uint64_t left = tables->corrected[tile]; left; left &= left - 1) {
    const int64_t node = HT_TILE_NODES * tile + __builtin_ctzll(left);
    const uint32_t place = blocks->place[node];
    const int32_t kind = places->kind[place / HT_TILE_NODES];
    if (kind == HT_FORCE_BY_ROW) return;
    uint32_t *list = places->list + (int64_t)kind * HT_TILE_NODES;
    if (block_kind(blocks, place / HT_TILE_NODES) > HT_KIND_PACKED) {
      fill_tile(tables, blocks, tile, list);
      return;
    }
    fill_packed(tables, blocks, node, list + place % HT_TILE_NODES);
  }
}

ht_status ht_diagonal_places_build(const ht_lattice_tables *tables, const ht_blocks *blocks,
                                   ht_diagonal_places *places) {
  memset(places, 0, sizeof *places);
  HT_TRY(ht_alloc((void **)&places->kind, (size_t)blocks->blocks, sizeof *places->kind, what));
  find_kinds(tables, blocks, places);
  const size_t words = (size_t)places->lists * HT_TILE_NODES;
  ht_status status = ht_alloc((void **)&places->list, words, sizeof *places->list, what);
  if (status != HT_OK) {
    ht_diagonal_places_free(places);
    return status;
  }
  memset(places->list, 0xff, words * sizeof *places->list);
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tables->tiling->tiles; t++) fill(tables, blocks, t, places);
  return HT_OK;
}

void ht_diagonal_places_free(ht_diagonal_places *places) {
  free(places->kind);
  free(places->list);
  memset(places, 0, sizeof *places);
}
