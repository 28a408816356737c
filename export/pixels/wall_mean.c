#include "export/pixels/wall_mean.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the colours of the wall";

/* ---- which points share a triangle ---- */

/* The corners of triangle t; NULL where one is no point of the surface. */
static const int32_t *triangle_of(const ht_surface *surface, int64_t t) {
  const int32_t *triangle = surface->triangle + 3 * t;
  for (int k = 0; k < 3; k++)
    if (triangle[k] < 0 || triangle[k] >= surface->points) return NULL;
  return triangle;
}

typedef struct {
  const ht_surface *surface;
  int64_t *first; /* [points + 1] */
  int32_t *other; /* the two other corners of each triangle at a point */
} corners;

static ht_status find_corners(const ht_surface *surface, corners *c) {
  const int64_t points = surface->points;
  HT_TRY(ht_alloc((void **)&c->first, (size_t)points + 2, sizeof *c->first, what));
  HT_TRY(ht_alloc((void **)&c->other, 6 * (size_t)surface->triangles + 1, sizeof *c->other, what));
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *triangle = triangle_of(surface, t);
    for (int k = 0; triangle && k < 3; k++) c->first[triangle[k] + 2] += 2;
  }
  for (int64_t p = 0; p < points; p++) c->first[p + 2] += c->first[p + 1];
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *triangle = triangle_of(surface, t);
    for (int k = 0; triangle && k < 3; k++) {
      int64_t *next = &c->first[triangle[k] + 1];
      c->other[(*next)++] = triangle[(k + 1) % 3];
      c->other[(*next)++] = triangle[(k + 2) % 3];
    }
  }
  return HT_OK;
}

static ht_status find_areas(const ht_surface *surface, float **area_mm2) {
  HT_TRY(ht_alloc((void **)area_mm2, (size_t)surface->points + 1, sizeof(float), what));
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *triangle = triangle_of(surface, t);
    if (!triangle) continue;
    double edge[2][3], normal[3];
    for (int e = 0; e < 2; e++)
      for (int r = 0; r < 3; r++)
        edge[e][r] = (double)surface->point_mm[3 * (int64_t)triangle[e + 1] + r] -
                     surface->point_mm[3 * (int64_t)triangle[0] + r];
    ht_cross(edge[0], edge[1], normal);
    double third = ht_length(normal) / 6;
    for (int k = 0; isfinite(third) && k < 3; k++) (*area_mm2)[triangle[k]] += (float)third;
  }
  return HT_OK;
}

/* ---- the points around one ---- */

typedef struct {
  ht_wall_mean *mean;
  int64_t count, room; /* of mean->around */
  int32_t *seen; /* [points] the last point, counted from 1, whose surroundings it was put into */
} growing;

static ht_status put(growing *g, int32_t point) {
  if (g->count == g->room) {
    int64_t room = 2 * g->room + 1024;
    int32_t *more = realloc(g->mean->around, (size_t)room * sizeof *more);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for %s", what);
    g->mean->around = more;
    g->room = room;
  }
  g->mean->around[g->count++] = point;
  return HT_OK;
}

static double square_between(const ht_surface *surface, int64_t a, int64_t b) {
  double sum = 0;
  for (int r = 0; r < 3; r++) {
    double away = (double)surface->point_mm[3 * a + r] - surface->point_mm[3 * b + r];
    sum += away * away;
  }
  return sum;
}

static ht_status find_around(const corners *c, int64_t point, double radius_mm, growing *g) {
  int64_t begun = g->count;
  g->seen[point] = (int32_t)(point + 1);
  HT_TRY(put(g, (int32_t)point));
  for (int64_t at = begun; at < g->count; at++) {
    int32_t here = g->mean->around[at];
    for (int64_t i = c->first[here]; i < c->first[here + 1]; i++) {
      int32_t next = c->other[i];
      if (g->seen[next] == point + 1) continue;
      g->seen[next] = (int32_t)(point + 1);
      if (square_between(c->surface, point, next) <= radius_mm * radius_mm) HT_TRY(put(g, next));
    }
  }
  return HT_OK;
}

ht_status ht_wall_mean_make(const ht_surface *surface, double radius_mm, ht_wall_mean *mean) {
  corners c = {.surface = surface};
  growing g = {.mean = mean};
  ht_status status;
  memset(mean, 0, sizeof *mean);
  mean->points = surface->points;
  size_t points = (size_t)surface->points;
  HT_TRY_DONE(find_corners(surface, &c));
  HT_TRY_DONE(find_areas(surface, &mean->area_mm2));
  HT_TRY_DONE(ht_alloc((void **)&mean->first, points + 1, sizeof *mean->first, what));
  HT_TRY_DONE(ht_alloc((void **)&g.seen, points + 1, sizeof *g.seen, what));
  for (int64_t p = 0; p < surface->points; p++) {
    HT_TRY_DONE(find_around(&c, p, radius_mm, &g));
    mean->first[p + 1] = g.count;
  }
done:
  free(c.first);
  free(c.other);
  free(g.seen);
  if (status != HT_OK) ht_wall_mean_free(mean);
  return status;
}

void ht_wall_mean_free(ht_wall_mean *mean) {
  if (!mean) return;
  free(mean->first);
  free(mean->around);
  free(mean->area_mm2);
  memset(mean, 0, sizeof *mean);
}

void ht_wall_mean_of(const ht_wall_mean *mean, const float *values, float *means) {
  for (int64_t p = 0; p < mean->points; p++) {
    double sum = 0, area = 0;
    for (int64_t i = mean->first[p]; i < mean->first[p + 1]; i++) {
      int32_t q = mean->around[i];
      if (!isfinite(values[q])) continue;
      sum += (double)mean->area_mm2[q] * values[q];
      area += mean->area_mm2[q];
    }
    means[p] = isfinite(values[p]) && area > 0 ? (float)(sum / area) : values[p];
  }
}
