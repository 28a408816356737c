#include "surface_mask.h"
#include "vector3.h"
#include "voxel_size.h"
#include <stdlib.h>
#include <string.h>

typedef float corner[3];

/* ---- Is it closed? ---- */

/* An edge from its smaller corner to its larger; way +1 where its triangle runs so, else -1. */
typedef struct {
  corner from, to;
  int way;
} edge;

static int by_corner(const corner a, const corner b) {
  for (int r = 0; r < 3; r++)
    if (a[r] != b[r]) return a[r] < b[r] ? -1 : 1;
  return 0;
}

static int by_edge(const void *left, const void *right) {
  const edge *a = left, *b = right;
  int order = by_corner(a->from, b->from);
  return order ? order : by_corner(a->to, b->to);
}

/* Edges of no length join nothing. */
static int64_t list_edges(const ht_stl *surface, edge *list) {
  int64_t count = 0;
  for (int t = 0; t < surface->triangles; t++)
    for (int c = 0; c < 3; c++) {
      const float *a = surface->corner[t][c], *b = surface->corner[t][(c + 1) % 3];
      int order = by_corner(a, b);
      if (order == 0) continue;
      edge *one = &list[count++];
      memcpy(one->from, order < 0 ? a : b, sizeof one->from);
      memcpy(one->to, order < 0 ? b : a, sizeof one->to);
      one->way = order < 0 ? 1 : -1;
    }
  return count;
}

ht_status ht_stl_check_closed(const ht_stl *surface, int *same_way) {
  edge *list;
  int64_t open = 0, first = -1;
  corner where = {0, 0, 0};
  HT_TRY(ht_alloc((void **)&list, 3 * (size_t)surface->triangles, sizeof *list,
                  "the edges of the surface"));
  int64_t count = list_edges(surface, list);
  qsort(list, (size_t)count, sizeof *list, by_edge);
  *same_way = 1;
  for (int64_t i = 0, end; i < count; i = end) {
    int ways = 0;
    for (end = i; end < count && by_edge(&list[i], &list[end]) == 0; end++) ways += list[end].way;
    if (ways) *same_way = 0;
    if ((end - i) % 2 == 0) continue;
    open++;
    if (first < 0) first = i, memcpy(where, list[i].from, sizeof where);
  }
  free(list);
  if (open == 0) return HT_OK;
  return ht_fail(
      HT_ERR_FORMAT,
      "the surface is not closed: %lld edge%s no second triangle, one at [%.2f, %.2f, "
      "%.2f] mm; close its ends with caps, or fill its holes, in the program that made it",
      (long long)open, open == 1 ? " has" : "s have", (double)where[0], (double)where[1],
      (double)where[2]);
}

/* ---- Its size ---- */

typedef struct {
  double low[3], high[3], volume, area;
} extent;

static void measure(const ht_stl *surface, extent *of) {
  memset(of, 0, sizeof *of);
  for (int r = 0; r < 3; r++) of->low[r] = INFINITY, of->high[r] = -INFINITY;
  for (int t = 0; t < surface->triangles; t++) {
    const corner *p = surface->corner[t];
    double u[3], v[3], n[3];
    for (int r = 0; r < 3; r++) {
      u[r] = (double)p[1][r] - p[0][r];
      v[r] = (double)p[2][r] - p[0][r];
      for (int c = 0; c < 3; c++) {
        of->low[r] = fmin(of->low[r], p[c][r]);
        of->high[r] = fmax(of->high[r], p[c][r]);
      }
    }
    ht_cross(u, v, n);
    of->area += 0.5 * sqrt(ht_dot(n, n));
    for (int r = 0; r < 3; r++)
      of->volume += n[r] * ((double)p[0][r] - surface->corner[0][0][r]) / 6;
  }
  of->volume = fabs(of->volume);
}

/* A vessel's tree is 5 mm to 2 m long. */
static ht_status check_size(const extent *of) {
  double most = 0;
  for (int r = 0; r < 3; r++) most = fmax(most, of->high[r] - of->low[r]);
  if (most >= 5 && most <= 2000) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "the surface would be %.3g mm long, which no vessel is (5 to 2000 mm): STL files "
                 "are taken to be in mm%s; export it in mm",
                 most, most < 5 ? ", and these are probably metres or centimetres" : "");
}

static ht_status choose_grid(const extent *of, double spacing_mm, ht_grid *grid) {
  double voxels = 1, chosen = spacing_mm;
  if (chosen <= 0) chosen = fmax(4 * of->volume / of->area / HT_SURFACE_ACROSS, HT_VOXEL_LEAST_MM);
  *grid = ht_grid_make(1, 1, 1);
  for (int r = 0; r < 3; r++) {
    double steps = ceil((of->high[r] - of->low[r]) / chosen) + 2 * HT_SURFACE_MARGIN;
    voxels *= steps;
    grid->dim[r] = (int)fmin(steps, 1e9);
    grid->spacing_mm[r] = chosen;
    grid->origin_mm[r] =
        0.5 * (of->low[r] + of->high[r]) - 0.5 * chosen * (double)(grid->dim[r] - 1);
  }
  HT_TRY(ht_voxel_size_check(grid->spacing_mm));
  if (voxels <= HT_SURFACE_VOXELS_MAX) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "voxels of %.3g mm would be %.3g for this surface, at most %.0g are made: give a "
                 "larger --surface-spacing",
                 chosen, voxels, HT_SURFACE_VOXELS_MAX);
}

/* ---- Crossings of the voxels' rows with the triangles ---- */

/* On which side of the line from a to b, in the plane of y and z, is the row? Both triangles of an
 * edge get the same answer: it is always worked out from the smaller end. A row through the line
 * counts as moved a little along +y, and less along +z. */
static int side_of(const double a[3], const double b[3], double y, double z) {
  int turned = a[1] > b[1] || (a[1] == b[1] && a[2] > b[2]);
  const double *p = turned ? b : a, *q = turned ? a : b;
  double dy = q[1] - p[1], dz = q[2] - p[2];
  double value = dy * (z - p[2]) - dz * (y - p[1]);
  int side = value != 0 ? (value > 0 ? 1 : -1) : dz != 0 ? (dz < 0 ? 1 : -1) : (dy > 0 ? 1 : -1);
  return turned ? -side : side;
}

/* +1 or -1 where the row crosses the triangle, by the side that it enters from; else 0. */
static int crosses(const double p[3][3], double y, double z) {
  int side = side_of(p[0], p[1], y, z);
  return side_of(p[1], p[2], y, z) == side && side_of(p[2], p[0], y, z) == side ? side : 0;
}

typedef struct {
  ht_mask *mask;
  int same_way;
} painter;

/* Where the row at (j, k) crosses, all voxels from there on change: kept as a step, modulo 256. */
static void paint_crossing(painter *to, const double p[3][3], const double n[3], int j, int k) {
  const ht_grid *grid = &to->mask->grid;
  double y = grid->origin_mm[1] + j * grid->spacing_mm[1];
  double z = grid->origin_mm[2] + k * grid->spacing_mm[2];
  int side = crosses(p, y, z);
  if (!side || n[0] == 0) return;
  double x = p[0][0] - (n[1] * (y - p[0][1]) + n[2] * (z - p[0][2])) / n[0];
  double at = ceil((x - grid->origin_mm[0]) / grid->spacing_mm[0]);
  int i = (int)fmin(fmax(at, 0), grid->dim[0] - 1); /* the margin: no crossing lies outside */
  uint8_t *voxel = to->mask->inside + ((int64_t)k * grid->dim[1] + j) * grid->dim[0] + i;
  *voxel = (uint8_t)(*voxel + (to->same_way ? side : 1));
}

static int row_of(const ht_grid *grid, int axis, double at) {
  double row = (at - grid->origin_mm[axis]) / grid->spacing_mm[axis];
  return (int)fmin(fmax(row, 0), grid->dim[axis] - 1);
}

static void paint_triangle(painter *to, const corner stored[3]) {
  const ht_grid *grid = &to->mask->grid;
  double p[3][3], u[3], v[3], n[3], low[3], high[3];
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) p[c][r] = stored[c][r];
    u[r] = p[1][r] - p[0][r];
    v[r] = p[2][r] - p[0][r];
    low[r] = fmin(p[0][r], fmin(p[1][r], p[2][r]));
    high[r] = fmax(p[0][r], fmax(p[1][r], p[2][r]));
  }
  ht_cross(u, v, n);
  int last_j = row_of(grid, 1, high[1]) + 1, last_k = row_of(grid, 2, high[2]) + 1;
  for (int k = row_of(grid, 2, low[2]); k <= last_k && k < grid->dim[2]; k++)
    for (int j = row_of(grid, 1, low[1]); j <= last_j && j < grid->dim[1]; j++)
      paint_crossing(to, p, n, j, k);
}

/* Steps to sums. A row whose crossings do not come out even met a corner to the last bit of a
 * number: it takes its neighbour's voxels. */
static int64_t fill_rows(painter *to) {
  const int *dim = to->mask->grid.dim;
  int64_t inside = 0, rows = (int64_t)dim[1] * dim[2];
  for (int64_t row = 0; row < rows; row++) {
    uint8_t *voxel = to->mask->inside + row * dim[0], sum = 0;
    for (int i = 0; i < dim[0]; i++) {
      sum = (uint8_t)(sum + voxel[i]);
      voxel[i] = to->same_way ? sum != 0 : sum & 1;
    }
    if (voxel[dim[0] - 1] && row > 0) memcpy(voxel, voxel - dim[0], (size_t)dim[0]);
    for (int i = 0; i < dim[0]; i++) inside += voxel[i];
  }
  return inside;
}

ht_status ht_stl_mask(const ht_stl *surface, double spacing_mm, ht_mask *mask) {
  painter to = {mask, 1};
  extent of;
  ht_grid grid;
  memset(mask, 0, sizeof *mask);
  measure(surface, &of);
  HT_TRY(check_size(&of));
  HT_TRY(ht_stl_check_closed(surface, &to.same_way));
  HT_TRY(choose_grid(&of, spacing_mm, &grid));
  HT_TRY(ht_mask_alloc(&grid, mask));
  for (int t = 0; t < surface->triangles; t++)
    paint_triangle(&to, (const corner *)surface->corner[t]);
  if (fill_rows(&to) > 0) return HT_OK;
  ht_mask_free(mask);
  return ht_fail(HT_ERR_VESSEL,
                 "no voxel of %.3g mm lies inside the surface: give a smaller --surface-spacing",
                 grid.spacing_mm[0]);
}
