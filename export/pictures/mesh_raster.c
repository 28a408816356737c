#include "mesh_raster.h"
#include "volume.h"
#include "vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 2 }; /* samples a pixel along each axis */

typedef struct {
  int width, height;
  float *depth;          /* [height][width] towards the viewer, mm; -infinity: nothing */
  float *value;          /* of what is shown */
  float *light;          /* 0 to about 1.2 */
  int first[2], last[2]; /* samples outside first..last (x, y) show nothing */
} buffers;

static void free_buffers(buffers *b) {
  free(b->depth);
  free(b->value);
  free(b->light);
}

static ht_status alloc_buffers(const ht_panel *panel, buffers *b) {
  size_t count;
  memset(b, 0, sizeof *b);
  b->width = panel->width * FINE;
  b->height = panel->height * FINE;
  b->first[0] = b->width;
  b->first[1] = b->height;
  b->last[0] = b->last[1] = -1;
  count = (size_t)b->width * (size_t)b->height;
  HT_TRY(ht_alloc((void **)&b->depth, count, sizeof(float), "the picture of the wall"));
  HT_TRY(ht_alloc((void **)&b->value, count, sizeof(float), "the picture of the wall"));
  HT_TRY(ht_alloc((void **)&b->light, count, sizeof(float), "the picture of the wall"));
  for (size_t i = 0; i < count; i++) b->depth[i] = -INFINITY;
  return HT_OK;
}

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

/* 0 where the corner cannot be drawn. */
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
  c->x = FINE * (pixel[0] - panel->x);
  c->y = FINE * (pixel[1] - panel->y);
  c->depth = panel->view->toward * at[panel->view->through];
  to_view(panel->view, isfinite(length) && length > 0 ? normal : face, c->normal);
  c->value = values ? values[point] : 0;
  return 1;
}

/* x to the power 30; pow() takes several times as long, and every sample asks for it. */
static double power_30(double x) {
  double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return x8 * x8 * x8 * x4 * x2;
}

/* Light from the upper left, before the patient; the wall seen from inside is darker. */
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

static void fill_sample(buffers *b, const corner c[3], const double part[3], size_t at) {
  double depth = 0, value = 0, normal[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) depth += part[k] * c[k].depth;
  if (!(depth > b->depth[at])) return;
  for (int k = 0; k < 3; k++) {
    value += part[k] * c[k].value;
    for (int r = 0; r < 3; r++) normal[r] += part[k] * c[k].normal[r];
  }
  b->depth[at] = (float)depth;
  b->value[at] = (float)value;
  b->light[at] = lighting(normal);
}

/* The fine pixels whose centres may lie between two coordinates. */
static void sample_range(double low, double high, int size, int *first, int *last) {
  *first = (int)fmin(fmax(floor(low - 0.5), 0), size);
  *last = (int)fmax(fmin(ceil(high - 0.5), size - 1.0), -1);
}

static void cover(buffers *b, int x0, int x1, int y0, int y1) {
  if (x0 < b->first[0]) b->first[0] = x0;
  if (y0 < b->first[1]) b->first[1] = y0;
  if (x1 > b->last[0]) b->last[0] = x1;
  if (y1 > b->last[1]) b->last[1] = y1;
}

/* The samples x0..x1 of row y that lie in the triangle. */
static void fill_row(buffers *b, const corner c[3], const edge e[3], double area, int y, int x0,
                     int x1) {
  double row[3];
  for (int k = 0; k < 3; k++) row[k] = e[k].way[0] * (y + 0.5 - e[k].y);
  for (int x = x0; x <= x1; x++) {
    double part[3];
    int k = 0;
    for (; k < 3; k++) {
      part[k] = row[k] - e[k].way[1] * (x + 0.5 - e[k].x);
      if (!(part[k] >= 0)) break;
    }
    if (k < 3) continue;
    for (k = 0; k < 3; k++) part[k] /= area;
    fill_sample(b, c, part, (size_t)y * (size_t)b->width + (size_t)x);
  }
}

static void fill(buffers *b, const corner c[3]) {
  double area = area_of(c), sign = area < 0 ? -1 : 1;
  int x0, x1, y0, y1;
  edge e[3];
  if (!(fabs(area) > 1e-12)) return;
  sample_range(fmin(fmin(c[0].x, c[1].x), c[2].x), fmax(fmax(c[0].x, c[1].x), c[2].x), b->width,
               &x0, &x1);
  sample_range(fmin(fmin(c[0].y, c[1].y), c[2].y), fmax(fmax(c[0].y, c[1].y), c[2].y), b->height,
               &y0, &y1);
  if (x0 > x1 || y0 > y1) return;
  cover(b, x0, x1, y0, y1);
  for (int k = 0; k < 3; k++) e[k] = edge_of(&c[(k + 1) % 3], &c[(k + 2) % 3], sign);
  for (int y = y0; y <= y1; y++) fill_row(b, c, e, fabs(area), y, x0, x1);
}

static void draw_triangles(const ht_panel *panel, const ht_surface *surface, const float *values,
                           buffers *b) {
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

static ht_rgb lit(ht_rgb colour, double light) {
  static const ht_rgb black = {0, 0, 0}, white = {255, 255, 255};
  return light <= 1 ? ht_rgb_mix(black, colour, light) : ht_rgb_mix(colour, white, light - 1);
}

static ht_rgb sample_colour(const buffers *b, size_t at, ht_map map, int plain, double high) {
  static const ht_rgb bone = {214, 205, 196};
  double value = isfinite(b->value[at]) ? b->value[at] / high : NAN;
  return lit(plain ? bone : ht_map_colour(map, value), b->light[at]);
}

/* The mean of a pixel's samples, blended with the image where they do not cover it. */
static void resolve_pixel(ht_canvas *canvas, const ht_panel *panel, const buffers *b, ht_map map,
                          int plain, double high, int x, int y) {
  int covered = 0, sum[3] = {0, 0, 0};
  for (int s = 0; s < FINE * FINE; s++) {
    size_t at = (size_t)(y * FINE + s / FINE) * (size_t)b->width + (size_t)(x * FINE + s % FINE);
    if (!(b->depth[at] > -INFINITY)) continue;
    ht_rgb colour = sample_colour(b, at, map, plain, high);
    sum[0] += colour.r;
    sum[1] += colour.g;
    sum[2] += colour.b;
    covered++;
  }
  if (!covered) return;
  ht_rgb mean = {(unsigned char)(sum[0] / covered), (unsigned char)(sum[1] / covered),
                 (unsigned char)(sum[2] / covered)};
  ht_canvas_blend(canvas, panel->x + x, panel->y + y, mean, (double)covered / (FINE * FINE));
}

ht_status ht_mesh_draw(ht_canvas *canvas, const ht_panel *panel, const ht_surface *surface,
                       const float *values, ht_map map, double high) {
  buffers b;
  ht_status status = HT_OK;
  HT_TRY_DONE(alloc_buffers(panel, &b));
  draw_triangles(panel, surface, values, &b);
  for (int y = b.first[1] / FINE; y * FINE <= b.last[1]; y++)
    for (int x = b.first[0] / FINE; x * FINE <= b.last[0]; x++)
      resolve_pixel(canvas, panel, &b, map, values == NULL, high, x, y);
done:
  free_buffers(&b);
  return status;
}
