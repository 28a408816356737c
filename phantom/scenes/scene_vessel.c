/* The wanted vessel of a scene, and the points that a person clicks in it. */
#include "phantom/scenes/scene_vessel.h"
#include "phantom/scenes/scene_geometry.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <string.h>

enum { CONTROLS_MAX = 420, TRIES = 24 };

/* Way from one point of a tube's axis to the next, in voxels. */
static const double step_voxels = 0.75;

/* ---- The main tube ---- */

/* A sine across the way: amplitude mm, wave number 1/mm, phase. */
typedef struct {
  double amplitude, number, phase, middle;
} wave;

/* Draws a wave whose curvature and slope stay below limits, and which stays within `room_mm`. */
static wave wave_draw(ht_draws *draws, double length_mm, double radius_mm, double room_mm) {
  wave w = {.number = 2 * HT_PI / (length_mm * ht_draw(draws, 0.5, 1.8)),
            .phase = ht_draw(draws, 0, 2 * HT_PI)};
  double most = fmin(0.35 / radius_mm / (w.number * w.number), 1.2 / w.number);
  w.amplitude = ht_draw(draws, 0.2, 1) * fmin(most, 0.8 * room_mm);
  w.middle = ht_draw(draws, -1, 1) * fmax(0, room_mm - w.amplitude);
  return w;
}

/* The radius along the way. */
typedef struct {
  double radius_mm, taper; /* taper: share lost over length_mm */
  double length_mm;
  double throat_at_mm, throat_half_mm, throat; /* throat: share of the radius lost there */
  double fork_at_mm, fork_radius_mm;           /* of the first daughter; 0: no fork */
} profile;

static double radius_at(const profile *p, double at_mm) {
  double radius = p->radius_mm * (1 - p->taper * (at_mm / p->length_mm + 0.5));
  if (p->fork_radius_mm > 0) {
    double past = fmin(fmax((at_mm - p->fork_at_mm) / (3 * p->radius_mm) + 0.5, 0), 1);
    double share = past * past * (3 - 2 * past);
    radius += share * (p->fork_radius_mm - p->radius_mm);
  }
  return radius * (1 - p->throat * ht_narrowing_bump(at_mm - p->throat_at_mm, p->throat_half_mm));
}

static profile profile_draw(ht_scene_plan *plan, double length_mm) {
  ht_draws *draws = &plan->draws;
  double radius = 0.5 * plan->diameter_mm;
  profile p = {.radius_mm = radius,
               .length_mm = length_mm,
               .taper = ht_draw(draws, 0, 0.15),
               .throat_half_mm = fmin(radius * ht_draw(draws, 2, 5), 0.18 * length_mm)};
  p.throat_at_mm = length_mm * ht_draw(draws, -0.25, 0.25);
  if (plan->has & HT_SCENE_BIFURCATION) { /* then the narrowing is in the first daughter */
    p.fork_at_mm = length_mm * ht_draw(draws, -0.2, 0.02);
    p.fork_radius_mm = radius * ht_draw(draws, 0.78, 0.88);
    p.throat_half_mm = fmin(p.throat_half_mm, 0.12 * length_mm);
    p.throat_at_mm = p.fork_at_mm + 0.2 * length_mm;
  }
  if (plan->has & HT_SCENE_NARROWING) {
    plan->narrowing_percent = ht_draw(draws, 30, 70);
    p.throat = 1 - sqrt(1 - plan->narrowing_percent / 100);
  }
  return p;
}

/* The main tube, along the axis `u` of the grid, out of the scan or with an end inside. */
static void main_tube_draw(ht_scene_plan *plan) {
  static const double whole = 0.62, cut[2] = {0.3, 0.4}; /* of the length, from the middle */
  ht_draws *draws = &plan->draws;
  double control[CONTROLS_MAX][4], side[3], first, last;
  int u = (int)ht_draw(draws, 0, 5), count = 0;
  if (u > 2) u = 2;
  for (int a = 0; a < 3; a++) side[a] = plan->grid.dim[a] * plan->grid.spacing_mm[a];
  double length = side[u], step = step_voxels * plan->voxel_mm;
  profile p = profile_draw(plan, length);
  wave w[3];
  for (int a = 0; a < 3; a++)
    w[a] = wave_draw(draws, length, p.radius_mm, 0.5 * side[a] - p.radius_mm - 5 * plan->voxel_mm);
  first = length * (ht_draw_is(draws, 0.3) ? ht_draw(draws, cut[0], cut[1]) : whole);
  last = length * (ht_draw_is(draws, 0.3) ? ht_draw(draws, cut[0], cut[1]) : whole);
  plan->ends_inside[0] = first < whole * length;
  plan->ends_inside[1] = last < whole * length;
  for (double t = -first; t < last && count < CONTROLS_MAX; t += step, count++) {
    double at[3];
    for (int a = 0; a < 3; a++)
      at[a] = a == u ? t : w[a].middle + w[a].amplitude * sin(w[a].number * t + w[a].phase);
    ht_grid_to_lps(&plan->grid, at, control[count]);
    control[count][3] = radius_at(&p, t);
    if (p.fork_radius_mm > 0 && t < p.fork_at_mm) plan->fork = count;
  }
  ht_tube_spline(&plan->wanted.tube[0], control, count, 4 * step);
}

/* ---- What leaves it ---- */

/* A branch from point `foot` of tube 0: a parabola that turns towards the main tube's direction. */
typedef struct {
  int foot, count;
  double radius_mm, length_mm;
  double within_mm; /* least length within the scan */
  double control[CONTROLS_MAX][4];
} branch;

static void branch_lay(ht_scene_plan *plan, const double angle[2], branch *b) {
  ht_draws *draws = &plan->draws;
  const ht_tube *tube = &plan->wanted.tube[0];
  double along[3], across[3], lean = ht_draw(draws, angle[0], angle[1]) * HT_PI / 180;
  double bend = ht_draw(draws, -0.3, 0.6), step = step_voxels * plan->voxel_mm;
  double reach = fmax(b->length_mm, 20 * b->radius_mm);
  ht_scene_along(tube, b->foot, along);
  ht_scene_across(plan, b->foot, ht_draw(draws, 0, 2 * HT_PI), across);
  for (b->count = 0; b->count < CONTROLS_MAX; b->count++) {
    double s = b->count * step, *at = b->control[b->count];
    for (int c = 0; c < 3; c++)
      at[c] = tube->point[b->foot][c] + s * (cos(lean) * along[c] + sin(lean) * across[c]) +
              bend * s * s / (2 * reach) * (along[c] - across[c]);
    at[3] = b->radius_mm;
    if (s > b->length_mm) return;
    if (ht_scene_depth(&plan->grid, at) < -10 * plan->voxel_mm - b->radius_mm) return;
  }
}

/* The least free space between the branch, beyond its root, and the vessel so far, mm; less where
 * it leaves the scan too early. */
static double branch_clearance(const ht_scene_plan *plan, const branch *b) {
  double clear = HUGE_VAL, within = 0,
         root = 2.2 * plan->wanted.tube[0].point[b->foot][3] + 2 * b->radius_mm;
  for (int i = 0; i < b->count; i += 3) {
    double way = ht_distance(b->control[i], b->control[0]);
    if (ht_scene_depth(&plan->grid, b->control[i]) > 0) within = fmax(within, way);
    if (way < root) continue;
    double away = ht_scene_lumen_distance(plan, b->control[i], NULL) - b->radius_mm;
    clear = fmin(clear, away);
  }
  return fmin(clear, within - b->within_mm + 3 * plan->voxel_mm);
}

/* Draws the next tube of the wanted vessel, the best of some. */
static void branch_draw(ht_scene_plan *plan, const double angle[2], branch *b) {
  branch best = *b;
  double clear = -HUGE_VAL;
  for (int n = 0; n < TRIES && clear < 3 * plan->voxel_mm; n++) {
    branch_lay(plan, angle, b);
    double is = branch_clearance(plan, b);
    if (is <= clear) continue;
    clear = is;
    best = *b;
  }
  ht_tube *tube = &plan->wanted.tube[plan->wanted.tubes++];
  ht_tube_spline(tube, best.control, best.count, 4 * step_voxels * plan->voxel_mm);
  tube->blend_mm = 0.4 * b->radius_mm;
}

/* A point of tube 0 at a share of its way. */
static int point_at(const ht_scene_plan *plan, double share) {
  const ht_tube *tube = &plan->wanted.tube[0];
  int i = 0;
  double at = share * plan->along_mm[tube->points - 1];
  while (i + 1 < tube->points && plan->along_mm[i] < at) i++;
  return i;
}

static void daughter_draw(ht_scene_plan *plan) {
  const ht_tube *tube = &plan->wanted.tube[0];
  double first = tube->point[tube->points - 1][3], parent = 0.5 * plan->diameter_mm;
  double cube = pow(parent, 3) - pow(first, 3); /* Murray's law */
  branch b = {.foot = plan->fork, .radius_mm = fmin(first, cbrt(fmax(cube, pow(0.6 * parent, 3))))};
  b.length_mm = 300;
  b.within_mm = 2.5 * plan->diameter_mm;
  branch_draw(plan, (double[2]){35, 65}, &b);
  plan->daughters = 1;
}

static void side_branches_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  int count = (int)ht_draw(draws, 1, 3.999);
  for (int n = 0; n < count; n++) {
    branch b = {.foot = point_at(plan, ht_draw(draws, 0.28, 0.72))};
    if (plan->daughters && plan->along_mm[b.foot] > plan->along_mm[plan->fork] - plan->diameter_mm)
      b.foot = point_at(plan, ht_draw(draws, 0.2, 0.35));
    b.radius_mm = fmax(plan->wanted.tube[0].point[b.foot][3] * ht_draw(draws, 0.3, 0.7),
                       0.8 * plan->voxel_mm);
    b.length_mm = ht_draw_is(draws, 0.7) ? 300 : 2 * b.radius_mm * ht_draw(draws, 3, 8);
    branch_draw(plan, (double[2]){45, 90}, &b);
  }
}

static void sac_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  int at = point_at(plan, ht_draw(draws, 0.33, 0.67));
  const double *foot = plan->wanted.tube[0].point[at];
  double across[3], radius = foot[3] * ht_draw(draws, 0.9, 1.6);
  radius = fmax(radius, 2 * plan->voxel_mm);
  ht_scene_across(plan, at, ht_draw(draws, 0, 2 * HT_PI), across);
  for (int c = 0; c < 3; c++) plan->wanted.sac[c] = foot[c] + (foot[3] + 0.6 * radius) * across[c];
  plan->wanted.sac[3] = radius;
  plan->wanted.sac_blend_mm = 0.3 * foot[3];
}

/* ---- The planes of the points ---- */

/* Finds, from the end of a tube inwards, the point whose plane is the end of what counts. */
static int plane_at(ht_scene_plan *plan, const ht_tube *tube, int last, int ends_inside) {
  double more = ht_draw(&plan->draws, 0, 4) * plan->voxel_mm;
  int step = last ? -1 : 1, i = last ? tube->points - 1 : 0;
  double radius = tube->point[i][3];
  double least = ends_inside ? 0.8 * radius + more : 3 * plan->voxel_mm + more;
  int tip = i;
  for (; i + step >= 0 && i + step < tube->points; i += step) {
    if (ht_scene_depth(&plan->grid, tube->point[i]) < 3 * plan->voxel_mm) continue;
    if (!ends_inside && ht_scene_depth(&plan->grid, tube->point[i]) >= least) break;
    if (ends_inside && ht_distance(tube->point[i], tube->point[tip]) >= least) break;
  }
  return i;
}

ht_status ht_scene_vessel_draw(ht_scene_plan *plan) {
  ht_shape *wanted = &plan->wanted;
  wanted->tubes = 1;
  main_tube_draw(plan);
  HT_TRY(ht_scene_frames_make(plan));
  if (plan->has & HT_SCENE_BIFURCATION) daughter_draw(plan);
  if (plan->has & HT_SCENE_SIDE_BRANCHES) side_branches_draw(plan);
  if (plan->has & HT_SCENE_SAC) sac_draw(plan);
  plan->gap = plan->has & HT_SCENE_GAP ? point_at(plan, ht_draw(&plan->draws, 0.35, 0.65)) : -1;
  plan->span[0].from = plane_at(plan, &wanted->tube[0], 0, plan->ends_inside[0]);
  plan->span[0].to = plane_at(plan, &wanted->tube[0], 1, plan->ends_inside[1]);
  if (plan->daughters) plan->span[1] = (ht_scene_span){0, plane_at(plan, &wanted->tube[1], 1, 0)};
  return HT_OK;
}

/* ---- The points ---- */

/* Draws a click next to the axis, in the plane of its point i; 0 where nobody would click. */
static int click(ht_scene_plan *plan, const ht_tube *tube, int i, int outside, double point[3]) {
  ht_draws *draws = &plan->draws;
  const double *at = tube->point[i];
  double along[3], across[2][3], angle = ht_draw(draws, 0, 2 * HT_PI);
  double away = 0.7 * at[3] * sqrt(ht_draw(draws, 0, 1));
  if (outside) away = at[3] + ht_draw(draws, 0, 2);
  ht_scene_along(tube, i, along);
  ht_span_across(along, across);
  for (int c = 0; c < 3; c++)
    point[c] = at[c] + away * (cos(angle) * across[0][c] + sin(angle) * across[1][c]);
  if (ht_scene_depth(&plan->grid, point) < plan->voxel_mm) return 0;
  double lumen = ht_scene_lumen_distance(plan, point, NULL), clear = plan->voxel_mm;
  if (ht_scene_spots_distance(plan, point) < clear) return 0;
  if (!outside) return lumen < 0;
  /* Outside, the wanted vessel is the nearest. */
  for (int n = 0; n < plan->others; n++)
    if (ht_scene_other_distance(&plan->other[n], point, lumen) < lumen + clear) return 0;
  return lumen > 0 && ht_scene_bone_distance(plan, point, lumen) > lumen + clear;
}

static void point_draw(ht_scene_plan *plan, const ht_tube *tube, int i, ht_scene *scene) {
  double *point = scene->point_mm[scene->points++];
  int outside = ht_draw_is(&plan->draws, 0.12);
  for (int n = 0; n < TRIES; n++)
    if (click(plan, tube, i, outside && n < TRIES / 2, point)) return;
  memcpy(point, tube->point[i], 3 * sizeof(double));
}

void ht_scene_points_draw(ht_scene_plan *plan, ht_scene *scene) {
  const ht_tube *tube = plan->wanted.tube;
  point_draw(plan, &tube[0], plan->span[0].from, scene);
  point_draw(plan, &tube[0], plan->span[0].to, scene);
  if (plan->daughters) point_draw(plan, &tube[1], plan->span[1].to, scene);
}
