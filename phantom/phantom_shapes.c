#include "phantom/phantom_shapes.h"
#include "core/numbers/units.h"
#include <assert.h>
#include <math.h>
#include <string.h>

void ht_turn(const double axis[3], double degrees, double direction[3][3]) {
  double angle = degrees * HT_PI / 180, c = cos(angle), s = sin(angle);
  double cross[3][3] = {{0, -axis[2], axis[1]}, {axis[2], 0, -axis[0]}, {-axis[1], axis[0], 0}};
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++)
      direction[r][a] = c * (r == a) + (1 - c) * axis[r] * axis[a] + s * cross[r][a];
}

double ht_narrowing_bump(double from_middle, double half) {
  return fabs(from_middle) < half ? 0.5 * (1 + cos(HT_PI * from_middle / half)) : 0;
}

/* ---- Geometry of tubes ---- */

static double distance3(const double a[3], const double b[3]) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return sqrt(x * x + y * y + z * z);
}

static void tube_add(ht_tube *tube, const double point[4]) {
  assert(tube->points < HT_TUBE_POINTS_MAX);
  memcpy(tube->point[tube->points++], point, 4 * sizeof(double));
}

/* One value of the centripetal Catmull-Rom spline (Yuksel et al., Comput. Aided Des. 43 (2011) 747)
 * by the recursion of Barry and Goldman: it neither loops nor overshoots where the control points
 * are far from evenly spaced. knot[] are those of control[]; t in [knot[1], knot[2]]. */
static void spline_at(const double control[4][4], const double knot[4], double t, double out[4]) {
  for (int c = 0; c < 4; c++) {
    double a[3], b[2];
    for (int i = 0; i < 3; i++)
      a[i] = ((knot[i + 1] - t) * control[i][c] + (t - knot[i]) * control[i + 1][c]) /
             (knot[i + 1] - knot[i]);
    for (int i = 0; i < 2; i++)
      b[i] = ((knot[i + 2] - t) * a[i] + (t - knot[i]) * a[i + 1]) / (knot[i + 2] - knot[i]);
    out[c] = ((knot[2] - t) * b[0] + (t - knot[1]) * b[1]) / (knot[2] - knot[1]);
  }
}

/* Control point i; one past an end is its neighbour mirrored, so that the curve ends straight. */
static void control_at(const double control[][4], int count, int i, double out[4]) {
  int end = i < 0 ? 0 : count - 1, inner = i < 0 ? 1 : count - 2;
  for (int c = 0; c < 4; c++)
    out[c] = i >= 0 && i < count ? control[i][c] : 2 * control[end][c] - control[inner][c];
  if (i < 0 || i >= count) out[3] = control[end][3];
}

static void tube_bounds(ht_tube *tube) {
  for (int first = 0; first + 1 < tube->points; first += HT_TUBE_CHUNK) {
    int last = first + HT_TUBE_CHUNK < tube->points ? first + HT_TUBE_CHUNK : tube->points - 1;
    double *bound = tube->bound[first / HT_TUBE_CHUNK];
    memcpy(bound, tube->point[(first + last) / 2], 3 * sizeof(double));
    bound[3] = 0;
    for (int i = first; i <= last; i++)
      bound[3] = fmax(bound[3], distance3(bound, tube->point[i]) + tube->point[i][3]);
  }
}

static void tube_segments(ht_tube *tube) {
  for (int i = 0; i + 1 < tube->points; i++) {
    const double *a = tube->point[i], *b = tube->point[i + 1];
    double length = distance3(a, b), taper = (b[3] - a[3]) / length;
    ht_tube_segment *segment = &tube->segment[i];
    *segment = (ht_tube_segment){.length_mm = length,
                                 .taper = taper,
                                 .cosine = sqrt(1 - taper * taper),
                                 .reach_mm = 0.5 * length + fmax(a[3], b[3])};
    for (int c = 0; c < 3; c++) {
      segment->axis[c] = (b[c] - a[c]) / length;
      segment->middle_mm[c] = 0.5 * (a[c] + b[c]);
    }
  }
}

void ht_tube_scale(ht_tube *tube, double by) {
  for (int i = 0; i < tube->points; i++)
    for (int c = 0; c < 4; c++) tube->point[i][c] *= by;
  for (int i = 0; i <= HT_TUBE_POINTS_MAX / HT_TUBE_CHUNK; i++)
    for (int c = 0; c < 4; c++) tube->bound[i][c] *= by;
  tube->blend_mm *= by;
  tube_segments(tube);
}

void ht_tube_spline(ht_tube *tube, const double control[][4], int count, double step_mm) {
  for (int span = 0; span + 1 < count; span++) {
    double local[4][4], knot[4] = {0}, point[4];
    for (int i = 0; i < 4; i++) control_at(control, count, span - 1 + i, local[i]);
    for (int i = 1; i < 4; i++) knot[i] = knot[i - 1] + sqrt(distance3(local[i - 1], local[i]));
    int steps = (int)ceil(distance3(local[1], local[2]) / step_mm);
    for (int s = 0; s < steps; s++) {
      spline_at(local, knot, knot[1] + (knot[2] - knot[1]) * s / steps, point);
      tube_add(tube, point);
    }
  }
  tube_add(tube, control[count - 1]);
  tube_bounds(tube);
  tube_segments(tube);
}

/* The foot on a segment's axis of the ball that is nearest to p, from the segment's first point,
 * and the way from there to p. */
typedef struct {
  double foot_mm, away_mm;
} segment_foot;

/* Distance to the union of the balls along one segment whose radius varies linearly (a "round
 * cone"): the nearest ball is not at the foot of the perpendicular but h a / sqrt(1 - a^2) up the
 * taper a. */
static double segment_distance(const double first[4], const ht_tube_segment *segment,
                               const double p[3], segment_foot *at) {
  double along = 0, square = 0, s;
  for (int c = 0; c < 3; c++) {
    double to = p[c] - first[c];
    along += to * segment->axis[c];
    square += to * to;
  }
  s = along;
  if (segment->taper != 0) {
    double height2 = square - along * along;
    s += sqrt(height2 > 0 ? height2 : 0) * segment->taper / segment->cosine;
  }
  s = s > 0 ? s : 0;
  s = s < segment->length_mm ? s : segment->length_mm;
  double away2 = square - 2 * along * s + s * s;
  *at = (segment_foot){s, sqrt(away2 > 0 ? away2 : 0)};
  return at->away_mm - (first[3] + segment->taper * s);
}

/* The unit vector away from the nearest ball's centre. */
static void segment_gradient(const double first[4], const ht_tube_segment *segment,
                             const segment_foot *at, const double p[3], double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = at->away_mm > 0 ? (p[c] - first[c] - at->foot_mm * segment->axis[c]) / at->away_mm : 0;
}

/* Tells whether the whole segment is at least this far away. Without a square root: it is called
 * for every segment. */
static int segment_is_beyond(const ht_tube_segment *segment, const double p[3],
                             double distance_mm) {
  double square = 0, reach = distance_mm + segment->reach_mm;
  for (int c = 0; c < 3; c++)
    square += (p[c] - segment->middle_mm[c]) * (p[c] - segment->middle_mm[c]);
  return reach < 0 || square > reach * reach;
}

/* The segment of a chunk that is nearer than `best`, if there is one, else -1. */
static int nearest_segment(const ht_tube *tube, int chunk, const double p[3], double *best,
                           segment_foot *at) {
  int nearest = -1;
  int first = chunk * HT_TUBE_CHUNK, last = first + HT_TUBE_CHUNK;
  if (last > tube->points - 1) last = tube->points - 1;
  for (int j = first; j < last; j++) {
    segment_foot foot;
    if (segment_is_beyond(&tube->segment[j], p, *best)) continue;
    double d = segment_distance(tube->point[j], &tube->segment[j], p, &foot);
    if (d >= *best) continue;
    *best = d;
    *at = foot;
    nearest = j;
  }
  return nearest;
}

double ht_tube_distance(const ht_tube *tube, const double position_mm[3], double limit_mm,
                        double gradient[3]) {
  int chunks = (tube->points - 2) / HT_TUBE_CHUNK + 1, nearest = 0, segment = -1;
  double lower[HT_TUBE_POINTS_MAX / HT_TUBE_CHUNK + 1] = {0};
  for (int i = 0; i < chunks; i++) {
    lower[i] = distance3(position_mm, tube->bound[i]) - tube->bound[i][3];
    if (lower[i] < lower[nearest]) nearest = i;
  }
  if (lower[nearest] > limit_mm) return lower[nearest];
  double best = HUGE_VAL;
  segment_foot at = {0, 0};
  for (int n = -1; n < chunks; n++) { /* the nearest chunk first: it excludes most others */
    int i = n < 0 ? nearest : n;
    if (n == nearest || lower[i] >= best) continue;
    int nearer = nearest_segment(tube, i, position_mm, &best, &at);
    if (nearer >= 0) segment = nearer;
  }
  if (gradient && segment >= 0)
    segment_gradient(tube->point[segment], &tube->segment[segment], &at, position_mm, gradient);
  return best;
}

/* Joins b to a with a fillet: the quadratic smooth minimum of width k. Gradients follow. */
static double blend(double a, double grad_a[3], double b, const double grad_b[3], double k) {
  double overlap = k > 0 ? fmax(k - fabs(a - b), 0) / k : 0;
  double share_b = a < b ? overlap / 2 : 1 - overlap / 2;
  for (int c = 0; c < 3; c++) grad_a[c] += share_b * (grad_b[c] - grad_a[c]);
  return fmin(a, b) - overlap * overlap * k / 4;
}

/* ---- Bodies of revolution ---- */

/* Finds the point of the wall's segment from a to b nearest to (z, r); returns its distance. */
static double meridian_segment(const double a[2], const double b[2], double z, double r,
                               double nearest[2]) {
  double way[2] = {b[0] - a[0], b[1] - a[1]};
  double t = ((z - a[0]) * way[0] + (r - a[1]) * way[1]) / (way[0] * way[0] + way[1] * way[1]);
  t = fmin(fmax(t, 0), 1);
  for (int c = 0; c < 2; c++) nearest[c] = a[c] + t * way[c];
  return hypot(z - nearest[0], r - nearest[1]);
}

/* Radius at z; of two at the same z, the second. */
static double meridian_radius(const ht_shape *shape, double z) {
  for (int i = shape->meridian_points - 2; i >= 0; i--) {
    const double *a = shape->meridian[i], *b = shape->meridian[i + 1];
    if (z >= a[0] && b[0] > a[0]) return a[1] + (b[1] - a[1]) * fmin(1, (z - a[0]) / (b[0] - a[0]));
  }
  return shape->meridian[0][1];
}

static double meridian_distance(const ht_shape *shape, const double p[3], double gradient[3]) {
  double r = hypot(p[0], p[1]), best = HUGE_VAL, at[2], nearest[2] = {0};
  for (int i = 0; i + 1 < shape->meridian_points; i++) {
    double d = meridian_segment(shape->meridian[i], shape->meridian[i + 1], p[2], r, at);
    if (d >= best) continue;
    best = d;
    memcpy(nearest, at, sizeof nearest);
  }
  double sign = r < meridian_radius(shape, p[2]) ? -1 : 1;
  double out = best > 0 ? sign * (r - nearest[1]) / best : 1; /* radial part; on the wall: 1 */
  gradient[0] = r > 0 ? out * p[0] / r : out;
  gradient[1] = r > 0 ? out * p[1] / r : 0;
  gradient[2] = best > 0 ? sign * (p[2] - nearest[0]) / best : 0;
  return sign * best;
}

double ht_shape_distance(const ht_shape *shape, const double position_mm[3], double gradient[3]) {
  double grad[3] = {0}, other[3] = {0}, widest = shape->sac[3] > 0 ? shape->sac_blend_mm : 0;
  double far = shape->far_mm > 0 ? shape->far_mm : HUGE_VAL;
  double d = shape->meridian_points ? meridian_distance(shape, position_mm, grad)
                                    : ht_tube_distance(&shape->tube[0], position_mm, far, grad);
  for (int i = 1; i < shape->tubes; i++) {
    const ht_tube *tube = &shape->tube[i];
    double limit = d + tube->blend_mm;
    widest = fmax(widest, tube->blend_mm);
    double next = ht_tube_distance(tube, position_mm, limit, other);
    if (next <= limit) d = blend(d, grad, next, other, tube->blend_mm);
  }
  if (shape->sac[3] > 0) {
    double away = distance3(position_mm, shape->sac);
    for (int c = 0; c < 3; c++) other[c] = away > 0 ? (position_mm[c] - shape->sac[c]) / away : 0;
    d = blend(d, grad, away - shape->sac[3], other, shape->sac_blend_mm);
  }
  /* The blend's slope is below 1 in a fillet; dividing by it restores a distance. Away from the
   * surface, midway between two branches, the slope vanishes although the distance is right, so the
   * correction ends at the fillet's width. */
  double slope = sqrt(grad[0] * grad[0] + grad[1] * grad[1] + grad[2] * grad[2]);
  if (gradient)
    for (int c = 0; c < 3; c++) gradient[c] = slope > 0 ? grad[c] / slope : 0;
  double near = widest > 0 ? fmax(0, 1 - fabs(d) / widest) : 0;
  return d * (1 + near * (1 / fmin(1, fmax(slope, 0.5)) - 1));
}

double ht_bone_distance(const ht_shape *shape, const double position_mm[3]) {
  double value = 0, slope = 0;
  if (!(shape->bone_radii_mm[0] > 0)) return 1e9;
  for (int c = 0; c < 3; c++) {
    double r = shape->bone_radii_mm[c], x = (position_mm[c] - shape->bone_mm[c]) / r;
    value += x * x;
    slope += x * x / (r * r);
  }
  return value > 0 ? sqrt(value) * (sqrt(value) - 1) / sqrt(slope) : -shape->bone_radii_mm[0];
}
