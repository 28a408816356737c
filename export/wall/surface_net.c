/* Surface nets (Gibson, MICCAI 1998) with one vertex a sheet instead of one a cell, so that the
 * surface is manifold (Nielson, "Dual marching cubes", IEEE Visualization 2004).
 *
 * A cell is the cube between eight voxel centres; its 12 edges that lead from inside to outside
 * are crossings. Sheets are found by joining crossings face by face. A face with a checkerboard of
 * inside and outside is ambiguous: its four crossings are paired around the inside corners
 * (separating them), the same way from both its cells. Where that would join two quadrilateral
 * pairs into one edge of four (both cells hold both pairs in one sheet), the face is paired around
 * the outside corners instead. Of the 256 cells 36 can be such a cell and each has this one
 * ambiguous face only, so that the change touches no other. */
#include "export/wall/surface_net.h"
#include <stdlib.h>
#include <string.h>

enum { NO_SHEET = -1 };

/* sheet[flip][case][edge]: the sheet of a crossing, 0.. ; sheets[flip][case]: their number;
 * joined[case]: the ambiguous face (2 * axis + side) with both pairs in one sheet, or -1. */
typedef struct {
  int8_t sheet[2][256][12];
  int8_t sheets[2][256];
  int8_t joined[256];
} cell_table;

/* The edge along `axis` at the offsets (0 or 1) along the next two axes. */
static int edge_at(int axis, int offset_b, int offset_c) {
  return 4 * axis + offset_b + 2 * offset_c;
}

static int inside_corner(int cell, int corner) {
  return cell >> corner & 1;
}

static void mark_crossings(int cell, int root[12]) {
  for (int axis = 0; axis < 3; axis++) {
    for (int o = 0; o < 4; o++) {
      int start = (o & 1) << (axis + 1) % 3 | (o >> 1) << (axis + 2) % 3;
      int crosses = inside_corner(cell, start) != inside_corner(cell, start | 1 << axis);
      root[edge_at(axis, o & 1, o >> 1)] = crosses ? edge_at(axis, o & 1, o >> 1) : NO_SHEET;
    }
  }
}

static void join(int root[12], int first, int second) {
  int from = root[first], to = root[second];
  for (int e = 0; e < 12; e++)
    if (root[e] == from) root[e] = to;
}

/* Finds the two edges of face (axis, side) that meet at its corner (b, c). */
static void edges_at_corner(int axis, int side, int b, int c, int edges[2]) {
  edges[0] = edge_at((axis + 1) % 3, c, side); /* along b; its offsets are along c, axis */
  edges[1] = edge_at((axis + 2) % 3, side, b); /* along c; its offsets are along axis, b */
}

/* Joins the crossings of one face. Returns 1 where it is ambiguous; pair[0] and pair[1] are then a
 * crossing of each pair. */
static int join_face(int cell, int axis, int side, int flip, int root[12], int pair[2]) {
  int corner[4], count = 0, found = 0;
  for (int n = 0; n < 4; n++) {
    corner[n] =
        inside_corner(cell, side << axis | (n & 1) << (axis + 1) % 3 | (n >> 1) << (axis + 2) % 3);
    count += corner[n];
  }
  int ambiguous = count == 2 && corner[0] == corner[3];
  int first = -1;
  for (int n = 0; n < 4; n++) {
    int edges[2];
    edges_at_corner(axis, side, n & 1, n >> 1, edges);
    if (ambiguous && corner[n] != flip) {
      join(root, edges[0], edges[1]);
      pair[found++] = edges[0];
    }
    for (int e = 0; e < 2 && !ambiguous; e++) {
      if (root[edges[e]] == NO_SHEET) continue;
      if (first >= 0) join(root, first, edges[e]);
      first = edges[e];
    }
  }
  return ambiguous;
}

static void number_sheets(const int root[12], int8_t sheet[12], int8_t *sheets) {
  *sheets = 0;
  for (int e = 0; e < 12; e++) sheet[e] = NO_SHEET;
  for (int e = 0; e < 12; e++) {
    if (root[e] == NO_SHEET || sheet[e] != NO_SHEET) continue;
    for (int f = e; f < 12; f++)
      if (root[f] == root[e]) sheet[f] = *sheets;
    ++*sheets;
  }
}

static void fill_table(cell_table *table) {
  for (int cell = 0; cell < 256; cell++) {
    for (int flip = 0; flip < 2; flip++) {
      int root[12], pair[6][2], ambiguous[6];
      mark_crossings(cell, root);
      for (int f = 0; f < 6; f++) ambiguous[f] = join_face(cell, f / 2, f % 2, flip, root, pair[f]);
      number_sheets(root, table->sheet[flip][cell], &table->sheets[flip][cell]);
      if (flip) continue;
      table->joined[cell] = -1;
      for (int f = 0; f < 6; f++)
        if (ambiguous[f] && root[pair[f][0]] == root[pair[f][1]]) table->joined[cell] = (int8_t)f;
    }
  }
}

/* Two slabs of cells: those whose quadrilaterals can be made. */
typedef struct {
  const ht_domain *domain;
  ht_surface_net *net;
  cell_table table;
  int dim[3];
  int32_t *first[2]; /* [dim[1] + 1][dim[0] + 1] first vertex of the cell (x - 1, y - 1) */
  uint8_t *code[2];  /* its case */
  uint8_t *flip[2];
  int64_t *port_node[HT_OPENINGS_MAX]; /* sorted */
  int *crossings;                      /* [points_room] of each vertex, for its mean position */
} net_maker;

static int value_at(const net_maker *maker, int x, int y, int z) {
  const int *dim = maker->dim;
  if (x < 0 || y < 0 || z < 0 || x >= dim[0] || y >= dim[1] || z >= dim[2]) return HT_SOLID;
  return maker->domain->mask.inside[x + dim[0] * (y + (int64_t)dim[1] * z)];
}

/* The case of a cell. Cells start at -1: the grid's border is solid. */
static int case_at(const net_maker *maker, int x, int y, int z) {
  int code = 0;
  for (int c = 0; c < 8; c++)
    code |= (value_at(maker, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) != HT_SOLID) << c;
  return code;
}

static int flip_at(const net_maker *maker, int code, int x, int y, int z) {
  int face = maker->table.joined[code], at[3] = {x, y, z};
  if (face < 0) return 0;
  at[face / 2] += face % 2 ? 1 : -1;
  int other = case_at(maker, at[0], at[1], at[2]);
  return maker->table.joined[other] == (face ^ 1);
}

static ht_status grow(void **array, int64_t room, size_t size) {
  void *more = realloc(*array, (size_t)room * size);
  if (!more)
    return ht_fail(HT_ERR_MEMORY, "not enough memory: %.1f MB for the wall's surface",
                   (double)room * (double)size / 1e6);
  *array = more;
  return HT_OK;
}

static ht_status room_for_points(net_maker *maker) {
  ht_surface_net *net = maker->net;
  if (net->points + 4 <= net->points_room) return HT_OK;
  int64_t room = net->points_room ? 2 * net->points_room : 1 << 16;
  if (net->points > INT32_MAX - 4)
    return ht_fail(HT_ERR_MEMORY, "the wall has more than 2^31 points: choose a larger lattice "
                                  "spacing");
  HT_TRY(grow((void **)&net->point, room, 3 * sizeof(float)));
  HT_TRY(grow((void **)&net->frozen, room, 1));
  HT_TRY(grow((void **)&maker->crossings, room, sizeof(int)));
  net->points_room = room;
  return HT_OK;
}

static ht_status room_for_quad(ht_surface_net *net) {
  if (net->quads < net->quads_room) return HT_OK;
  int64_t room = net->quads_room ? 2 * net->quads_room : 1 << 16;
  HT_TRY(grow((void **)&net->quad, room, 4 * sizeof(int32_t)));
  HT_TRY(grow((void **)&net->wall, room, 1));
  net->quads_room = room;
  return HT_OK;
}

/* The case of the cell after `code` along x: its left corners are the right ones of `code`. */
static int next_case(const net_maker *maker, int code, int x, int y, int z) {
  int right = 0;
  for (int c = 0; c < 4; c++)
    right |= (value_at(maker, x + 1, y + (c & 1), z + (c >> 1)) != HT_SOLID) << (2 * c + 1);
  return (code >> 1 & 0x55) | right;
}

/* Gives each sheet of the cells of slab z a vertex. */
static ht_status number_slab(net_maker *maker, int z) {
  ht_surface_net *net = maker->net;
  const int slab = z & 1;
  int64_t at = 0;
  for (int y = -1; y < maker->dim[1]; y++) {
    int code = 0;
    for (int x = -1; x < maker->dim[0]; x++, at++) {
      code = next_case(maker, code, x, y, z);
      int flip = flip_at(maker, code, x, y, z);
      maker->code[slab][at] = (uint8_t)code;
      maker->flip[slab][at] = (uint8_t)flip;
      maker->first[slab][at] = (int32_t)net->points;
      int sheets = maker->table.sheets[flip][code];
      if (!sheets) continue;
      HT_TRY(room_for_points(maker));
      memset(net->point + 3 * net->points, 0, sizeof(float) * 3 * (size_t)sheets);
      memset(net->frozen + net->points, 0, (size_t)sheets);
      memset(maker->crossings + net->points, 0, sizeof(int) * (size_t)sheets);
      net->points += sheets;
    }
  }
  return HT_OK;
}

static int compare_nodes(const void *a, const void *b) {
  int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

/* Tells whether the face of `voxel` towards `sign` along `axis` is the outer side of a port. */
static int is_port_face(const net_maker *maker, int64_t voxel, int axis, int sign) {
  for (int p = 0; p < maker->domain->ports; p++) {
    const ht_port *port = &maker->domain->port[p];
    if (port->axis != axis || port->inward != -sign || !maker->port_node[p]) continue;
    if (bsearch(&voxel, maker->port_node[p], (size_t)port->nodes, sizeof voxel, compare_nodes))
      return 1;
  }
  return 0;
}

static int32_t vertex_of(const net_maker *maker, const int cell[3], int edge) {
  int slab = cell[2] & 1;
  int64_t at = (cell[0] + 1) + (int64_t)(maker->dim[0] + 1) * (cell[1] + 1);
  int code = maker->code[slab][at], flip = maker->flip[slab][at];
  return maker->first[slab][at] + maker->table.sheet[flip][code][edge];
}

/* Finds the vertices of the four cells around the edge from `voxel` along `axis`, counter-clockwise
 * seen against the axis. */
static void vertices_around(const net_maker *maker, const int voxel[3], int axis,
                            int32_t vertex[4]) {
  static const int offset[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
  for (int n = 0; n < 4; n++) {
    int cell[3] = {voxel[0], voxel[1], voxel[2]};
    cell[(axis + 1) % 3] -= offset[n][0];
    cell[(axis + 2) % 3] -= offset[n][1];
    vertex[n] = vertex_of(maker, cell, edge_at(axis, offset[n][0], offset[n][1]));
  }
}

static void take_crossing(net_maker *maker, const int voxel[3], int axis, const int32_t vertex[4]) {
  for (int n = 0; n < 4; n++) {
    float *point = maker->net->point + 3 * (int64_t)vertex[n];
    for (int a = 0; a < 3; a++) point[a] += (float)voxel[a] + (a == axis ? 0.5f : 0.0f);
    maker->crossings[vertex[n]]++;
  }
}

/* Makes the quadrilateral between `voxel` and its neighbour along `axis`, if one is inside. */
static ht_status make_quad(net_maker *maker, const int voxel[3], int axis) {
  ht_surface_net *net = maker->net;
  const int *dim = maker->dim;
  int next[3] = {voxel[0], voxel[1], voxel[2]};
  next[axis]++;
  int here = value_at(maker, voxel[0], voxel[1], voxel[2]);
  int there = value_at(maker, next[0], next[1], next[2]);
  if (!here == !there) return HT_OK;
  const int *in = here ? voxel : next;
  int64_t index = in[0] + dim[0] * (in[1] + (int64_t)dim[1] * in[2]);
  int32_t vertex[4];
  vertices_around(maker, voxel, axis, vertex);
  if (is_port_face(maker, index, axis, here ? 1 : -1)) {
    for (int n = 0; n < 4; n++) net->frozen[vertex[n]] |= (uint8_t)(1 << axis);
    return HT_OK;
  }
  take_crossing(maker, voxel, axis, vertex);
  HT_TRY(room_for_quad(net));
  int32_t *quad = net->quad + 4 * net->quads;
  for (int n = 0; n < 4; n++) quad[n] = vertex[here ? n : 3 - n];
  net->wall[net->quads++] = (here ? here : there) == HT_VESSEL;
  return HT_OK;
}

/* Makes the faces whose four cells lie in the slabs z - 1 and z: across x and y at voxel z, and
 * across z between the voxels z and z + 1. */
static ht_status make_quads(net_maker *maker, int z) {
  for (int y = -1; y < maker->dim[1]; y++) {
    for (int x = -1; x < maker->dim[0]; x++) {
      int voxel[3] = {x, y, z};
      if (z >= 0 && y >= 0) HT_TRY(make_quad(maker, voxel, 0));
      if (z >= 0 && x >= 0) HT_TRY(make_quad(maker, voxel, 1));
      if (x >= 0 && y >= 0) HT_TRY(make_quad(maker, voxel, 2));
    }
  }
  return HT_OK;
}

/* Turns the sums into mean positions; vertices without a quadrilateral (of a port's cap) stay,
 * unused. */
static void mean_positions(net_maker *maker) {
  for (int64_t p = 0; p < maker->net->points; p++)
    for (int a = 0; a < 3 && maker->crossings[p]; a++)
      maker->net->point[3 * p + a] /= (float)maker->crossings[p];
}

static ht_status sort_ports(net_maker *maker) {
  for (int p = 0; p < maker->domain->ports; p++) {
    const ht_port *port = &maker->domain->port[p];
    if (port->nodes == 0) continue;
    size_t size = (size_t)port->nodes * sizeof(int64_t);
    HT_TRY(ht_alloc((void **)&maker->port_node[p], (size_t)port->nodes, sizeof(int64_t), "ports"));
    memcpy(maker->port_node[p], port->node, size);
    qsort(maker->port_node[p], (size_t)port->nodes, sizeof(int64_t), compare_nodes);
  }
  return HT_OK;
}

static ht_status make(net_maker *maker) {
  size_t cells = (size_t)(maker->dim[0] + 1) * (size_t)(maker->dim[1] + 1);
  for (int s = 0; s < 2; s++) {
    HT_TRY(ht_alloc((void **)&maker->first[s], cells, sizeof(int32_t), "the wall's surface"));
    HT_TRY(ht_alloc((void **)&maker->code[s], cells, 1, "the wall's surface"));
    HT_TRY(ht_alloc((void **)&maker->flip[s], cells, 1, "the wall's surface"));
  }
  HT_TRY(sort_ports(maker));
  for (int z = -1; z < maker->dim[2]; z++) {
    HT_TRY(number_slab(maker, z));
    HT_TRY(make_quads(maker, z));
  }
  mean_positions(maker);
  return HT_OK;
}

static void maker_free(net_maker *maker) {
  for (int s = 0; s < 2; s++) {
    free(maker->first[s]);
    free(maker->code[s]);
    free(maker->flip[s]);
  }
  for (int p = 0; p < HT_OPENINGS_MAX; p++) free(maker->port_node[p]);
  free(maker->crossings);
  free(maker);
}

ht_status ht_surface_net_make(const ht_domain *domain, ht_surface_net *net) {
  net_maker *maker = NULL;
  memset(net, 0, sizeof *net);
  HT_TRY(ht_alloc((void **)&maker, 1, sizeof *maker, "the wall's surface"));
  maker->domain = domain;
  maker->net = net;
  memcpy(maker->dim, domain->mask.grid.dim, sizeof maker->dim);
  fill_table(&maker->table);
  ht_status status = make(maker);
  maker_free(maker);
  if (status == HT_OK && net->quads == 0)
    status = ht_fail(HT_ERR_VESSEL, "the mask is empty: there is no wall");
  if (status != HT_OK) ht_surface_net_free(net);
  return status;
}

void ht_surface_net_free(ht_surface_net *net) {
  if (!net) return;
  free(net->point);
  free(net->frozen);
  free(net->quad);
  free(net->wall);
  memset(net, 0, sizeof *net);
}
