#include "import/surface/surface_mask.h"
#include "core/numbers/vector3.h"
#include "import/common/voxel_size.h"
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
  double outward; /* 1: triangles face out, -1: in */
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
    of->area += 0.5 * ht_length(n);
    for (int r = 0; r < 3; r++)
      of->volume += n[r] * ((double)p[0][r] - surface->corner[0][0][r]) / 6;
  }
  of->outward = of->volume < 0 ? -1 : 1;
  of->volume = fabs(of->volume);
}

static double voxels_of(const extent *of, double spacing_mm) {
  double voxels = 1;
  for (int r = 0; r < 3; r++)
    voxels *= ceil((of->high[r] - of->low[r]) / spacing_mm) + 2 * HT_SURFACE_MARGIN;
  return voxels;
}

static double choose_spacing(const extent *of, const ht_surface_voxels *wanted) {
  double thin = 4 * of->volume / of->area;
  if (wanted->spacing_mm > 0) return wanted->spacing_mm;
  if (wanted->thin_mm > 0) thin = fmin(thin, wanted->thin_mm);
  double chosen = thin / HT_SURFACE_ACROSS;
  if (wanted->lattice_mm > 0) chosen = fmin(chosen, wanted->lattice_mm / HT_SURFACE_TO_LATTICE);
  chosen = fmax(chosen, HT_VOXEL_LEAST_MM);
  while (voxels_of(of, chosen) > HT_SURFACE_VOXELS_USUAL) chosen *= 1.02;
  return chosen;
}

static ht_status choose_grid(const extent *of, const ht_surface_voxels *wanted, ht_grid *grid) {
  double chosen = choose_spacing(of, wanted), voxels = voxels_of(of, chosen);
  *grid = ht_grid_make(1, 1, 1);
  for (int r = 0; r < 3; r++) {
    double steps = ceil((of->high[r] - of->low[r]) / chosen) + 2 * HT_SURFACE_MARGIN;
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

/* Side of the line from a to b, in the plane of y and z, on which the row lies. Both triangles of
 * an edge get the same answer: it is always computed from the smaller end. A row through the line
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

/* Marks where the row at (j, k) crosses: all voxels from there on change; kept as a step, modulo
 * 256. */
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

/* Steps to sums. A row with an odd number of crossings met a corner to the last bit of a number: it
 * takes its neighbour's voxels. */
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

ht_status ht_stl_mask(const ht_stl *surface, int same_way, const ht_surface_voxels *voxels,
                      ht_mask *mask) {
  painter to = {mask, same_way};
  extent of;
  ht_grid grid;
  memset(mask, 0, sizeof *mask);
  measure(surface, &of);
  HT_TRY(choose_grid(&of, voxels, &grid));
  HT_TRY(ht_mask_alloc(&grid, mask));
  for (int t = 0; t < surface->triangles; t++)
    paint_triangle(&to, (const corner *)surface->corner[t]);
  if (fill_rows(&to) > 0) return HT_OK;
  ht_mask_free(mask);
  return ht_fail(HT_ERR_VESSEL,
                 "no voxel of %.3g mm lies inside the surface: give a smaller --surface-spacing",
                 grid.spacing_mm[0]);
}

/* The rows are painted from before the surface to beyond it, and then cut. */
static void widen(const extent *of, ht_grid *grid, int *before) {
  double step = grid->spacing_mm[0], high = grid->origin_mm[0] + step * (grid->dim[0] - 1);
  *before = (int)fmax(0, ceil((grid->origin_mm[0] - of->low[0]) / step)) + 2;
  grid->origin_mm[0] -= *before * step;
  grid->dim[0] += *before + (int)fmax(0, ceil((of->high[0] - high) / step)) + 2;
}

static int axes_are_lps(const ht_grid *grid) {
  int same = 1;
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++) same &= fabs(grid->direction[r][a] - (r == a)) < 1e-6;
  return same;
}

ht_status ht_stl_fill_mask(const ht_stl *surface, int same_way, ht_mask *mask) {
  ht_mask wide = {.grid = mask->grid};
  painter to = {&wide, same_way};
  int before;
  extent of;
  if (!axes_are_lps(&mask->grid))
    return ht_fail(HT_ERR_INTERNAL, "a surface was to be sampled on a turned grid");
  measure(surface, &of);
  widen(&of, &wide.grid, &before);
  HT_TRY(ht_alloc((void **)&wide.inside, (size_t)ht_grid_voxels(&wide.grid), 1, "the surface"));
  for (int t = 0; t < surface->triangles; t++)
    paint_triangle(&to, (const corner *)surface->corner[t]);
  fill_rows(&to);
  int64_t rows = (int64_t)mask->grid.dim[1] * mask->grid.dim[2];
  for (int64_t row = 0; row < rows; row++)
    memcpy(mask->inside + row * mask->grid.dim[0], wide.inside + row * wide.grid.dim[0] + before,
           (size_t)mask->grid.dim[0]);
  ht_mask_free(&wide);
  return HT_OK;
}

/* ---- Places and widths ---- */

/* Finds where the row through (y, z) meets the triangle; 0: it does not. A corner at y or z counts
 * as below it, as in side_of. */
static int meets(const corner p[3], double y, double z, double *x) {
  double at[3][3], u[3], v[3], n[3];
  int above = 0, right = 0;
  for (int c = 0; c < 3; c++) above += p[c][1] > y, right += p[c][2] > z;
  if (above == 0 || above == 3 || right == 0 || right == 3) return 0;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) at[c][r] = p[c][r];
    u[r] = at[1][r] - at[0][r];
    v[r] = at[2][r] - at[0][r];
  }
  ht_cross(u, v, n);
  int side = crosses((const double(*)[3])at, y, z);
  if (!side || n[0] == 0) return 0;
  *x = at[0][0] - (n[1] * (y - at[0][1]) + n[2] * (z - at[0][2])) / n[0];
  return side;
}

int ht_stl_holds(const ht_stl *surface, int same_way, const double place_mm[3]) {
  int sum = 0;
  for (int t = 0; t < surface->triangles; t++) {
    double x = 0;
    int side = meets((const corner *)surface->corner[t], place_mm[1], place_mm[2], &x);
    if (side && x < place_mm[0]) sum += same_way ? side : 1;
  }
  return same_way ? sum != 0 : sum & 1;
}

/* Distance along a unit vector to the triangle (Moeller & Trumbore, J. Graph. Tools 2 (1997) 21);
 * INFINITY where it is not met. */
static double distance_to(const corner p[3], const double from[3], const double way[3]) {
  double u[3], v[3], off[3], across[3], turned[3];
  for (int r = 0; r < 3; r++) {
    u[r] = (double)p[1][r] - p[0][r];
    v[r] = (double)p[2][r] - p[0][r];
    off[r] = from[r] - p[0][r];
  }
  ht_cross(way, v, across);
  double det = ht_dot(u, across), a = ht_dot(off, across) / det;
  if (!(a >= 0 && a <= 1)) return INFINITY;
  ht_cross(off, u, turned);
  double b = ht_dot(way, turned) / det;
  return b >= 0 && a + b <= 1 ? ht_dot(v, turned) / det : INFINITY;
}

static double width_at(const ht_stl *surface, int t, double outward) {
  const corner *p = (const corner *)surface->corner[t];
  double from[3], u[3], v[3], way[3], width = INFINITY;
  for (int r = 0; r < 3; r++) {
    from[r] = ((double)p[0][r] + p[1][r] + p[2][r]) / 3;
    u[r] = (double)p[1][r] - p[0][r];
    v[r] = (double)p[2][r] - p[0][r];
  }
  ht_cross(u, v, way);
  if (!ht_normalise(way)) return INFINITY;
  for (int r = 0; r < 3; r++) way[r] *= -outward;
  for (int i = 0; i < surface->triangles; i++) {
    double d = i == t ? INFINITY : distance_to((const corner *)surface->corner[i], from, way);
    if (d > 1e-6 && d < width) width = d;
  }
  return width;
}

static double area_of(const corner p[3]) {
  double u[3], v[3], n[3];
  for (int r = 0; r < 3; r++) {
    u[r] = (double)p[1][r] - p[0][r];
    v[r] = (double)p[2][r] - p[0][r];
  }
  ht_cross(u, v, n);
  return 0.5 * ht_length(n);
}

static int by_width(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double ht_stl_thin_mm(const ht_stl *surface, int same_way) {
  enum { MOST = 500, FEWEST = 60 };
  const double work = 5e7;
  double width[MOST], covered = 0;
  extent of;
  measure(surface, &of);
  double mean = 4 * of.volume / of.area;
  if (!same_way) return mean;
  int wanted = (int)fmax(FEWEST, fmin(MOST, work / surface->triangles)), count = 0;
  for (int t = 0; t < surface->triangles && count < wanted; t++) {
    covered += area_of((const corner *)surface->corner[t]);
    if (covered < (count + 0.5) * of.area / wanted) continue;
    double here = width_at(surface, t, of.outward);
    while (count < wanted && covered >= (count + 0.5) * of.area / wanted) width[count++] = here;
  }
  if (count == 0) return mean;
  qsort(width, (size_t)count, sizeof *width, by_width);
  return fmin(mean, width[count / 20]);
}
