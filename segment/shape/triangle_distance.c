#include "segment/shape/triangle_distance.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Layers of the grid that one thread fills at a time: no two threads write to a node. */
enum { SLAB = 8 };

ht_status ht_triangle_list_add(ht_triangle_list *pieces, const ht_corners one) {
  if (pieces->count == pieces->room) {
    int64_t room = pieces->room ? 2 * pieces->room : 1024;
    void *larger = realloc(pieces->item, (size_t)room * sizeof *pieces->item);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles of the wall");
    pieces->item = larger;
    pieces->room = room;
  }
  memcpy(pieces->item[pieces->count++], one, sizeof *pieces->item);
  return HT_OK;
}

void ht_triangle_list_free(ht_triangle_list *pieces) {
  if (!pieces) return;
  free(pieces->item);
  memset(pieces, 0, sizeof *pieces);
}

/* ---- a point and a triangle ---- */

static void less(const double a[3], const double b[3], double out[3]) {
  for (int r = 0; r < 3; r++) out[r] = a[r] - b[r];
}

/* Square of the distance from `point` to base + s u + t v. */
static double far2(const double point[3], const double base[3], double s, const double u[3],
                   double t, const double v[3]) {
  double sum = 0;
  for (int r = 0; r < 3; r++) {
    double off = base[r] + s * u[r] + t * v[r] - point[r];
    sum += off * off;
  }
  return sum;
}

static void set_part(double part[3], double a, double b, double c) {
  part[0] = a, part[1] = b, part[2] = c;
}

double ht_triangle_nearest(const ht_corners triangle, const double point[3], double part[3]) {
  const double *a = triangle[0], *b = triangle[1], *c = triangle[2];
  double ab[3], ac[3], ap[3], bp[3], cp[3], bc[3];
  less(b, a, ab), less(c, a, ac), less(c, b, bc);
  less(point, a, ap), less(point, b, bp), less(point, c, cp);
  double d1 = ht_dot(ab, ap), d2 = ht_dot(ac, ap), d3 = ht_dot(ab, bp), d4 = ht_dot(ac, bp);
  double d5 = ht_dot(ab, cp), d6 = ht_dot(ac, cp);
  if (d1 <= 0 && d2 <= 0) return set_part(part, 1, 0, 0), ht_dot(ap, ap);
  if (d3 >= 0 && d4 <= d3) return set_part(part, 0, 1, 0), ht_dot(bp, bp);
  if (d6 >= 0 && d5 <= d6) return set_part(part, 0, 0, 1), ht_dot(cp, cp);
  double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    double s = d1 / (d1 - d3);
    return set_part(part, 1 - s, s, 0), far2(point, a, s, ab, 0, ac);
  }
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    double s = d2 / (d2 - d6);
    return set_part(part, 1 - s, 0, s), far2(point, a, 0, ab, s, ac);
  }
  double e = d4 - d3, f = d5 - d6;
  if (va <= 0 && e >= 0 && f >= 0) {
    double s = e / (e + f);
    return set_part(part, 0, 1 - s, s), far2(point, b, s, bc, 0, ac);
  }
  double s = vb / (va + vb + vc), t = vc / (va + vb + vc);
  return set_part(part, 1 - s - t, s, t), far2(point, a, s, ab, t, ac);
}

double ht_triangle_distance2(const ht_corners triangle, const double point[3]) {
  double part[3];
  return ht_triangle_nearest(triangle, point, part);
}

int ht_plane_cuts(const double centre[3], const double normal[3], const double corner[3][3],
                  double at[2][3]) {
  double out[3], off[3];
  int found = 0;
  for (int c = 0; c < 3; c++) {
    for (int a = 0; a < 3; a++) off[a] = corner[c][a] - centre[a];
    out[c] = ht_dot(off, normal);
  }
  for (int c = 0; c < 3 && found < 2; c++) {
    int d = (c + 1) % 3;
    if ((out[c] > 0) == (out[d] > 0)) continue;
    double part = out[c] / (out[c] - out[d]);
    for (int a = 0; a < 3; a++) at[found][a] = corner[c][a] + (corner[d][a] - corner[c][a]) * part;
    found++;
  }
  return found == 2;
}

/* ---- all nodes ---- */

typedef struct {
  const int *dim;
  double reach;
  int first, last; /* layers of the slab */
  float *square;   /* the distances' squares, for now */
} slab;

static void visit(const slab *s, const ht_corners piece) {
  int low[3], high[3], at[3];
  for (int a = 0; a < 3; a++) {
    double from = fmin(piece[0][a], fmin(piece[1][a], piece[2][a])) - s->reach;
    double to = fmax(piece[0][a], fmax(piece[1][a], piece[2][a])) + s->reach;
    low[a] = (int)ceil(fmax(from, a == 2 ? s->first : 0));
    high[a] = (int)floor(fmin(to, a == 2 ? s->last : s->dim[a] - 1));
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
      float *row = s->square + s->dim[0] * (at[1] + (int64_t)s->dim[1] * at[2]);
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        const double point[3] = {at[0], at[1], at[2]};
        float found = (float)ht_triangle_distance2(piece, point);
        if (found < row[at[0]]) row[at[0]] = found;
      }
    }
}

void ht_triangle_list_distance(const ht_triangle_list *pieces, const int dim[3], double reach,
                               float *distance) {
  int slabs = (dim[2] + SLAB - 1) / SLAB;
  int64_t layer = (int64_t)dim[0] * dim[1];
#pragma omp parallel for schedule(dynamic)
  for (int n = 0; n < slabs; n++) {
    slab s = {dim, reach, n * SLAB, (n + 1) * SLAB - 1, distance};
    if (s.last >= dim[2]) s.last = dim[2] - 1;
    int64_t from = layer * s.first, to = layer * (s.last + 1);
    for (int64_t v = from; v < to; v++) distance[v] = INFINITY;
    for (int64_t i = 0; i < pieces->count; i++) visit(&s, (const double(*)[3])pieces->item[i]);
    for (int64_t v = from; v < to; v++)
      distance[v] = distance[v] < (float)(reach * reach) ? sqrtf(distance[v]) : INFINITY;
  }
}
