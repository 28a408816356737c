#include "segment/surface/between_voxels.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_area = 1e-7; /* voxels squared: smaller triangles have no direction */

/* A corner of a cell: its voxel indices, and how far the field is inside its levels there (>= 0:
 * inside). */
typedef struct {
  double at[3], value;
} corner;

typedef struct {
  const ht_isosurface *surface;
  ht_triangles *to;
  int room;
} builder;

/* ---- the field ---- */

/* The voxel next to an index along an axis; beyond the grid the two that a line goes through. */
static int places_along(int dim, int index, int place[2], double weight[2]) {
  place[0] = index < 0 ? 0 : index >= dim ? dim - 1 : index;
  weight[0] = 1;
  if (place[0] == index || dim == 1) return 1;
  place[1] = index < 0 ? 1 : dim - 2;
  weight[0] = 2, weight[1] = -1;
  return 2;
}

static double value_at(const ht_isosurface *surface, const int at[3]) {
  const int *dim = surface->field.grid.dim;
  int place[3][2], count[3];
  double weight[3][2], sum = 0;
  if (ht_voxel_in_grid(dim, at)) {
    double value = surface->field.values[ht_voxel_index(dim, at)];
    return fmin(value - surface->lower, surface->upper - value);
  }
  for (int a = 0; a < 3; a++) count[a] = places_along(dim[a], at[a], place[a], weight[a]);
  for (int z = 0; z < count[2]; z++)
    for (int y = 0; y < count[1]; y++)
      for (int x = 0; x < count[0]; x++) {
        const int voxel[3] = {place[0][x], place[1][y], place[2][z]};
        sum += weight[0][x] * weight[1][y] * weight[2][z] *
               surface->field.values[ht_voxel_index(dim, voxel)];
      }
  return fmin(sum - surface->lower, surface->upper - sum);
}

/* ---- triangles ---- */

static ht_status make_room(builder *b) {
  if (b->to->count < b->room) return HT_OK;
  int room = b->room ? 2 * b->room : 4096;
  void *larger = realloc(b->to->corner, (size_t)room * sizeof *b->to->corner);
  if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the vessel's surface");
  b->to->corner = larger;
  b->room = room;
  return HT_OK;
}

/* Finds where the field between two corners, one inside, is at its level. */
static void cross(const corner *in, const corner *out, double at[3]) {
  double part = in->value / (in->value - out->value);
  for (int a = 0; a < 3; a++) at[a] = in->at[a] + part * (out->at[a] - in->at[a]);
}

/* Adds a triangle that turns its front away from `inner`. */
static ht_status add(builder *b, double at[3][3], const double inner[3]) {
  double side[2][3], normal[3], off[3];
  for (int a = 0; a < 3; a++) {
    side[0][a] = at[1][a] - at[0][a];
    side[1][a] = at[2][a] - at[0][a];
    off[a] = at[0][a] - inner[a];
  }
  ht_cross(side[0], side[1], normal);
  if (ht_length(normal) < 2 * least_area) return HT_OK;
  int turned = ht_dot(normal, off) < 0;
  HT_TRY(make_room(b));
  float(*to)[3] = b->to->corner[b->to->count++];
  for (int c = 0; c < 3; c++) {
    double lps[3];
    ht_grid_position(&b->surface->field.grid, at[turned ? 2 - c : c], lps);
    for (int r = 0; r < 3; r++) to[c][r] = (float)lps[r];
  }
  return HT_OK;
}

/* One or two triangles, between the corners inside and those outside. */
static ht_status cut(builder *b, const corner *tetrahedron[4]) {
  const corner *in[4], *out[4];
  int ins = 0, outs = 0;
  double at[4][3], one[3][3];
  for (int c = 0; c < 4; c++) {
    if (tetrahedron[c]->value >= 0)
      in[ins++] = tetrahedron[c];
    else
      out[outs++] = tetrahedron[c];
  }
  if (ins == 0 || outs == 0) return HT_OK;
  for (int n = 0; n < (ins == 2 ? 4 : 3); n++) {
    int i = ins == 1 ? 0 : ins == 3 ? n : n / 2;
    int o = outs == 1 ? 0 : outs == 3 ? n : (n == 1 || n == 2);
    cross(in[i], out[o], at[n]);
  }
  HT_TRY(add(b, at, in[0]->at));
  if (ins != 2) return HT_OK;
  memcpy(one[0], at[0], sizeof one[0]);
  memcpy(one[1], at[2], sizeof one[1]);
  memcpy(one[2], at[3], sizeof one[2]);
  return add(b, one, in[0]->at);
}

/* The six ways along the edges of a cell from its first corner to its last. */
static ht_status cut_cell(builder *b, const corner cell[8]) {
  static const int step[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
  for (int t = 0; t < 6; t++) {
    int first = step[t][0], second = first + step[t][1];
    const corner *tetrahedron[4] = {&cell[0], &cell[first], &cell[second], &cell[7]};
    HT_TRY(cut(b, tetrahedron));
  }
  return HT_OK;
}

static ht_status visit_cell(builder *b, const int low[3]) {
  corner cell[8];
  int inside = 0;
  for (int c = 0; c < 8; c++) {
    int at[3];
    for (int a = 0; a < 3; a++) cell[c].at[a] = at[a] = low[a] + (c >> a & 1);
    cell[c].value = value_at(b->surface, at);
    inside += cell[c].value >= 0;
  }
  return inside > 0 && inside < 8 ? cut_cell(b, cell) : HT_OK;
}

/* The cells around the vessel: up to a voxel beyond the sides that it touches. */
static void cells_along(const ht_isosurface *surface, int a, int *first, int *last) {
  const int dim = surface->field.grid.dim[a], low = surface->box.first[a],
            high = surface->box.last[a];
  *first = low == 0 ? -1 : low < 2 ? 0 : low - 2;
  *last = high == dim - 1 ? dim - 1 : high > dim - 3 ? dim - 2 : high + 1;
}

ht_status ht_isosurface_triangles(const ht_isosurface *surface, ht_triangles *triangles) {
  builder b = {surface, triangles, 0};
  int first[3], last[3], at[3];
  ht_status status = HT_OK;
  memset(triangles, 0, sizeof *triangles);
  for (int a = 0; a < 3; a++) cells_along(surface, a, &first[a], &last[a]);
  for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
    for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
      for (at[0] = first[0]; at[0] <= last[0] && status == HT_OK; at[0]++)
        status = visit_cell(&b, at);
  if (status != HT_OK) ht_triangles_free(triangles);
  return status;
}
