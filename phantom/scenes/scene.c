#include "phantom/scenes/scene.h"
#include "phantom/scenes/scene_draw.h"
#include "phantom/scenes/scene_geometry.h"
#include "phantom/scenes/scene_image.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_scene_words[HT_SCENE_WORDS] = {
    "bone",        "kissing",     "vein",          "calcium", "stent",     "streaks",
    "inflow loss", "bifurcation", "side branches", "sac",     "narrowing", "gap"};

const char *const ht_scene_kind_words[HT_SCENE_KINDS] = {"CTA", "TOF", "3DRA"};
static const char *const modality[HT_SCENE_KINDS] = {"CT", "MR", "XA"};

/* ---- The truth ---- */

double ht_scene_distance(const ht_scene *scene, const double position_mm[3]) {
  return fmax(ht_scene_lumen_distance(scene->plan, position_mm, NULL),
              -ht_scene_spots_distance(scene->plan, position_mm));
}

/* The way from a place to the nearer of the planes of a span, > 0 inside, along the tube. */
static double within(const ht_tube *tube, const ht_scene_span *span, int at, const double p[3]) {
  double least = HUGE_VAL;
  for (int end = 0; end < 2; end++) {
    int i = end ? span->to : span->from;
    double along[3], way = 0;
    ht_scene_along(tube, i, along);
    for (int c = 0; c < 3; c++) way += (p[c] - tube->point[i][c]) * along[c];
    /* Far from the plane the tube may bend back: there its own order counts. */
    double near = ht_distance(p, tube->point[i]);
    if (near > 3 * tube->point[i][3] + 3 * tube->point[at][3]) way = at > i ? near : -near;
    least = fmin(least, end ? -way : way);
  }
  return least;
}

/* Tells whether a place lies in a side branch, or in its mouth. */
static int in_side(const ht_scene_plan *plan, const double p[3]) {
  double voxel = plan->voxel_mm, side = HUGE_VAL, rest = HUGE_VAL;
  const ht_shape *wanted = &plan->wanted;
  for (int n = 0; n < wanted->tubes; n++) {
    double away = ht_tube_distance(&wanted->tube[n], p, HUGE_VAL, NULL);
    if (n > plan->daughters)
      side = fmin(side, away);
    else
      rest = fmin(rest, away);
  }
  return side < 3 * voxel && rest > -voxel;
}

int ht_scene_counts(const ht_scene *scene, const double position_mm[3]) {
  const ht_scene_plan *plan = scene->plan;
  const ht_tube *tube = plan->wanted.tube;
  int which = 0, at = 0;
  double least = HUGE_VAL, away;
  for (int n = 0; n <= plan->daughters; n++) {
    int i = ht_scene_nearest(&tube[n], position_mm, &away);
    if (away - tube[n].point[i][3] >= least) continue;
    least = away - tube[n].point[i][3];
    at = i;
    which = n;
  }
  ht_scene_span span = plan->span[which];
  double inside = which ? within(&tube[1], &(ht_scene_span){-1, span.to}, at, position_mm)
                        : within(&tube[0], &span, at, position_mm);
  if (inside < 0.5 * tube[which].point[at][3] + plan->voxel_mm) return 0;
  return !in_side(plan, position_mm);
}

int ht_scene_is_plain(const ht_scene *scene, int path, int station) {
  const ht_scene_plan *plan = scene->plan;
  const ht_shape *wanted = &plan->wanted;
  const double *p = scene->path[path].station[station];
  double reach = 1.3 * p[3] + 2 * plan->voxel_mm;
  if (!ht_scene_counts(scene, p)) return 0;
  if (wanted->sac[3] > 0 && ht_distance(p, wanted->sac) < wanted->sac[3] + reach) return 0;
  for (int n = 1; n < wanted->tubes; n++) {
    double root = ht_distance(p, wanted->tube[n].point[0]);
    int daughter = n <= plan->daughters;
    if (root < (daughter ? 4 : 1) * p[3] + wanted->tube[n].point[0][3] + reach) return 0;
  }
  return 1;
}

/* ---- Centrelines ---- */

static ht_status path_make(const ht_scene_plan *plan, int which, ht_scene_path *path) {
  const ht_tube *tube = plan->wanted.tube;
  int from = plan->span[0].from, main_to = which ? plan->fork : plan->span[0].to;
  int count = main_to - from + 1 + (which ? plan->span[1].to : 0);
  HT_TRY(ht_alloc((void **)&path->station, (size_t)count, sizeof *path->station,
                  "a scene's centreline"));
  for (int i = from; i <= main_to; i++)
    memcpy(path->station[path->stations++], tube[0].point[i], sizeof *path->station);
  for (int i = 1; which && i <= plan->span[1].to; i++)
    memcpy(path->station[path->stations++], tube[1].point[i], sizeof *path->station);
  return HT_OK;
}

/* ---- The text ---- */

static void text_add(char *text, size_t size, const char *word) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, ", %s", word);
}

static void text_make(const ht_scene_plan *plan, ht_scene *scene) {
  const ht_grid *grid = &plan->grid;
  snprintf(scene->text, sizeof scene->text,
           "%s %d x %d x %d, %.2f x %.2f x %.2f mm, %.1f voxels (%.1f mm) across, noise %.1f %%, "
           "blur %.2f",
           ht_scene_kind_words[plan->kind], grid->dim[0], grid->dim[1], grid->dim[2],
           grid->spacing_mm[0], grid->spacing_mm[1], grid->spacing_mm[2],
           plan->diameter_mm / plan->voxel_mm, plan->diameter_mm, 100 * plan->noise, plan->blur);
  for (int n = 0; n < HT_SCENE_WORDS; n++) {
    char word[64];
    if (!(plan->has >> n & 1)) continue;
    snprintf(word, sizeof word, "%s", ht_scene_words[n]);
    if (1u << n == HT_SCENE_NARROWING)
      snprintf(word, sizeof word, "narrowing %.0f %%", plan->narrowing_percent);
    if (1u << n == HT_SCENE_INFLOW_LOSS)
      snprintf(word, sizeof word, "inflow loss %.0f %%", 100 * plan->loss);
    if (1u << n == HT_SCENE_BONE)
      snprintf(word, sizeof word, "bone %.1f mm away", plan->bone_clear_mm);
    text_add(scene->text, sizeof scene->text, word);
  }
}

/* ---- The whole ---- */

static ht_status fill(const ht_progress *progress, ht_scene *scene) {
  ht_scene_plan *plan = scene->plan;
  HT_TRY(ht_scene_plan_draw(plan, scene));
  scene->kind = plan->kind;
  scene->has = plan->has;
  scene->voxel_mm = plan->voxel_mm;
  scene->diameter_mm = plan->diameter_mm;
  text_make(plan, scene);
  for (int n = 0; n + 1 < scene->points; n++) HT_TRY(path_make(plan, n, &scene->path[n]));
  HT_TRY(ht_volume_alloc(&plan->grid, &scene->scan));
  HT_TRY(ht_volume_alloc(&plan->grid, &scene->distance));
  HT_TRY(ht_mask_alloc(&plan->grid, &scene->truth));
  snprintf(scene->scan.modality, sizeof scene->scan.modality, "%s", modality[plan->kind]);
  return ht_scene_paint(plan, progress, scene);
}

ht_status ht_scene_make(uint64_t seed, const ht_progress *progress, ht_scene *scene) {
  memset(scene, 0, sizeof *scene);
  scene->seed = seed;
  HT_TRY(ht_alloc((void **)&scene->plan, 1, sizeof *scene->plan, "a scene"));
  scene->plan->seed = seed;
  ht_status status = fill(progress, scene);
  if (status != HT_OK) ht_scene_free(scene);
  return status;
}

void ht_scene_free(ht_scene *scene) {
  if (!scene) return;
  ht_volume_free(&scene->scan);
  ht_volume_free(&scene->distance);
  ht_mask_free(&scene->truth);
  for (int n = 0; n < HT_SCENE_POINTS_MAX - 1; n++) free(scene->path[n].station);
  ht_scene_plan_free(scene->plan);
  memset(scene, 0, sizeof *scene);
}
