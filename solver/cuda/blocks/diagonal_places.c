#include "solver/cuda/blocks/diagonal_places.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the correction of diagonals";

enum { A_LIST = HT_FORCE_NEIGHBOURS * HT_TILE_NODES };

static int is_corrected(const ht_lattice_tables *tables, int64_t node) {
  return (int)((tables->corrected[node / HT_TILE_NODES] >> node % HT_TILE_NODES) & 1);
}

static int goes_by_row(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node) {
  int64_t block = blocks->place[node] / HT_TILE_NODES;
  return blocks->row[block * HT_BLOCK_ROW + HT_BLOCK_KIND] == HT_KIND_PLAIN &&
         tables->corrected[node / HT_TILE_NODES] == UINT64_MAX;
}

static void find_kinds(const ht_lattice_tables *tables, const ht_blocks *blocks,
                       ht_diagonal_places *places) {
  for (int64_t b = 0; b < blocks->blocks; b++) places->kind[b] = HT_FORCE_NONE;
  for (int64_t node = 0; node < tables->tiling->tiles * HT_TILE_NODES; node++) {
    if (!is_corrected(tables, node)) continue;
    int32_t *kind = &places->kind[blocks->place[node] / HT_TILE_NODES];
    if (*kind != HT_FORCE_NONE) continue;
    *kind = goes_by_row(tables, blocks, node) ? HT_FORCE_BY_ROW : (int32_t)places->lists++;
  }
}

static void fill_node(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node,
                      uint32_t *to) {
  static const int distance[4] = {-2, -1, 1, 2};
  for (int k = 0; k < HT_FORCE_NEIGHBOURS; k++) {
    int64_t there = ht_node_along(tables, node, k / 4, distance[k % 4]);
    if (there >= 0) to[HT_TILE_NODES * k] = blocks->place[there];
  }
}

static void fill_lists(const ht_lattice_tables *tables, const ht_blocks *blocks,
                       ht_diagonal_places *places) {
  memset(places->list, 0xff, (size_t)places->lists * A_LIST * sizeof *places->list);
#pragma omp parallel for schedule(static)
  for (int64_t node = 0; node < tables->tiling->tiles * HT_TILE_NODES; node++) {
    if (!is_corrected(tables, node)) continue;
    int32_t kind = places->kind[blocks->place[node] / HT_TILE_NODES];
    if (kind >= 0)
      fill_node(tables, blocks, node,
                places->list + (int64_t)kind * A_LIST + blocks->place[node] % HT_TILE_NODES);
  }
}

ht_status ht_diagonal_places_build(const ht_lattice_tables *tables, const ht_blocks *blocks,
                                   ht_diagonal_places *places) {
  memset(places, 0, sizeof *places);
  HT_TRY(ht_alloc((void **)&places->kind, (size_t)blocks->blocks, sizeof *places->kind, what));
  find_kinds(tables, blocks, places);
  ht_status status =
      ht_alloc((void **)&places->list, (size_t)places->lists * A_LIST, sizeof *places->list, what);
  if (status == HT_OK)
    fill_lists(tables, blocks, places);
  else
    ht_diagonal_places_free(places);
  return status;
}

void ht_diagonal_places_free(ht_diagonal_places *places) {
  free(places->kind);
  free(places->list);
  memset(places, 0, sizeof *places);
}
