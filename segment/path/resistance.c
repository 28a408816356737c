#include "segment/path/resistance.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

static const double thin = 0.6;       /* of the vessel's radius at both ends */
static const double least_length = 4; /* of these radii */

static double step_mm(const ht_way *way, int s) {
  int before = way->station[s].before;
  return before < 0 ? 0 : ht_distance(way->station[s].centre_mm, way->station[before].centre_mm);
}

double ht_way_resistance(const ht_way *way) {
  double sum = 0;
  for (int s = 0; s < way->stations; s++)
    sum += step_mm(way, s) / pow(way->station[s].radius_mm, 4);
  return sum;
}

/* The longest stretch thinner than `most_mm` on the way to a station: its length, and the station
 * in its middle. */
static double longest_thin(const ht_way *way, int to, double most_mm, int *middle) {
  double longest = 0, length = 0;
  int last = to;
  for (int s = to; s >= 0; s = way->station[s].before) {
    int is_thin = way->station[s].radius_mm < most_mm;
    length = is_thin ? length + step_mm(way, s) : 0;
    if (!is_thin) last = way->station[s].before;
    if (length <= longest) continue;
    longest = length;
    *middle = (s + last) / 2; /* stations of one stretch follow each other but where ways part */
  }
  return longest;
}

/* The radius of the vessel at both ends of the way to a point: that found at the points, which may
 * be too wide next to tissue, but no more than the way has anywhere. */
static double wide_mm(const ht_way *way, int point) {
  double most = 0;
  for (int s = way->at_point[point]; s >= 0; s = way->station[s].before)
    most = fmax(most, way->station[s].radius_mm);
  return fmin(most, fmin(way->snap[0].radius_mm, way->snap[point].radius_mm));
}

int ht_way_is_thin(const ht_way *way, double voxel_mm, ht_closed_ball *ball) {
  for (int p = 1; p < way->points; p++) {
    double radius_mm = wide_mm(way, p);
    int middle = 0;
    if (longest_thin(way, way->at_point[p], thin * radius_mm, &middle) < least_length * radius_mm)
      continue;
    const ht_way_station *one = &way->station[middle];
    memcpy(ball->centre_mm, one->centre_mm, sizeof ball->centre_mm);
    ball->radius_mm = 2 * one->radius_mm + voxel_mm;
    return 1;
  }
  return 0;
}
