#include "segment/path/way.h"
#include "segment/voxels/quantile.h"
#include "segment/path/search.h"
#include "segment/path/tubeness.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void ht_way_free(ht_way *way) {
  ht_volume_free(&way->coarse);
  free(way->station);
  memset(way, 0, sizeof *way);
}

static ht_blood_values values_of(const ht_snap *snap, int points) {
  ht_blood_values v = {.least_blood = INFINITY, .most_blood = -INFINITY};
  for (int p = 0; p < points; p++) {
    v.tissue += snap[p].tissue / points;
    v.least_blood = fmin(v.least_blood, snap[p].blood);
    v.most_blood = fmax(v.most_blood, snap[p].blood);
  }
  /* The darkest blood still needs a contrast where the tissue is uneven. */
  for (int p = 0; p < points; p++)
    if (!(v.tissue < v.least_blood)) v.tissue = fmin(v.tissue, snap[p].tissue);
  return v;
}

/* Makes stations at the voxels, with the values at the nearest point. */
static ht_status make_stations(const ht_grid *grid, const ht_paths *paths, ht_way *way) {
  HT_TRY(ht_alloc((void **)&way->station, (size_t)paths->count, sizeof *way->station,
                  "the way between the points"));
  way->stations = paths->count;
  for (int s = 0; s < paths->count; s++) {
    ht_way_station *one = &way->station[s];
    double nearest = INFINITY;
    ht_grid_voxel_position(grid, paths->voxel[s], one->centre_mm);
    one->before = paths->before[s];
    for (int p = 0; p < way->points; p++) {
      const ht_snap *snap = &way->snap[p];
      double off = ht_distance(one->centre_mm, snap->centre_mm);
      if (off >= nearest) continue;
      nearest = off;
      one->radius_mm = snap->radius_mm;
      one->blood = snap->blood;
      one->tissue = snap->tissue;
    }
  }
  return HT_OK;
}

static int children_of(const ht_way *way, int s) {
  int count = 0;
  for (int n = s + 1; n < way->stations; n++) count += way->station[n].before == s;
  return count;
}

/* The stations from a point at an end back to where its way leaves another one, that one not
 * included; -1 where it leaves none, as at the first point. */
static int stub_of(const ht_way *way, int point, double *length_mm) {
  int at = way->at_point[point], first = at;
  *length_mm = 0;
  for (; at >= 0 && (at == first || children_of(way, at) < 2); at = way->station[at].before) {
    int before = way->station[at].before;
    if (before < 0) return -1;
    *length_mm += ht_distance(way->station[at].centre_mm, way->station[before].centre_mm);
  }
  return at;
}

static void remove_station(ht_way *way, int s) {
  for (int p = 0; p < way->points; p++)
    if (way->at_point[p] == s) way->at_point[p] = way->station[s].before;
  for (int n = s; n + 1 < way->stations; n++) way->station[n] = way->station[n + 1];
  way->stations--;
  for (int n = 0; n < way->stations; n++) way->station[n].before -= way->station[n].before > s;
  for (int p = 0; p < way->points; p++) way->at_point[p] -= way->at_point[p] > s;
}

/* The way leads through a point that has another station after it, or that lies next to the way
 * between others, nearer than the vessel's diameter. */
static void mark_ends(ht_way *way, double radius_mm) {
  way->is_end[0] = 1;
  for (int p = 1; p < way->points; p++) {
    double length_mm;
    way->is_end[p] = children_of(way, way->at_point[p]) == 0;
    if (!way->is_end[p]) continue;
    int leaves = stub_of(way, p, &length_mm);
    if (leaves < 0 || length_mm > 2 * radius_mm) continue;
    way->is_end[p] = 0;
    while (way->at_point[p] != leaves) remove_station(way, way->at_point[p]);
  }
}

static ht_status same_place(const ht_way *way, int q, int p) {
  const double *c = way->snap[p].centre_mm;
  return ht_fail(HT_ERR_VESSEL,
                 "points %d and %d lie at one place of the vessel, [%.1f, %.1f, %.1f]: put them "
                 "farther apart, each where the vessel is to end",
                 q + 1, p + 1, c[0], c[1], c[2]);
}

/* The thinnest vessel at a point counts. */
static ht_status make_coarse(const ht_volume *scan, double least_mm, ht_way *way) {
  const double radius_voxels = 16;
  int factor = (int)(least_mm / ht_mean_spacing(&scan->grid) / radius_voxels);
  if (factor < 2) return HT_OK;
  ht_box all;
  HT_TRY(ht_box_of_region(&scan->grid, NULL, NULL, &all));
  return ht_volume_coarsen(scan, &all, factor, &way->coarse);
}

static ht_status join_points(const ht_volume *scan, ht_blood_values *values, double radius_mm,
                             const ht_progress *progress, ht_way *way) {
  int64_t voxel[HT_SEGMENT_POINTS_MAX];
  ht_paths paths;
  for (int p = 0; p < way->points; p++) {
    int at[3];
    voxel[p] = ht_grid_nearest(&scan->grid, way->snap[p].centre_mm, at);
    for (int q = 0; q < p; q++)
      if (voxel[p] == voxel[q]) return same_place(way, q, p);
  }
  values->by_brightest = way->by_brightest;
  values->closed = way->closed;
  free(way->station);
  way->station = NULL;
  way->stations = 0;
  HT_TRY(ht_search_paths(scan, values, voxel, way->points, progress, &paths, way->at_point));
  ht_status status = make_stations(&scan->grid, &paths, way);
  ht_paths_free(&paths);
  if (status == HT_OK) mark_ends(way, radius_mm);
  return status;
}

/* Value below which a share of the stations lies. */
static double quantile_of(const ht_way *way, size_t member, double share, double *list) {
  for (int s = 0; s < way->stations; s++)
    list[s] = *(const double *)((const char *)&way->station[s] + member);
  ht_sort_values(list, way->stations);
  return list[(int)(share * (way->stations - 1))];
}

/* Finds the values of blood and tissue along the known way, and its median radius. */
static ht_status values_along(const ht_way *way, ht_blood_values *v, double *radius_mm) {
  double *list;
  HT_TRY(ht_alloc((void **)&list, (size_t)way->stations, sizeof *list, "the vessel's values"));
  v->tissue = quantile_of(way, offsetof(ht_way_station, tissue), 0.5, list);
  v->least_blood = quantile_of(way, offsetof(ht_way_station, blood), 0.1, list);
  v->most_blood = quantile_of(way, offsetof(ht_way_station, blood), 0.9, list);
  /* some station's tissue is darker than its blood, the darkest is darker than all */
  if (!(v->tissue < v->least_blood))
    v->tissue = quantile_of(way, offsetof(ht_way_station, tissue), 0, list);
  *radius_mm = quantile_of(way, offsetof(ht_way_station, radius_mm), 0.5, list);
  free(list);
  return HT_OK;
}

ht_status ht_way_find(const ht_volume *scan, const double (*point_mm)[3], int points,
                      const ht_way *other, const ht_progress *progress, ht_way *way) {
  memset(way, 0, sizeof *way);
  way->by_brightest = other != NULL;
  if (other) way->closed = other->closed;
  way->points = points;
  HT_TRY(ht_snap_points(scan, point_mm, points, way->snap));
  double least_mm = INFINITY;
  for (int p = 0; p < points; p++) least_mm = fmin(least_mm, way->snap[p].radius_mm);
  HT_TRY(make_coarse(scan, least_mm, way));
  ht_blood_values values = values_of(way->snap, way->points);
  if (other) HT_TRY(values_along(other, &values, &values.radius_mm));
  return join_points(way->coarse.values ? &way->coarse : scan, &values, least_mm, progress, way);
}

/* Cost of a voxel as the middle of the vessel: its unlikeness to a tube's middle. */
static double seat_cost(const ht_tubeness *tube, int64_t voxel, double radii_off) {
  const double off_cost = 10, dark_cost = 60; /* as the costs of the search */
  double dark = fmax(0, 1 - tube->fill.values[voxel]);
  return tube->toll[voxel] + dark_cost * dark * dark + off_cost * radii_off * radii_off;
}

/* A displacement in radii of the vessel at `one`; along the vessel it counts more, as the middle is
 * across it, and the point says where the vessel ends. */
static double radii_off(const ht_way_station *one, double radius_mm, const double from[3],
                        const double to[3]) {
  const double along_counts = 3;
  double off[3];
  for (int r = 0; r < 3; r++) off[r] = (to[r] - from[r]) / radius_mm;
  double along = ht_dot(off, one->tangent), all = ht_dot(off, off);
  return sqrt(all + (along_counts * along_counts - 1) * along * along);
}

/* Moves a point that lies in the vessel or next to it onto the middle of the tube there. `one`: the
 * station at the point, measured. */
static ht_status seat(const ht_tubeness *tube, const double point_mm[3], const ht_way_station *one,
                      double radius_mm, ht_snap *snap) {
  const double reach = 2; /* radii */
  const ht_grid *grid = &tube->fill.grid;
  const double *from = snap->away_mm > 0 ? snap->centre_mm : point_mm;
  double least = INFINITY, best[3] = {from[0], from[1], from[2]}, low[3], high[3];
  ht_box box;
  for (int r = 0; r < 3; r++) low[r] = from[r] - reach * radius_mm;
  for (int r = 0; r < 3; r++) high[r] = from[r] + reach * radius_mm;
  HT_TRY(ht_box_of_region(grid, low, high, &box));
  int size[3], at[3], voxel[3];
  for (int a = 0; a < 3; a++) size[a] = box.last[a] - box.first[a] + 1;
  for (int64_t n = 0; n < (int64_t)size[0] * size[1] * size[2]; n++) {
    double position[3];
    ht_voxel_place(size, n, at);
    for (int a = 0; a < 3; a++) voxel[a] = box.first[a] + at[a];
    int64_t v = ht_voxel_index(grid->dim, voxel);
    ht_grid_voxel_position(grid, v, position);
    double off = radii_off(one, radius_mm, from, position);
    double cost = off <= reach ? seat_cost(tube, v, off) : INFINITY;
    if (!(cost < least)) continue;
    least = cost;
    memcpy(best, position, sizeof best);
  }
  memcpy(snap->centre_mm, best, sizeof best);
  return HT_OK;
}

/* Gives each station the values measured at the nearest of `known` [count]. */
static void take_measured(const ht_way_station *known, int count, ht_way *way) {
  for (int s = 0; s < way->stations; s++) {
    ht_way_station *one = &way->station[s];
    const ht_way_station *nearest = known;
    for (int n = 1; n < count; n++)
      if (ht_distance(known[n].centre_mm, one->centre_mm) <
          ht_distance(nearest->centre_mm, one->centre_mm))
        nearest = &known[n];
    one->radius_mm = nearest->radius_mm;
    one->blood = nearest->blood;
    one->tissue = nearest->tissue;
  }
}

/* Closes what is far from the known way. */
static ht_status keep_near(const ht_way *way, double radius_mm, ht_tubeness *tube) {
  const double radii = 3;
  const ht_grid *grid = &tube->fill.grid;
  uint8_t *near;
  int64_t voxels = ht_grid_voxels(grid);
  HT_TRY(ht_alloc((void **)&near, (size_t)voxels, 1, "the vessel's tube"));
  for (int s = 0; s < way->stations; s++) {
    const ht_way_station *one = &way->station[s];
    double most = radii * fmax(radius_mm, one->radius_mm), low[3], high[3], p[3];
    ht_box box;
    for (int r = 0; r < 3; r++) low[r] = one->centre_mm[r] - most;
    for (int r = 0; r < 3; r++) high[r] = one->centre_mm[r] + most;
    if (ht_box_of_region(grid, low, high, &box) != HT_OK) continue;
    for (int k = box.first[2]; k <= box.last[2]; k++)
      for (int j = box.first[1]; j <= box.last[1]; j++)
        for (int i = box.first[0]; i <= box.last[0]; i++) {
          int64_t voxel = ht_voxel_index(grid->dim, (const int[3]){i, j, k});
          ht_grid_voxel_position(grid, voxel, p);
          near[voxel] |= ht_distance(p, one->centre_mm) <= most;
        }
  }
  for (int64_t v = 0; v < voxels; v++)
    if (!near[v]) tube->toll[v] = INFINITY;
  free(near);
  return HT_OK;
}

ht_status ht_way_refine(const ht_volume *region, const double (*point_mm)[3],
                        const ht_progress *progress, ht_way *way) {
  ht_tubeness tube;
  ht_blood_values values = {0};
  double radius_mm;
  HT_TRY(values_along(way, &values, &radius_mm));
  double bright = values.most_blood + way->bright * (values.most_blood - values.tissue);
  ht_status status = ht_tubeness_look(region, &values, bright, radius_mm, &tube);
  values.fill = tube.fill.values;
  values.toll = tube.toll;
  if (status == HT_OK && way->by_brightest) status = keep_near(way, radius_mm, &tube);
  for (int p = 0; p < way->points && status == HT_OK; p++) {
    const ht_way_station *one = &way->station[way->at_point[p]];
    status = seat(&tube, point_mm[p], one, fmin(radius_mm, one->radius_mm), &way->snap[p]);
  }
  ht_way_station *known = way->station;
  int count = way->stations;
  way->station = NULL;
  if (status == HT_OK) status = join_points(region, &values, radius_mm, progress, way);
  if (status == HT_OK) take_measured(known, count, way);
  free(known);
  ht_tubeness_free(&tube);
  return status;
}

ht_status ht_way_box(const ht_grid *grid, const ht_way *way, double widened, ht_box *box) {
  const double least_mm = 20, radii = 3;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int s = 0; s < way->stations; s++) {
    const ht_way_station *one = &way->station[s];
    double room = widened * fmax(least_mm, radii * one->radius_mm);
    for (int r = 0; r < 3; r++) {
      low[r] = fmin(low[r], one->centre_mm[r] - room);
      high[r] = fmax(high[r], one->centre_mm[r] + room);
    }
  }
  return ht_box_of_region(grid, low, high, box);
}
