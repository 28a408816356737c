#include "export/pixels/mesh_raster.h"
#include "export/pixels/sample_buffer.h"
#include "core/numbers/vector3.h"
#include <math.h>

/* A corner as the viewer sees it: to the right, up, towards the viewer. */
typedef struct {
  double x, y, depth; /* fine pixels, mm */
  double normal[3];
  double value;
} corner;

static void to_view(const ht_view *view, const double lps[3], double seen[3]) {
  seen[0] = lps[view->across];
  seen[1] = -view->down * lps[view->vertical];
  seen[2] = view->toward * lps[view->through];
}

static void face_normal(const ht_surface *surface, const int32_t *triangle, double normal[3]) {
  double edge[2][3];
  for (int e = 0; e < 2; e++)
    for (int r = 0; r < 3; r++)
      edge[e][r] = (double)surface->point_mm[3 * (int64_t)triangle[e + 1] + r] -
                   surface->point_mm[3 * (int64_t)triangle[0] + r];
  for (int r = 0; r < 3; r++)
    normal[r] =
        edge[0][(r + 1) % 3] * edge[1][(r + 2) % 3] - edge[0][(r + 2) % 3] * edge[1][(r + 1) % 3];
}

/* Makes a corner. Returns 0 if it cannot be drawn. */
static int make_corner(const ht_panel *panel, const ht_surface *surface, const float *values,
                       int64_t point, const double face[3], corner *c) {
  double at[3], normal[3], pixel[2], length = 0;
  for (int r = 0; r < 3; r++) {
    at[r] = surface->point_mm[3 * point + r];
    if (!(fabs(at[r]) < 1e7)) return 0;
    normal[r] = surface->normal ? surface->normal[3 * point + r] : face[r];
    length += fabs(normal[r]);
  }
  ht_panel_pixel(panel, at, pixel);
  c->x = HT_FINE * (pixel[0] - panel->x);
  c->y = HT_FINE * (pixel[1] - panel->y);
  c->depth = panel->view->toward * at[panel->view->through];
  to_view(panel->view, isfinite(length) && length > 0 ? normal : face, c->normal);
  c->value = values ? values[point] : 0;
  return 1;
}

/* Returns x to the power 30; pow() takes several times as long, and every sample needs it. */
static double power_30(double x) {
  double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return x8 * x8 * x8 * x4 * x2;
}

/* The light from the upper left, in front of the patient; the wall seen from inside is darker. */
static float lighting(const double normal[3]) {
  static const double lamp[3] = {-0.42, 0.54, 0.73}, half[3] = {-0.23, 0.29, 0.93};
  double length = ht_length(normal);
  double side = normal[2] < 0 ? -1 : 1, diffuse = 0, shine = 0;
  if (!(length > 0)) return 0.6f;
  for (int r = 0; r < 3; r++) {
    diffuse += side * lamp[r] * normal[r] / length;
    shine += side * half[r] * normal[r] / length;
  }
  double light = 0.66 + 0.38 * fmax(diffuse, 0) + 0.12 * power_30(fmax(shine, 0));
  return (float)(side < 0 ? 0.45 * light : light);
}

/* The line through two corners: twice the area of the triangle that it makes with (x, y) is
 * way[0] (y - y0) - way[1] (x - x0), positive on the triangle's side. */
typedef struct {
  double x, y, way[2];
} edge;

static edge edge_of(const corner *a, const corner *b, double sign) {
  return (edge){a->x, a->y, {sign * (b->x - a->x), sign * (b->y - a->y)}};
}

static double area_of(const corner c[3]) {
  return (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x);
}

static void fill_sample(ht_samples *b, const corner c[3], const double part[3], size_t at) {
  double depth = 0, value = 0, normal[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) depth += part[k] * c[k].depth;
  if (!(depth > b->depth[at])) return;
  for (int k = 0; k < 3; k++) {
    value += part[k] * c[k].value;
    for (int r = 0; r < 3; r++) normal[r] += part[k] * c[k].normal[r];
  }
  ht_samples_put(b, at, depth, value, lighting(normal));
}

/* Fills the samples x0..x1 of row y that lie in the triangle. */
static void fill_row(ht_samples *b, const corner c[3], const edge e[3], double area, int y, int x0,
                     int x1) {
  const float *depth = b->depth + (size_t)y * (size_t)b->width;
  const double nearest = fmax(fmax(c[0].depth, c[1].depth), c[2].depth);
  double row[3];
  for (int k = 0; k < 3; k++) row[k] = e[k].way[0] * (y + 0.5 - e[k].y);
  for (int x = x0; x <= x1; x++) {
    double part[3];
    int k = 0;
    if (!(nearest > depth[x])) continue;
    for (; k < 3; k++) {
      part[k] = row[k] - e[k].way[1] * (x + 0.5 - e[k].x);
      if (!(part[k] >= 0)) break;
    }
    if (k < 3) continue;
    for (k = 0; k < 3; k++) part[k] /= area;
    fill_sample(b, c, part, (size_t)y * (size_t)b->width + (size_t)x);
  }
}

static void fill(ht_samples *b, const corner c[3]) {
  double area = area_of(c), sign = area < 0 ? -1 : 1;
  int x0, x1, y0, y1;
  edge e[3];
  if (!(fabs(area) > 1e-12)) return;
  ht_samples_range(fmin(fmin(c[0].x, c[1].x), c[2].x), fmax(fmax(c[0].x, c[1].x), c[2].x), b->width,
                   &x0, &x1);
  ht_samples_range(fmin(fmin(c[0].y, c[1].y), c[2].y), fmax(fmax(c[0].y, c[1].y), c[2].y),
                   b->height, &y0, &y1);
  if (x0 > x1 || y0 > y1) return;
  ht_samples_cover(b, x0, x1, y0, y1);
  for (int k = 0; k < 3; k++) e[k] = edge_of(&c[(k + 1) % 3], &c[(k + 2) % 3], sign);
  for (int y = y0; y <= y1; y++) fill_row(b, c, e, fabs(area), y, x0, x1);
}

static void draw_triangles(const ht_panel *panel, const ht_surface *surface, const float *values,
                           ht_samples *b) {
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *triangle = surface->triangle + 3 * t;
    corner c[3];
    double face[3];
    int drawable = 1;
    for (int k = 0; k < 3; k++)
      drawable = drawable && triangle[k] >= 0 && triangle[k] < surface->points;
    if (!drawable) continue;
    face_normal(surface, triangle, face);
    for (int k = 0; k < 3; k++)
      drawable = drawable && make_corner(panel, surface, values, triangle[k], face, &c[k]);
    if (drawable) fill(b, c);
  }
}

ht_status ht_mesh_draw(ht_canvas *canvas, const ht_panel *panel, const ht_surface *surface,
                       const float *values, ht_map map, double high) {
  ht_samples b;
  ht_status status = ht_samples_alloc(panel, "the picture of the wall", &b);
  if (status == HT_OK) {
    draw_triangles(panel, surface, values, &b);
    ht_samples_draw(&b, canvas, panel, (ht_sample_colours){map, values == NULL, high});
  }
  ht_samples_free(&b);
  return status;
}
