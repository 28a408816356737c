#include "export/wall/wall_along.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reach_radii = 1.5;

void ht_wall_point_areas(const ht_surface *surface, float *area_mm2) {
  memset(area_mm2, 0, (size_t)surface->points * sizeof *area_mm2);
  for (int64_t t = 0; t < surface->triangles; t++) {
    const int32_t *corner = surface->triangle + 3 * t;
    double d[3], e[3], cross[3];
    const float *p[3];
    for (int i = 0; i < 3; i++) p[i] = surface->point_mm + 3 * (int64_t)corner[i];
    for (int r = 0; r < 3; r++) d[r] = (double)p[1][r] - p[0][r], e[r] = (double)p[2][r] - p[0][r];
    ht_cross(d, e, cross);
    for (int i = 0; i < 3; i++) area_mm2[corner[i]] += (float)(ht_length(cross) / 6);
  }
}

/* The nearest station to a point; -1: none within reach, or that one is mixed. */
static int station_of(const float at[3], const ht_station *station, int stations) {
  const double here[3] = {at[0], at[1], at[2]};
  double least = INFINITY;
  int nearest = -1;
  for (int s = 0; s < stations; s++) {
    const double *c = station[s].centre_mm;
    double away = (here[0] - c[0]) * (here[0] - c[0]) + (here[1] - c[1]) * (here[1] - c[1]) +
                  (here[2] - c[2]) * (here[2] - c[2]);
    if (away < least) least = away, nearest = s;
  }
  if (nearest < 0 || station[nearest].is_mixed) return -1;
  double bound = reach_radii * reach_radii * station[nearest].area_mm2 / HT_PI;
  return least <= bound ? nearest : -1;
}

ht_status ht_wall_along(const ht_surface *surface, const float *values, const ht_station *station,
                        int stations, double *mean) {
  int32_t *near = NULL;
  float *area = NULL;
  double *sum = NULL;
  ht_status status;
  size_t points = (size_t)surface->points;
  HT_TRY_DONE(ht_alloc((void **)&near, points, sizeof *near, "the wall along the vessel"));
  HT_TRY_DONE(ht_alloc((void **)&area, points, sizeof *area, "the wall along the vessel"));
  HT_TRY_DONE(
      ht_alloc((void **)&sum, (size_t)stations + 1, sizeof *sum, "the wall along the vessel"));
  ht_wall_point_areas(surface, area);
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < surface->points; p++)
    near[p] = station_of(surface->point_mm + 3 * p, station, stations);
  for (int s = 0; s < stations; s++) mean[s] = 0;
  for (int64_t p = 0; p < surface->points; p++) {
    if (near[p] < 0) continue;
    mean[near[p]] += (double)area[p] * values[p];
    sum[near[p]] += area[p];
  }
  for (int s = 0; s < stations; s++) mean[s] = sum[s] > 0 ? mean[s] / sum[s] : NAN;
done:
  free(near);
  free(area);
  free(sum);
  return status;
}
