#include "solver/ranks/part_tables.h"
#include "solver/kernels/relax_table.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the part of a rank";

/* Part p while it is made: the numbers in it of the whole lattice's tiles and tiles with links; -1:
 * not in it. */
typedef struct {
  const ht_part_plan *plan;
  const ht_lattice_tables *whole;
  int p;
  int32_t *tile_here; /* [tiles] */
  int32_t *wall_here; /* [wall_tiles] */
  ht_part *made;
} builder;

static int is_own(const builder *b, int64_t tile) {
  return b->plan->part[tile] == b->p;
}

/* ---- tiles ---- */

static void mark_around(const builder *b, int64_t tile) {
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = b->whole->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    if (there >= 0 && !is_own(b, there)) b->tile_here[there] = 0;
  }
}

static void number_tiles(builder *b) {
  const int64_t tiles = b->whole->tiling->tiles;
  ht_part *made = b->made;
  for (int64_t t = 0; t < tiles; t++) b->tile_here[t] = -1;
  for (int64_t t = 0; t < tiles; t++)
    if (is_own(b, t)) mark_around(b, t);
  for (int64_t t = 0; t < tiles; t++)
    if (is_own(b, t)) b->tile_here[t] = (int32_t)made->tables.own_tiles++;
  made->tiling.tiles = made->tables.own_tiles;
  for (int64_t t = 0; t < tiles; t++)
    if (!is_own(b, t) && b->tile_here[t] >= 0) b->tile_here[t] = (int32_t)made->tiling.tiles++;
}

static void copy_tile(const builder *b, int64_t tile) {
  const ht_lattice_tables *whole = b->whole;
  ht_part *made = b->made;
  const int64_t at = b->tile_here[tile];
  memcpy(made->tiling.position + 3 * at, whole->tiling->position + 3 * tile, 3 * sizeof(int32_t));
  made->tiling.inside[at] = whole->tiling->inside[tile];
  if (is_own(b, tile)) made->tiling.nodes += __builtin_popcountll(whole->tiling->inside[tile]);
  for (int i = 0; i < HT_TILE_NEIGHBOURS; i++) {
    int32_t there = whole->neighbour[HT_TILE_NEIGHBOURS * tile + i];
    made->tiling.neighbour[HT_TILE_NEIGHBOURS * at + i] = there < 0 ? -1 : b->tile_here[there];
  }
  memcpy(made->tables.links + HT_TILE_NODES * at, whole->links + HT_TILE_NODES * tile,
         HT_TILE_NODES * sizeof(uint32_t));
  if (whole->corrected && is_own(b, tile)) made->tables.corrected[at] = whole->corrected[tile];
}

static ht_status build_tiles(builder *b) {
  ht_part *made = b->made;
  const int64_t tiles = b->whole->tiling->tiles;
  made->tiling = *b->whole->tiling;
  made->tiling.position = made->tiling.neighbour = NULL;
  made->tiling.inside = NULL;
  made->tiling.nodes = 0;
  number_tiles(b);
  const size_t here = (size_t)made->tiling.tiles;
  HT_TRY(ht_tiles_alloc(&made->tiling));
  HT_TRY(ht_alloc((void **)&made->tables.links, here * HT_TILE_NODES, sizeof(uint32_t), what));
  if (b->whole->corrected)
    HT_TRY(ht_alloc((void **)&made->tables.corrected, here, sizeof(uint64_t), what));
  for (int64_t t = 0; t < tiles; t++)
    if (b->tile_here[t] >= 0) copy_tile(b, t);
  return HT_OK;
}

static int64_t node_here(const builder *b, int64_t node) {
  return HT_TILE_NODES * (int64_t)b->tile_here[node / HT_TILE_NODES] + node % HT_TILE_NODES;
}

static int64_t value_here(const builder *b, int64_t value) {
  const int64_t a_tile = HT_TILE_VALUES(b->whole->directions);
  return a_tile * b->tile_here[value / a_tile] + value % a_tile;
}

/* ---- ports and sponges ---- */

static ht_status build_ports(builder *b) {
  const ht_lattice_tables *whole = b->whole;
  ht_lattice_tables *made = &b->made->tables;
  HT_TRY(
      ht_alloc((void **)&made->port_node, (size_t)whole->port_nodes, sizeof(ht_port_node), what));
  for (int64_t i = 0; i < whole->port_nodes; i++) {
    ht_port_node node = whole->port_node[i];
    if (!is_own(b, node.node / HT_TILE_NODES)) continue;
    node.node = node_here(b, node.node);
    node.inner = node_here(b, node.inner);
    made->port_node[made->port_nodes++] = node;
  }
  HT_TRY(ht_alloc((void **)&made->shape, (size_t)whole->shapes, sizeof(double), what));
  if (whole->shapes > 0) memcpy(made->shape, whole->shape, (size_t)whole->shapes * sizeof(double));
  return HT_OK;
}

static ht_status build_sponge(builder *b) {
  const ht_lattice_tables *whole = b->whole;
  ht_lattice_tables *made = &b->made->tables;
  HT_TRY(ht_alloc((void **)&made->sponge_node, (size_t)whole->sponge_nodes, sizeof(ht_sponge_node),
                  what));
  for (int64_t i = 0; i < whole->sponge_nodes; i++) {
    const ht_sponge_node *node = &whole->sponge_node[i];
    if (!is_own(b, node->node / HT_TILE_NODES)) continue;
    made->sponge_node[made->sponge_nodes++] =
        (ht_sponge_node){.node = node_here(b, node->node), .keep = node->keep};
  }
  return HT_OK;
}

static ht_status build_rate(builder *b) {
  const size_t count = 4 * (size_t)HT_RELAX_ROWS;
  ht_lattice_tables *made = &b->made->tables;
  if (!b->whole->rate) return HT_OK;
  HT_TRY(ht_alloc((void **)&made->rate, count, sizeof(double), what));
  HT_TRY(ht_alloc((void **)&made->rate_single, count, sizeof(float), what));
  memcpy(made->rate, b->whole->rate, count * sizeof(double));
  memcpy(made->rate_single, b->whole->rate_single, count * sizeof(float));
  return HT_OK;
}

/* ---- walls ---- */

/* Own ones first, then those of the border: both in the order of the tiles. */
static void number_walls(builder *b) {
  const ht_lattice_tables *whole = b->whole;
  int32_t number = 0;
  for (int own = 1; own >= 0; own--) {
    for (int64_t i = 0; i < whole->wall_tiles; i++) {
      int64_t tile = whole->wall_tile[i].tile;
      if (own && !is_own(b, tile)) b->wall_here[i] = -1;
      if (is_own(b, tile) == own && b->tile_here[tile] >= 0) b->wall_here[i] = number++;
    }
  }
  b->made->tables.wall_tiles = number;
}

static void copy_links(const builder *b, const ht_wall_tile *from, ht_wall_tile *to) {
  ht_lattice_tables *made = &b->made->tables;
  to->first = made->wall_links;
  for (int64_t i = from->first; i < from->first + from->links; i++) {
    ht_wall_link link = b->whole->wall_link[i];
    link.slot = value_here(b, link.slot);
    link.leaving = value_here(b, link.leaving);
    link.near_coming = value_here(b, link.near_coming);
    if (link.near_leaving >= 0) link.near_leaving = value_here(b, link.near_leaving);
    made->wall_link[made->wall_links++] = link;
  }
}

static void copy_wall_tile(const builder *b, int64_t number) {
  const ht_wall_tile *from = &b->whole->wall_tile[number];
  ht_wall_tile *to = &b->made->tables.wall_tile[b->wall_here[number]];
  *to = *from;
  to->tile = b->tile_here[from->tile];
  to->first = to->links = 0;
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
    to->beside[k] = from->beside[k] < 0 ? -1 : b->wall_here[from->beside[k]];
  if (!is_own(b, from->tile)) return;
  to->links = from->links;
  copy_links(b, from, to);
}

static ht_status build_walls(builder *b) {
  const ht_lattice_tables *whole = b->whole;
  ht_lattice_tables *made = &b->made->tables;
  int64_t links = 0;
  number_walls(b);
  for (int64_t i = 0; i < whole->wall_tiles; i++)
    if (is_own(b, whole->wall_tile[i].tile)) links += whole->wall_tile[i].links;
  HT_TRY(ht_alloc((void **)&made->wall_link, (size_t)links, sizeof(ht_wall_link), what));
  HT_TRY(ht_alloc((void **)&made->wall_tile, (size_t)made->wall_tiles, sizeof(ht_wall_tile), what));
  for (int64_t i = 0; i < whole->wall_tiles; i++)
    if (b->wall_here[i] >= 0) copy_wall_tile(b, i);
  return HT_OK;
}

/* ---- the border ---- */

static int64_t place_here(const builder *b, ht_cross_kind kind, int64_t place) {
  const int64_t squares = 3 * HT_TILE_NODES;
  if (kind == HT_CROSS_VALUES) return value_here(b, place);
  if (kind == HT_CROSS_MASS) return b->wall_here[place];
  return squares * b->tile_here[place / squares] + place % squares;
}

static void count_list(const ht_places *list, ht_border *border) {
  border->sections += list->count > 0;
  border->places += list->count;
}

/* The bytes of a section begin at a multiple of 8. */
static void add_list(const builder *b, ht_cross_kind kind, const ht_places *list,
                     ht_border *border) {
  if (list->count == 0) return;
  border->section[border->sections++] = (ht_border_section){
      .kind = kind, .first = border->places, .count = list->count, .offset = border->bytes};
  for (int64_t i = 0; i < list->count; i++)
    border->place[border->places++] = place_here(b, kind, list->place[i]);
  border->bytes += ht_cross_list_bytes(b->whole->precision, kind, list->count);
}

static ht_status alloc_border(ht_border *border) {
  HT_TRY(
      ht_alloc((void **)&border->section, (size_t)border->sections, sizeof *border->section, what));
  HT_TRY(ht_alloc((void **)&border->place, (size_t)border->places, sizeof *border->place, what));
  border->sections = 0;
  border->places = 0;
  return HT_OK;
}

static void add_peer(builder *b, const ht_needs *needs, int other) {
  ht_part *made = b->made;
  ht_part_peer peer = {.rank = other, .send = made->send.bytes, .receive = made->receive.bytes};
  for (int kind = 0; kind < HT_CROSS_KINDS; kind++) {
    add_list(b, kind, ht_needs_of(needs, kind, other, b->p), &made->send);
    add_list(b, kind, ht_needs_of(needs, kind, b->p, other), &made->receive);
  }
  peer.send_size = made->send.bytes - peer.send;
  peer.receive_size = made->receive.bytes - peer.receive;
  if (peer.send_size > 0 || peer.receive_size > 0) made->peer[made->peers++] = peer;
}

static ht_status build_border(builder *b, const ht_needs *needs) {
  ht_part *made = b->made;
  for (int other = 0; other < needs->parts; other++)
    for (int kind = 0; kind < HT_CROSS_KINDS; kind++) {
      count_list(ht_needs_of(needs, kind, other, b->p), &made->send);
      count_list(ht_needs_of(needs, kind, b->p, other), &made->receive);
    }
  HT_TRY(alloc_border(&made->send));
  HT_TRY(alloc_border(&made->receive));
  HT_TRY(ht_alloc((void **)&made->peer, (size_t)needs->parts, sizeof *made->peer, what));
  for (int other = 0; other < needs->parts; other++) add_peer(b, needs, other);
  return HT_OK;
}

/* ---- all of it ---- */

/* Numbers of the whole lattice as they are; arrays none. */
static void begin_tables(const ht_lattice_tables *whole, ht_lattice_tables *made) {
  *made = *whole;
  made->own_tiles = made->port_nodes = made->wall_links = made->sponge_nodes = made->wall_tiles = 0;
  made->rate = NULL;
  made->rate_single = NULL;
  made->links = NULL;
  made->port_node = NULL;
  made->wall_link = NULL;
  made->sponge_node = NULL;
  made->shape = NULL;
  made->corrected = NULL;
  made->wall_tile = NULL;
  made->neighbour = NULL;
  made->tiling = NULL;
  made->send = NULL;
  made->drive = NULL;
  made->drive_user = NULL;
}

static void end_tables(ht_part *part) {
  part->tables.tiling = &part->tiling;
  part->tables.neighbour = part->tiling.neighbour;
}

static ht_status build(builder *b, const ht_needs *needs) {
  const ht_lattice_tables *whole = b->whole;
  HT_TRY(ht_alloc((void **)&b->tile_here, (size_t)whole->tiling->tiles, sizeof(int32_t), what));
  HT_TRY(ht_alloc((void **)&b->wall_here, (size_t)whole->wall_tiles, sizeof(int32_t), what));
  HT_TRY(build_tiles(b));
  HT_TRY(build_ports(b));
  HT_TRY(build_sponge(b));
  HT_TRY(build_rate(b));
  HT_TRY(build_walls(b));
  return build_border(b, needs);
}

ht_status ht_part_build(const ht_part_plan *plan, const ht_needs *needs, int p, ht_part *part) {
  builder b = {.plan = plan, .whole = plan->whole, .p = p, .made = part};
  memset(part, 0, sizeof *part);
  begin_tables(plan->whole, &part->tables);
  ht_status status = build(&b, needs);
  free(b.tile_here);
  free(b.wall_here);
  end_tables(part);
  if (status != HT_OK) ht_part_free(part);
  return status;
}

static void free_border(ht_border *border) {
  free(border->section);
  free(border->place);
}

void ht_part_free(ht_part *part) {
  ht_lattice_tables *tables = &part->tables;
  free(tables->rate);
  free(tables->rate_single);
  free(tables->links);
  free(tables->port_node);
  free(tables->wall_link);
  free(tables->sponge_node);
  free(tables->shape);
  free(tables->corrected);
  free(tables->wall_tile);
  free_border(&part->send);
  free_border(&part->receive);
  free(part->peer);
  ht_tiling_free(&part->tiling);
  memset(part, 0, sizeof *part);
}

/* ---- to another rank ---- */

/* An array; a load makes room for it. */
static ht_status move_array(ht_state *stream, void *pointer, int64_t count, size_t size) {
  void **array = pointer;
  if (stream->is_loading) HT_TRY(ht_alloc(array, (size_t)count, size, what));
  return ht_state_bytes(stream, *array, (size_t)count * size);
}

static ht_status move_border(ht_border *border, ht_state *stream) {
  HT_TRY(HT_STATE_OF(stream, border->sections));
  HT_TRY(HT_STATE_OF(stream, border->places));
  HT_TRY(HT_STATE_OF(stream, border->bytes));
  HT_TRY(move_array(stream, &border->section, border->sections, sizeof *border->section));
  return move_array(stream, &border->place, border->places, sizeof *border->place);
}

static ht_status move_tables(ht_lattice_tables *tables, int64_t tiles, int has_rate,
                             int is_corrected, ht_state *stream) {
  const int64_t rates = 4 * (int64_t)HT_RELAX_ROWS;
  if (has_rate) HT_TRY(move_array(stream, &tables->rate, rates, sizeof(double)));
  if (has_rate) HT_TRY(move_array(stream, &tables->rate_single, rates, sizeof(float)));
  HT_TRY(move_array(stream, &tables->links, tiles * HT_TILE_NODES, sizeof(uint32_t)));
  HT_TRY(move_array(stream, &tables->port_node, tables->port_nodes, sizeof(ht_port_node)));
  HT_TRY(move_array(stream, &tables->wall_link, tables->wall_links, sizeof(ht_wall_link)));
  HT_TRY(move_array(stream, &tables->sponge_node, tables->sponge_nodes, sizeof(ht_sponge_node)));
  HT_TRY(move_array(stream, &tables->shape, tables->shapes, sizeof(double)));
  if (is_corrected) HT_TRY(move_array(stream, &tables->corrected, tiles, sizeof(uint64_t)));
  return move_array(stream, &tables->wall_tile, tables->wall_tiles, sizeof(ht_wall_tile));
}

ht_status ht_part_move(ht_part *part, ht_state *stream) {
  ht_lattice_tables numbers = part->tables;
  ht_tiling grid = part->tiling;
  HT_TRY(ht_state_part(stream, "part"));
  int has[2] = {numbers.rate != NULL, numbers.corrected != NULL};
  HT_TRY(HT_STATE_OF(stream, has));
  HT_TRY(HT_STATE_OF(stream, numbers));
  HT_TRY(HT_STATE_OF(stream, grid));
  HT_TRY(HT_STATE_OF(stream, part->peers));
  if (stream->is_loading) { /* the pointers are the other rank's */
    begin_tables(&numbers, &part->tables);
    part->tables.own_tiles = numbers.own_tiles;
    part->tables.port_nodes = numbers.port_nodes;
    part->tables.wall_links = numbers.wall_links;
    part->tables.sponge_nodes = numbers.sponge_nodes;
    part->tables.wall_tiles = numbers.wall_tiles;
    part->tiling = grid;
  }
  int64_t tiles = part->tiling.tiles;
  if (stream->is_loading) HT_TRY(ht_tiles_alloc(&part->tiling));
  HT_TRY(ht_state_bytes(stream, part->tiling.position, (size_t)tiles * 3 * sizeof(int32_t)));
  HT_TRY(ht_state_bytes(stream, part->tiling.neighbour,
                        (size_t)tiles * HT_TILE_NEIGHBOURS * sizeof(int32_t)));
  HT_TRY(ht_state_bytes(stream, part->tiling.inside, (size_t)tiles * sizeof(uint64_t)));
  HT_TRY(move_tables(&part->tables, tiles, has[0], has[1], stream));
  HT_TRY(move_border(&part->send, stream));
  HT_TRY(move_border(&part->receive, stream));
  HT_TRY(move_array(stream, &part->peer, part->peers, sizeof *part->peer));
  end_tables(part);
  return HT_OK;
}
