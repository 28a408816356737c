#include "phantom_shapes.h"
#include "units.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include <threads.h>

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

static void tube_spline(ht_tube *tube, const double control[][4], int count, double step_mm) {
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
}

/* Distance to the union of the balls along one segment whose radius varies linearly (a "round
 * cone"): the nearest ball is not at the foot of the perpendicular but h a / sqrt(1 - a^2) up the
 * taper a. `out` gets the unit vector away from that ball's centre. */
static double segment_distance(const double a[4], const double b[4], const double p[3],
                               double out[3]) {
  double axis[3], to[3], length = distance3(a, b), along = 0, square = 0;
  for (int c = 0; c < 3; c++) {
    axis[c] = (b[c] - a[c]) / length;
    to[c] = p[c] - a[c];
    along += to[c] * axis[c];
    square += to[c] * to[c];
  }
  double taper = (b[3] - a[3]) / length;
  double height = sqrt(fmax(0, square - along * along));
  double s = along + height * taper / sqrt(1 - taper * taper);
  s = fmin(fmax(s, 0), length);
  double away = sqrt(fmax(0, square - 2 * along * s + s * s));
  for (int c = 0; c < 3; c++) out[c] = away > 0 ? (to[c] - s * axis[c]) / away : 0;
  return away - (a[3] + taper * s);
}

double ht_tube_distance(const ht_tube *tube, const double position_mm[3], double limit_mm,
                        double gradient[3]) {
  int chunks = (tube->points - 2) / HT_TUBE_CHUNK + 1, nearest = 0;
  double lower[HT_TUBE_POINTS_MAX / HT_TUBE_CHUNK + 1] = {0};
  for (int i = 0; i < chunks; i++) {
    lower[i] = distance3(position_mm, tube->bound[i]) - tube->bound[i][3];
    if (lower[i] < lower[nearest]) nearest = i;
  }
  if (lower[nearest] > limit_mm) return lower[nearest];
  double best = HUGE_VAL, out[3];
  for (int n = -1; n < chunks; n++) { /* the nearest chunk first: it excludes most others */
    int i = n < 0 ? nearest : n;
    if (n == nearest || lower[i] >= best) continue;
    for (int j = i * HT_TUBE_CHUNK; j < (i + 1) * HT_TUBE_CHUNK && j + 1 < tube->points; j++) {
      double d = segment_distance(tube->point[j], tube->point[j + 1], position_mm, out);
      if (d >= best) continue;
      best = d;
      if (gradient) memcpy(gradient, out, sizeof out);
    }
  }
  return best;
}

/* Joins b to a with a fillet: the quadratic smooth minimum of width k. Gradients follow. */
static double blend(double a, double grad_a[3], double b, const double grad_b[3], double k) {
  double overlap = k > 0 ? fmax(k - fabs(a - b), 0) / k : 0;
  double share_b = a < b ? overlap / 2 : 1 - overlap / 2;
  for (int c = 0; c < 3; c++) grad_a[c] += share_b * (grad_b[c] - grad_a[c]);
  return fmin(a, b) - overlap * overlap * k / 4;
}

double ht_shape_distance(const ht_shape *shape, const double position_mm[3], double gradient[3]) {
  double grad[3] = {0}, other[3] = {0}, widest = shape->sac[3] > 0 ? shape->sac_blend_mm : 0;
  double d = ht_tube_distance(&shape->tube[0], position_mm, HUGE_VAL, grad);
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
  /* In a fillet the blend's slope is below 1; dividing by it restores a distance. Away from the
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

/* ---- The four shapes ---- */

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* A bend like the carotid siphon's anterior genu: up, forward, back and up again; a side branch
 * like the posterior communicating artery. Flow: see aneurysm/case.yaml. */
static void shape_aneurysm(ht_shape *shape) {
  static const double parent[][4] = {
      {-3, 8.5, -26, 2.0},    {-3, 8.5, -14, 2.0},  {-2.8, 8.0, -9.5, 1.98}, {-2.0, 4.5, -6, 1.95},
      {-0.5, -1.0, -4, 1.92}, {0.5, -3.5, 0, 1.90}, {1.2, -1.5, 3.6, 1.88},  {2.0, 2.5, 6, 1.85},
      {2.6, 4.5, 9.5, 1.82},  {3.0, 5.0, 14, 1.80}, {3.0, 5.0, 26, 1.80},
  };
  static const double branch[][4] = {
      {2.0, 2.0, 5.8, 1.0}, {2.6, 5.5, 4.6, 1.0}, {4.2, 9, 3.2, 1.0},
      {5.0, 14, 2.6, 1.0},  {5.0, 30, 2.6, 1.0},
  };
  static const double vein[][4] = {
      {10, -26, -9, 1.4}, {10.5, -10, -7, 1.5}, {11, 0, -2, 1.5},
      {10, 9, -4, 1.6},   {9, 26, -9, 1.6},
  };
  *shape = (ht_shape){
      .tubes = 2,
      .sac = {0.5, -3.5 - 1.9 - 2.6, 0.2, 3.5},
      .sac_blend_mm = 0.8,
      .has_vein = 1,
      .bone_mm = {-10, -4, 5},
      .bone_radii_mm = {3.6, 5.2, 5.0},
      .box_mm = {32, 32, 28},
      .spacing_mm = 0.4,
      .noise = 0.05,
      .tilt_degrees = 8,
      .tilt_max_degrees = 15,
      .tissue = 40,
      .vein_value = 150,
      .bone_value = 190,
      .blood = 420,
      .blobs = 14,
      .smallest_radius_mm = 1.0,
  };
  tube_spline(&shape->tube[0], parent, COUNT(parent), 0.15);
  tube_spline(&shape->tube[1], branch, COUNT(branch), 0.15);
  tube_spline(&shape->vein, vein, COUNT(vein), 0.3);
  shape->tube[1].blend_mm = 0.6;
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, 2.0};
  shape->tube[0].end[1] = (ht_tube_end){"outlet", HT_ROLE_OUTLET, 0};
  shape->tube[1].end[1] = (ht_tube_end){"branch", HT_ROLE_OUTLET, 0};
}

/* The arch lies in a plane turned from the front of the body towards its left; s counts degrees
 * along it from the ascending (0) to the descending aorta (180). */
static void arch_point(double s, double radius_mm, double out[4]) {
  static const double half[2] = {14.0, 21.0}, top = 2;
  double across = -cos(s * HT_PI / 180), rise = sin(s * HT_PI / 180) * hypot(half[0], half[1]);
  double point[4] = {half[0] * across, half[1] * across, top + rise, radius_mm};
  memcpy(out, point, sizeof point);
}

static void arch_branch(ht_tube *tube, double s, double radius_mm, double lean_x, double lean_y) {
  double foot[4], control[4][4];
  static const double rise[4] = {0, 14, 30, 60};
  arch_point(s, radius_mm, foot);
  for (int i = 0; i < 4; i++) {
    double reach = i == 3 ? 1.6 : i * 0.5; /* leans away, then runs straight */
    double point[4] = {foot[0] + lean_x * reach, foot[1] + lean_y * reach, foot[2] + rise[i],
                       radius_mm};
    memcpy(control[i], point, sizeof point);
  }
  tube_spline(tube, control, 4, 0.5);
  tube->blend_mm = 2.5;
}

/* Normal calibres at the ascending aorta (24 mm) and the branches; 10 mm at the narrowing just
 * after the left subclavian artery, 18 mm below. Flow: see coarctation/case.yaml. */
static void shape_coarctation(ht_shape *shape) {
  static const double station[][2] = {/* degrees along the arch, radius */
                                      {0, 12},    {25, 11.8}, {50, 11.3}, {75, 10.7},
                                      {100, 10},  {120, 9.3}, {134, 7.6}, {144, 5.5},
                                      {150, 5.0}, {156, 5.5}, {166, 7.6}, {180, 9.0}};
  static const double vein[][4] = {{-34, -12, -90, 4.5},
                                   {-34, -12, -20, 4.5},
                                   {-33, -14, 10, 4.5},
                                   {-30, -18, 40, 4},
                                   {-30, -20, 90, 4}};
  *shape = (ht_shape){
      .tubes = 4,
      .has_vein = 1,
      .bone_mm = {-16, 30, -8},
      .bone_radii_mm = {15, 12, 16},
      .box_mm = {80, 92, 104},
      .spacing_mm = 0.9,
      .noise = 0.05,
      .tilt_degrees = 6,
      .tilt_max_degrees = 10,
      .tissue = 40,
      .vein_value = 150,
      .bone_value = 190,
      .blood = 400,
      .blobs = 18,
      .smallest_radius_mm = 4.0,
  };
  double control[COUNT(station) + 6][4];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    arch_point(0, 12, control[count]);
    control[count++][2] = i == 0 ? -90 : i == 1 ? -40 : -15;
  }
  for (int i = 0; i < COUNT(station); i++)
    arch_point(station[i][0], station[i][1], control[count++]);
  for (int i = 0; i < 3; i++) {
    arch_point(180, 9, control[count]);
    control[count++][2] = i == 0 ? -15 : i == 1 ? -40 : -90;
  }
  tube_spline(&shape->tube[0], control, count, 0.55);
  arch_branch(&shape->tube[1], 56, 5.0, -3, -2);
  arch_branch(&shape->tube[2], 87, 4.0, 0, -0.5);
  arch_branch(&shape->tube[3], 114, 4.5, 3, 2);
  tube_spline(&shape->vein, vein, COUNT(vein), 0.8);
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, 6.0};
  shape->tube[0].end[1] = (ht_tube_end){"descending-aorta", HT_ROLE_OUTLET, 0};
  shape->tube[1].end[1] = (ht_tube_end){"brachiocephalic", HT_ROLE_OUTLET, 0};
  shape->tube[2].end[1] = (ht_tube_end){"left-carotid", HT_ROLE_OUTLET, 0};
  shape->tube[3].end[1] = (ht_tube_end){"left-subclavian", HT_ROLE_OUTLET, 0};
}

/* Poiseuille flow: radius 2 mm, 1 mL/s, so a mean velocity of 0.0796 m/s and a Reynolds number of
 * 96. */
static void shape_pipe(ht_shape *shape, const double direction[3], double x, double y, double z) {
  *shape = (ht_shape){
      .tubes = 1,
      .box_mm = {x, y, z},
      .spacing_mm = 0.25,
      .noise = 0.03,
      .tilt_max_degrees = 8,
      .tissue = 40,
      .blood = 400,
      .pipe_radius_mm = 2,
      .smallest_radius_mm = 2,
  };
  double control[2][4], length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                                      direction[2] * direction[2]);
  for (int i = 0; i < 2; i++) {
    for (int c = 0; c < 3; c++) control[i][c] = (i ? 40 : -40) * direction[c] / length;
    control[i][3] = 2;
  }
  tube_spline(&shape->tube[0], control, 2, 1);
  shape->tube[0].end[0] = (ht_tube_end){"inlet", HT_ROLE_INLET, 1.0};
  shape->tube[0].end[1] = (ht_tube_end){"outlet", HT_ROLE_OUTLET, 0};
}

static ht_shape shapes[HT_PHANTOM_PIPE_OBLIQUE + 1];
static once_flag shapes_once = ONCE_FLAG_INIT;

static void shapes_make(void) {
  static const double along_z[3] = {0, 0, 1}, oblique[3] = {1, 2, 3};
  shape_aneurysm(&shapes[HT_PHANTOM_ANEURYSM]);
  shape_coarctation(&shapes[HT_PHANTOM_COARCTATION]);
  shape_pipe(&shapes[HT_PHANTOM_PIPE], along_z, 16, 16, 24);
  /* 36.7 degrees to z: 24 mm long between the faces normal to z, clear of the other faces. */
  shape_pipe(&shapes[HT_PHANTOM_PIPE_OBLIQUE], oblique, 16, 24, 24 * 3 / sqrt(14));
}

const ht_shape *ht_shape_of(ht_phantom_kind kind) {
  assert(kind >= HT_PHANTOM_ANEURYSM && kind <= HT_PHANTOM_PIPE_OBLIQUE);
  call_once(&shapes_once, shapes_make);
  return &shapes[kind];
}
