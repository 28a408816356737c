/* Obstacles to finding the wanted vessel of a scene. */
#include "phantom/scenes/scene_others.h"
#include "phantom/scenes/scene_geometry.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

enum { CONTROLS_MAX = 420, TRIES = 30 };

/* ---- Other vessels ---- */

/* A vessel that runs beside tube 0 for `stretch_mm` around its point `at`, with `gap_mm` between
 * the walls, and leaves it before and after. */
typedef struct {
  int at;
  double angle, radius_mm, gap_mm, stretch_mm, flare; /* flare: how fast it leaves, 1/mm */
} neighbour;

static void neighbour_at(const ht_scene_plan *plan, const neighbour *n, int i, double out[4]) {
  const double *axis = plan->wanted.tube[0].point[i];
  double across[3], past = fabs(plan->along_mm[i] - plan->along_mm[n->at]) - 0.5 * n->stretch_mm;
  double away = plan->wanted.tube[0].point[n->at][3] + n->radius_mm + n->gap_mm;
  away = fmax(away, axis[3] + n->radius_mm + n->gap_mm);
  if (past > 0) away += past * past * n->flare / (1 + past * n->flare);
  ht_scene_across(plan, i, n->angle, across);
  for (int c = 0; c < 3; c++) out[c] = axis[c] + away * across[c];
  out[3] = n->radius_mm;
}

/* Lays its points, evenly enough: where the axis bends towards it they would crowd. */
static int neighbour_lay(const ht_scene_plan *plan, const neighbour *n,
                         double control[CONTROLS_MAX][4]) {
  const ht_tube *tube = &plan->wanted.tube[0];
  int count = 0;
  for (int i = 0; i < tube->points && count < CONTROLS_MAX; i++) {
    double at[4];
    neighbour_at(plan, n, i, at);
    if (count && ht_distance(at, control[count - 1]) < 1.5 * plan->voxel_mm) continue;
    memcpy(control[count++], at, sizeof at);
  }
  return count;
}

/* Depth, mm, to which it reaches into the wanted vessel or into others where it should not; at best
 * 0. */
static double neighbour_clash(const ht_scene_plan *plan, const neighbour *n,
                              double control[CONTROLS_MAX][4], int count) {
  double worst = 0;
  for (int i = 0; i < count; i++) {
    double away = ht_scene_lumen_distance(plan, control[i], NULL) - n->radius_mm;
    worst = fmax(worst, fmin(n->gap_mm, 0.5 * plan->voxel_mm) - away);
    for (int k = 0; k < plan->others; k++) {
      const ht_tube *other = &plan->other[k].tube;
      double apart = ht_tube_distance(other, control[i], 2 * n->radius_mm, NULL) - n->radius_mm;
      worst = fmax(worst, -0.25 * apart); /* matters less: the truth is not in it */
    }
  }
  return worst;
}

static void neighbour_draw(ht_scene_plan *plan, const double radius[2], const double gap_mm[2],
                           const double stretch[2], double value) {
  ht_draws *draws = &plan->draws;
  const ht_tube *tube = &plan->wanted.tube[0];
  double control[CONTROLS_MAX][4], least = HUGE_VAL, half = 0.5 * plan->diameter_mm;
  neighbour best = {0};
  for (int n = 0; n < TRIES && least > 0; n++) {
    neighbour one = {.at = (int)(tube->points * ht_draw(draws, 0.25, 0.75)),
                     .angle = ht_draw(draws, 0, 2 * HT_PI),
                     .radius_mm = half * ht_draw(draws, radius[0], radius[1]),
                     .gap_mm = ht_draw(draws, gap_mm[0], gap_mm[1])};
    one.radius_mm = fmax(one.radius_mm, 1.5 * plan->voxel_mm);
    one.stretch_mm = half * ht_draw(draws, stretch[0], stretch[1]);
    one.flare = ht_draw(draws, 0.1, 0.35) / half;
    double clash = neighbour_clash(plan, &one, control, neighbour_lay(plan, &one, control));
    if (clash >= least) continue;
    least = clash;
    best = one;
  }
  ht_scene_other *other = &plan->other[plan->others++];
  int count = neighbour_lay(plan, &best, control);
  ht_tube_spline(&other->tube, control, count, 4 * plan->voxel_mm);
  other->clear_mm = best.gap_mm;
  other->value = value;
}

static void vessels_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  double contrast = plan->blood - plan->tissue, voxel = plan->voxel_mm;
  if (plan->has & HT_SCENE_KISSING)
    neighbour_draw(plan, (double[2]){0.5, 1.1}, (double[2]){0, 0.5 * voxel}, (double[2]){1, 8},
                   plan->tissue + contrast * ht_draw(draws, 0.75, 1));
  if (!(plan->has & HT_SCENE_VEIN)) return;
  int count = (int)ht_draw(draws, 1, 2.999);
  for (int n = 0; n < count; n++) {
    int touches = ht_draw_is(draws, 0.4);
    double gap[2] = {touches ? 0 : 1.5 * voxel, touches ? 0.5 * voxel : 8 * voxel};
    neighbour_draw(plan, (double[2]){0.5, 1.3}, gap, (double[2]){2, 15},
                   plan->tissue + contrast * ht_draw(draws, 0.6, 1));
  }
}

/* ---- Bone ---- */

/* An ellipsoid that the vessel touches or runs through, carved around it. */
static void bone_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  ht_shape *shape = &plan->wanted;
  int at = (int)(shape->tube[0].points * ht_draw(draws, 0.25, 0.75));
  double across[3], size = fmax(6, plan->diameter_mm * ht_draw(draws, 0.8, 2)), square = 0;
  ht_scene_across(plan, at, ht_draw(draws, 0, 2 * HT_PI), across);
  for (int c = 0; c < 3; c++) {
    shape->bone_radii_mm[c] = size * ht_draw(draws, 0.7, 1.5);
    square += across[c] * across[c] / (shape->bone_radii_mm[c] * shape->bone_radii_mm[c]);
  }
  plan->bone_clear_mm = ht_draw(draws, 0, 1.5);
  plan->bone_shell_mm = ht_draw(draws, 0.8, 2.2);
  double way =
      shape->tube[0].point[at][3] + plan->bone_clear_mm + ht_draw(draws, 0.65, 0.98) / sqrt(square);
  for (int c = 0; c < 3; c++) shape->bone_mm[c] = shape->tube[0].point[at][c] + way * across[c];
  double contrast = plan->blood - plan->tissue;
  plan->bone_compact = ht_draw(draws, 800, 1200);
  plan->bone_spongy = plan->tissue + contrast * ht_draw(draws, 0.7, 1.1);
  if (plan->kind != HT_SCENE_3DRA) return;
  plan->bone_compact = plan->tissue + contrast * ht_draw(draws, 0.35, 0.6);
  plan->bone_spongy = plan->tissue + contrast * ht_draw(draws, 0.15, 0.3);
}

/* ---- On the wall ---- */

static void spot_draw(ht_scene_plan *plan, ht_scene_spot *spot) {
  ht_draws *draws = &plan->draws;
  const ht_tube *tube = &plan->wanted.tube[0];
  int i = (int)(tube->points * ht_draw(draws, 0.2, 0.8));
  double angle = ht_draw(draws, 0, 2 * HT_PI), radius = tube->point[i][3];
  spot->radius_mm = fmax(radius / 3 * ht_draw(draws, 0.4, 1), 0.4 * plan->voxel_mm);
  double length = spot->radius_mm * ht_draw(draws, 0, 3);
  int j = i;
  while (j + 1 < tube->points && plan->along_mm[j] < plan->along_mm[i] + length) j++;
  double outside = spot->radius_mm * ht_draw(draws, 0.2, 0.8), across[3];
  for (int end = 0; end < 2; end++) {
    int at = end ? j : i;
    double *to = end ? spot->to_mm : spot->from_mm;
    ht_scene_across(plan, at, angle, across);
    for (int c = 0; c < 3; c++)
      to[c] = tube->point[at][c] + (tube->point[at][3] + outside) * across[c];
  }
}

static void calcium_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  int count = (int)ht_draw(draws, 2, HT_SCENE_SPOTS_MAX + 0.999);
  for (int n = 0; n < count; n++) spot_draw(plan, &plan->spot[n]);
  plan->spots = count;
  plan->spot_value = plan->blood + (plan->blood - plan->tissue) * ht_draw(draws, 0.8, 2.2);
}

static void stent_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  const ht_tube *tube = &plan->wanted.tube[0];
  double middle = ht_draw(draws, 0.35, 0.65), half = ht_draw(draws, 0.1, 0.2);
  plan->stent = (ht_scene_stent){.from = (int)(tube->points * (middle - half)),
                                 .to = (int)(tube->points * (middle + half)),
                                 .wires = (int)ht_draw(draws, 4, 8.999),
                                 .turn_mm = plan->diameter_mm * ht_draw(draws, 1.5, 3),
                                 .value = ht_draw(draws, 500, 1200)};
}

static void streaks_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  const ht_tube *tube = &plan->wanted.tube[0];
  int at = (int)(tube->points * ht_draw(draws, 0.2, 0.8));
  plan->streak = (plan->blood - plan->tissue) * ht_draw(draws, 0.08, 0.2);
  for (int c = 0; c < 3; c++)
    plan->streak_centre_mm[c] = tube->point[at][c] + plan->diameter_mm * ht_draw(draws, -2, 2);
}

void ht_scene_others_draw(ht_scene_plan *plan) {
  vessels_draw(plan);
  if (plan->has & HT_SCENE_BONE) bone_draw(plan);
  if (plan->has & HT_SCENE_CALCIUM) calcium_draw(plan);
  if (plan->has & HT_SCENE_STENT) stent_draw(plan);
  if (plan->has & HT_SCENE_STREAKS) streaks_draw(plan);
}
