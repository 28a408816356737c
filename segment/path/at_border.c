#include "segment/path/at_border.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

static const double least_depth = 0.5, whole_depth = 1.5;               /* radii from the border */
static const double beyond_end = 3, leaving_reach = 4, cut_reach = 0.5; /* radii of an end */
static const double wall_reach = 1.35; /* radii from the way: beyond it is a branch */

/* Distance from the nearest side of the scan, mm. */
static double depth_mm(const ht_grid *scan, const double at_mm[3]) {
  double index[3], least = INFINITY;
  ht_grid_index(scan, at_mm, index);
  for (int a = 0; a < 3; a++) {
    const double inside = fmin(index[a] + 0.5, scan->dim[a] - 0.5 - index[a]);
    least = fmin(least, inside * scan->spacing_mm[a]);
  }
  return least;
}

/* Tells whether the vessel leaves the scan beyond point p. */
static int leaves(const ht_grid *scan, const ht_way *way, int p) {
  const ht_way_station *end = &way->station[way->at_point[p]];
  double beyond_mm[3];
  for (int r = 0; r < 3; r++)
    beyond_mm[r] =
        end->centre_mm[r] + (p == 0 ? -1 : 1) * beyond_end * end->radius_mm * end->tangent[r];
  return depth_mm(scan, beyond_mm) < 0;
}

/* Tells whether a station belongs to an end: near a point, and farther where the vessel leaves the
 * scan there. */
static int is_near_end(const ht_grid *scan, const ht_way *way, const ht_way_station *one) {
  for (int p = 0; p < way->points; p++) {
    const ht_way_station *end = &way->station[way->at_point[p]];
    const double off_mm = ht_distance(end->centre_mm, one->centre_mm);
    if (way->is_end[p] && off_mm < leaving_reach * end->radius_mm &&
        (off_mm < cut_reach * end->radius_mm || leaves(scan, way, p)))
      return 1;
  }
  return 0;
}

/* Finds the next station towards the first point, or (`onward`) away from it, that lies whole in
 * the scan; the last one there, where none does. */
static const ht_way_station *find_whole(const ht_grid *scan, const ht_way *way, int from,
                                        int onward) {
  int s = from;
  for (;;) {
    const ht_way_station *one = &way->station[s];
    const int next = onward ? s + 1 : one->before;
    if (depth_mm(scan, one->centre_mm) > whole_depth * one->radius_mm) return one;
    if (next < 0 || next >= way->stations || (onward && way->station[next].before != s)) return one;
    s = next;
  }
}

ht_status ht_way_check_border(const ht_grid *scan, const ht_way *way) {
  for (int s = 0; s < way->stations; s++) {
    const ht_way_station *one = &way->station[s];
    if (depth_mm(scan, one->centre_mm) >= least_depth * one->radius_mm ||
        is_near_end(scan, way, one))
      continue;
    const double *at = one->centre_mm, *back = find_whole(scan, way, s, 0)->centre_mm,
                 *onward = find_whole(scan, way, s, 1)->centre_mm;
    return ht_fail(HT_ERR_VESSEL,
                   "between the points the vessel runs along the scan's border, at [%.1f, %.1f, "
                   "%.1f], and lies partly outside of it: no flow can be computed there. Let it "
                   "begin beyond that, with the first point at %.1f,%.1f,%.1f, or end before, at "
                   "%.1f,%.1f,%.1f",
                   at[0], at[1], at[2], onward[0], onward[1], onward[2], back[0], back[1], back[2]);
  }
  return HT_OK;
}

/* Returns 1 where a voxel of the field lies in the outermost layer of the scan. */
static int is_outermost(const ht_grid *scan, const double at_mm[3]) {
  double index[3];
  ht_grid_index(scan, at_mm, index);
  for (int a = 0; a < 3; a++)
    if (index[a] < 0.5 || index[a] > scan->dim[a] - 1.5) return 1;
  return 0;
}

void ht_way_close_border(const ht_grid *scan, const ht_way *way, const int32_t *station,
                         ht_volume *field, ht_mask *vessel, ht_segment_report *report) {
  report->closed_border = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&vessel->grid); v++) {
    double at_mm[3];
    if (!vessel->inside[v] || station[v] < 0) continue;
    const ht_way_station *one = &way->station[station[v]];
    ht_grid_voxel_position(&vessel->grid, v, at_mm);
    if (!is_outermost(scan, at_mm) || is_near_end(scan, way, one) ||
        ht_distance(at_mm, one->centre_mm) > wall_reach * one->radius_mm)
      continue;
    vessel->inside[v] = 0;
    field->values[v] = -fabsf(field->values[v]);
    report->closed_border++;
    memcpy(report->closed_border_mm, at_mm, sizeof at_mm);
  }
}
