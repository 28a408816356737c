/* The numbers of the parts of ranks are those of the parts that are made; the blocks of a part on a
 * GPU. */
#include "tests/check.h"
#include "solver/cuda/blocks/blocks.h"
#include "solver/ranks/part_tables.h"
#include "tests/solver/common/ported_vessel.h"
#include "tiling/tiling.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 7 };

static const ht_part_peer *peer_of(const ht_part *part, int rank) {
  for (int64_t i = 0; i < part->peers; i++)
    if (part->peer[i].rank == rank) return &part->peer[i];
  return NULL;
}

static void check_pair(const ht_part *part, int one, int other) {
  const ht_part_peer *there = peer_of(&part[one], other), *back = peer_of(&part[other], one);
  assert_int_equal(there != NULL, back != NULL);
  if (there) assert_int_equal(there->send_size, back->receive_size);
}

static void check_figures(const ht_part_figures *figures, const ht_part *part, int parts,
                          const ht_tiling *whole) {
  int64_t tiles = 0, nodes = 0;
  double load = 0;
  for (int p = 0; p < parts; p++) {
    assert_int_equal(figures[p].tiles, part[p].tables.own_tiles);
    assert_int_equal(figures[p].nodes, part[p].tiling.nodes);
    assert_int_equal(figures[p].sent_bytes, part[p].send.bytes);
    assert_int_equal(figures[p].received_bytes, part[p].receive.bytes);
    assert_int_equal(figures[p].neighbours, part[p].peers);
    assert_in_range(figures[p].border_tiles, 1, figures[p].tiles);
    for (int other = 0; other < parts; other++) check_pair(part, p, other);
    tiles += figures[p].tiles;
    nodes += figures[p].nodes;
    load += figures[p].load;
  }
  assert_int_equal(tiles, whole->tiles);
  assert_int_equal(nodes, whole->nodes);
  assert_near(load, parts, 1e-9);
}

/* Blocks of the edge come first on a GPU, then those of the other own tiles, then the border's; a
 * block has nodes of one of these alone. */
static void check_blocks(ht_part *part) {
  ht_lattice_tables *tables = &part->tables;
  const int64_t tiles = tables->tiling->tiles;
  ht_blocks blocks;
  uint8_t *is_edge = calloc((size_t)tiles, 1);
  assert_non_null(is_edge);
  tables->send = &part->send;
  ht_border_mark(tables, tables->send, is_edge);
  assert_int_equal(ht_blocks_build(tables, tables->precision == HT_FP16, HT_BLOCK_FILL, &blocks),
                   HT_OK);
  assert_in_range(blocks.edge, 1, blocks.own);
  assert_true(blocks.own <= tables->own_tiles); /* each has a tile for its change */
  assert_true(blocks.own < blocks.blocks);
  for (int64_t i = 0; i < tiles * HT_TILE_NODES; i++) {
    const uint32_t place = blocks.place[i];
    const int64_t tile = i / HT_TILE_NODES, block = place / HT_TILE_NODES;
    if (place == HT_NO_PLACE) continue;
    assert_int_equal(block < blocks.edge, tile < tables->own_tiles && is_edge[tile]);
    assert_int_equal(block >= blocks.own, tile >= tables->own_tiles);
  }
  ht_blocks_free(&blocks);
  free(is_edge);
}

static ht_status look(void *user, const ht_lattice_tables *tables) {
  const int parts = *(const int *)user;
  ht_part_figures figures[MOST];
  ht_part part[MOST];
  ht_part_plan plan;
  ht_needs needs;
  int32_t *part_of = malloc((size_t)tables->tiling->tiles * sizeof *part_of);
  assert_non_null(part_of);
  assert_int_equal(ht_part_figures_find(tables, parts, figures, part_of), HT_OK);
  assert_int_equal(ht_part_plan_make(tables, parts, &plan), HT_OK);
  assert_memory_equal(part_of, plan.part, (size_t)tables->tiling->tiles * sizeof *part_of);
  assert_int_equal(ht_needs_find(tables, parts, plan.part, &needs), HT_OK);
  for (int p = 0; p < parts; p++)
    assert_int_equal(ht_part_build(&plan, &needs, p, &part[p]), HT_OK);
  check_figures(figures, part, parts, tables->tiling);
  for (int p = 0; p < parts; p++) check_blocks(&part[p]);
  for (int p = 0; p < parts; p++) ht_part_free(&part[p]);
  ht_needs_free(&needs);
  ht_part_plan_free(&plan);
  free(part_of);
  return HT_OK;
}

static void figures_are_those_of_the_parts(void **unused) {
  (void)unused;
  ht_ported_vessel vessel;
  ht_tiling tiling;
  ht_lattice_setup setup = ht_ported_vessel_setup(&vessel, &tiling);
  for (int parts = 2; parts <= MOST; parts++)
    for (int fp16 = 0; fp16 < 2; fp16++) {
      setup.precision = fp16 ? HT_FP16 : HT_FP64;
      assert_int_equal(ht_lattice_look(&setup, look, &parts), HT_OK);
    }
  ht_tiling_free(&tiling);
  ht_ported_vessel_free(&vessel);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures_are_those_of_the_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
