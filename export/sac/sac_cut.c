#include "export/sac/sac.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

/* A triangle that the plane cuts, on a line through the surface: the line comes in over edge `in`
 * and leaves over edge `out` (0, 1 or 2). */
typedef struct {
  int32_t triangle;
  int8_t in, out;
} step;

/* A closed line of the plane on the surface; points[k] lies on edge `in` of step k. */
typedef struct {
  int64_t count;
  step *item;
  double (*point)[2]; /* on the plane, from its origin, mm */
} line;

typedef struct {
  const ht_surface *surface;
  const ht_surface_links *links;
  ht_neck_plane plane;
  double across[2][3]; /* the plane's axes */
  double *height;      /* [points] above the plane */
  uint8_t *seen;       /* [triangles] */
  line found;          /* the line so far, its room `room` */
  int64_t room;
  line neck;
} cutter;

static void cutter_free(cutter *c) {
  free(c->height);
  free(c->seen);
  free(c->found.item);
  free(c->found.point);
  free(c->neck.item);
  free(c->neck.point);
}

static int is_above(const cutter *c, int32_t point) {
  return c->height[point] >= 0;
}

static int is_cut(const cutter *c, int64_t edge) {
  const int32_t *corner = c->surface->triangle + edge / 3 * 3;
  return is_above(c, corner[edge % 3]) != is_above(c, corner[(edge + 1) % 3]);
}

/* The points of an edge, and the share of the second where it meets the plane. */
static double meet(const cutter *c, int64_t edge, int32_t between[2]) {
  const int32_t *corner = c->surface->triangle + edge / 3 * 3;
  between[0] = corner[edge % 3], between[1] = corner[(edge + 1) % 3];
  double first = c->height[between[0]], second = c->height[between[1]];
  return first / (first - second);
}

static void place_between(const ht_surface *surface, const int32_t between[2], double share,
                          double at_mm[3]) {
  for (int r = 0; r < 3; r++)
    at_mm[r] = (1 - share) * surface->point_mm[3 * (int64_t)between[0] + r] +
               share * surface->point_mm[3 * (int64_t)between[1] + r];
}

static ht_status prepare(cutter *c) {
  size_t points = (size_t)c->surface->points, triangles = (size_t)c->surface->triangles;
  if (!ht_normalise(c->plane.normal))
    return ht_fail(HT_ERR_CASE, "the normal of the neck's plane has no length");
  ht_span_across(c->plane.normal, c->across);
  HT_TRY(ht_alloc((void **)&c->height, points, sizeof(double), "the sac"));
  HT_TRY(ht_alloc((void **)&c->seen, triangles, 1, "the sac"));
  for (size_t p = 0; p < points; p++) {
    double from[3];
    for (int r = 0; r < 3; r++) from[r] = c->surface->point_mm[3 * p + r] - c->plane.origin_mm[r];
    c->height[p] = ht_dot(from, c->plane.normal);
    if (c->height[p] == 0) c->height[p] = 1e-12; /* on one side, also where the plane turns round */
  }
  return HT_OK;
}

/* ---- the lines of the plane on the surface ---- */

static ht_status add_step(cutter *c, int32_t triangle, int in, int out) {
  int32_t between[2];
  double at_mm[3], from[3];
  if (c->found.count == c->room) {
    int64_t room = 2 * c->room + 256;
    step *item = realloc(c->found.item, (size_t)room * sizeof *item);
    if (item) c->found.item = item;
    double(*point)[2] = realloc(c->found.point, (size_t)room * sizeof *point);
    if (point) c->found.point = point;
    if (!item || !point) return ht_fail(HT_ERR_MEMORY, "not enough memory for the sac's neck");
    c->room = room;
  }
  double share = meet(c, 3 * (int64_t)triangle + in, between);
  place_between(c->surface, between, share, at_mm);
  for (int r = 0; r < 3; r++) from[r] = at_mm[r] - c->plane.origin_mm[r];
  for (int k = 0; k < 2; k++) c->found.point[c->found.count][k] = ht_dot(from, c->across[k]);
  c->found.item[c->found.count++] = (step){triangle, (int8_t)in, (int8_t)out};
  return HT_OK;
}

static int other_cut(const cutter *c, int32_t triangle, int in) {
  int out = (in + 1) % 3;
  return is_cut(c, 3 * (int64_t)triangle + out) ? out : (in + 2) % 3;
}

/* Follows the line from a cut triangle back to its start. *closed = 0: it ends at a rim. */
static ht_status follow(cutter *c, int32_t first, int *closed) {
  int in = 0;
  int32_t at = first;
  while (!is_cut(c, 3 * (int64_t)first + in)) in++;
  c->found.count = 0;
  for (;;) {
    int out = other_cut(c, at, in);
    c->seen[at] = 1;
    HT_TRY(add_step(c, at, in, out));
    int32_t mate = c->links->mate[3 * (int64_t)at + out];
    *closed = mate >= 0;
    if (mate < 0 || mate / 3 == first) return HT_OK;
    if (c->seen[mate / 3]) { /* a line that met a rim in its other direction before */
      *closed = 0;
      return HT_OK;
    }
    at = mate / 3;
    in = mate % 3;
  }
}

/* Twice the signed area of a line. */
static double twice_area(const line *l) {
  double sum = 0;
  for (int64_t k = 0; k < l->count; k++) {
    const double *a = l->point[k], *b = l->point[(k + 1) % l->count];
    sum += a[0] * b[1] - a[1] * b[0];
  }
  return sum;
}

static int holds_origin(const line *l) {
  int inside = 0;
  for (int64_t k = 0; k < l->count; k++) {
    const double *a = l->point[k], *b = l->point[(k + 1) % l->count];
    if ((a[1] > 0) != (b[1] > 0) && a[0] - a[1] * (b[0] - a[0]) / (b[1] - a[1]) > 0) inside ^= 1;
  }
  return inside;
}

/* Takes the line as the neck if it is the smallest around the plane's origin so far. */
static ht_status offer(cutter *c) {
  size_t count = (size_t)c->found.count;
  if (count < 3 || !holds_origin(&c->found)) return HT_OK;
  if (c->neck.count > 0 && fabs(twice_area(&c->found)) >= fabs(twice_area(&c->neck))) return HT_OK;
  free(c->neck.item);
  free(c->neck.point);
  memset(&c->neck, 0, sizeof c->neck);
  HT_TRY(ht_alloc((void **)&c->neck.item, count, sizeof *c->neck.item, "the sac's neck"));
  HT_TRY(ht_alloc((void **)&c->neck.point, count, sizeof *c->neck.point, "the sac's neck"));
  memcpy(c->neck.item, c->found.item, count * sizeof *c->neck.item);
  memcpy(c->neck.point, c->found.point, count * sizeof *c->neck.point);
  c->neck.count = c->found.count;
  return HT_OK;
}

static ht_status find_neck(cutter *c) {
  int open = 0, closed;
  for (int32_t t = 0; t < c->surface->triangles; t++) {
    if (c->seen[t] || !(is_cut(c, 3 * (int64_t)t) || is_cut(c, 3 * (int64_t)t + 1))) continue;
    HT_TRY(follow(c, t, &closed));
    open += !closed;
    if (closed) HT_TRY(offer(c));
  }
  if (c->neck.count > 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the neck's plane has no closed section of the vessel around its origin (%.1f, "
                 "%.1f, %.1f mm, LPS)%s: put the origin into the neck, and the plane across it",
                 c->plane.origin_mm[0], c->plane.origin_mm[1], c->plane.origin_mm[2],
                 open ? "; a section there runs into an opening" : "");
}

/* ---- the piece beyond the neck ---- */

/* The edge, 0 to 2, of a triangle at the neck that the plane does not cut. */
static int kept_edge(const step *at) {
  return 3 - at->in - at->out;
}

/* Marks with 1 the points of the piece on the side `above`. Returns 0 where it reaches an opening
 * or the neck's other side. `todo`: [triangles]. */
static int fill(cutter *c, int above, int32_t *todo, uint8_t *in_sac) {
  const ht_surface *surface = c->surface;
  int64_t waiting = 0;
  memset(in_sac, 0, (size_t)surface->points);
  memset(c->seen, 0, (size_t)surface->triangles);
  for (int64_t k = 0; k < c->neck.count; k++) c->seen[c->neck.item[k].triangle] = 2;
  for (int64_t k = 0; k < c->neck.count; k++) {
    const step *at = &c->neck.item[k];
    const int32_t *corner = surface->triangle + 3 * (int64_t)at->triangle;
    for (int i = 0; i < 3; i++)
      if (is_above(c, corner[i]) == above) in_sac[corner[i]] = 1;
    int edge = kept_edge(at);
    if (is_above(c, corner[edge]) != above) continue;
    int32_t mate = c->links->mate[3 * (int64_t)at->triangle + edge];
    if (mate < 0) return 0;
    if (!c->seen[mate / 3]) c->seen[mate / 3] = 1, todo[waiting++] = mate / 3;
  }
  while (waiting > 0) {
    int32_t t = todo[--waiting];
    for (int i = 0; i < 3; i++) {
      int32_t mate = c->links->mate[3 * (int64_t)t + i];
      int32_t point = surface->triangle[3 * (int64_t)t + i];
      if (mate < 0) return 0;
      in_sac[point] = 1;
      if (c->seen[mate / 3] == 2 && is_above(c, point) != above) return 0;
      if (c->seen[mate / 3]) continue;
      c->seen[mate / 3] = 1;
      todo[waiting++] = mate / 3;
    }
  }
  return 1;
}

static void turn_round(cutter *c) {
  for (int r = 0; r < 3; r++) c->plane.normal[r] = -c->plane.normal[r];
  for (int64_t p = 0; p < c->surface->points; p++) c->height[p] = -c->height[p];
  for (int r = 0; r < 3; r++) c->across[0][r] = -c->across[0][r];
  for (int64_t k = 0; k < c->neck.count; k++) c->neck.point[k][0] = -c->neck.point[k][0];
}

static ht_status find_side(cutter *c, ht_sac_mesh *sac) {
  int32_t *todo;
  size_t points = (size_t)c->surface->points;
  HT_TRY(ht_alloc((void **)&sac->in_sac, points, 1, "the sac"));
  HT_TRY(ht_alloc((void **)&todo, (size_t)c->surface->triangles, sizeof *todo, "the sac"));
  int found = fill(c, 1, todo, sac->in_sac), turned = 0;
  if (!found && fill(c, 0, todo, sac->in_sac)) found = turned = 1;
  free(todo);
  if (!found)
    return ht_fail(HT_ERR_CASE,
                   "the neck's plane at (%.1f, %.1f, %.1f mm, LPS) does not cut off a sac: the "
                   "vessel's openings lie on both sides of its section: move the plane into the "
                   "neck",
                   c->plane.origin_mm[0], c->plane.origin_mm[1], c->plane.origin_mm[2]);
  if (turned) turn_round(c);
  return HT_OK;
}

/* ---- its triangles ---- */

static void add_triangle(ht_sac_mesh *sac, int32_t a, int32_t b, int32_t d) {
  int32_t *to = sac->triangle + 3 * sac->triangles++;
  to[0] = a, to[1] = b, to[2] = d;
}

/* Adds the part of a triangle at the neck above the plane; `number`: the surface's points in the
 * sac. */
static void add_clipped(const cutter *c, int64_t k, int64_t first_rim, const int32_t *number,
                        ht_sac_mesh *sac) {
  const step *at = &c->neck.item[k];
  const int32_t *corner = c->surface->triangle + 3 * (int64_t)at->triangle;
  int32_t on[3] = {-1, -1, -1}; /* rim points, by edge */
  on[at->in] = (int32_t)(first_rim + k);
  on[at->out] = (int32_t)(first_rim + (k + 1) % c->neck.count);
  int lone = (kept_edge(at) + 2) % 3, next = (lone + 1) % 3, last = (lone + 2) % 3;
  if (is_above(c, corner[lone])) {
    add_triangle(sac, number[corner[lone]], on[lone], on[last]);
    return;
  }
  add_triangle(sac, on[lone], number[corner[next]], number[corner[last]]);
  add_triangle(sac, on[lone], number[corner[last]], on[last]);
}

static ht_status make_room(const cutter *c, int64_t own, int64_t triangles, ht_sac_mesh *sac) {
  size_t points = (size_t)(own + c->neck.count);
  sac->points = own + c->neck.count;
  sac->rim = c->neck.count;
  HT_TRY(ht_alloc((void **)&sac->point_mm, 3 * points, sizeof(double), "the sac"));
  HT_TRY(ht_alloc((void **)&sac->from, 2 * points, sizeof(int32_t), "the sac"));
  HT_TRY(ht_alloc((void **)&sac->share, points, sizeof(double), "the sac"));
  return ht_alloc((void **)&sac->triangle, 3 * (size_t)triangles, sizeof(int32_t), "the sac");
}

static void place_points(const cutter *c, const int32_t *number, ht_sac_mesh *sac) {
  for (int32_t p = 0; p < c->surface->points; p++) {
    if (number[p] < 0) continue;
    sac->from[2 * number[p]] = sac->from[2 * number[p] + 1] = p;
  }
  for (int64_t k = 0, to = sac->points - sac->rim; k < sac->rim; k++, to++) {
    const step *at = &c->neck.item[k];
    sac->share[to] = meet(c, 3 * (int64_t)at->triangle + at->in, sac->from + 2 * to);
  }
  for (int64_t p = 0; p < sac->points; p++)
    place_between(c->surface, sac->from + 2 * p, sac->share[p], sac->point_mm + 3 * p);
}

static ht_status build(const cutter *c, int32_t *number, ht_sac_mesh *sac) {
  int32_t own = 0;
  for (int64_t p = 0; p < c->surface->points; p++) number[p] = sac->in_sac[p] ? own++ : -1;
  int64_t whole = 0;
  for (int64_t t = 0; t < c->surface->triangles; t++) whole += c->seen[t] == 1;
  HT_TRY(make_room(c, own, whole + 2 * c->neck.count, sac));
  place_points(c, number, sac);
  for (int64_t t = 0; t < c->surface->triangles; t++) {
    const int32_t *corner = c->surface->triangle + 3 * t;
    if (c->seen[t] == 1) add_triangle(sac, number[corner[0]], number[corner[1]], number[corner[2]]);
  }
  for (int64_t k = 0; k < c->neck.count; k++) add_clipped(c, k, own, number, sac);
  return HT_OK;
}

/* Measures the neck's area; its centroid becomes the origin of `plane`. */
static double measure_neck(const cutter *c, ht_neck_plane *plane) {
  double sum[2] = {0}, twice = twice_area(&c->neck);
  for (int64_t k = 0; k < c->neck.count; k++) {
    const double *a = c->neck.point[k], *b = c->neck.point[(k + 1) % c->neck.count];
    double part = a[0] * b[1] - a[1] * b[0];
    for (int i = 0; i < 2; i++) sum[i] += part * (a[i] + b[i]);
  }
  *plane = c->plane;
  for (int i = 0; i < 2 && twice != 0; i++)
    for (int r = 0; r < 3; r++) plane->origin_mm[r] += c->across[i][r] * sum[i] / (3 * twice);
  return 0.5 * fabs(twice);
}

ht_status ht_sac_section(const ht_surface *surface, const ht_surface_links *links,
                         ht_neck_plane *plane, double *area_mm2) {
  cutter c = {.surface = surface, .links = links, .plane = *plane};
  ht_status status = prepare(&c);
  if (status == HT_OK) status = find_neck(&c);
  if (status == HT_OK) *area_mm2 = measure_neck(&c, plane);
  cutter_free(&c);
  return status;
}

ht_status ht_sac_cut(const ht_surface *surface, const ht_surface_links *links,
                     const ht_neck_plane *plane, ht_sac_mesh *sac) {
  cutter c = {.surface = surface, .links = links, .plane = *plane};
  int32_t *number = NULL;
  ht_status status;
  memset(sac, 0, sizeof *sac);
  HT_TRY_DONE(prepare(&c));
  HT_TRY_DONE(find_neck(&c));
  HT_TRY_DONE(find_side(&c, sac));
  HT_TRY_DONE(ht_alloc((void **)&number, (size_t)surface->points, sizeof *number, "the sac"));
  HT_TRY_DONE(build(&c, number, sac));
  sac->neck_area_mm2 = measure_neck(&c, &sac->neck);
done:
  cutter_free(&c);
  free(number);
  return status;
}

void ht_sac_mesh_free(ht_sac_mesh *sac) {
  if (!sac) return;
  free(sac->point_mm);
  free(sac->triangle);
  free(sac->from);
  free(sac->share);
  free(sac->in_sac);
  memset(sac, 0, sizeof *sac);
}

double ht_sac_value(const ht_sac_mesh *sac, const float *values, int64_t point) {
  const int32_t *from = sac->from + 2 * point;
  return (1 - sac->share[point]) * values[from[0]] + sac->share[point] * values[from[1]];
}
