/* The storage of the CUDA backend, read back on the host as its kernels read it. */
#include "tests/check.h"
#include "solver/cuda/blocks/block_slot.h"
#include "solver/cuda/blocks/blocks.h"
#include "solver/cuda/blocks/diagonal_places.h"
#include "phantom/geometry.h"
#include "tiling/tiling.h"
#include <stdlib.h>
#include <string.h>

/* The address in a list of exceptions; -1: none. first_half: addresses of nodes 0 to 31. */
static int64_t exception_address(const uint32_t *list, int first_half, int n, int q) {
  const uint32_t *address = list + HT_TILE_NODES + (n < 32 ? 0 : first_half);
  if (q == 0 || !((list[n] >> q) & 1)) return -1;
  for (int m = n & 32; m < (n & 32) + 32; m++)
    address += __builtin_popcount(list[m] & HT_MOVING(q)) + (m < n && ((list[m] >> q) & 1));
  return *address;
}

/* Address at which the kernel reads direction q of the node at `place`. */
static int64_t read_address(const ht_blocks *blocks, uint32_t place, int q) {
  int64_t own = place >> 6, address = -1;
  int n = (int)(place & 63), slot, from;
  const int32_t *row = blocks->row + own * HT_BLOCK_ROW;
  int32_t kind = row[HT_BLOCK_KIND];
  if (kind <= HT_KIND_PACKED)
    return q ? blocks->list[(int64_t)(HT_KIND_PACKED - kind) * HT_LIST_VALUES(blocks->directions) +
                            64 * (q - 1) + n]
             : own * HT_TILE_VALUES(blocks->directions) + n;
  if (kind >= 0) {
    assert_true(blocks->exception[kind + n] & 1);
    address = exception_address(blocks->exception + kind, row[HT_BLOCK_HALF] >> 16, n, q);
  }
  if (address >= 0) return address;
  ht_pull_source(n, q, &slot, &from);
  return (int64_t)row[slot] * HT_TILE_VALUES(blocks->directions) + 64 * q +
         ht_slot(blocks->paired, ht_c[q][0], ht_c[q][2], from & 3, (from >> 2) & 3, from >> 4);
}

static void check_node(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node) {
  uint32_t place = blocks->place[node];
  assert_true(place >> 6 < blocks->blocks);
  for (int q = 0; q < blocks->directions; q++) {
    int64_t from;
    int direction;
    ht_blocks_source(tables, blocks, node, q, &from, &direction);
    int64_t far = (int64_t)(blocks->place[from] >> 6) - (int64_t)(place >> 6);
    int64_t port = q ? ht_find_port_node(tables, from) : -1;
    assert_int_equal(read_address(blocks, place, q),
                     port < 0
                         ? ht_blocks_address(blocks, blocks->place[from], direction)
                         : (blocks->first_beside + port / 64) * HT_TILE_VALUES(blocks->directions) +
                               64 * direction + port % 64);
    assert_true(far <= blocks->reach && -far <= blocks->reach);
  }
}

static void check_nodes(const ht_lattice_tables *tables, const ht_blocks *blocks) {
  for (int64_t i = 0; i < tables->tiling->tiles * HT_TILE_NODES; i++)
    if (blocks->place[i] != HT_NO_PLACE) check_node(tables, blocks, i);
}

/* Addresses that are loaded without use have to exist. */
static void check_rows(const ht_blocks *blocks) {
  for (int64_t b = 0; b < blocks->blocks; b++) {
    const int32_t *row = blocks->row + b * HT_BLOCK_ROW;
    if (row[HT_BLOCK_KIND] <= HT_KIND_PACKED) continue;
    for (int s = 0; s < HT_TILE_NEIGHBOURS; s++) {
      assert_true(row[s] >= 0 && row[s] < blocks->blocks);
    }
  }
}

/* Every fluid node has its own place in memory, a solid node has none. */
static void check_places(const ht_tiling *tiling, const ht_blocks *blocks) {
  char *taken = calloc((size_t)blocks->blocks, HT_TILE_NODES);
  assert_non_null(taken);
  for (int64_t i = 0; i < tiling->tiles * HT_TILE_NODES; i++) {
    uint32_t place = blocks->place[i];
    int is_fluid = (int)((tiling->inside[i >> 6] >> (i & 63)) & 1);
    assert_int_equal(place != HT_NO_PLACE, is_fluid);
    if (!is_fluid) continue;
    assert_false(taken[place]);
    taken[place] = 1;
  }
  free(taken);
}

/* Portions from the one that reads a value to the one that writes over it, at the least: in a step
 * towards the beginning of the array, which counts up, or towards its end (`backwards`). */
static int64_t least_distance(const ht_lattice_tables *tables, const ht_blocks *blocks,
                              int64_t portion, int64_t shift, int backwards) {
  int64_t least = INT64_MAX, last = blocks->blocks - 1;
  for (int64_t i = 0; i < tables->tiling->tiles * HT_TILE_NODES; i++) {
    if (blocks->place[i] == HT_NO_PLACE) continue;
    int64_t reader = blocks->place[i] >> 6;
    for (int q = 0; q < blocks->directions; q++) {
      int64_t read = read_address(blocks, blocks->place[i], q) / HT_TILE_VALUES(blocks->directions);
      int64_t writer = backwards ? read - shift : read + shift;
      if (writer < 0 || writer > last) continue; /* nothing is written there */
      int64_t distance = backwards ? (last - writer) / portion - (last - reader) / portion
                                   : writer / portion - reader / portion;
      if (distance < least) least = distance;
    }
  }
  return least;
}

/* A portion begins when all up to the last but one before it have ended. */
static void check_split(const ht_lattice_tables *tables, const ht_blocks *blocks) {
  int64_t portion, shift;
  ht_blocks_split(blocks, 0, &portion, &shift);
  assert_true(portion == blocks->blocks && shift == blocks->blocks);
  ht_blocks_split(blocks, 1, &portion, &shift);
  assert_true(shift <= blocks->blocks);
  if (shift == blocks->blocks) return;
  for (int backwards = 0; backwards < 2; backwards++)
    assert_true(least_distance(tables, blocks, portion, shift, backwards) >= 2);
}

static int is_wall(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node, int q) {
  int64_t from;
  int direction;
  ht_blocks_source(tables, blocks, node, q, &from, &direction);
  return direction != q;
}

/* All half-way links of the fluid but those in gaps of one node, in the order of the values that
 * they replace, and their tiles. */
static void make_links(const ht_blocks *blocks, ht_lattice_tables *tables) {
  const int64_t tiles = tables->tiling->tiles;
  const int directions = tables->directions;
  tables->wall_link = calloc((size_t)(tiles * HT_TILE_VALUES(directions)), sizeof(ht_wall_link));
  tables->wall_tile = calloc((size_t)tiles, sizeof(ht_wall_tile));
  assert_true(tables->wall_link && tables->wall_tile);
  for (int64_t t = 0; t < tiles; t++) {
    int64_t first = tables->wall_links;
    for (int p = 1; p < directions; p++)
      for (int n = 0; n < HT_TILE_NODES; n++) {
        int64_t node = HT_TILE_NODES * t + n, i = tables->wall_links;
        if (blocks->place[node] == HT_NO_PLACE || is_wall(tables, blocks, node, p) ||
            !is_wall(tables, blocks, node, ht_opposite(p)))
          continue;
        tables->wall_link[i].slot = t * HT_TILE_VALUES(directions) + HT_TILE_NODES * p + n;
        tables->wall_link[i].weight = (float)(i % 9 - 4) / 8;
        tables->wall_links++;
      }
    if (tables->wall_links > first) tables->wall_tile[tables->wall_tiles++].tile = t;
  }
}

/* A link's place in the order of the numbers: of its block half, pair of directions and node; with
 * the block above. */
static int64_t order_of_link(uint32_t place, int q) {
  const int n = (int)(place & 63);
  return (int64_t)(place >> 6) << 16 | n / 32 << 12 | (q - 1) / 2 << 6 | n;
}

static void check_link(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t i,
                       int64_t *order) {
  const ht_wall_link *link = &tables->wall_link[i];
  const int directions = blocks->directions;
  int64_t in_tile = link->slot % HT_TILE_VALUES(directions);
  int64_t node = link->slot / HT_TILE_VALUES(directions) * HT_TILE_NODES + in_tile % HT_TILE_NODES;
  int q = ht_opposite((int)(in_tile / HT_TILE_NODES));
  int64_t number = ht_blocks_link(blocks, node, q);
  uint32_t place = blocks->place[node];
  const int32_t *row = blocks->row + (int64_t)(place >> 6) * HT_BLOCK_ROW;
  assert_true(number >= 0 && number < tables->wall_links);
  assert_int_equal(blocks->link[number], i);
  assert_int_equal(order[number], -1);
  order[number] = order_of_link(place, q);
  int in_second_half = number >= row[HT_BLOCK_FIRST_LINK] + (row[HT_BLOCK_HALF] & 0xffff);
  assert_int_equal(in_second_half, (place & 63) >= 32);
  assert_true(number >= row[HT_BLOCK_FIRST_LINK]);
  assert_true((blocks->mask[(int64_t)row[HT_BLOCK_MASKS] * directions + q] >> (place & 63)) & 1);
  assert_int_equal(ht_blocks_link(blocks, node, 0), -1);
  assert_int_equal(ht_blocks_link(blocks, node, ht_opposite(q)), -1);
  assert_int_equal(tables->wall_tile[ht_blocks_wall_tile(blocks, node)].tile, node >> 6);
  assert_int_equal(read_address(blocks, place, q), ht_link_code(link, q));
}

/* Every link has one number, in the order in which the kernel counts; the table of addresses has
 * its code. */
static void check_links(const ht_tiling *on, int directions, int paired, int fill) {
  const ht_tiling tiling = *on;
  ht_lattice_tables tables = {
      .tiling = on, .neighbour = tiling.neighbour, .directions = directions};
  ht_blocks blocks;
  assert_int_equal(ht_blocks_build(&tables, paired, fill, &blocks), HT_OK);
  make_links(&blocks, &tables);
  ht_blocks_free(&blocks);
  assert_int_equal(ht_blocks_build(&tables, paired, fill, &blocks), HT_OK);
  int64_t *order = malloc((size_t)(tables.wall_links + 1) * sizeof *order);
  assert_non_null(order);
  for (int64_t i = 0; i < tables.wall_links; i++) order[i] = -1;
  for (int64_t i = 0; i < tables.wall_links; i++) check_link(&tables, &blocks, i, order);
  for (int64_t i = 1; i < tables.wall_links; i++) assert_true(order[i] > order[i - 1]);
  free(order);
  free(tables.wall_link);
  free(tables.wall_tile);
  ht_blocks_free(&blocks);
}

/* A code is beyond all addresses, and has the link in it. */
static void test_codes(void **unused) {
  (void)unused;
  const ht_wall_link far = {.weight = -0.5F}, near = {.weight = 0.98046875F};
  assert_int_equal(ht_link_code(&far, 1), HT_LINK_CODES | HT_LINK_FAR | 0x3800);
  assert_int_equal(ht_link_code(&far, 18), HT_LINK_CODES | HT_LINK_SECOND | HT_LINK_FAR | 0x3800);
  assert_int_equal(ht_link_code(&near, 26), HT_LINK_CODES | HT_LINK_SECOND | 0x3bd8);
  assert_true((ht_link_code(&near, 1) & HT_LINK_WEIGHT) == 0x3bd8);
}

static int is_packed(const ht_blocks *blocks, uint32_t place) {
  return blocks->row[(int64_t)(place >> 6) * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED;
}

/* Place of the end of a line that node n of a tile's block has in a list, or by the row. */
static uint32_t place_of_end(const ht_blocks *blocks, const ht_diagonal_places *places,
                             int64_t block, int n, int end) {
  static const int step[3] = {1, 3, 9};
  const int axis = end < HT_FORCE_LOW_Z ? end : 2, at = (n >> (2 * axis)) & 3;
  const int away[4] = {at < 2 ? 4 : -4, at < 2 ? 4 : -4, -2, 2}, there = at + away[end];
  if (places->kind[block] >= 0) return places->list[64 * (places->kind[block] + end) + n];
  assert_int_equal(places->kind[block], HT_FORCE_BY_ROW);
  const int slot = 13 + (there < 0 ? -step[axis] : there > 3 ? step[axis] : 0);
  const int local = (n & ~(3 << (2 * axis))) | (there & 3) << (2 * axis);
  return (uint32_t)(64 * blocks->row[block * HT_BLOCK_ROW + slot] + local);
}

/* Place at which a step reads neighbour k of the node at `place` for the correction of diagonals:
 * in its own block, or at an end that a node of its line has. */
static uint32_t read_neighbour(const ht_blocks *blocks, const ht_diagonal_places *places,
                               uint32_t place, int k) {
  static const int distance[4] = {-2, -1, 1, 2};
  const int64_t block = place >> 6;
  const int32_t kind = places->kind[block];
  const int n = (int)(place & 63), axis = k / 4, step = distance[k % 4], is_high = step > 0;
  const int there = ((n >> (2 * axis)) & 3) + step;
  const int beside = (n & ~(3 << (2 * axis))) | (there & 3) << (2 * axis);
  if (is_packed(blocks, place)) return places->list[64 * (kind + k) + n];
  if (abs(step) == 1 && kind >= 0 &&
      places->list[64 * (kind + HT_FORCE_MARKS) + n] & HT_FORCE_SOLID(axis, is_high))
    return HT_NO_PLACE;
  if (there >= 0 && there < 4) return (uint32_t)(64 * block + beside);
  if (axis < 2) return place_of_end(blocks, places, block, beside, axis);
  return place_of_end(blocks, places, block, abs(step) == 2 ? n : n - 16 * step,
                      is_high ? HT_FORCE_HIGH_Z : HT_FORCE_LOW_Z);
}

/* The slots of solid nodes in a tile's block have no velocity, as if solid. */
static void check_neighbours(const ht_lattice_tables *tables, const ht_blocks *blocks,
                             const ht_diagonal_places *places, int64_t node) {
  static const int distance[4] = {-2, -1, 1, 2};
  const uint32_t place = blocks->place[node];
  const int is_on = (int)((tables->corrected[node >> 6] >> (node & 63)) & 1);
  const int in_tile = !is_packed(blocks, place);
  const int32_t kind = places->kind[place >> 6];
  if (!is_on && kind == HT_FORCE_NONE) return;
  if (in_tile && kind >= 0)
    assert_int_equal(
        !is_on, (places->list[64 * (kind + HT_FORCE_MARKS) + (place & 63)] & HT_FORCE_OFF) != 0);
  for (int k = 0; k < HT_FORCE_NEIGHBOURS && (is_on || !in_tile); k++) {
    int64_t there = ht_node_along(tables, node, k / 4, distance[k % 4]);
    uint32_t read = read_neighbour(blocks, places, place, k);
    uint32_t expected = is_on && there >= 0 ? blocks->place[there] : HT_NO_PLACE;
    if (in_tile && there < 0 && read != HT_NO_PLACE)
      assert_true(abs(distance[k % 4]) == 2 && !is_packed(blocks, read));
    else
      assert_int_equal(read, expected);
  }
}

/* Every tenth node is not corrected, and no node of every seventh tile. */
static void check_diagonals(const ht_tiling *on, int has_rows) {
  const ht_tiling tiling = *on;
  ht_lattice_tables tables = {.tiling = on, .neighbour = tiling.neighbour, .directions = HT_Q27};
  ht_blocks blocks;
  ht_diagonal_places places;
  int64_t rows = 0;
  tables.corrected = calloc((size_t)tiling.tiles, sizeof *tables.corrected);
  assert_non_null(tables.corrected);
  for (int64_t t = 0; t < tiling.tiles; t++) {
    tables.corrected[t] = t % 7 == 6 ? 0 : tiling.inside[t];
    for (int n = t % 5 ? 64 : 0; n < 64; n += 10) tables.corrected[t] &= ~((uint64_t)1 << n);
  }
  assert_int_equal(ht_blocks_build(&tables, 0, HT_BLOCK_FILL, &blocks), HT_OK);
  assert_int_equal(ht_diagonal_places_build(&tables, &blocks, &places), HT_OK);
  for (int64_t b = 0; b < blocks.blocks; b++) rows += places.kind[b] == HT_FORCE_BY_ROW;
  assert_int_equal(rows > 0, has_rows);
  for (int64_t i = 0; i < tiling.tiles * HT_TILE_NODES; i++)
    if (blocks.place[i] != HT_NO_PLACE) check_neighbours(&tables, &blocks, &places, i);
  ht_diagonal_places_free(&places);
  ht_blocks_free(&blocks);
  free(tables.corrected);
}

static void check_set(const ht_tiling *on, int directions) {
  check_links(on, directions, 0, 1);
  check_links(on, directions, 1, 48);
  check_links(on, directions, 0, 65);
  const ht_tiling tiling = *on;
  ht_lattice_tables tables = {
      .tiling = on, .neighbour = tiling.neighbour, .directions = directions};
  for (int version = 0; version < 6; version++) {
    ht_blocks blocks;
    int fill[3] = {1, 48, 65};
    assert_int_equal(ht_blocks_build(&tables, version % 2, fill[version / 2], &blocks), HT_OK);
    int64_t packed, lists = 0;
    assert_int_equal(ht_blocks_count(on, fill[version / 2], &packed), blocks.blocks);
    for (int64_t b = 0; b < blocks.blocks; b++)
      lists += blocks.row[b * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED;
    assert_int_equal((packed + HT_TILE_NODES - 1) / HT_TILE_NODES, lists);
    check_places(on, &blocks);
    check_rows(&blocks);
    check_split(&tables, &blocks);
    check_nodes(&tables, &blocks);
    ht_blocks_free(&blocks);
  }
}

/* Every 37th fluid node is a port's, also in full tiles; their values lie next to the blocks, and
 * may be moved farther. */
static void check_ports(const ht_tiling *on, int directions, int fill) {
  const ht_tiling tiling = *on;
  ht_lattice_tables tables = {
      .tiling = on, .neighbour = tiling.neighbour, .directions = directions};
  ht_blocks blocks;
  int64_t fluid = 0, portion, shift;
  tables.port_node = calloc((size_t)tiling.nodes, sizeof *tables.port_node);
  assert_non_null(tables.port_node);
  for (int64_t i = 0; i < tiling.tiles * HT_TILE_NODES; i++)
    if ((tiling.inside[i >> 6] >> (i & 63)) & 1 && fluid++ % 37 == 0)
      tables.port_node[tables.port_nodes++].node = i;
  assert_int_equal(ht_blocks_build(&tables, 0, fill, &blocks), HT_OK);
  assert_int_equal(blocks.first_beside, blocks.blocks);
  assert_int_equal(blocks.beside, (tables.port_nodes + 63) / 64);
  check_nodes(&tables, &blocks);
  ht_blocks_split(&blocks, 0, &portion, &shift);
  assert_int_equal(shift, blocks.blocks + blocks.beside);
  ht_blocks_split(&blocks, 1, &portion, &shift);
  if (portion < blocks.blocks)
    assert_true(shift >= blocks.beside && 2 * shift < blocks.blocks + blocks.beside);
  assert_int_equal(ht_blocks_move_beside(on, blocks.blocks + 12345, &blocks), HT_OK);
  assert_int_equal(blocks.first_beside, blocks.blocks + 12345);
  check_nodes(&tables, &blocks);
  ht_blocks_free(&blocks);
  free(tables.port_node);
}

/* has_rows: 1: a tile has full tiles all around. */
static void check_mask(const ht_mask *mask, int has_rows) {
  ht_tiling tiling;
  assert_int_equal(ht_tiling_build(mask, NULL, &tiling), HT_OK);
  check_set(&tiling, HT_Q19);
  check_set(&tiling, HT_Q27);
  check_ports(&tiling, HT_Q19, 48);
  check_ports(&tiling, HT_Q27, 1);
  check_diagonals(&tiling, has_rows);
  ht_tiling_free(&tiling);
}

static void test_box(void **unused) {
  (void)unused;
  ht_mask mask;
  assert_int_equal(ht_geometry_box((int[3]){21, 13, 13}, &mask), HT_OK);
  check_mask(&mask, 1);
  ht_mask_free(&mask);
}

static void test_tubes(void **unused) {
  (void)unused;
  ht_mask mask;
  assert_int_equal(ht_geometry_tubes((int[3]){61, 47, 53}, (double[2]){5, 8}, 0.2, 3, &mask),
                   HT_OK);
  check_mask(&mask, 1);
  ht_mask_free(&mask);
}

static void test_one_voxel(void **unused) {
  (void)unused;
  ht_mask mask;
  assert_int_equal(ht_geometry_box((int[3]){1, 1, 1}, &mask), HT_OK);
  check_mask(&mask, 0);
  ht_mask_free(&mask);
}

/* Addresses of vessels with 3.6 million tiles, of which 32 bits address 3.53 million that are
 * full. */
static void test_addresses(void **unused) {
  (void)unused;
  const int64_t tiles = 3600000;
  ht_tiling tiling = {.tiles = tiles, .nodes = 32 * tiles};
  tiling.inside = calloc((size_t)tiles, sizeof *tiling.inside);
  assert_non_null(tiling.inside);
  for (int64_t t = 0; t < tiles; t++) tiling.inside[t] = UINT32_MAX;
  assert_int_equal(ht_blocks_fit(&tiling, 0, 19, HT_BLOCK_FILL),
                   HT_OK); /* two of them are a block */
  assert_int_equal(ht_blocks_fit(&tiling, 0, 27, HT_BLOCK_FILL), HT_OK);
  assert_int_equal(ht_blocks_fit(&tiling, 0, 19, 32), HT_ERR_MEMORY); /* each is one */
  assert_non_null(strstr(ht_error_message(), "115 million fluid nodes take 230 million places"));
  assert_non_null(strstr(ht_error_message(), "address 226 million"));
  for (int64_t t = 0; t < tiles; t++) tiling.inside[t] = UINT64_MAX;
  assert_int_equal(ht_blocks_fit(&tiling, 0, 19, HT_BLOCK_FILL), HT_ERR_MEMORY);
  free(tiling.inside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_addresses), cmocka_unit_test(test_box),   cmocka_unit_test(test_tubes),
      cmocka_unit_test(test_one_voxel), cmocka_unit_test(test_codes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
