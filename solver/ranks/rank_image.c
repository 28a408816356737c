#include "solver/ranks/rank_image.h"
#include "solver/lattice/node_fields.h"
#include "solver/lattice/wall_links.h"
#include <stdlib.h>
#include <string.h>

static void *room(size_t count, size_t size) {
  void *made;
  if (ht_alloc(&made, count, size, "the values of a rank") != HT_OK)
    ht_ranks_abort(HT_ERR_MEMORY); /* the others wait */
  return made;
}

void ht_rank_image_make(const ht_rank_part *work, ht_rank_image *image) {
  const ht_lattice_tables *tables = &work->part.tables;
  image->values = room((size_t)tables->tiling->tiles, ht_rank_tile_bytes(tables));
  image->slip = room((size_t)tables->wall_links, sizeof(double));
  image->given = room((size_t)tables->wall_tiles, sizeof(double));
  image->coefficient = room((size_t)tables->columns, sizeof(double));
}

/* ---- by the hosts ---- */

/* Values of one kind that cross. */
typedef struct {
  ht_cross_kind kind;
  size_t size; /* of each, bytes */
  char *values;
} crossing;

/* Moves the places with offsets in [begin, begin + length) of the sections: from the values to a
 * buffer (NULL: only counts them), or from the buffer to the values. Returns the bytes. */
static size_t move_sections(const ht_border *border, int64_t begin, int64_t length,
                            const crossing *of, char *buffer, int is_taken) {
  size_t at = 0;
  for (int s = 0; s < border->sections; s++) {
    const ht_border_section *section = &border->section[s];
    if (section->kind != of->kind || section->offset < begin || section->offset >= begin + length)
      continue;
    for (int64_t i = section->first; buffer && i < section->first + section->count; i++) {
      char *value = of->values + (size_t)border->place[i] * of->size;
      char *other = buffer + at + (size_t)(i - section->first) * of->size;
      memcpy(is_taken ? value : other, is_taken ? other : value, of->size);
    }
    at += (size_t)section->count * of->size;
  }
  return at;
}

static size_t send_sections(const ht_part *part, int peer, const crossing *of, char *buffer) {
  const ht_part_peer *to = &part->peer[peer];
  return move_sections(&part->send, to->send, to->send_size, of, buffer, 0);
}

static size_t receive_sections(const ht_part *part, int peer, const crossing *of, char *buffer) {
  const ht_part_peer *from = &part->peer[peer];
  return move_sections(&part->receive, from->receive, from->receive_size, of, buffer, 1);
}

/* Sends what others read of these values, and takes what is read of theirs. */
static void exchange(const ht_rank_part *work, crossing of) {
  const ht_part *part = &work->part;
  const int peers = (int)part->peers;
  ht_ranks_peer *peer = room((size_t)peers, sizeof *peer);
  for (int i = 0; i < peers; i++) {
    peer[i] = (ht_ranks_peer){.rank = part->peer[i].rank};
    peer[i].send_size = send_sections(part, i, &of, NULL);
    peer[i].receive_size = receive_sections(part, i, &of, NULL);
    peer[i].send = room(peer[i].send_size, 1);
    peer[i].receive = room(peer[i].receive_size, 1);
    send_sections(part, i, &of, peer[i].send);
  }
  ht_ranks_exchange_begin(peer, peers);
  ht_ranks_exchange_end();
  for (int i = 0; i < peers; i++) {
    receive_sections(part, i, &of, peer[i].receive);
    free(peer[i].send);
    free(peer[i].receive);
  }
  free(peer);
}

static void exchange_mass(const ht_rank_part *work, const ht_rank_image *image) {
  exchange(work, (crossing){HT_CROSS_MASS, sizeof *image->given, (char *)image->given});
}

/* ---- all values ---- */

static ht_status download(ht_rank_part *work, ht_rank_image *image) {
  HT_TRY(work->backend->download(work->state, image->values));
  return work->backend->download_slip(work->state, image->slip);
}

static void apply_walls(const ht_rank_part *work, ht_rank_image *image, int undo) {
  const ht_lattice_tables *tables = &work->part.tables;
  const int64_t own = work->part.own_wall_tiles;
  ht_wall_links_replace(tables, image->slip, image->given, image->values, NULL, own, undo);
  exchange_mass(work, image);
  ht_wall_links_share(tables, image->given, image->values, NULL, own);
}

ht_status ht_rank_image_take(ht_rank_part *work, ht_rank_image *image) {
  ht_status status = download(work, image);
  apply_walls(work, image, 0);
  return status;
}

/* The slips stay as they are. */
static ht_status undo_walls(ht_rank_part *work, ht_rank_image *image) {
  ht_status status = work->backend->download_slip(work->state, image->slip);
  const ht_lattice_tables *tables = &work->part.tables;
  const size_t size = tables->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  exchange(work, (crossing){HT_CROSS_VALUES, size, image->values});
  apply_walls(work, image, 1);
  return status;
}

/* The border's values are those of the others, which the device's own exchange brings. */
static void clear_border(const ht_rank_part *work, ht_rank_image *image) {
  const ht_lattice_tables *tables = &work->part.tables;
  const size_t a_tile = ht_rank_tile_bytes(tables);
  const int64_t border = tables->tiling->tiles - tables->own_tiles;
  memset(image->values + (size_t)tables->own_tiles * a_tile, 0, (size_t)border * a_tile);
}

ht_status ht_rank_image_put(ht_rank_part *work, ht_rank_image *image, int has_walls) {
  ht_status status = has_walls ? undo_walls(work, image) : HT_OK;
  clear_border(work, image);
  if (status == HT_OK) status = work->backend->upload(work->state, image->values);
  ht_status exchanged = ht_rank_part_exchange(work);
  return status == HT_OK ? exchanged : status;
}

/* ---- fields ---- */

/* Offsets of the nodes' numbers, in units of their count: [1], [3], [6] and [1] of each. */
enum { DENSITY = 0, VELOCITY = 1, STRESS = 4, VISCOSITY = 10, ALL = 11 };

ht_lattice_fields ht_rank_few(double *buffer, int64_t nodes) {
  return (ht_lattice_fields){.density = buffer + DENSITY * nodes,
                             .velocity = buffer + VELOCITY * nodes,
                             .stress = buffer + STRESS * nodes};
}

size_t ht_rank_few_bytes(int64_t nodes) {
  return (size_t)(VISCOSITY * nodes) * sizeof(double);
}

ht_lattice_fields ht_rank_slab(double *buffer, int64_t tiles, int has_viscosity) {
  const int64_t nodes = HT_TILE_NODES * tiles;
  ht_lattice_fields fields = ht_rank_few(buffer, nodes);
  if (has_viscosity) fields.viscosity = buffer + VISCOSITY * nodes;
  return fields;
}

size_t ht_rank_slab_bytes(int64_t tiles, int has_viscosity) {
  const int64_t numbers = has_viscosity ? ALL : VISCOSITY;
  return (size_t)(HT_TILE_NODES * tiles * numbers) * sizeof(double);
}

static ht_node_reader reader_of(const ht_rank_part *work, const ht_rank_image *image) {
  return (ht_node_reader){&work->part.tables, image->values, image->coefficient};
}

void ht_rank_image_read(const ht_rank_part *work, const ht_rank_image *image, int64_t first,
                        int64_t tiles, ht_lattice_fields *fields) {
  const ht_node_reader reader = reader_of(work, image);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < tiles * HT_TILE_NODES; n++)
    ht_node_read(&reader, first + n / HT_TILE_NODES, (int)(n % HT_TILE_NODES), n, fields);
}

/* ---- a few nodes ---- */

/* The tiles with links whose mass the others read: their places in what is sent. */
static int64_t mass_sent(const ht_border *send, int64_t *tile) {
  int64_t count = 0;
  for (int s = 0; s < send->sections; s++) {
    const ht_border_section *section = &send->section[s];
    if (section->kind != HT_CROSS_MASS) continue;
    for (int64_t i = section->first; i < section->first + section->count; i++, count++)
      if (tile) tile[count] = send->place[i];
  }
  return count;
}

/* The image has room for all, of which only the pages of these nodes are touched. */
ht_status ht_rank_nodes_mark(ht_rank_part *work, int64_t count, const int64_t *node) {
  const int64_t sent = mass_sent(&work->part.send, NULL);
  int64_t *also = room((size_t)sent, sizeof *also);
  mass_sent(&work->part.send, also);
  ht_marked_nodes_free(&work->nodes);
  if (!work->few.values) ht_rank_image_make(work, &work->few);
  ht_status status =
      ht_marked_nodes_find(&work->part.tables, count, node, sent, also, &work->nodes);
  free(also);
  if (status != HT_OK) return status;
  return work->backend->mark(work->state, &work->nodes.of);
}

ht_status ht_rank_nodes_read(ht_rank_part *work, ht_lattice_fields *fields) {
  const ht_lattice_tables *tables = &work->part.tables;
  const ht_marked_nodes *nodes = &work->nodes;
  ht_rank_image *image = &work->few;
  ht_status status = work->backend->read_marked(work->state, nodes->read);
  ht_marked_nodes_place(tables, nodes, image->slip, image->given, image->values);
  exchange_mass(work, image);
  ht_marked_nodes_share(tables, nodes, image->given, image->values);
  const ht_node_reader reader = reader_of(work, image);
  for (int64_t i = 0; i < nodes->nodes && status == HT_OK; i++)
    ht_node_read(&reader, nodes->node[i] / HT_TILE_NODES, (int)(nodes->node[i] % HT_TILE_NODES), i,
                 fields);
  return status;
}
