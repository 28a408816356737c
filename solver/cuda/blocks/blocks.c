#include "solver/cuda/blocks/blocks.h"
#include "solver/cuda/blocks/block_slot.h"
#include "solver/kernels/half.h"
#include "solver/lattice/wall_links.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which node is where ---- */

static int is_tile_block(const ht_tiling *tiling, int64_t tile, int fill) {
  return __builtin_popcountll(tiling->inside[tile]) >= fill;
}

int64_t ht_blocks_count(const ht_tiling *tiling, int fill, int64_t *packed_nodes) {
  int64_t own = 0;
  *packed_nodes = 0;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    if (is_tile_block(tiling, t, fill))
      own++;
    else
      *packed_nodes += __builtin_popcountll(tiling->inside[t]);
  }
  return own + (*packed_nodes + HT_TILE_NODES - 1) / HT_TILE_NODES;
}

/* Places of a rank's tiles: those that others read of, the rest of its own, its border. */
enum { AT_EDGE, AT_REST, AT_BORDER, PLACES };

/* Packed blocks begin where the first of their nodes comes, so that neighbours in space are
 * neighbours in memory. `owner`: the tile of each block; -1: packed. where: [tiles], of which those
 * with `wanted` are placed; NULL: all. */
static void place_tiles(const ht_tiling *tiling, int fill, const uint8_t *where, int wanted,
                        ht_blocks *blocks, int32_t *owner) {
  int64_t open = -1;
  int used = HT_TILE_NODES;
  for (int64_t t = 0; t < tiling->tiles; t++) {
    if (where && where[t] != wanted) continue;
    int own = is_tile_block(tiling, t, fill);
    if (own) owner[blocks->blocks++] = (int32_t)t;
    for (int n = 0; n < HT_TILE_NODES; n++) {
      uint32_t *place = &blocks->place[HT_TILE_NODES * t + n];
      *place = HT_NO_PLACE;
      if (!((tiling->inside[t] >> n) & 1)) continue;
      if (!own && used == HT_TILE_NODES) {
        owner[open = blocks->blocks++] = -1;
        used = 0;
      }
      *place = (uint32_t)(own ? HT_TILE_NODES * (blocks->blocks - 1) + n
                              : HT_TILE_NODES * open + used++);
    }
  }
}

static ht_status place_part(const ht_lattice_tables *tables, int fill, ht_blocks *blocks,
                            int32_t *owner) {
  int64_t behind[PLACES];
  uint8_t *where;
  HT_TRY(ht_alloc((void **)&where, (size_t)tables->tiling->tiles, 1, "the blocks"));
  ht_border_mark(tables, tables->send, where);
  for (int64_t t = 0; t < tables->tiling->tiles; t++)
    where[t] = t >= tables->own_tiles ? AT_BORDER : where[t] ? AT_EDGE : AT_REST;
  for (int w = 0; w < PLACES; w++) {
    place_tiles(tables->tiling, fill, where, w, blocks, owner);
    behind[w] = blocks->blocks;
  }
  blocks->edge = behind[AT_EDGE];
  blocks->own = behind[AT_REST];
  free(where);
  return HT_OK;
}

static ht_status place_nodes(const ht_lattice_tables *tables, int fill, ht_blocks *blocks,
                             int32_t *owner) {
  if (tables->send) return place_part(tables, fill, blocks, owner);
  place_tiles(tables->tiling, fill, NULL, 0, blocks, owner);
  blocks->own = blocks->blocks;
  return HT_OK;
}

static int is_packed(const ht_blocks *blocks, uint32_t place) {
  return blocks->row[(int64_t)(place >> 6) * HT_BLOCK_ROW + HT_BLOCK_KIND] <= HT_KIND_PACKED;
}

uint32_t ht_blocks_address(const ht_blocks *blocks, uint32_t place, int q) {
  int n = (int)(place & 63);
  int slot = is_packed(blocks, place)
                 ? n
                 : ht_slot(blocks->paired, ht_c[q][0], ht_c[q][2], n & 3, (n >> 2) & 3, n >> 4);
  return (place >> 6) * (uint32_t)HT_TILE_VALUES(blocks->directions) + (uint32_t)(64 * q + slot);
}

void ht_blocks_source(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node, int q,
                      int64_t *from, int *direction) {
  int slot, local;
  ht_pull_source((int)(node & 63), q, &slot, &local);
  int64_t there = tables->neighbour[HT_TILE_NEIGHBOURS * (node >> 6) + slot];
  *from = HT_TILE_NODES * there + local;
  *direction = q;
  if (there >= 0 && blocks->place[*from] != HT_NO_PLACE) return;
  *from = node;
  *direction = ht_opposite(q);
}

/* Returns the port of a node; -1: it is no port's. */
static int64_t port_at(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t node) {
  if (!blocks->has_port || !blocks->has_port[node / HT_TILE_NODES]) return -1;
  return ht_find_port_node(tables, node);
}

uint32_t ht_blocks_read_address(const ht_lattice_tables *tables, const ht_blocks *blocks,
                                int64_t node, int q) {
  const int64_t port = port_at(tables, blocks, node);
  if (port < 0) return ht_blocks_address(blocks, blocks->place[node], q);
  return ht_address_beside((uint32_t)blocks->first_beside, blocks->directions, port, q);
}

uint32_t ht_link_code(const ht_wall_link *link, int q) {
  return HT_LINK_CODES | (q % 2 ? 0 : HT_LINK_SECOND) | (link->weight < 0 ? HT_LINK_FAR : 0) |
         ht_half_from_float_c(fabsf(link->weight));
}

/* The steps of the benchmark that only move data know half-way walls alone. */
static uint32_t source_address(const ht_lattice_tables *tables, const ht_blocks *blocks,
                               int64_t node, int q) {
  const int interpolates = blocks->link && tables->step_kind == HT_STEP_FLOW;
  int64_t from, link = interpolates ? ht_blocks_link(blocks, node, q) : -1;
  int direction;
  if (link >= 0) return ht_link_code(&tables->wall_link[blocks->link[link]], q);
  ht_blocks_source(tables, blocks, node, q, &from, &direction);
  return ht_blocks_read_address(tables, blocks, from, direction);
}

/* ---- rows ---- */

/* A neighbour that is not a tile block is replaced by the block itself: its values are read from
 * addresses, but the unused load needs a valid address. */
static void fill_row(const ht_lattice_tables *tables, const int32_t *block_of, int64_t tile,
                     int32_t *row) {
  for (int s = 0; s < HT_TILE_NEIGHBOURS; s++) {
    int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + s];
    int32_t block = there < 0 ? -1 : block_of[there];
    row[s] = block < 0 ? block_of[tile] : block;
  }
}

/* ---- exceptions ---- */

/* Tells whether a tile and all its neighbours are full and without ports: most are, and need no
 * search. */
static int is_among_full(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile) {
  for (int s = 0; s < HT_TILE_NEIGHBOURS; s++) {
    int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * tile + s];
    if (there < 0 || tables->tiling->inside[there] != UINT64_MAX) return 0;
    if (blocks->has_port && blocks->has_port[there]) return 0;
  }
  return 1;
}

/* The word of a node of a tile block: bit 0: it is fluid; bit q: direction q has an address of its
 * own. */
static uint32_t word_of_node(const ht_lattice_tables *tables, const ht_blocks *blocks,
                             int64_t node) {
  uint32_t word = 1;
  if (blocks->place[node] == HT_NO_PLACE) return 0;
  for (int q = 1; q < blocks->directions; q++) {
    int64_t from;
    int direction;
    ht_blocks_source(tables, blocks, node, q, &from, &direction);
    if (direction != q || is_packed(blocks, blocks->place[from]) ||
        port_at(tables, blocks, from) >= 0)
      word |= 1u << q;
  }
  return word;
}

/* The words of a tile block's nodes, and the addresses of the first half of them. Returns the
 * values of `exception` that it takes; 0: it is plain. */
static int32_t find_words(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile,
                          uint32_t word[HT_TILE_NODES], int32_t *first_half) {
  int32_t count = HT_TILE_NODES;
  if (is_among_full(tables, blocks, tile)) return 0;
  for (int n = 0; n < HT_TILE_NODES; n++) {
    if (n == HT_TILE_NODES / 2) *first_half = count - HT_TILE_NODES;
    word[n] = word_of_node(tables, blocks, HT_TILE_NODES * tile + n);
    count += __builtin_popcount(word[n] & HT_MOVING(blocks->directions));
  }
  int plain = count == HT_TILE_NODES && tables->tiling->inside[tile] == UINT64_MAX;
  return plain ? 0 : count;
}

static void fill_exceptions(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile,
                            uint32_t *list) {
  int32_t first_half;
  find_words(tables, blocks, tile, list, &first_half);
  uint32_t *address = list + HT_TILE_NODES;
  for (int n = 0; n < HT_TILE_NODES; n += HT_TILE_NODES / 2)
    for (int q = 1; q < blocks->directions; q++)
      for (int m = n; m < n + HT_TILE_NODES / 2; m++)
        if ((list[m] >> q) & 1)
          *address++ = source_address(tables, blocks, HT_TILE_NODES * tile + m, q);
}

/* ---- packed blocks ---- */

static uint32_t *list_of(const ht_blocks *blocks, int32_t kind) {
  return blocks->list + (int64_t)(HT_KIND_PACKED - kind) * HT_LIST_VALUES(blocks->directions);
}

/* Slots after the last node read themselves: zeros that stay zeros. */
static void clear_lists(const ht_blocks *blocks) {
  for (int64_t b = 0; b < blocks->blocks; b++) {
    int32_t kind = blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_KIND];
    if (kind > HT_KIND_PACKED) continue;
    uint32_t *list = list_of(blocks, kind);
    for (int i = 0; i < HT_LIST_VALUES(blocks->directions); i++)
      list[i] = ht_blocks_address(blocks, (uint32_t)(64 * b + (i & 63)), 1 + i / 64);
  }
}

static void fill_lists(const ht_lattice_tables *tables, const ht_blocks *blocks, int64_t tile) {
  for (int n = 0; n < HT_TILE_NODES; n++) {
    uint32_t place = blocks->place[HT_TILE_NODES * tile + n];
    if (place == HT_NO_PLACE) continue;
    int32_t kind = blocks->row[(int64_t)(place >> 6) * HT_BLOCK_ROW + HT_BLOCK_KIND];
    uint32_t *list = list_of(blocks, kind);
    for (int q = 1; q < blocks->directions; q++)
      list[64 * (q - 1) + (place & 63)] =
          source_address(tables, blocks, HT_TILE_NODES * tile + n, q);
  }
}

/* ---- interpolated walls ---- */

static uint32_t place_of_link(const ht_blocks *blocks, const ht_wall_link *link) {
  const int a_tile = HT_TILE_VALUES(blocks->directions);
  return blocks->place[link->slot / a_tile * HT_TILE_NODES + link->slot % HT_TILE_NODES];
}

static int32_t *row_of_link(const ht_blocks *blocks, const ht_wall_link *link) {
  return blocks->row + (int64_t)(place_of_link(blocks, link) >> 6) * HT_BLOCK_ROW;
}

/* The direction that a link brings. */
static int direction_of_link(const ht_blocks *blocks, const ht_wall_link *link) {
  return ht_opposite((int)(link->slot % HT_TILE_VALUES(blocks->directions) / HT_TILE_NODES));
}

/* Counts in FIRST_LINK first. */
static void count_links(const ht_lattice_tables *tables, ht_blocks *blocks) {
  int32_t next = 0;
  for (int64_t i = 0; i < tables->wall_links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    row_of_link(blocks, link)[HT_BLOCK_FIRST_LINK]++;
    if ((place_of_link(blocks, link) & 63) < HT_TILE_NODES / 2)
      row_of_link(blocks, link)[HT_BLOCK_HALF]++;
  }
  for (int64_t b = 0; b < blocks->blocks; b++) {
    int32_t *row = blocks->row + b * HT_BLOCK_ROW, count = row[HT_BLOCK_FIRST_LINK];
    row[HT_BLOCK_FIRST_LINK] = next;
    row[HT_BLOCK_MASKS] = count > 0 ? (int32_t)blocks->masks++ : -1;
    next += count;
  }
}

static void set_masks(const ht_lattice_tables *tables, const ht_blocks *blocks) {
  for (int64_t i = 0; i < tables->wall_links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    int64_t masks = row_of_link(blocks, link)[HT_BLOCK_MASKS];
    blocks->mask[masks * blocks->directions + direction_of_link(blocks, link)] |=
        (uint64_t)1 << (place_of_link(blocks, link) & 63);
  }
}

/* The number of the link that brings direction q to node n of a block, after set_masks(). */
static int64_t number_of_link(const ht_blocks *blocks, const int32_t *row, int n, int q) {
  const uint64_t *mask = blocks->mask + (int64_t)row[HT_BLOCK_MASKS] * blocks->directions;
  const int second = n >= HT_TILE_NODES / 2, pair = (q - 1) / 2;
  const uint64_t half = second ? UINT64_MAX << 32 : UINT32_MAX;
  int64_t number = row[HT_BLOCK_FIRST_LINK];
  if (second) number += row[HT_BLOCK_HALF] & 0xffff;
  for (int i = 1; i <= 2 * pair; i++) number += __builtin_popcountll(mask[i] & half);
  const uint64_t before = half & (((uint64_t)1 << n) - 1);
  return number + __builtin_popcountll((mask[2 * pair + 1] | mask[2 * pair + 2]) & before);
}

static ht_status number_links(const ht_lattice_tables *tables, ht_blocks *blocks) {
  count_links(tables, blocks);
  HT_TRY(ht_alloc((void **)&blocks->mask, (size_t)(blocks->masks * blocks->directions),
                  sizeof(uint64_t), "the interpolated walls"));
  set_masks(tables, blocks);
  for (int64_t i = 0; i < tables->wall_links; i++) {
    const ht_wall_link *link = &tables->wall_link[i];
    int n = (int)(place_of_link(blocks, link) & 63), q = direction_of_link(blocks, link);
    blocks->link[number_of_link(blocks, row_of_link(blocks, link), n, q)] = (uint32_t)i;
  }
  return HT_OK;
}

static void number_tiles(const ht_lattice_tables *tables, const int32_t *block_of,
                         const ht_blocks *blocks) {
  for (int64_t i = 0; i < blocks->lists * HT_TILE_NODES; i++) blocks->list_tile[i] = -1;
  for (int64_t w = 0; w < tables->wall_tiles; w++) {
    int64_t tile = tables->wall_tile[w].tile;
    if (block_of[tile] >= 0)
      blocks->row[(int64_t)block_of[tile] * HT_BLOCK_ROW + HT_BLOCK_WALLS] = (int32_t)w;
    for (int n = 0; n < HT_TILE_NODES && block_of[tile] < 0; n++) {
      uint32_t place = blocks->place[HT_TILE_NODES * tile + n];
      if (place == HT_NO_PLACE) continue;
      int32_t kind = blocks->row[(int64_t)(place >> 6) * HT_BLOCK_ROW + HT_BLOCK_KIND];
      blocks->list_tile[HT_TILE_NODES * (int64_t)(HT_KIND_PACKED - kind) + (place & 63)] =
          (int32_t)w;
    }
  }
}

static ht_status place_links(const ht_lattice_tables *tables, const int32_t *block_of,
                             ht_blocks *blocks) {
  for (int64_t b = 0; b < blocks->blocks; b++)
    blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_WALLS] =
        blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_MASKS] = -1;
  if (tables->wall_links == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&blocks->link, (size_t)tables->wall_links, sizeof(uint32_t),
                  "the interpolated walls"));
  HT_TRY(ht_alloc((void **)&blocks->list_tile, (size_t)blocks->lists * HT_TILE_NODES,
                  sizeof(int32_t), "the interpolated walls"));
  HT_TRY(number_links(tables, blocks));
  number_tiles(tables, block_of, blocks);
  return HT_OK;
}

int64_t ht_blocks_link(const ht_blocks *blocks, int64_t node, int q) {
  const uint32_t place = blocks->place[node];
  const int32_t *row = blocks->row + (int64_t)(place >> 6) * HT_BLOCK_ROW;
  const int64_t masks = row[HT_BLOCK_MASKS];
  if (masks < 0 || !((blocks->mask[masks * blocks->directions + q] >> (place & 63)) & 1)) return -1;
  return number_of_link(blocks, row, (int)(place & 63), q);
}

int32_t ht_blocks_wall_tile(const ht_blocks *blocks, int64_t node) {
  const uint32_t place = blocks->place[node];
  const int32_t *row = blocks->row + (int64_t)(place >> 6) * HT_BLOCK_ROW;
  if (row[HT_BLOCK_KIND] > HT_KIND_PACKED) return row[HT_BLOCK_WALLS];
  return blocks->list_tile[64 * (int64_t)(HT_KIND_PACKED - row[HT_BLOCK_KIND]) + (place & 63)];
}

/* ---- distance of neighbours ---- */

/* First and last block that a tile's nodes are in; first > last: it has none. */
static void block_range(const ht_blocks *blocks, int64_t tile, int64_t *first, int64_t *last) {
  *first = blocks->blocks, *last = -1;
  for (int n = 0; n < HT_TILE_NODES; n++) {
    uint32_t place = blocks->place[HT_TILE_NODES * tile + n];
    if (place == HT_NO_PLACE) continue;
    if ((place >> 6) < *first) *first = place >> 6;
    if ((place >> 6) > *last) *last = place >> 6;
  }
}

/* Finds the reach from tile to tile, an upper bound of node to node. Neighbours are mutual: one
 * side suffices. */
static int64_t find_reach(const ht_lattice_tables *tables, const ht_blocks *blocks) {
  int64_t reach = 0;
#pragma omp parallel for schedule(static) reduction(max : reach)
  for (int64_t t = 0; t < tables->tiling->tiles; t++) {
    int64_t first, last, first_there, last_there;
    block_range(blocks, t, &first, &last);
    for (int s = 0; s < HT_TILE_NEIGHBOURS; s++) {
      int32_t there = tables->neighbour[HT_TILE_NEIGHBOURS * t + s];
      if (there < 0) continue;
      block_range(blocks, there, &first_there, &last_there);
      if (last_there - first > reach) reach = last_there - first;
    }
  }
  return reach;
}

/* ---- all of it ---- */

/* Each of the places of a rank's part may end with a block that is not full. */
static int64_t most_blocks(const ht_tiling *tiling, int fill) {
  int64_t packed;
  return ht_blocks_count(tiling, fill, &packed) + PLACES;
}

static ht_status fit(const ht_tiling *tiling, int64_t blocks, int directions) {
  const double million = 1e-6 * HT_TILE_NODES;
  const int64_t a_block = HT_TILE_VALUES(directions);
  if (blocks * a_block <= HT_LINK_CODES) return HT_OK;
  return ht_fail(HT_ERR_MEMORY,
                 "%.0f million fluid nodes take %.0f million places on the GPU, and its tables "
                 "address %.0f million: use a coarser spacing, or several GPUs (--gpus N)",
                 1e-6 * (double)tiling->nodes, million * (double)blocks,
                 million * (double)(HT_LINK_CODES / a_block));
}

static int64_t blocks_beside(int64_t port_nodes) {
  return (port_nodes + HT_TILE_NODES - 1) / HT_TILE_NODES;
}

ht_status ht_blocks_fit(const ht_tiling *tiling, int64_t port_nodes, int directions, int fill) {
  return fit(tiling, most_blocks(tiling, fill) + blocks_beside(port_nodes), directions);
}

static ht_status too_many_walls(const ht_lattice_tables *tables) {
  return ht_fail(HT_ERR_MEMORY,
                 "the walls of %.0f million fluid nodes have more addresses than the GPU's tables "
                 "have room for: use a coarser spacing, or several GPUs (--gpus N)",
                 1e-6 * (double)tables->tiling->nodes);
}

/* Rows, and all kinds as if there were no exceptions. */
static void fill_rows(const ht_lattice_tables *tables, const int32_t *owner,
                      const int32_t *block_of, ht_blocks *blocks) {
  for (int64_t b = 0; b < blocks->blocks; b++)
    blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_KIND] =
        owner[b] < 0 ? (int32_t)(HT_KIND_PACKED - blocks->lists++) : HT_KIND_PLAIN;
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks->blocks; b++)
    if (owner[b] >= 0) fill_row(tables, block_of, owner[b], blocks->row + b * HT_BLOCK_ROW);
}

/* Gives each tile block with exceptions its place in the list; its kind is that place. */
static ht_status place_exceptions(const ht_lattice_tables *tables, const int32_t *owner,
                                  ht_blocks *blocks) {
  int32_t *length;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&length, (size_t)blocks->blocks, sizeof *length, "the blocks"));
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks->blocks; b++) {
    uint32_t word[HT_TILE_NODES];
    int32_t first_half = 0;
    if (owner[b] < 0) continue;
    length[b] = find_words(tables, blocks, owner[b], word, &first_half);
    blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_HALF] = first_half << 16;
  }
  for (int64_t b = 0; b < blocks->blocks && status == HT_OK; b++) {
    if (length[b] == 0) continue;
    blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_KIND] = (int32_t)blocks->exceptions;
    blocks->exceptions += length[b];
    if (blocks->exceptions > INT32_MAX) status = too_many_walls(tables);
  }
  free(length);
  return status;
}

static ht_status fill_tables(const ht_lattice_tables *tables, const int32_t *block_of,
                             ht_blocks *blocks) {
  HT_TRY(ht_alloc((void **)&blocks->exception, (size_t)blocks->exceptions, sizeof(uint32_t),
                  "the addresses"));
  HT_TRY(ht_alloc((void **)&blocks->list,
                  (size_t)(blocks->lists * HT_LIST_VALUES(blocks->directions)), sizeof(uint32_t),
                  "the addresses"));
  clear_lists(blocks);
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < tables->tiling->tiles; t++) {
    int32_t kind = block_of[t] < 0
                       ? HT_KIND_PACKED
                       : blocks->row[(int64_t)block_of[t] * HT_BLOCK_ROW + HT_BLOCK_KIND];
    if (kind <= HT_KIND_PACKED)
      fill_lists(tables, blocks, t);
    else if (kind >= 0)
      fill_exceptions(tables, blocks, t, blocks->exception + kind);
  }
  return HT_OK;
}

/* The benchmark's steps that only move data know no ports. */
static ht_status find_ports(const ht_lattice_tables *tables, ht_blocks *blocks) {
  if (tables->port_nodes == 0 || tables->step_kind != HT_STEP_FLOW) return HT_OK;
  blocks->beside = blocks_beside(tables->port_nodes);
  HT_TRY(ht_alloc((void **)&blocks->has_port, (size_t)tables->tiling->tiles, 1, "the ports"));
  for (int64_t p = 0; p < tables->port_nodes; p++)
    blocks->has_port[tables->port_node[p].node / HT_TILE_NODES] = 1;
  return HT_OK;
}

static ht_status build(const ht_lattice_tables *tables, int fill, ht_blocks *blocks,
                       int32_t **owner, int32_t **block_of) {
  const ht_tiling *tiling = tables->tiling;
  const size_t most = (size_t)most_blocks(tiling, fill);
  HT_TRY(find_ports(tables, blocks));
  HT_TRY(ht_blocks_fit(tiling, tables->port_nodes, blocks->directions, fill));
  HT_TRY(ht_alloc((void **)&blocks->place, (size_t)tiling->tiles * HT_TILE_NODES, sizeof(uint32_t),
                  "the nodes' places"));
  HT_TRY(ht_alloc((void **)owner, most, sizeof(int32_t), "the blocks"));
  HT_TRY(ht_alloc((void **)block_of, (size_t)tiling->tiles, sizeof(int32_t), "the blocks"));
  HT_TRY(place_nodes(tables, fill, blocks, *owner));
  blocks->first_beside = blocks->blocks;
  HT_TRY(ht_alloc((void **)&blocks->row, (size_t)blocks->blocks * HT_BLOCK_ROW, sizeof(int32_t),
                  "the blocks"));
  for (int64_t t = 0; t < tiling->tiles; t++) (*block_of)[t] = -1;
  for (int64_t b = 0; b < blocks->blocks; b++)
    if ((*owner)[b] >= 0) (*block_of)[(*owner)[b]] = (int32_t)b;
  blocks->reach = find_reach(tables, blocks);
  fill_rows(tables, *owner, *block_of, blocks);
  HT_TRY(place_exceptions(tables, *owner, blocks));
  HT_TRY(place_links(tables, *block_of, blocks));
  return fill_tables(tables, *block_of, blocks);
}

ht_status ht_blocks_build(const ht_lattice_tables *tables, int paired, int fill,
                          ht_blocks *blocks) {
  int32_t *owner = NULL, *block_of = NULL;
  memset(blocks, 0, sizeof *blocks);
  blocks->paired = paired;
  blocks->directions = tables->directions;
  ht_status status = build(tables, fill, blocks, &owner, &block_of);
  free(owner);
  free(block_of);
  if (status != HT_OK) ht_blocks_free(blocks);
  return status;
}

enum { PORTION = 3750, PORTIONS_LEAST = 16 }; /* blocks; portions of a step (measured) */

void ht_blocks_split(const ht_blocks *blocks, int compact, int64_t *portion, int64_t *shift) {
  int64_t all = blocks->blocks, few = (all + PORTIONS_LEAST - 1) / PORTIONS_LEAST;
  *portion = few < PORTION ? few : PORTION;
  *shift = 2 * *portion + blocks->reach;
  if (*shift < blocks->beside) *shift = blocks->beside;
  /* The ports' values lie after both places of the state. */
  const int64_t more = blocks->beside > 0 ? 2 * *shift : *shift;
  if (compact && more < all + blocks->beside) return;
  *portion = all;
  *shift = all + blocks->beside;
}

/* ---- the ports' values elsewhere ---- */

typedef struct {
  uint32_t begin, end, by; /* addresses from `begin` to `end` move by so much */
} moved;

static void move_addresses(const moved *of, uint32_t *address, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (address[i] >= of->begin && address[i] < of->end) address[i] += of->by;
}

/* Moves the addresses of a tile block, which follow the words of its nodes. */
static void move_exceptions(const moved *of, uint32_t *words, int directions) {
  int64_t count = 0;
  for (int n = 0; n < HT_TILE_NODES; n++)
    count += __builtin_popcount(words[n] & HT_MOVING(directions));
  move_addresses(of, words + HT_TILE_NODES, count);
}

ht_status ht_blocks_move_beside(const ht_tiling *tiling, int64_t first_beside, ht_blocks *blocks) {
  const int64_t a_block = HT_TILE_VALUES(blocks->directions);
  HT_TRY(fit(tiling, first_beside + blocks->beside, blocks->directions));
  const moved of = {(uint32_t)(blocks->first_beside * a_block),
                    (uint32_t)((blocks->first_beside + blocks->beside) * a_block),
                    (uint32_t)((first_beside - blocks->first_beside) * a_block)};
  move_addresses(&of, blocks->list, blocks->lists * HT_LIST_VALUES(blocks->directions));
  for (int64_t b = 0; b < blocks->blocks; b++) {
    const int32_t kind = blocks->row[b * HT_BLOCK_ROW + HT_BLOCK_KIND];
    if (kind >= 0) move_exceptions(&of, blocks->exception + kind, blocks->directions);
  }
  blocks->first_beside = first_beside;
  return HT_OK;
}

void ht_blocks_free(ht_blocks *blocks) {
  free(blocks->row);
  free(blocks->exception);
  free(blocks->list);
  free(blocks->list_tile);
  free(blocks->link);
  free(blocks->mask);
  free(blocks->place);
  free(blocks->has_port);
  memset(blocks, 0, sizeof *blocks);
}
