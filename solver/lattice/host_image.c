#include "solver/lattice/host_image.h"
#include "core/mpi/ranks.h"
#include "solver/lattice/node_fields.h"
#include "solver/lattice/wall_links.h"
#include <stdlib.h>
#include <string.h>

static const char *const what = "the distribution functions on the host";

/* ---- life ---- */

void ht_host_image_begin(const ht_lattice_tables *tables, const ht_value_access *access,
                         ht_host_image *image) {
  *image = (ht_host_image){.tables = tables, .access = access, .step = -1};
}

void ht_host_image_drop(void *state) {
  ht_host_image *image = state;
  free(image->values);
  free(image->slip);
  free(image->given);
  image->values = image->slip = image->given = NULL;
  image->step = -1;
}

void ht_host_image_end(ht_host_image *image) {
  ht_host_image_drop(image);
  ht_marked_nodes_free(&image->marked);
}

static ht_status alloc_arrays(ht_host_image *image) {
  const ht_lattice_tables *tables = image->tables;
  const size_t tiles = (size_t)tables->tiling->tiles, links = (size_t)tables->wall_links;
  HT_TRY(ht_alloc(&image->values, tiles, ht_tile_bytes(tables), what));
  HT_TRY(ht_alloc((void **)&image->slip, links, sizeof(double), "the interpolated walls"));
  return ht_alloc((void **)&image->given, (size_t)tables->wall_tiles, sizeof(double),
                  "the interpolated walls");
}

/* Makes room for the values, zeros at first. */
static ht_status make_room(ht_host_image *image) {
  if (image->values) return HT_OK;
  ht_status status = alloc_arrays(image);
  if (status == HT_OK) return HT_OK;
  if (image->exchange) ht_ranks_abort(status); /* the others wait */
  ht_host_image_drop(image);
  return status;
}

/* ---- walls ---- */

static void exchange(const ht_host_image *image, ht_cross_kind kind, void *values) {
  if (image->exchange) image->exchange(image->user, kind, values);
}

/* Counts the tiles with links that are stepped here: the first of them. */
static int64_t own_wall_tiles(const ht_lattice_tables *tables) {
  int64_t own = 0;
  while (own < tables->wall_tiles && tables->wall_tile[own].tile < tables->own_tiles) own++;
  return own;
}

static void apply_walls(ht_host_image *image, int undo) {
  const ht_lattice_tables *tables = image->tables;
  const int64_t own = own_wall_tiles(tables);
  ht_wall_links_replace(tables, image->slip, image->given, image->values, NULL, own, undo);
  exchange(image, HT_CROSS_MASS, image->given);
  ht_wall_links_share(tables, image->given, image->values, NULL, own);
}

/* Undoes walls in new values. The slips stay as they are. */
static ht_status undo_walls(ht_host_image *image) {
  ht_status status = image->access->download_slip(image, image->slip);
  exchange(image, HT_CROSS_VALUES, image->values);
  apply_walls(image, 1);
  return status;
}

/* ---- all values ---- */

/* A failure does not stop the exchange. */
ht_status ht_host_image_fetch(void *state, int64_t step) {
  ht_host_image *image = state;
  HT_TRY(make_room(image));
  if (step >= 0 && image->step == step) return HT_OK;
  ht_status status = image->access->download(state, image->values);
  if (status == HT_OK) status = image->access->download_slip(state, image->slip);
  apply_walls(image, 0);
  image->step = status == HT_OK ? step : -1;
  return status;
}

ht_status ht_host_image_visit(void *state, int64_t step, const double *coefficient,
                              const ht_visitor *visitor) {
  HT_TRY(ht_host_image_fetch(state, step));
  const ht_host_image *image = state;
  const ht_node_reader reader = {image->tables, image->values, coefficient};
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t t = visitor->first; t < visitor->first + visitor->count; t++) {
    double density[HT_TILE_NODES], velocity[3 * HT_TILE_NODES], stress[6 * HT_TILE_NODES];
    double viscosity[HT_TILE_NODES];
    ht_lattice_fields fields = {density, velocity, stress,
                                visitor->has_viscosity ? viscosity : NULL};
    ht_tile_read(&reader, t, &fields);
    visitor->visit(visitor->user, t, &fields);
  }
  return HT_OK;
}

/* The values of a part's border are those of the others, which the devices' exchange brings. */
static void clear_border(ht_host_image *image) {
  const ht_lattice_tables *tables = image->tables;
  const size_t own = (size_t)tables->own_tiles, all = (size_t)tables->tiling->tiles;
  const size_t a_tile = ht_tile_bytes(tables);
  memset((char *)image->values + own * a_tile, 0, (all - own) * a_tile);
}

ht_status ht_host_image_fill(void *state, int64_t step, const ht_filler *filler) {
  ht_host_image *image = state;
  HT_TRY(make_room(image));
  image->step = -1;
  filler->fill(filler->user, filler->place, image->values);
  ht_status status = filler->has_walls ? undo_walls(image) : HT_OK;
  clear_border(image);
  if (status == HT_OK) status = image->access->upload(state, image->values);
  if (image->finds_fields || image->exchange) {
    ht_host_image_drop(image);
  } else if (status == HT_OK && filler->has_walls) {
    apply_walls(image, 0);
    image->step = step;
  }
  return status;
}

/* ---- a few nodes ---- */

/* Lists the tiles with links whose mass other ranks read; returns their number. */
static int64_t list_sent_mass(const ht_border *send, int64_t *tile) {
  int64_t count = 0;
  for (int s = 0; send && s < send->sections; s++) {
    const ht_border_section *section = &send->section[s];
    if (section->kind != HT_CROSS_MASS) continue;
    for (int64_t i = section->first; i < section->first + section->count; i++, count++)
      if (tile) tile[count] = send->place[i];
  }
  return count;
}

ht_status ht_host_image_mark(void *state, int64_t count, const int64_t *node) {
  ht_host_image *image = state;
  const ht_border *send = image->tables->send;
  const int64_t sent = list_sent_mass(send, NULL);
  int64_t *also;
  ht_marked_nodes_free(&image->marked);
  HT_TRY(ht_alloc((void **)&also, (size_t)sent, sizeof *also, "the marked nodes"));
  list_sent_mass(send, also);
  ht_status status = ht_marked_nodes_find(image->tables, count, node, sent, also, &image->marked);
  free(also);
  if (status == HT_OK && image->access->mark)
    status = image->access->mark(state, &image->marked.of);
  if (status != HT_OK) ht_marked_nodes_free(&image->marked);
  return status;
}

/* The image has room for all values, of which only the pages of these nodes are touched. */
ht_status ht_host_image_read_marked(void *state, const double *coefficient,
                                    ht_lattice_fields *fields) {
  ht_host_image *image = state;
  const ht_marked_nodes *marked = &image->marked;
  if (marked->nodes == 0 && !image->exchange) return HT_OK;
  HT_TRY(make_room(image));
  image->step = -1;
  ht_status status = image->access->read_marked(state, marked->read);
  ht_marked_nodes_place(image->tables, marked, image->slip, image->given, image->values);
  exchange(image, HT_CROSS_MASS, image->given);
  ht_marked_nodes_share(image->tables, marked, image->given, image->values);
  const ht_node_reader reader = {image->tables, image->values, coefficient};
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < marked->nodes; i++)
    ht_node_read(&reader, marked->node[i] / HT_TILE_NODES, (int)(marked->node[i] % HT_TILE_NODES),
                 i, fields);
  return status;
}
