#include "phantom/phase_contrast/vessel_flow.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

/* Foot of a perpendicular on a centreline. */
typedef struct {
  int segment;
  double part;       /* of the segment, 0 to 1 */
  double away_mm[3]; /* from the foot to the point */
} foot;

static int find_foot(const ht_tube *tube, const double p[3], foot *at) {
  double best = HUGE_VAL;
  for (int j = 0; j + 1 < tube->points; j++) {
    const ht_tube_segment *segment = &tube->segment[j];
    double to[3];
    for (int r = 0; r < 3; r++) to[r] = p[r] - tube->point[j][r];
    const double part = fmin(1, fmax(0, ht_dot(to, segment->axis) / segment->length_mm));
    for (int r = 0; r < 3; r++) to[r] -= part * segment->length_mm * segment->axis[r];
    const double square = ht_dot(to, to);
    if (square >= best) continue;
    best = square;
    *at = (foot){j, part, {to[0], to[1], to[2]}};
  }
  return best < HUGE_VAL;
}

/* Tangent of the curve: between its points the mean of the neighbouring segments' directions. */
static void tangent(const ht_tube *tube, int segment, double part, double out[3]) {
  const int before = segment > 0 ? segment - 1 : 0;
  const int after = segment + 2 < tube->points ? segment + 1 : segment;
  for (int r = 0; r < 3; r++) {
    const double own = tube->segment[segment].axis[r];
    const double first = 0.5 * (tube->segment[before].axis[r] + own);
    out[r] = first + part * (0.5 * (own + tube->segment[after].axis[r]) - first);
  }
  ht_normalise(out);
}

static double length_to(const ht_tube *tube, int segment, double part) {
  double sum = part * tube->segment[segment].length_mm;
  for (int j = 0; j < segment; j++) sum += tube->segment[j].length_mm;
  return sum;
}

/* Flow of the parent at a length along it: a branch takes its share evenly over its own width. */
static double parent_flow(const ht_vessel_flow *flow, double along_mm) {
  double rest = 1;
  for (int b = 1; b < flow->shape->tubes; b++) {
    const double radius = flow->shape->tube[b].point[0][3];
    const double passed = (along_mm - flow->foot_mm[b]) / (2 * radius) + 0.5;
    rest -= flow->share[b] * fmin(1, fmax(0, passed));
  }
  return rest * flow->flow_ml_s;
}

ht_status ht_vessel_flow_prepare(const ht_shape *shape, ht_vessel_flow *flow) {
  const ht_tube *parent = &shape->tube[0];
  const double end = parent->point[parent->points - 1][3];
  double area = end * end;
  foot at;
  if (shape->meridian_points)
    return ht_fail(HT_ERR_USAGE, "the flow of this phantom has no closed form, which its "
                                 "phase-contrast images need: choose pipe, pipe-oblique, stenosis, "
                                 "coarctation or aneurysm");
  memset(flow, 0, sizeof *flow);
  flow->shape = shape;
  flow->flow_ml_s = parent->end[0].flow_ml_s;
  for (int b = 1; b < shape->tubes; b++) area += pow(shape->tube[b].point[0][3], 2);
  for (int b = 1; b < shape->tubes; b++) {
    find_foot(parent, shape->tube[b].point[0], &at);
    flow->foot_mm[b] = length_to(parent, at.segment, at.part);
    flow->share[b] = pow(shape->tube[b].point[0][3], 2) / area;
  }
  return HT_OK;
}

/* Finds the velocity in a tube: with v = 2 Q / (pi R^2) (1 - (r/R)^2) along the tangent and v r/R
 * dR/ds away from it, the ratio r/R is constant along each streamline, so that every section has
 * the flow Q. */
static int tube_velocity(const ht_vessel_flow *flow, int number, const double p[3], double v[3]) {
  const ht_tube *tube = &flow->shape->tube[number];
  double along[3];
  foot at;
  if (ht_tube_distance(tube, p, 0, NULL) >= 0 || !find_foot(tube, p, &at)) return 0;
  const double taper = tube->segment[at.segment].taper;
  const double radius =
      tube->point[at.segment][3] + taper * at.part * tube->segment[at.segment].length_mm;
  const double square = ht_dot(at.away_mm, at.away_mm) / (radius * radius);
  if (square >= 1) return 0;
  const double q = number == 0 ? parent_flow(flow, length_to(tube, at.segment, at.part))
                               : flow->share[number] * flow->flow_ml_s;
  const double speed = 2 * q / (HT_PI * radius * radius) * (1 - square); /* mL/s / mm2 is m/s */
  tangent(tube, at.segment, at.part, along);
  for (int r = 0; r < 3; r++) v[r] = speed * (along[r] + taper * at.away_mm[r] / radius);
  return 1;
}

int ht_vessel_velocity(const ht_vessel_flow *flow, const double position_mm[3], double m_s[3]) {
  for (int t = 0; t < flow->shape->tubes; t++)
    if (tube_velocity(flow, t, position_mm, m_s)) return 1;
  memset(m_s, 0, 3 * sizeof *m_s);
  return 0;
}

static int in_box(const ht_shape *shape, const double p[3]) {
  for (int r = 0; r < 3; r++)
    if (fabs(p[r]) > 0.5 * shape->box_mm[r]) return 0;
  return 1;
}

void ht_vessel_station_at(const ht_vessel_flow *flow, double percent, ht_vessel_station *station) {
  const ht_tube *tube = &flow->shape->tube[0];
  int first = tube->points, last = 0, j = 0;
  for (int i = 0; i < tube->points; i++) {
    if (!in_box(flow->shape, tube->point[i])) continue;
    if (i < first) first = i;
    last = i;
  }
  const double from = length_to(tube, first, 0), to = length_to(tube, last - 1, 1);
  const double at = from + (0.1 + 0.8 * percent / 100) * (to - from);
  while (j + 2 < tube->points && length_to(tube, j, 1) < at) j++;
  const double part = (at - length_to(tube, j, 0)) / tube->segment[j].length_mm;
  for (int r = 0; r < 3; r++)
    station->point_mm[r] = tube->point[j][r] + part * (tube->point[j + 1][r] - tube->point[j][r]);
  station->radius_mm = tube->point[j][3] + part * (tube->point[j + 1][3] - tube->point[j][3]);
  station->flow_ml_s = parent_flow(flow, at);
  tangent(tube, j, part, station->along);
}

double ht_vessel_beat(double part) {
  const double angle = 2 * HT_PI * (part - 0.25);
  return 1 + 0.7 * cos(angle) + 0.25 * cos(2 * angle);
}
