/* Makes the scan of a scene from its plan. */
#include "phantom/image/padded_image.h"
#include "phantom/scenes/scene_image.h"
#include "phantom/scenes/scene_geometry.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>

enum { PAD = 5 }; /* 6 sigma of the widest blur */

static uint64_t stream(const ht_scene_plan *plan, int which) {
  return ht_random_stream(plan->seed, which);
}

static double mix(double value, double other, double share) {
  return value + share * (other - value);
}

/* A place by the nearest point of tube 0. */
typedef struct {
  int at;
  double along_mm, away_mm; /* from that point, along the axis and across it */
  double angle;             /* about the axis, in turns */
} axis_place;

static axis_place place_of(const ht_scene_plan *plan, const double p[3]) {
  const ht_tube *tube = &plan->wanted.tube[0];
  double to[3], along[3], other[3];
  int at = ht_scene_nearest(tube, p, NULL);
  for (int c = 0; c < 3; c++) to[c] = p[c] - tube->point[at][c];
  ht_scene_along(tube, at, along);
  ht_cross(along, plan->normal[at], other);
  double first = ht_dot(to, plan->normal[at]), second = ht_dot(to, other);
  return (axis_place){at, ht_dot(to, along), hypot(first, second),
                      atan2(second, first) / (2 * HT_PI)};
}

/* The lumen's brightness at a place. */
static double blood_at(const ht_scene_plan *plan, const double p[3]) {
  double mixing = ht_random_texture(stream(plan, HT_SCENE_STREAM_BLOOD), p, 3 * plan->diameter_mm);
  double share = 1 + 0.02 * mixing;
  if (plan->loss == 0 && plan->gap < 0) return mix(plan->tissue, plan->blood, share);
  const ht_tube *tube = &plan->wanted.tube[0];
  axis_place place = place_of(plan, p);
  double way = plan->along_mm[place.at] + place.along_mm;
  share -= plan->loss * way / plan->along_mm[tube->points - 1];
  if (plan->gap >= 0 && place.away_mm < 1.5 * tube->point[place.at][3]) {
    double from = fabs(way - plan->along_mm[plan->gap]) - plan->voxel_mm; /* two voxels wide */
    share *= 1 - ht_partial_share(from, plan->voxel_mm);
  }
  return mix(plan->tissue, plan->blood, share);
}

static double bone_at(const ht_scene_plan *plan, const double p[3], double depth_mm) {
  double grain = ht_random_texture(stream(plan, HT_SCENE_STREAM_BONE), p, 1.3);
  double spongy = plan->bone_spongy + 0.15 * (plan->bone_spongy - plan->tissue) * grain;
  double inside = ht_partial_share(plan->bone_shell_mm - depth_mm, plan->voxel_mm);
  return mix(plan->bone_compact, spongy, inside);
}

/* Brightness that the mesh adds near the wall of tube 0: wires thinner than a voxel. */
static double stent_at(const ht_scene_plan *plan, const double p[3], double lumen_mm) {
  const ht_scene_stent *stent = &plan->stent;
  double width = 0.5 * plan->voxel_mm, sum = 0;
  if (stent->wires == 0 || lumen_mm > 3 * width) return 0;
  axis_place place = place_of(plan, p);
  double radius = plan->wanted.tube[0].point[place.at][3], wall = place.away_mm - radius;
  if (place.at < stent->from || place.at > stent->to || fabs(wall) > 3 * width) return 0;
  double turns = (plan->along_mm[place.at] + place.along_mm) / stent->turn_mm;
  double apart = 2 * HT_PI * radius / stent->wires;
  for (int family = -1; family <= 1; family += 2) {
    double phase = stent->wires * (turns + family * place.angle);
    double away = (phase - nearbyint(phase)) * apart;
    sum += exp(-0.5 * away * away / (width * width));
  }
  return stent->value * sum * exp(-0.5 * wall * wall / (width * width));
}

/* Rays in the slices away from a dense place. */
static double streaks_at(const ht_scene_plan *plan, const double p[3]) {
  double x = p[0] - plan->streak_centre_mm[0], y = p[1] - plan->streak_centre_mm[1];
  double r = hypot(x, y), reach = 3 * plan->diameter_mm;
  if (r < 1e-9) return 0;
  const double at[3] = {3 * x / r, 3 * y / r, p[2] / (2 * plan->diameter_mm)};
  double ray = 2 * ht_random_texture(stream(plan, HT_SCENE_STREAM_STREAKS), at, 0.5);
  return plan->streak * ray * fmin(1, r / plan->diameter_mm) / (1 + r / reach);
}

static double tissue_at(const ht_scene_plan *plan, const double p[3], double lumen_mm) {
  double value = ht_soft_tissue_at(&plan->soft, p);
  if (plan->has & HT_SCENE_BONE) {
    double bone = ht_scene_bone_distance(plan, p, lumen_mm);
    double share = ht_partial_share(bone, plan->voxel_mm);
    if (share > 0) value = mix(value, bone_at(plan, p, -bone), share);
  }
  for (int n = 0; n < plan->others; n++) {
    double away = ht_scene_other_distance(&plan->other[n], p, lumen_mm);
    value = mix(value, plan->other[n].value, ht_partial_share(away, plan->voxel_mm));
  }
  return value;
}

/* Value without blur and noise; *distance_mm: distance from the lumen's wall. */
static double value_at(const ht_scene_plan *plan, const double p[3], double *distance_mm) {
  double gradient[3], lumen = ht_scene_lumen_distance(plan, p, gradient);
  double share = ht_partial_share(lumen, ht_partial_width(&plan->grid, gradient));
  double value = share < 1 ? tissue_at(plan, p, lumen) : 0;
  if (share > 0) value = mix(value, blood_at(plan, p), share);
  double spots = ht_scene_spots_distance(plan, p);
  value = mix(value, plan->spot_value, ht_partial_share(spots, plan->voxel_mm));
  value += stent_at(plan, p, lumen);
  if (plan->streak > 0) value += streaks_at(plan, p);
  if (plan->shading > 0) {
    double side = plan->grid.dim[0] * plan->grid.spacing_mm[0];
    value *= 1 + plan->shading * ht_random_texture(stream(plan, HT_SCENE_STREAM_SHADING), p, side);
  }
  *distance_mm = fmax(lumen, -spots);
  return value;
}

static void paint_row(const ht_scene_plan *plan, ht_scene *scene, ht_padded_image *image, int j,
                      int k) {
  float *row = image->value + ((int64_t)k * image->dim[1] + j) * image->dim[0];
  for (int i = 0; i < image->dim[0]; i++) {
    double index[3] = {i - PAD, j - PAD, k - PAD}, p[3], distance;
    int at[3] = {i - PAD, j - PAD, k - PAD};
    ht_grid_position(&plan->grid, index, p);
    row[i] = (float)value_at(plan, p, &distance);
    if (!ht_voxel_in_grid(plan->grid.dim, at)) continue;
    int64_t voxel = ht_voxel_index(plan->grid.dim, at);
    scene->distance.values[voxel] = (float)distance;
    scene->truth.inside[voxel] = distance < 0;
  }
}

static ht_status paint_all(const ht_scene_plan *plan, const ht_progress *progress, ht_scene *scene,
                           ht_padded_image *image) {
  for (int k = 0; k < image->dim[2]; k++) {
    HT_TRY(ht_progress_report(progress, "phantom", k, image->dim[2], ""));
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < image->dim[1]; j++) paint_row(plan, scene, image, j, k);
  }
  return HT_OK;
}

ht_status ht_scene_paint(const ht_scene_plan *plan, const ht_progress *progress, ht_scene *scene) {
  ht_status status = HT_OK;
  ht_padded_image image;
  HT_TRY_DONE(ht_padded_image_make(&plan->grid, PAD, &image));
  HT_TRY_DONE(paint_all(plan, progress, scene, &image));
  HT_TRY_DONE(ht_padded_image_blur(&image, plan->blur));
  ht_padded_image_finish(&image, stream(plan, HT_SCENE_STREAM_NOISE),
                         plan->noise * (plan->blood - plan->tissue), &scene->scan);
done:
  free(image.value);
  return status;
}
