#include "export/measure/wall_region.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* ---- cutting ---- */

typedef struct {
  const ht_surface *wall;
  const float *level; /* [points] the part is where it is at most 0 */
  int32_t *number;    /* [points] of the part's point; -1: not yet */
  int64_t room;
  ht_wall_region *region;
} cutting;

static ht_status grow(cutting *c) {
  ht_surface *part = &c->region->surface;
  const int64_t room = 2 * c->room + 1024;
  ht_wall_source *source = realloc(c->region->source, (size_t)room * sizeof *source);
  if (source) c->region->source = source;
  float *point = realloc(part->point_mm, (size_t)room * 3 * sizeof *point);
  if (point) part->point_mm = point;
  int32_t *triangle = realloc(part->triangle, (size_t)room * 6 * sizeof *triangle);
  if (triangle) part->triangle = triangle;
  if (!source || !point || !triangle)
    return ht_fail(HT_ERR_MEMORY, "not enough memory for a region of the wall");
  c->room = room;
  return HT_OK;
}

static int32_t add_point(cutting *c, int32_t from, int32_t to, double part) {
  ht_surface *of = &c->region->surface;
  const float *a = c->wall->point_mm + 3 * (int64_t)from, *b = c->wall->point_mm + 3 * (int64_t)to;
  const int64_t n = of->points++;
  c->region->source[n] = (ht_wall_source){from, to, (float)part};
  for (int r = 0; r < 3; r++)
    of->point_mm[3 * n + r] = (float)(a[r] + part * ((double)b[r] - a[r]));
  return (int32_t)n;
}

static int32_t corner(cutting *c, int32_t point) {
  if (c->number[point] < 0) c->number[point] = add_point(c, point, point, 0);
  return c->number[point];
}

static int32_t crossing(cutting *c, int32_t from, int32_t to) {
  const double a = c->level[from], b = c->level[to];
  return add_point(c, from, to, a / (a - b));
}

static double area_of(const ht_surface *surface, int64_t t) {
  double side[2][3], across[3];
  const int32_t *p = surface->triangle + 3 * t;
  for (int k = 0; k < 2; k++)
    for (int r = 0; r < 3; r++)
      side[k][r] = (double)surface->point_mm[3 * (int64_t)p[k + 1] + r] -
                   surface->point_mm[3 * (int64_t)p[0] + r];
  ht_cross(side[0], side[1], across);
  return ht_length(across) / 2;
}

static void sum_area(ht_wall_region *region) {
  for (int64_t t = 0; t < region->surface.triangles; t++)
    region->area_mm2 += area_of(&region->surface, t);
}

static void add_triangle(cutting *c, int32_t a, int32_t b, int32_t d) {
  ht_surface *of = &c->region->surface;
  const int32_t all[3] = {a, b, d};
  memcpy(of->triangle + 3 * of->triangles++, all, sizeof all);
}

/* Adds the part of a triangle: none, a triangle, a quadrilateral, or all of it. */
static ht_status cut_triangle(cutting *c, const int32_t p[3]) {
  int inside = 0, alone = 0;
  for (int k = 0; k < 3; k++) inside += c->level[p[k]] <= 0;
  if (inside == 0) return HT_OK;
  if (c->region->surface.points + 5 > c->room || c->region->surface.triangles + 2 > 2 * c->room)
    HT_TRY(grow(c));
  if (inside == 3) {
    const int32_t a = corner(c, p[0]), b = corner(c, p[1]);
    add_triangle(c, a, b, corner(c, p[2]));
    return HT_OK;
  }
  while ((c->level[p[alone]] <= 0) != (inside == 1)) alone++;
  const int32_t one = p[alone], next = p[(alone + 1) % 3], last = p[(alone + 2) % 3];
  if (inside == 1) {
    const int32_t a = corner(c, one), b = crossing(c, one, next);
    add_triangle(c, a, b, crossing(c, one, last));
    return HT_OK;
  }
  const int32_t b = corner(c, next), d = corner(c, last), to = crossing(c, last, one);
  add_triangle(c, b, d, to);
  add_triangle(c, b, to, crossing(c, next, one));
  return HT_OK;
}

static ht_status cut_wall(const ht_surface *wall, const float *level, ht_wall_region *region) {
  cutting c = {.wall = wall, .level = level, .region = region};
  memset(region, 0, sizeof *region);
  ht_status status = ht_alloc((void **)&c.number, (size_t)wall->points + 1, sizeof *c.number,
                              "a region of the wall");
  for (int64_t p = 0; p < wall->points && status == HT_OK; p++) c.number[p] = -1;
  for (int64_t t = 0; t < wall->triangles && status == HT_OK; t++)
    status = cut_triangle(&c, wall->triangle + 3 * t);
  free(c.number);
  sum_area(region);
  if (status == HT_OK && !(region->area_mm2 > 0))
    status = ht_fail(HT_ERR_USAGE, "the region has no part of the wall");
  if (status != HT_OK) ht_wall_region_free(region);
  return status;
}

void ht_wall_region_free(ht_wall_region *region) {
  if (!region) return;
  ht_surface_free(&region->surface);
  free(region->source);
  memset(region, 0, sizeof *region);
}

/* ---- balls ---- */

static int32_t root_of(int32_t *before, int32_t point) {
  while (before[point] != point) point = before[point] = before[before[point]];
  return point;
}

static double away_of(const ht_surface *wall, int64_t point, const double centre[3]) {
  const float *at = wall->point_mm + 3 * point;
  return ht_distance((const double[3]){at[0], at[1], at[2]}, centre);
}

/* Joins the points within a ball along the edges between them, and lowers the level on the piece
 * nearest to its centre. */
static ht_status add_ball(const ht_surface *wall, const double ball[4], float *away,
                          int32_t *before, float *level) {
  int64_t nearest = 0;
  for (int64_t p = 0; p < wall->points; p++) {
    away[p] = (float)(away_of(wall, p, ball) - ball[3]);
    before[p] = (int32_t)p;
    if (away[p] < away[nearest]) nearest = p;
  }
  if (wall->points == 0 || away[nearest] > 0)
    return ht_fail(HT_ERR_USAGE,
                   "the ball around (%g, %g, %g) mm with a radius of %g mm reaches no point of the "
                   "wall: the nearest is %.3g mm from its centre",
                   ball[0], ball[1], ball[2], ball[3],
                   wall->points > 0 ? away[nearest] + ball[3] : INFINITY);
  for (int64_t e = 0; e < 3 * wall->triangles; e++) {
    const int32_t a = wall->triangle[e], b = wall->triangle[e - e % 3 + (e + 1) % 3];
    if (away[a] <= 0 && away[b] <= 0) before[root_of(before, a)] = root_of(before, b);
  }
  const int32_t piece = root_of(before, (int32_t)nearest);
  for (int64_t p = 0; p < wall->points; p++) {
    const int is_other = away[p] <= 0 && root_of(before, (int32_t)p) != piece;
    level[p] = fminf(level[p], is_other ? INFINITY : away[p]);
  }
  return HT_OK;
}

ht_status ht_wall_region_balls(const ht_surface *surface, const ht_wall_ball *ball, int balls,
                               ht_wall_region *region) {
  const size_t points = (size_t)surface->points + 1;
  float *level = NULL;
  int32_t *before = NULL;
  memset(region, 0, sizeof *region);
  ht_status status = ht_alloc((void **)&level, 2 * points, sizeof *level, "a region of the wall");
  if (status == HT_OK)
    status = ht_alloc((void **)&before, points, sizeof *before, "a region of the wall");
  for (int64_t p = 0; p < surface->points && status == HT_OK; p++) level[p] = 1e30F;
  for (int i = 0; i < balls && status == HT_OK; i++)
    status = add_ball(surface, ball[i], level + points, before, level);
  if (status == HT_OK) status = cut_wall(surface, level, region);
  free(level), free(before);
  return status;
}

ht_status ht_wall_region_points(const ht_surface *surface, const uint8_t *chosen,
                                ht_wall_region *region) {
  ht_surface part = *surface; /* borrows all but its triangles */
  float *level;
  memset(region, 0, sizeof *region);
  HT_TRY(ht_alloc((void **)&level, (size_t)surface->points + 1, sizeof *level, "a region"));
  ht_status status = ht_alloc((void **)&part.triangle, 3 * (size_t)surface->triangles + 1,
                              sizeof *part.triangle, "a region of the wall");
  part.triangles = 0;
  for (int64_t t = 0; t < surface->triangles && status == HT_OK; t++) {
    const int32_t *p = surface->triangle + 3 * t;
    if (!chosen[p[0]] || !chosen[p[1]] || !chosen[p[2]]) continue;
    memcpy(part.triangle + 3 * part.triangles++, p, 3 * sizeof *p);
  }
  if (status == HT_OK) status = cut_wall(&part, level, region); /* all 0: nothing is cut */
  free(part.triangle), free(level);
  return status;
}

ht_status ht_wall_region_between(const ht_surface *surface, int64_t points, const int32_t *from,
                                 const double *share, int64_t triangles, const int32_t *triangle,
                                 ht_wall_region *region) {
  cutting c = {.wall = surface, .region = region};
  ht_status status = HT_OK;
  memset(region, 0, sizeof *region);
  while (status == HT_OK && (c.room < points || 2 * c.room < triangles)) status = grow(&c);
  for (int64_t p = 0; p < points && status == HT_OK; p++)
    add_point(&c, from[2 * p], from[2 * p + 1], share[p]);
  for (int64_t t = 0; t < triangles && status == HT_OK; t++)
    add_triangle(&c, triangle[3 * t], triangle[3 * t + 1], triangle[3 * t + 2]);
  if (status == HT_OK) sum_area(region);
  if (status != HT_OK) ht_wall_region_free(region);
  return status;
}

/* ---- numbers ---- */

ht_status ht_wall_region_spread(const ht_wall_region *region, const float *values,
                                ht_wall_spread_full *spread) {
  const ht_surface *surface = &region->surface;
  static const double share[4] = {0.05, 0.5, 0.95, 0.99};
  double *to[4] = {&spread->p5, &spread->p50, &spread->p95, &spread->p99}, sum = 0;
  float *here;
  int known = 1;
  *spread = (ht_wall_spread_full){.least = INFINITY, .highest = -INFINITY};
  HT_TRY(ht_alloc((void **)&here, (size_t)surface->points, sizeof *here, "a region of the wall"));
  for (int64_t p = 0; p < surface->points; p++) {
    const ht_wall_source *of = &region->source[p];
    here[p] = values[of->from] + of->part * (values[of->to] - values[of->from]);
    known &= isfinite(here[p]) != 0;
    spread->least = fmin(spread->least, here[p]);
    spread->highest = fmax(spread->highest, here[p]);
  }
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *p = surface->triangle + 3 * t;
    sum += area_of(surface, t) * ((double)here[p[0]] + here[p[1]] + here[p[2]]) / 3;
  }
  spread->mean = sum / region->area_mm2;
  for (int k = 0; k < 4; k++) *to[k] = ht_surface_percentile(surface, here, share[k]);
  if (!known) *spread = (ht_wall_spread_full){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  free(here);
  return HT_OK;
}
