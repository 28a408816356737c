#include "phantom/scenes/scene_draw.h"
#include "phantom/scenes/scene_others.h"
#include "phantom/scenes/scene_vessel.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>

/* ---- The scan ---- */

typedef struct {
  double spacing_mm[2], blood[2], tissue; /* spacing: least, most */
  double fat, muscle;                     /* least and most of soft tissue, over its value */
  double slice;                           /* thickest over a voxel's width */
} kind_row;

static const kind_row kinds[HT_SCENE_KINDS] = {
    [HT_SCENE_CTA] = {{0.3, 1.0}, {250, 450}, 40, -140, 40, 1.5},
    [HT_SCENE_TOF] = {{0.3, 0.7}, {800, 1200}, 250, -120, 110, 1.5},
    [HT_SCENE_3DRA] = {{0.3, 0.5}, {6000, 9000}, 500, -250, 300, 1},
};

static void grid_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  const kind_row *kind = &kinds[plan->kind];
  ht_grid *grid = &plan->grid;
  double middle[3], centre[3], slice = ht_draw(draws, 1, kind->slice);
  *grid = ht_grid_make(1, 1, 1);
  plan->voxel_mm = ht_draw(draws, kind->spacing_mm[0], kind->spacing_mm[1]);
  if (ht_draw_is(draws, 0.4)) slice = 1;
  for (int a = 0; a < 3; a++) {
    double thick = a == 2 ? slice : 1;
    grid->spacing_mm[a] = plan->voxel_mm * thick;
    grid->dim[a] = (int)ht_draw(draws, 80, 121 / thick);
    middle[a] = 0.5 * (grid->dim[a] - 1);
  }
  double axis[3];
  for (int c = 0; c < 3; c++) axis[c] = ht_draw(draws, -1, 1);
  if (ht_draw_is(draws, 0.5) && ht_normalise(axis))
    ht_turn(axis, ht_draw(draws, -25, 25), grid->direction);
  ht_grid_position(grid, middle, centre);
  for (int r = 0; r < 3; r++) grid->origin_mm[r] = -centre[r];
}

static void brightness_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  const kind_row *kind = &kinds[plan->kind];
  plan->blood = ht_draw(draws, kind->blood[0], kind->blood[1]);
  plan->tissue = kind->tissue;
  plan->noise = ht_draw(draws, 0.03, 0.1);
  plan->blur = ht_draw(draws, 0.5, 0.8);
  double contrast = plan->blood - plan->tissue, side[3];
  for (int a = 0; a < 3; a++) side[a] = plan->grid.dim[a] * plan->grid.spacing_mm[a];
  plan->soft = (ht_soft_tissue){.seed = plan->seed,
                                .scale = side[0] / 32,
                                .value = plan->tissue,
                                .coarse = 0.04 * contrast,
                                .fine = 0.02 * contrast,
                                .blobs = 24};
  ht_soft_tissue_scatter(&plan->soft, side, (double[2]){kind->fat, kind->muscle});
  if (plan->has & HT_SCENE_INFLOW_LOSS) {
    plan->loss = ht_draw(draws, 0.2, 0.5);
    plan->shading = ht_draw(draws, 0.05, 0.25);
  }
}

/* ---- What is in it ---- */

static unsigned draw_bit(ht_draws *draws, double share, unsigned bit) {
  return ht_draw_is(draws, share) ? bit : 0;
}

static unsigned disturbers_draw(ht_draws *draws, ht_scene_kind kind) {
  static const double share[HT_SCENE_KINDS][7] = {
      [HT_SCENE_CTA] = {0.5, 0.3, 0.4, 0.3, 0.12, 0, 0},
      [HT_SCENE_TOF] = {0, 0.4, 0.35, 0, 0, 0, 1},
      [HT_SCENE_3DRA] = {0.35, 0.3, 0.2, 0.1, 0, 0.6, 0},
  };
  unsigned has = 0;
  while (!has)
    for (int n = 0; n < 7; n++) has |= draw_bit(draws, share[kind][n], 1u << n);
  return has;
}

static void contents_draw(ht_scene_plan *plan, double across) {
  ht_draws *draws = &plan->draws;
  unsigned has = disturbers_draw(draws, plan->kind);
  has |= draw_bit(draws, across >= 6 ? 0.22 : 0, HT_SCENE_BIFURCATION);
  has |= draw_bit(draws, 0.35, HT_SCENE_SIDE_BRANCHES);
  has |= draw_bit(draws, 0.15, HT_SCENE_SAC);
  has |= draw_bit(draws, 0.3, HT_SCENE_NARROWING);
  has |= draw_bit(draws, 0.12, HT_SCENE_GAP);
  if (across < 6) has &= ~(unsigned)HT_SCENE_STENT;
  if (!(has & HT_SCENE_DISTURBERS)) has |= HT_SCENE_VEIN;
  plan->has = has;
}

/* ---- The whole ---- */

static void sizes_draw(ht_scene_plan *plan) {
  ht_draws *draws = &plan->draws;
  double least = fmax(4, 1.5 / plan->voxel_mm), most = 20;
  double across = least * pow(most / least, ht_draw(draws, 0, 1));
  plan->diameter_mm = across * plan->voxel_mm;
  contents_draw(plan, across);
}

ht_status ht_scene_plan_draw(ht_scene_plan *plan, ht_scene *scene) {
  plan->draws.stream = ht_random_stream(plan->seed, HT_SCENE_STREAM_PLAN);
  plan->kind = (ht_scene_kind)fmin(HT_SCENE_KINDS - 1, ht_draw(&plan->draws, 0, HT_SCENE_KINDS));
  grid_draw(plan);
  sizes_draw(plan);
  brightness_draw(plan);
  HT_TRY(ht_scene_vessel_draw(plan));
  ht_scene_others_draw(plan);
  ht_scene_points_draw(plan, scene);
  plan->wanted.far_mm = HT_SCENE_FAR_VOXELS * plan->voxel_mm;
  return HT_OK;
}

void ht_scene_plan_free(ht_scene_plan *plan) {
  if (!plan) return;
  free(plan->normal);
  free(plan->along_mm);
  free(plan);
}
