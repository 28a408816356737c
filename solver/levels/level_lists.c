#include "solver/levels/level_lists.h"
#include "solver/levels/level_edges.h"
#include "solver/levels/level_states.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the interface of two levels";

/* An outer node of the fine level. */
typedef struct {
  int64_t place; /* of its cell, by fine tile */
  int64_t node;
  int base[3]; /* the lowest corner: a coarse voxel, or -1 beside the box */
  int corner;  /* the nearest corner */
} outer_node;

typedef struct {
  const ht_level_region *coarse, *fine;
  const ht_tiling *coarse_tiling, *fine_tiling;
  ht_interface *lists;
  int64_t outers;
  outer_node *outer; /* [outers] by cell */
  ht_state_map of_coarse, of_fine;
} builder;

static void corner_at(const int base[3], int i, int at[3]) {
  for (int a = 0; a < 3; a++) at[a] = base[a] + ((i >> a) & 1);
}

/* ---- outer nodes of the fine level ---- */

static int compare_outer(const void *left, const void *right) {
  const outer_node *x = left, *y = right;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->corner - y->corner;
}

/* A fine node is 1/4 of a coarse spacing away from its nearest coarse voxel. */
static void describe_outer(const builder *b, const int at[3], outer_node *outer) {
  outer->corner = 0;
  outer->place = 0;
  for (int a = 0; a < 3; a++) {
    outer->base[a] = (at[a] + 1) / 2 - 1;
    if (b->fine->periodic[a] && outer->base[a] < 0) outer->base[a] += b->coarse->dim[a];
    outer->corner |= (at[a] & 1 ? 0 : 1) << a;
  }
  for (int a = 2; a >= 0; a--) /* cells of a fine tile together */
    outer->place = outer->place * (b->coarse->dim[a] / 2 + 2) + (outer->base[a] + 1) / 2;
  for (int a = 0; a < 3; a++) outer->place = 2 * outer->place + ((outer->base[a] + 1) & 1);
}

static ht_status list_outer(builder *b) {
  const int64_t voxels = ht_region_voxels(b->fine);
  int32_t *tile_of;
  int map_dim[3], at[3], local;
  int64_t tile, next = 0;
  for (int64_t v = 0; v < voxels; v++) b->outers += b->fine->part[v] == HT_VOXEL_FROM_COARSE;
  HT_TRY(ht_alloc((void **)&b->outer, (size_t)b->outers, sizeof *b->outer, what));
  HT_TRY(ht_tiling_map(b->fine_tiling, map_dim, &tile_of));
  for (int64_t v = 0; v < voxels; v++) {
    if (b->fine->part[v] != HT_VOXEL_FROM_COARSE) continue;
    ht_voxel_place(b->fine->dim, v, at);
    ht_tiling_find(b->fine_tiling, tile_of, at, &tile, &local);
    describe_outer(b, at, &b->outer[next]);
    b->outer[next++].node = HT_TILE_NODES * tile + local;
  }
  free(tile_of);
  qsort(b->outer, (size_t)b->outers, sizeof *b->outer, compare_outer);
  return HT_OK;
}

static int begins_cell(const builder *b, int64_t i) {
  return i == 0 || b->outer[i].place != b->outer[i - 1].place;
}

static ht_status want_cells(builder *b) {
  int at[3];
  for (int64_t i = 0; i < b->outers; i++) {
    if (!begins_cell(b, i)) continue;
    b->lists->cells++;
    for (int k = 0; k < 8; k++) {
      corner_at(b->outer[i].base, k, at);
      HT_TRY(ht_state_map_want(&b->of_coarse, at));
    }
  }
  return HT_OK;
}

static ht_status fill_cells(builder *b) {
  int at[3];
  HT_TRY(ht_alloc((void **)&b->lists->cell, (size_t)b->lists->cells, sizeof *b->lists->cell, what));
  ht_level_cell *cell = b->lists->cell - 1;
  for (int64_t i = 0; i < b->outers; i++) {
    const outer_node *outer = &b->outer[i];
    if (begins_cell(b, i)) {
      cell++;
      for (int k = 0; k < 8; k++) {
        corner_at(outer->base, k, at);
        cell->corner[k] = ht_state_map_at(&b->of_coarse, at);
        cell->node[k] = -1;
      }
    }
    cell->node[outer->corner] = outer->node;
  }
  return HT_OK;
}

/* ---- outer nodes of the coarse level ---- */

/* The outer nodes of the coarse level, in the order of the tiles, which is that of their states
 * (level_states.h): wants the states of the fine nodes around each, or (fills 1) fills its block.
 */
static ht_status list_blocks(builder *b, int fills) {
  int64_t blocks = 0;
  int voxel[3], base[3], at[3];
  for (int64_t t = 0; t < b->coarse_tiling->tiles; t++)
    for (uint64_t left = b->coarse_tiling->inside[t]; left; left &= left - 1) {
      const int local = __builtin_ctzll(left);
      ht_tile_voxel(b->coarse_tiling, t, local, voxel);
      if (ht_region_part(b->coarse, voxel) != HT_VOXEL_FROM_FINE) continue;
      for (int a = 0; a < 3; a++) base[a] = 2 * voxel[a];
      for (int k = 0; k < 8; k++) {
        corner_at(base, k, at);
        if (fills)
          b->lists->block[blocks].corner[k] = ht_state_map_at(&b->of_fine, at);
        else
          HT_TRY(ht_state_map_want(&b->of_fine, at));
      }
      if (fills) b->lists->block[blocks].node = HT_TILE_NODES * t + local;
      blocks++;
    }
  b->lists->blocks = blocks;
  return HT_OK;
}

static ht_status fill_blocks(builder *b) {
  HT_TRY(
      ht_alloc((void **)&b->lists->block, (size_t)b->lists->blocks, sizeof *b->lists->block, what));
  return list_blocks(b, 1);
}

/* ---- all ---- */

static ht_status build(builder *b) {
  HT_TRY(ht_state_map_begin(b->coarse, 1, &b->lists->coarse, &b->of_coarse));
  HT_TRY(ht_state_map_begin(b->fine, 0, &b->lists->fine, &b->of_fine));
  HT_TRY(list_outer(b));
  HT_TRY(want_cells(b));
  HT_TRY(list_blocks(b, 0));
  HT_TRY(ht_state_map_number(&b->of_coarse, b->coarse_tiling));
  HT_TRY(ht_state_map_number(&b->of_fine, b->fine_tiling));
  HT_TRY(fill_cells(b));
  HT_TRY(fill_blocks(b));
  return ht_level_edges_make(b->coarse, b->coarse_tiling, b->fine, b->fine_tiling, b->lists);
}

ht_status ht_level_lists_make(const ht_level_region *coarse, const ht_tiling *coarse_tiling,
                              const ht_level_region *fine, const ht_tiling *fine_tiling,
                              ht_interface *lists) {
  builder b = {.coarse = coarse,
               .fine = fine,
               .coarse_tiling = coarse_tiling,
               .fine_tiling = fine_tiling,
               .lists = lists};
  memset(lists, 0, sizeof *lists);
  ht_status status = build(&b);
  free(b.outer);
  ht_state_map_free(&b.of_coarse);
  ht_state_map_free(&b.of_fine);
  return status;
}

static void free_states(ht_level_states *states) {
  free(states->node);
  free(states->guess);
  free(states->from);
  free(states->weight);
}

void ht_level_lists_free(ht_interface *lists) {
  free_states(&lists->coarse);
  free_states(&lists->fine);
  free(lists->block);
  free(lists->cell);
  free(lists->edge);
  memset(lists, 0, sizeof *lists);
}
