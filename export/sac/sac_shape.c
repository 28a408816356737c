#include "export/sac/hull.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of sections parallel to the neck, and of directions in them: 64 miss 0.03 % of a width. */
enum { SECTIONS = 128, DIRECTIONS = 64 };

/* Share of the length beyond which points give its direction. */
static const double farthest_share = 0.97;

/* Radius of the sac's top, as a share of half its width. Over 0.75 of its radius a ball is a
 * paraboloid to 0.7 % of it. */
static const double top_reach = 0.75;

/* The extent of a section, or of the neck, in each direction. */
typedef struct {
  double low[DIRECTIONS], high[DIRECTIONS];
} extent;

typedef struct {
  double across[2][3], cosine[DIRECTIONS], sine[DIRECTIONS];
} compass;

static compass compass_of(const ht_neck_plane *neck) {
  compass c;
  ht_span_across(neck->normal, c.across);
  for (int d = 0; d < DIRECTIONS; d++) {
    c.cosine[d] = cos(HT_PI * d / DIRECTIONS);
    c.sine[d] = sin(HT_PI * d / DIRECTIONS);
  }
  return c;
}

static void clear(extent *e) {
  for (int d = 0; d < DIRECTIONS; d++) e->low[d] = INFINITY, e->high[d] = -INFINITY;
}

static void widen(extent *e, const compass *c, double u, double v) {
  for (int d = 0; d < DIRECTIONS; d++) {
    double along = c->cosine[d] * u + c->sine[d] * v;
    if (along < e->low[d]) e->low[d] = along;
    if (along > e->high[d]) e->high[d] = along;
  }
}

/* The largest width of an outline, which is the largest distance of two of its points. */
static double widest(const extent *e) {
  double most = 0;
  for (int d = 0; d < DIRECTIONS; d++) most = fmax(most, e->high[d] - e->low[d]);
  return most;
}

static double narrowest(const extent *e) {
  double least = INFINITY;
  for (int d = 0; d < DIRECTIONS; d++) least = fmin(least, e->high[d] - e->low[d]);
  return least;
}

/* Finds a point's coordinates along the neck's axes: two across, one above. */
static void place(const ht_sac_mesh *sac, const compass *c, int64_t p, double at[3]) {
  double from[3];
  for (int r = 0; r < 3; r++) from[r] = sac->point_mm[3 * p + r] - sac->neck.origin_mm[r];
  at[0] = ht_dot(from, c->across[0]);
  at[1] = ht_dot(from, c->across[1]);
  at[2] = ht_dot(from, sac->neck.normal);
}

/* ---- volume and area ---- */

/* Adds a triangle to the volume by the divergence theorem about a point of the neck's plane, where
 * the neck's own part is 0. */
static void add_triangle(const ht_sac_mesh *sac, const int32_t *corner, ht_sac_shape *shape) {
  double d[3], e[3], from[3], area[3];
  const double *a = sac->point_mm + 3 * (int64_t)corner[0];
  const double *b = sac->point_mm + 3 * (int64_t)corner[1];
  const double *f = sac->point_mm + 3 * (int64_t)corner[2];
  for (int r = 0; r < 3; r++) {
    d[r] = b[r] - a[r], e[r] = f[r] - a[r];
    from[r] = a[r] - sac->neck.origin_mm[r];
  }
  ht_cross(d, e, area);
  shape->area_mm2 += 0.5 * ht_length(area);
  shape->volume_mm3 += ht_dot(area, from) / 6;
}

static void measure_size(const ht_sac_mesh *sac, ht_sac_shape *shape) {
  for (int64_t t = 0; t < sac->triangles; t++) add_triangle(sac, sac->triangle + 3 * t, shape);
}

/* ---- lengths ---- */

static void measure_height(const ht_sac_mesh *sac, const compass *c, ht_sac_shape *shape) {
  for (int64_t p = 0; p < sac->points; p++) {
    double at[3];
    place(sac, c, p, at);
    shape->height_mm = fmax(shape->height_mm, at[2]);
    shape->length_mm = fmax(shape->length_mm, ht_length(at));
  }
}

/* Finds the direction of the length. On a round dome many points are nearly the farthest: uses
 * their middle. */
static void measure_direction(const ht_sac_mesh *sac, ht_sac_shape *shape) {
  double *sum = shape->length_direction;
  for (int64_t p = 0; p < sac->points; p++) {
    const double *at = sac->point_mm + 3 * p;
    if (ht_distance(at, sac->neck.origin_mm) < farthest_share * shape->length_mm) continue;
    for (int r = 0; r < 3; r++) sum[r] += at[r] - sac->neck.origin_mm[r];
  }
  ht_normalise(sum);
}

static void measure_neck(const ht_sac_mesh *sac, const compass *c, ht_sac_shape *shape) {
  double rim_mm = 0, sum = 0;
  int64_t first = sac->points - sac->rim;
  extent e;
  clear(&e);
  for (int64_t k = 0; k < sac->rim; k++) {
    double a[3], b[3];
    place(sac, c, first + k, a);
    place(sac, c, first + (k + 1) % sac->rim, b);
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    rim_mm += length;
    sum += length * 0.5 * (hypot(a[0], a[1]) + hypot(b[0], b[1]));
    widen(&e, c, a[0], a[1]);
  }
  shape->neck_width_mm = rim_mm > 0 ? 2 * sum / rim_mm : 0;
  shape->neck_widest_mm = widest(&e);
  shape->neck_narrowest_mm = narrowest(&e);
}

/* Widens each section that the edge between two points of the sac meets. */
static void add_edge(const double a[3], const double b[3], double step_mm, const compass *c,
                     extent *section) {
  double low = fmin(a[2], b[2]), high = fmax(a[2], b[2]);
  int first = (int)fmax(0, ceil(low / step_mm)), last = (int)floor(high / step_mm);
  for (int s = first; s <= last && s < SECTIONS; s++) {
    double share = high > low ? (s * step_mm - a[2]) / (b[2] - a[2]) : 0;
    widen(&section[s], c, a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]));
  }
}

static ht_status measure_width(const ht_sac_mesh *sac, const compass *c, ht_sac_shape *shape) {
  extent *section;
  double step_mm = shape->height_mm / SECTIONS;
  HT_TRY(ht_alloc((void **)&section, SECTIONS, sizeof *section, "the sac's sections"));
  for (int s = 0; s < SECTIONS; s++) clear(&section[s]);
  for (int64_t e = 0; e < 3 * sac->triangles; e++) {
    double a[3], b[3];
    place(sac, c, sac->triangle[e], a);
    place(sac, c, sac->triangle[e / 3 * 3 + (e + 1) % 3], b);
    add_edge(a, b, step_mm, c, section);
  }
  shape->width_mm = shape->neck_widest_mm;
  for (int s = 0; s < SECTIONS; s++) shape->width_mm = fmax(shape->width_mm, widest(&section[s]));
  free(section);
  return HT_OK;
}

/* ---- the dome ---- */

/* Finds the middle of the highest points, on the neck's plane. */
static void find_top(const ht_sac_mesh *sac, const compass *c, double least_mm, double top[2]) {
  int64_t count = 0;
  top[0] = top[1] = 0;
  for (int64_t p = 0; p < sac->points; p++) {
    double at[3];
    place(sac, c, p, at);
    if (at[2] < least_mm) continue;
    for (int k = 0; k < 2; k++) top[k] += at[k];
    count++;
  }
  for (int k = 0; k < 2 && count > 0; k++) top[k] /= (double)count;
}

/* Sums over the wall around the top 1, r2, r2 r2, the height, r2 times the height, with r2 the
 * squared distance from the top's axis, each triangle weighted by its area seen from above. */
static void sum_top(const ht_sac_mesh *sac, const compass *c, const ht_sac_shape *shape,
                    double sum[5]) {
  double top[2], reach_mm = top_reach * 0.5 * shape->width_mm;
  find_top(sac, c, shape->height_mm - (1 - farthest_share) * shape->width_mm, top);
  for (int64_t t = 0; t < sac->triangles; t++) {
    double at[3][3], middle[3];
    for (int i = 0; i < 3; i++) place(sac, c, sac->triangle[3 * t + i], at[i]);
    for (int r = 0; r < 3; r++) middle[r] = (at[0][r] + at[1][r] + at[2][r]) / 3;
    double area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) -
                  (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
    double r2 = pow(middle[0] - top[0], 2) + pow(middle[1] - top[1], 2);
    int is_below = middle[2] < shape->height_mm - reach_mm;
    if (area <= 0 || r2 > reach_mm * reach_mm || is_below) continue;
    const double term[5] = {1, r2, r2 * r2, middle[2], r2 * middle[2]};
    for (int k = 0; k < 5; k++) sum[k] += area * term[k];
  }
}

/* Corrects the height: voxels cut a round dome flat, by up to half a voxel where they lie along the
 * neck. The dome is as high as the paraboloid of revolution by least squares through the wall
 * around its top, but no more than half a voxel higher than its wall. A tip, which is higher,
 * stays. A voxel's face has two of the wall's triangles. */
static void round_top(const ht_sac_mesh *sac, const compass *c, ht_sac_shape *shape) {
  double sum[5] = {0};
  sum_top(sac, c, shape, sum);
  double spread = sum[0] * sum[2] - sum[1] * sum[1];
  double falls = sum[1] * sum[3] - sum[0] * sum[4]; /* with r2, over the spread */
  if (!(spread > 0 && falls > 0)) return;
  double apex_mm = (sum[3] + falls / spread * sum[1]) / sum[0];
  double voxel_mm = sqrt(2 * shape->area_mm2 / (double)sac->triangles);
  apex_mm = fmin(apex_mm, shape->height_mm + 0.5 * voxel_mm);
  shape->height_mm = fmax(shape->height_mm, apex_mm);
  shape->length_mm = fmax(shape->length_mm, shape->height_mm);
}

/* ---- the indices ---- */

static ht_status measure_hull(const ht_sac_mesh *sac, ht_sac_shape *shape) {
  double *points;
  size_t bytes = 3 * (size_t)sac->points * sizeof *points;
  HT_TRY(ht_alloc((void **)&points, 3 * (size_t)sac->points, sizeof *points, "the sac's hull"));
  memcpy(points, sac->point_mm, bytes);
  ht_status status = ht_hull_measure(points, sac->points, &sac->neck, &shape->hull_volume_mm3,
                                     &shape->hull_area_mm2);
  free(points);
  return status;
}

/* The departure from a hemisphere without its base, which gives 0. */
static double off_hemisphere(double volume_mm3, double area_mm2) {
  return 1 - cbrt(18 * HT_PI) * pow(volume_mm3, 2.0 / 3) / area_mm2;
}

static ht_status compare(ht_sac_shape *shape) {
  if (!(shape->volume_mm3 > 0 && shape->height_mm > 0 && shape->neck_width_mm > 0))
    return ht_fail(HT_ERR_CASE, "the piece that the neck's plane cuts off is flat: no sac");
  shape->aspect_ratio = shape->height_mm / shape->neck_width_mm;
  shape->bottleneck_factor = shape->width_mm / shape->neck_widest_mm;
  shape->undulation = 1 - shape->volume_mm3 / shape->hull_volume_mm3;
  shape->ellipticity = off_hemisphere(shape->hull_volume_mm3, shape->hull_area_mm2);
  shape->non_sphericity = off_hemisphere(shape->volume_mm3, shape->area_mm2);
  return HT_OK;
}

ht_status ht_sac_measure(const ht_sac_mesh *sac, ht_sac_shape *shape) {
  compass c = compass_of(&sac->neck);
  memset(shape, 0, sizeof *shape);
  shape->neck_area_mm2 = sac->neck_area_mm2;
  measure_size(sac, shape);
  measure_height(sac, &c, shape);
  measure_direction(sac, shape);
  measure_neck(sac, &c, shape);
  HT_TRY(measure_width(sac, &c, shape));
  round_top(sac, &c, shape);
  HT_TRY(measure_hull(sac, shape));
  return compare(shape);
}
