#include "phantom/scenes/scene_geometry.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

/* ---- An axis ---- */

void ht_scene_along(const ht_tube *tube, int i, double along[3]) {
  int before = i > 0 ? i - 1 : 0, after = i + 1 < tube->points ? i + 1 : i;
  for (int c = 0; c < 3; c++) along[c] = tube->point[after][c] - tube->point[before][c];
  ht_normalise(along);
}

int ht_scene_nearest(const ht_tube *tube, const double position_mm[3], double *away_mm) {
  int nearest = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < tube->points; i++) {
    const double *q = tube->point[i];
    double x = position_mm[0] - q[0], y = position_mm[1] - q[1], z = position_mm[2] - q[2];
    double square = x * x + y * y + z * z;
    if (square >= least) continue;
    least = square;
    nearest = i;
  }
  if (away_mm) *away_mm = sqrt(least);
  return nearest;
}

void ht_scene_across(const ht_scene_plan *plan, int i, double angle, double across[3]) {
  double along[3], other[3];
  ht_scene_along(&plan->wanted.tube[0], i, along);
  ht_cross(along, plan->normal[i], other);
  for (int c = 0; c < 3; c++) across[c] = cos(angle) * plan->normal[i][c] + sin(angle) * other[c];
}

/* Each normal is the one before, made perpendicular to the axis again. */
ht_status ht_scene_frames_make(ht_scene_plan *plan) {
  const ht_tube *tube = &plan->wanted.tube[0];
  size_t points = (size_t)tube->points;
  double across[2][3], along[3];
  HT_TRY(ht_alloc((void **)&plan->normal, points, sizeof *plan->normal, "a scene's axis"));
  HT_TRY(ht_alloc((void **)&plan->along_mm, points, sizeof(double), "a scene's axis"));
  ht_scene_along(tube, 0, along);
  ht_span_across(along, across);
  for (int i = 0; i < tube->points; i++) {
    double *normal = plan->normal[i];
    memcpy(normal, i ? plan->normal[i - 1] : across[0], 3 * sizeof(double));
    ht_scene_along(tube, i, along);
    double part = ht_dot(normal, along);
    for (int c = 0; c < 3; c++) normal[c] -= part * along[c];
    ht_normalise(normal);
    if (i)
      plan->along_mm[i] = plan->along_mm[i - 1] + ht_distance(tube->point[i - 1], tube->point[i]);
  }
  return HT_OK;
}

double ht_scene_depth(const ht_grid *grid, const double position_mm[3]) {
  double index[3], depth = HUGE_VAL;
  ht_grid_index(grid, position_mm, index);
  for (int a = 0; a < 3; a++) {
    double least = fmin(index[a], grid->dim[a] - 1 - index[a]);
    depth = fmin(depth, least * grid->spacing_mm[a]);
  }
  return depth;
}

/* ---- Distances ---- */

double ht_scene_lumen_distance(const ht_scene_plan *plan, const double position_mm[3],
                               double gradient[3]) {
  return ht_shape_distance(&plan->wanted, position_mm, gradient);
}

double ht_scene_spots_distance(const ht_scene_plan *plan, const double position_mm[3]) {
  double least = HUGE_VAL;
  for (int n = 0; n < plan->spots; n++) {
    const ht_scene_spot *spot = &plan->spot[n];
    double way[3], to[3], square = 0, along = 0;
    for (int c = 0; c < 3; c++) {
      way[c] = spot->to_mm[c] - spot->from_mm[c];
      to[c] = position_mm[c] - spot->from_mm[c];
      square += way[c] * way[c];
      along += way[c] * to[c];
    }
    double t = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    for (int c = 0; c < 3; c++) to[c] -= t * way[c];
    least = fmin(least, ht_length(to) - spot->radius_mm);
  }
  return least;
}

double ht_scene_other_distance(const ht_scene_other *other, const double position_mm[3],
                               double lumen_mm) {
  double limit = 3 * other->tube.point[0][3];
  double away = ht_tube_distance(&other->tube, position_mm, limit, NULL);
  return fmax(away, other->clear_mm - lumen_mm);
}

double ht_scene_bone_distance(const ht_scene_plan *plan, const double position_mm[3],
                              double lumen_mm) {
  return fmax(ht_bone_distance(&plan->wanted, position_mm), plan->bone_clear_mm - lumen_mm);
}
