#include "app/compare/wall_map.h"
#include "core/vessel/volume.h"
#include "export/wall/wall_along.h"
#include "app/compare/wall_nearest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the comparison of the walls";
static const double agree = 0.8; /* fraction of the area that has to face one way */

/* ---- nearest places ---- */

static void point_of(const ht_surface *surface, int64_t p, double at[3]) {
  for (int r = 0; r < 3; r++) at[r] = surface->point_mm[3 * p + r];
}

/* Returns 1 where the triangles of the other wall face as the reference does, -1: the other way, 0:
 * both. */
static int way_of(const ht_surface *reference, const float *area, const ht_wall_index *index) {
  double same = 0, all = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : same, all)
  for (int64_t p = 0; p < reference->points; p++) {
    double at[3], face[3];
    const float *n = reference->normal + 3 * p;
    ht_wall_place place;
    point_of(reference, p, at);
    if (!ht_wall_nearest(index, at, NULL, &place)) continue;
    ht_wall_face(index->surface, place.triangle, face);
    all += area[p];
    same += face[0] * n[0] + face[1] * n[1] + face[2] * n[2] > 0 ? area[p] : 0;
  }
  return same >= agree * all ? 1 : same <= (1 - agree) * all ? -1 : 0;
}

static float value_at(const ht_surface *surface, const float *values, const ht_wall_place *place) {
  double sum = 0;
  for (int c = 0; c < 3; c++)
    if (place->part[c] > 0)
      sum += place->part[c] * values[surface->triangle[3 * place->triangle + c]];
  return (float)sum;
}

static void take_values(const ht_compared_wall *reference, const ht_compared_wall *other,
                        const ht_wall_index *index, int way, ht_wall_map *map) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (int64_t p = 0; p < map->points; p++) {
    double at[3];
    ht_wall_place place;
    point_of(&reference->surface, p, at);
    const float *normal = way ? reference->surface.normal + 3 * p : NULL;
    int found = ht_wall_nearest(index, at, normal, &place);
    map->distance_mm[p] = found ? (float)place.distance_mm : NAN;
    for (int n = 0; n < HT_WALL_NUMBERS; n++) {
      if (!map->other[n]) continue;
      map->other[n][p] = found ? value_at(&other->surface, other->values[n], &place) : NAN;
      map->difference[n][p] = map->other[n][p] - reference->values[n][p];
    }
  }
}

/* ---- statistics by area ---- */

static void compare_number(const ht_compared_wall *wall, const float *area, int n, ht_wall_map *map,
                           double all_mm2, float *room) {
  const float *reference = wall->values[n];
  ht_wall_difference *to = &map->number[n];
  const float *other = map->other[n], *difference = map->difference[n];
  double sum = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (int64_t p = 0; p < map->points; p++)
    if (isfinite(difference[p])) {
      sum += area[p];
      a += (double)area[p] * reference[p];
      b += (double)area[p] * other[p];
    }
  to->area_percent = 100 * sum / all_mm2;
  to->reference_mean = a / sum;
  to->other_mean = b / sum;
  for (int64_t p = 0; p < map->points; p++)
    if (isfinite(difference[p])) {
      double da = reference[p] - to->reference_mean, db = other[p] - to->other_mean;
      aa += area[p] * da * da;
      bb += area[p] * db * db;
      ab += area[p] * da * db;
    }
  to->correlation = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
  for (int64_t p = 0; p < map->points; p++) room[p] = fabsf(difference[p]);
  to->median = ht_surface_percentile(&wall->surface, difference, 0.5);
  to->p95 = ht_surface_percentile(&wall->surface, room, 0.95);
}

static void summarise(const ht_compared_wall *reference, const float *area, ht_wall_map *map,
                      float *room) {
  double all = 0, near = 0;
  for (int64_t p = 0; p < map->points; p++) {
    all += area[p];
    near += isfinite(map->distance_mm[p]) ? area[p] : 0;
  }
  map->area_percent = all > 0 ? 100 * near / all : 0;
  map->distance_median_mm = ht_surface_percentile(&reference->surface, map->distance_mm, 0.5);
  map->distance_p95_mm = ht_surface_percentile(&reference->surface, map->distance_mm, 0.95);
  for (int n = 0; n < HT_WALL_NUMBERS; n++)
    if (map->other[n]) compare_number(reference, area, n, map, all, room);
}

/* ---- the map ---- */

static ht_status alloc_map(const ht_compared_wall *reference, const ht_compared_wall *other,
                           ht_wall_map *map) {
  size_t points = (size_t)reference->surface.points;
  map->points = reference->surface.points;
  HT_TRY(ht_alloc((void **)&map->distance_mm, points, sizeof(float), what));
  int beats = reference->values[HT_OF_TAWSS] && other->values[HT_OF_TAWSS];
  for (int n = 0; n < HT_WALL_NUMBERS; n++) {
    if (!reference->values[n] || !other->values[n] || (n == HT_OF_WSS && beats)) continue;
    HT_TRY(ht_alloc((void **)&map->other[n], points, sizeof(float), what));
    HT_TRY(ht_alloc((void **)&map->difference[n], points, sizeof(float), what));
  }
  return HT_OK;
}

ht_status ht_wall_map_make(const ht_compared_wall *reference, ht_compared_wall *other,
                           double reach_mm, ht_wall_map *map) {
  ht_wall_index index = {.cell_mm = 0};
  float *area = NULL;
  float *room = NULL;
  ht_status status;
  size_t points = (size_t)reference->surface.points;
  memset(map, 0, sizeof *map);
  map->reach_mm = reach_mm;
  HT_TRY_DONE(alloc_map(reference, other, map));
  HT_TRY_DONE(ht_alloc((void **)&area, points, sizeof *area, what));
  HT_TRY_DONE(ht_alloc((void **)&room, points, sizeof *room, what));
  HT_TRY_DONE(ht_wall_index_make(&other->surface, reach_mm, &index));
  ht_wall_point_areas(&reference->surface, area);
  int way = way_of(&reference->surface, area, &index);
  if (way < 0) ht_compared_wall_turn(other);
  take_values(reference, other, &index, way, map);
  summarise(reference, area, map, room);
done:
  ht_wall_index_free(&index);
  free(area);
  free(room);
  if (status != HT_OK) ht_wall_map_free(map);
  return status;
}

void ht_wall_map_free(ht_wall_map *map) {
  if (!map) return;
  free(map->distance_mm);
  for (int n = 0; n < HT_WALL_NUMBERS; n++) {
    free(map->other[n]);
    free(map->difference[n]);
  }
  memset(map, 0, sizeof *map);
}
