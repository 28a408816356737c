#include "export/sac/sac_find.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

static int nearest_station(const ht_vessel_path *path, const double at_mm[3], double *away_mm) {
  int best = -1;
  *away_mm = INFINITY;
  for (int s = 0; s < path->stations; s++) {
    double away = ht_distance(path->station[s].centre_mm, at_mm);
    if (away < *away_mm) *away_mm = away, best = s;
  }
  return best;
}

/* The nearest station of the vessel alone, at least `least_mm` from station `from`; -1: none. */
static int clear_beyond(const ht_vessel_path *path, int from, int step, double least_mm) {
  double here = path->station[from].along_mm;
  for (int s = from; s >= 0 && s < path->stations; s += step)
    if (!path->station[s].is_mixed && fabs(path->station[s].along_mm - here) >= least_mm) return s;
  return -1;
}

static double diameter_at(const ht_vessel_path *path, int s) {
  return 2 * sqrt(path->station[s].area_mm2 / HT_PI);
}

static void measure_diameter(const ht_vessel_path *path, ht_sac_parent *parent) {
  int beside = parent->before >= 0 ? parent->before : parent->behind;
  int step = parent->before >= 0 ? -1 : 1; /* without a vessel upstream, that downstream */
  if (beside < 0) return;
  parent->d1_mm = diameter_at(path, beside);
  int further = clear_beyond(path, beside, step, 1.5 * parent->d1_mm);
  parent->d2_mm = further >= 0 ? diameter_at(path, further) : parent->d1_mm;
  parent->diameter_mm = 0.5 * (parent->d1_mm + parent->d2_mm);
  memcpy(parent->direction, path->station[beside].direction, sizeof parent->direction);
}

static double degrees(double cosine) {
  return acos(fmax(-1, fmin(1, cosine))) * 180 / HT_PI;
}

void ht_sac_parent_of(const ht_sac_mesh *sac, const ht_sac_shape *shape,
                      const ht_vessel_path *paths, int count, ht_sac_parent *parent) {
  double least = INFINITY, away;
  int nearest = -1;
  *parent = (ht_sac_parent){.path = -1, .before = -1, .behind = -1};
  for (int i = 0; i < count; i++) {
    int s = nearest_station(&paths[i], sac->neck.origin_mm, &away);
    if (s >= 0 && away < least) least = away, parent->path = i, nearest = s;
  }
  if (parent->path < 0) return;
  const ht_vessel_path *path = &paths[parent->path];
  double half_mm = 0.5 * shape->neck_width_mm;
  parent->before = clear_beyond(path, nearest, -1, half_mm);
  parent->behind = clear_beyond(path, nearest, 1, half_mm);
  measure_diameter(path, parent);
  if (!(parent->diameter_mm > 0)) return;
  parent->size_ratio = shape->length_mm / parent->diameter_mm;
  parent->vessel_angle_deg = 90 - degrees(fabs(ht_dot(parent->direction, sac->neck.normal)));
  parent->inclination_angle_deg = 90 - degrees(ht_dot(shape->length_direction, sac->neck.normal));
  parent->flow_angle_deg = degrees(ht_dot(shape->length_direction, parent->direction));
}
