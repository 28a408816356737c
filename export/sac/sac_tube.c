#include "export/sac/sac_tube.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reach of the clear stations that count for a mixed stretch, and largest move of a centre, in
 * radii; largest difference, as a share, of a station's area and its wall section's. BESIDE_LEAST:
 * least number of such stations on each side. */
static const double beside_radii = 1.5, most_moved = 0.25, same_area = 0.1;
enum { BESIDE_LEAST = 3, CUBIC = 3, VALUES = 4 /* of a station: centre, radius */ };

/* A mixed stretch and the clear stations around it: first <= low < high <= last. */
typedef struct {
  int first, low, high, last; /* low and high: the clear stations next to it */
} stretch;

static double radius_of(const ht_station *at) {
  return sqrt(at->area_mm2 / HT_PI);
}

/* ---- a polynomial through the clear stations ---- */

static double value_of(const ht_tube_ball *at, int which) {
  return which < 3 ? at->centre_mm[which] : at->radius_mm;
}

/* Values at the stations first .. last: the polynomial of that degree by least squares through the
 * clear ones, by the orthogonal polynomials of Forsythe (J. SIAM 5 (1957) 74). p: [2][count],
 * fit: [count], both work; fit is the result. */
static void fit(const ht_station *station, const ht_tube_ball *ball, int count, int degree,
                int which, double *p, double *fitted) {
  double *now = p, *before = p + count, last_norm = 1, middle = station[count / 2].along_mm;
  for (int i = 0; i < count; i++) now[i] = 1, before[i] = fitted[i] = 0;
  for (int k = 0; k <= degree; k++) {
    double norm = 0, along = 0, share = 0;
    for (int i = 0; i < count; i++) {
      if (station[i].is_mixed) continue;
      norm += now[i] * now[i];
      along += (station[i].along_mm - middle) * now[i] * now[i];
      share += value_of(&ball[i], which) * now[i];
    }
    if (!(norm > 0)) return;
    double shift = along / norm, back = k > 0 ? norm / last_norm : 0;
    for (int i = 0; i < count; i++) {
      fitted[i] += share / norm * now[i];
      double next = (station[i].along_mm - middle - shift) * now[i] - back * before[i];
      before[i] = now[i];
      now[i] = next;
    }
    last_norm = norm;
  }
}

/* ---- over a mixed stretch ---- */

/* The farthest station that counts for a stretch: goes on from a clear station, away from it. */
static int reach(const ht_vessel_path *path, int from, int step) {
  double most_mm = beside_radii * radius_of(&path->station[from]);
  int s = from;
  for (int next = s + step; next >= 0 && next < path->stations; next += step) {
    const ht_station *at = &path->station[next];
    if (at->is_mixed || fabs(at->along_mm - path->station[from].along_mm) > most_mm) break;
    s = next;
  }
  return s;
}

static double largest_move(const ht_tube_ball *ball, const stretch *x, const double *fitted,
                           int count) {
  double most = 0;
  for (int s = x->low + 1; s < x->high; s++) {
    double to[3];
    for (int r = 0; r < 3; r++) to[r] = fitted[r * count + s - x->first];
    most = fmax(most, ht_distance(to, ball[s].centre_mm));
  }
  return most;
}

/* Gives a clear station the wall's section across the vessel, where the areas agree. */
static ht_status measure(const ht_sac_vessel *vessel, const ht_station *at, ht_tube_ball *ball) {
  ht_neck_plane plane;
  double area_mm2;
  memcpy(plane.origin_mm, at->centre_mm, sizeof plane.origin_mm);
  memcpy(plane.normal, at->direction, sizeof plane.normal);
  ht_status status = ht_sac_section(vessel->surface, vessel->links, &plane, &area_mm2);
  if (status != HT_OK) return status == HT_ERR_CASE ? HT_OK : status;
  if (fabs(area_mm2 / at->area_mm2 - 1) > same_area) return HT_OK;
  memcpy(ball->centre_mm, plane.origin_mm, sizeof ball->centre_mm);
  ball->radius_mm = sqrt(area_mm2 / HT_PI);
  return HT_OK;
}

static ht_status measure_beside(const ht_sac_vessel *vessel, const ht_vessel_path *path,
                                const stretch *x, ht_tube_ball *ball) {
  for (int s = x->first; s <= x->last; s++)
    if (!path->station[s].is_mixed) HT_TRY(measure(vessel, &path->station[s], &ball[s]));
  return HT_OK;
}

/* Bridges a mixed stretch. `work`: [6][stations] */
static void bridge(const ht_vessel_path *path, const stretch *x, double *work, ht_tube_ball *ball) {
  int count = x->last - x->first + 1;
  const ht_station *station = path->station + x->first;
  double *fitted = work + 2 * count;
  for (int v = 0; v < VALUES; v++)
    fit(station, ball + x->first, count, v < 3 ? CUBIC : 1, v, work, fitted + v * count);
  int enough = x->low - x->first + 1 >= BESIDE_LEAST && x->last - x->high + 1 >= BESIDE_LEAST;
  int moves = enough && largest_move(ball, x, fitted, count) <=
                            most_moved * radius_of(&path->station[x->low]);
  for (int s = x->low + 1; s < x->high; s++) {
    const double *of = fitted + s - x->first;
    for (int r = 0; r < 3 && moves; r++) ball[s].centre_mm[r] = of[r * count];
    ball[s].radius_mm = of[3 * count];
  }
}

static ht_status bridge_all(const ht_sac_vessel *vessel, const ht_vessel_path *path, double *work,
                            ht_tube_ball *ball) {
  int low = -1; /* the last clear station */
  for (int s = 0; s < path->stations; s++) {
    if (path->station[s].is_mixed) continue;
    if (low < 0)
      for (int k = 0; k < s; k++) ball[k].radius_mm = ball[s].radius_mm;
    stretch x = {low, low, s, s};
    if (low >= 0 && low < s - 1) {
      x.first = reach(path, low, -1);
      x.last = reach(path, s, 1);
      HT_TRY(measure_beside(vessel, path, &x, ball));
      bridge(path, &x, work, ball);
    }
    low = s;
  }
  for (int s = low + 1; s < path->stations; s++)
    ball[s].radius_mm = low < 0 ? 0 : ball[low].radius_mm;
  return HT_OK;
}

static ht_status add_path(const ht_sac_vessel *vessel, const ht_vessel_path *path,
                          ht_tube_ball *ball, int64_t *balls) {
  double *work;
  ht_tube_ball *to = ball + *balls;
  HT_TRY(ht_alloc((void **)&work, 6 * (size_t)path->stations + 1, sizeof *work, "the tubes"));
  for (int s = 0; s < path->stations; s++) {
    to[s].radius_mm = radius_of(&path->station[s]);
    memcpy(to[s].centre_mm, path->station[s].centre_mm, sizeof to[s].centre_mm);
  }
  ht_status status = bridge_all(vessel, path, work, to);
  free(work);
  for (int s = 0; s < path->stations; s++)
    if (to[s].radius_mm > 0) ball[(*balls)++] = to[s];
  return status;
}

ht_status ht_tube_balls(const ht_sac_vessel *vessel, ht_tube_ball **ball, int64_t *balls) {
  size_t stations = 1;
  *balls = 0;
  for (int i = 0; i < vessel->paths; i++) stations += (size_t)vessel->path[i].stations;
  HT_TRY(ht_alloc((void **)ball, stations, sizeof **ball, "the vessel's tubes"));
  for (int i = 0; i < vessel->paths; i++) HT_TRY(add_path(vessel, &vessel->path[i], *ball, balls));
  return HT_OK;
}

int64_t ht_tube_nearest(const ht_tube_ball *ball, int64_t balls, const double at_mm[3],
                        double *out_mm) {
  int64_t nearest = 0;
  *out_mm = INFINITY;
  for (int64_t b = 0; b < balls; b++) {
    double away = ht_distance(at_mm, ball[b].centre_mm) - ball[b].radius_mm;
    if (away < *out_mm) *out_mm = away, nearest = b;
  }
  return nearest;
}
