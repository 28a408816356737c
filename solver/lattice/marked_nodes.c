#include "solver/lattice/marked_nodes.h"
#include "solver/lattice/wall_links.h"
#include <stdlib.h>
#include <string.h>

static const char what[] = "the marked nodes";

enum { AROUND = 1, OWN = 2 }; /* of a tile with links */

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts; each number once. Returns how many are left. */
static int64_t sort_once(int64_t *numbers, int64_t count) {
  int64_t kept = 0;
  qsort(numbers, (size_t)count, sizeof *numbers, by_number);
  for (int64_t i = 0; i < count; i++)
    if (i == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
  return kept;
}

static int compare_tile(const void *wanted, const void *tile) {
  int64_t x = *(const int64_t *)wanted, y = ((const ht_wall_tile *)tile)->tile;
  return (x > y) - (x < y);
}

/* The nodes at which values arrive: those marked, and those inside of the ports among them. */
static ht_status find_arrived(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                              int64_t **arrived, int64_t *count) {
  HT_TRY(ht_alloc((void **)arrived, 2 * (size_t)marked->nodes + 1, sizeof **arrived, what));
  *count = 0;
  for (int64_t i = 0; i < marked->nodes; i++) {
    int64_t port = ht_find_port_node(tables, marked->node[i]);
    (*arrived)[(*count)++] = marked->node[i];
    if (port >= 0) (*arrived)[(*count)++] = tables->port_node[port].inner;
  }
  *count = sort_once(*arrived, *count);
  return HT_OK;
}

/* ---- tiles with links ---- */

static void flag_tiles(const ht_lattice_tables *tables, const int64_t *arrived, int64_t count,
                       char *flag) {
  for (int64_t i = 0; i < count; i++) {
    int64_t tile = arrived[i] / HT_TILE_NODES;
    if (tables->wall_tiles == 0 || (i > 0 && tile == arrived[i - 1] / HT_TILE_NODES)) continue;
    const ht_wall_tile *found =
        bsearch(&tile, tables->wall_tile, (size_t)tables->wall_tiles, sizeof *found, compare_tile);
    if (!found) continue;
    flag[found - tables->wall_tile] = OWN;
    for (int k = 0; k < HT_TILE_NEIGHBOURS; k++)
      if (found->beside[k] >= 0 && !flag[found->beside[k]]) flag[found->beside[k]] = AROUND;
  }
}

/* Tiles of both kinds, the nodes' own first, and how many links they have. */
static void list_tiles(const ht_lattice_tables *tables, const char *flag, ht_marked_nodes *marked,
                       int64_t *links) {
  *links = 0;
  for (int kind = OWN; kind >= AROUND; kind--) {
    for (int64_t w = 0; w < tables->wall_tiles; w++) {
      if (flag[w] != kind) continue;
      marked->tile[marked->tiles++] = (int32_t)w;
      *links += tables->wall_tile[w].links;
    }
    if (kind == OWN) marked->own_tiles = marked->tiles;
  }
}

typedef struct {
  int64_t count;
  const int64_t *tile;
} also_tiles;

static ht_status find_tiles(const ht_lattice_tables *tables, const int64_t *arrived, int64_t count,
                            also_tiles also, ht_marked_nodes *marked, int64_t *links) {
  size_t tiles = (size_t)tables->wall_tiles;
  char *flag;
  HT_TRY(ht_alloc((void **)&marked->tile, tiles + 1, sizeof *marked->tile, what));
  HT_TRY(ht_alloc((void **)&flag, tiles + 1, 1, what));
  flag_tiles(tables, arrived, count, flag);
  for (int64_t i = 0; i < also.count; i++)
    if (!flag[also.tile[i]]) flag[also.tile[i]] = AROUND;
  list_tiles(tables, flag, marked, links);
  free(flag);
  return HT_OK;
}

/* ---- values ---- */

/* Adds the places from which the values arrive at a node, as arrive() of zou_he_port.h. */
static void add_arriving(const ht_lattice_tables *tables, int64_t node, int64_t *place) {
  const int64_t tile = node / HT_TILE_NODES, a_tile = HT_TILE_VALUES(tables->directions);
  const int local = (int)(node % HT_TILE_NODES);
  for (int q = 0; q < tables->directions; q++) {
    int slot, from;
    ht_pull_source(local, q, &slot, &from);
    if (q > 0 && ((tables->links[node] >> q) & 1))
      place[q] = tile * a_tile + HT_TILE_NODES * ht_opposite(q) + local;
    else
      place[q] =
          tables->neighbour[HT_TILE_NEIGHBOURS * tile + slot] * a_tile + HT_TILE_NODES * q + from;
  }
}

/* Both values of each link, and its number. */
static void add_links(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                      int64_t *place, int64_t *number) {
  for (int64_t t = 0; t < marked->tiles; t++) {
    const ht_wall_tile *tile = &tables->wall_tile[marked->tile[t]];
    for (int64_t i = tile->first; i < tile->first + tile->links; i++) {
      const ht_wall_link *link = &tables->wall_link[i];
      *place++ = link->slot;
      *place++ = link->weight < 0 ? link->leaving : link->near_coming;
      *number++ = i;
    }
  }
}

static ht_status list_values(const ht_lattice_tables *tables, const int64_t *arrived, int64_t count,
                             int64_t links, ht_marked_nodes *marked) {
  int64_t values = count * tables->directions + 2 * links;
  HT_TRY(ht_alloc((void **)&marked->of.place, (size_t)values + 1, sizeof(int64_t), what));
  HT_TRY(ht_alloc((void **)&marked->of.link, (size_t)links + 1, sizeof(int64_t), what));
  for (int64_t i = 0; i < count; i++)
    add_arriving(tables, arrived[i], marked->of.place + i * tables->directions);
  add_links(tables, marked, marked->of.place + count * tables->directions, marked->of.link);
  marked->of.values = sort_once(marked->of.place, values);
  marked->of.links = links;
  size_t room = (size_t)(marked->of.values + links) + 1;
  return ht_alloc((void **)&marked->read, room, sizeof(double), what);
}

ht_status ht_marked_nodes_find(const ht_lattice_tables *tables, int64_t count, const int64_t *node,
                               int64_t also_count, const int64_t *also, ht_marked_nodes *marked) {
  int64_t *arrived = NULL, all = 0, links = 0;
  const also_tiles others = {also_count, also};
  *marked = (ht_marked_nodes){.nodes = count};
  HT_TRY(ht_alloc((void **)&marked->node, (size_t)count + 1, sizeof *node, what));
  memcpy(marked->node, node, (size_t)count * sizeof *node);
  ht_status status = find_arrived(tables, marked, &arrived, &all);
  if (status == HT_OK) status = find_tiles(tables, arrived, all, others, marked, &links);
  if (status == HT_OK) status = list_values(tables, arrived, all, links, marked);
  free(arrived);
  return status;
}

void ht_marked_nodes_free(ht_marked_nodes *marked) {
  free(marked->node);
  free(marked->of.place);
  free(marked->of.link);
  free(marked->tile);
  free(marked->read);
  memset(marked, 0, sizeof *marked);
}

void ht_marked_nodes_place(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                           double *slip, double *given, void *values) {
  const int64_t *place = marked->of.place;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < marked->of.values; i++) {
    if (tables->precision == HT_FP64)
      ((double *)values)[place[i]] = marked->read[i];
    else
      ((float *)values)[place[i]] = (float)marked->read[i];
  }
  for (int64_t i = 0; i < marked->of.links; i++)
    slip[marked->of.link[i]] = marked->read[marked->of.values + i];
  ht_wall_links_replace(tables, slip, given, values, marked->tile, marked->tiles, 0);
}

void ht_marked_nodes_share(const ht_lattice_tables *tables, const ht_marked_nodes *marked,
                           const double *given, void *values) {
  ht_wall_links_share(tables, given, values, marked->tile, marked->own_tiles);
}
