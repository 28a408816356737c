#include "phantom/labelled/labelled.h"
#include "phantom/labelled/labelled_draw.h"
#include "phantom/labelled/labelled_paint.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reach of the distance, a little over what is stored. */
static const float reach = 127.0f / HT_LABELLED_PER_VOXEL + 0.1f;

/* ---- Memory ---- */

static void images_free(ht_labelled_images *images) {
  free(images->value);
  free(images->kind);
}

static ht_status images_make(int edge, ht_labelled_images *images) {
  enum { IMAGES = 12 };
  *images = (ht_labelled_images){.voxels = (int64_t)edge * edge * edge};
  size_t voxels = (size_t)images->voxels;
  HT_TRY(ht_alloc((void **)&images->kind, voxels, 1, "a volume"));
  HT_TRY(ht_alloc((void **)&images->value, IMAGES * voxels, sizeof(float), "a volume"));
  float **image[] = {&images->place[0], &images->place[1], &images->place[2], &images->fine,
                     &images->lumps,    &images->vessel,   &images->bone,     &images->hard,
                     &images->blood,    &images->dense,    &images->spare};
  for (int n = 0; n < IMAGES - 1; n++) *image[n] = images->value + (size_t)(n + 1) * voxels;
  for (int64_t i = 0; i < images->voxels; i++)
    images->vessel[i] = images->bone[i] = images->hard[i] = HT_FAR;
  return HT_OK;
}

/* ---- Painting ---- */

static ht_status textures_make(const ht_labelled_plan *plan, ht_labelled_images *images) {
  HT_TRY(ht_texture_fill(plan, HT_STREAM_FINE, 2.3f, images->fine));
  HT_TRY(ht_texture_fill(plan, HT_STREAM_LUMPS, fmaxf(5, 9 / plan->mm), images->lumps));
  for (int a = 0; a < 3; a++)
    HT_TRY(ht_texture_fill(plan, HT_STREAM_WARP + a, plan->warp_cell, images->place[a]));
  return HT_OK;
}

/* Turns the warp in place[] into places in the body's axes. */
static void places_make(const ht_labelled_plan *plan, ht_labelled_images *images) {
  int edge = plan->edge;
  float middle = 0.5f * (float)(edge - 1);
  int64_t at = 0;
  for (int k = 0; k < edge; k++)
    for (int j = 0; j < edge; j++)
      for (int i = 0; i < edge; i++, at++) {
        const float p[3] = {((float)i - middle) * plan->spacing[0],
                            ((float)j - middle) * plan->spacing[1],
                            ((float)k - middle) * plan->spacing[2]};
        for (int a = 0; a < 3; a++) {
          const float *row = plan->turn[a];
          images->place[a][at] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + plan->move[a] +
                                 plan->warp * images->place[a][at];
        }
      }
}

static float share_of(float distance) {
  return fminf(fmaxf(0.5f - distance, 0), 1);
}

/* Compact bone with marrow inside it. */
static float bone_value(const ht_labelled_plan *plan, const ht_labelled_images *images, int64_t at,
                        float depth) {
  float grain = images->fine[at], spongy = plan->value[HT_TISSUE_MARROW] * (1 + 0.6f * grain);
  float compact = plan->value[HT_TISSUE_CORTEX] * (1 + 0.15f * images->lumps[at]);
  return spongy + share_of(depth - plan->shell) * (compact - spongy);
}

static void mix(float *value, float other, float share) {
  *value += share * (other - *value);
}

static float blood_value(const ht_labelled_plan *plan, const ht_labelled_images *images,
                         int64_t at) {
  float mixing = plan->mixing * (images->kind[at] == HT_LABEL_ARTERY ? 1 : plan->vein_mixing);
  return images->blood[at] + fminf(mixing, 0.3f) * plan->contrast * images->lumps[at];
}

/* Bone leaves a gap around a vessel; a vessel stays below the skin. Leaves in `spare` by how much
 * the vessels change the scan. */
static void compose(const ht_labelled_plan *plan, ht_labelled_images *images) {
  int has_skin = !(plan->has & HT_LABELLED_BLOBS);
  for (int64_t i = 0; i < images->voxels; i++) {
    float *value = &images->value[i], *vessel = &images->vessel[i], *bone = &images->bone[i];
    if (plan->has & HT_LABELLED_MASKED && *vessel < reach)
      *vessel = fmaxf(*vessel, ht_mask_distance(plan, i));
    if (has_skin && *vessel < reach)
      *vessel = fmaxf(*vessel, ht_skin_distance(plan, images, i) + 1);
    *bone = fmaxf(*bone, plan->clear - *vessel);
    if (*bone < 0.5f) mix(value, bone_value(plan, images, i, -*bone), share_of(*bone));
    float before = *value;
    if (*vessel < 0.5f) mix(value, blood_value(plan, images, i), share_of(*vessel));
    images->spare[i] = *value - before;
    if (images->hard[i] < 0.5f) mix(value, images->dense[i], share_of(images->hard[i]));
  }
}

static void paint(const ht_labelled_plan *plan, ht_labelled_images *images) {
  for (int64_t i = 0; i < images->voxels; i++) images->value[i] = plan->value[HT_TISSUE_AIR];
  ht_solids_paint(plan, images);
  for (int64_t i = 0; i < images->voxels; i++) images->spare[i] = HT_FAR;
  ht_tubes_paint(plan, &plan->soft, 1, images->spare, images->dense, NULL);
  for (int64_t i = 0; i < images->voxels; i++)
    if (images->spare[i] < 0.5f && ht_skin_distance(plan, images, i) < 0)
      mix(&images->value[i],
          images->dense[i] + 0.5f * plan->mixing * plan->contrast * images->lumps[i],
          share_of(images->spare[i]));
  ht_tubes_paint(plan, &plan->bones, 1, images->bone, NULL, NULL);
  ht_tubes_paint(plan, &plan->vessels, reach, images->vessel, images->blood, images->kind);
  ht_tubes_paint(plan, &plan->hard, reach, images->hard, images->dense, NULL);
  compose(plan, images);
}

/* ---- Labels ---- */

/* Where no artery is in view, nobody can say that a vessel is dim. */
static void doubt_dim_vessels(ht_labelled *volume, int64_t voxels) {
  int64_t arteries = 0;
  for (int64_t i = 0; i < voxels; i++) arteries += volume->label[i] == HT_LABEL_ARTERY;
  for (int64_t i = 0; i < voxels && arteries < voxels / 1000; i++)
    if (volume->label[i] == HT_LABEL_VESSEL) volume->label[i] = HT_LABEL_EITHER;
}

static void labels_make(const ht_labelled_plan *plan, const ht_labelled_images *images,
                        ht_labelled *volume) {
  int bone_counts = !plan->is_mr, is_cut = (plan->has & HT_LABELLED_CUT) != 0, has_bone = !is_cut;
  /* Where the window cuts off both, or the background is gone, calcium is as bright as blood. */
  int is_small_seen =
      !is_cut && plan->window[1] > plan->value[HT_TISSUE_BLOOD] + 0.4f * plan->contrast;
  int is_bone_seen =
      plan->value[HT_TISSUE_CORTEX] - plan->value[HT_TISSUE_MUSCLE] > 2 * plan->noise;
  float seen = fmaxf((1.5f + plan->grain[0]) * plan->noise, 0.04f * plan->contrast);
  if (is_cut) seen = fmaxf(seen, plan->cut - plan->value[HT_TISSUE_MUSCLE]);
  for (int64_t i = 0; i < images->voxels; i++) {
    float distance = fmaxf(images->vessel[i], -images->hard[i]);
    float steps = fminf(fmaxf(floorf(distance * HT_LABELLED_PER_VOXEL), -127), 127);
    int is_small = images->hard[i] < 0, is_bone = has_bone && images->bone[i] < 0;
    int is_hard = bone_counts && (is_small || is_bone) && ht_mask_distance(plan, i) < 0;
    volume->distance[i] = (int8_t)steps;
    volume->label[i] = distance < 0
                           ? fabsf(images->spare[i]) < seen ? HT_LABEL_UNSEEN : images->kind[i]
                       : !is_hard                                  ? HT_LABEL_BACKGROUND
                       : (is_small ? is_small_seen : is_bone_seen) ? HT_LABEL_HARD
                                                                   : HT_LABEL_UNSEEN;
  }
  doubt_dim_vessels(volume, images->voxels);
}

/* ---- The whole ---- */

void ht_labelled_free(ht_labelled *volume) {
  if (!volume) return;
  free(volume->scan);
  free(volume->label);
  free(volume->distance);
  *volume = (ht_labelled){.scan = NULL};
}

static ht_status volume_make(uint64_t seed, int edge, ht_labelled *volume) {
  size_t voxels = (size_t)edge * (size_t)edge * (size_t)edge;
  *volume = (ht_labelled){.seed = seed, .edge = edge};
  HT_TRY(ht_alloc((void **)&volume->scan, voxels, sizeof *volume->scan, "a volume"));
  HT_TRY(ht_alloc((void **)&volume->label, voxels, 1, "a volume"));
  return ht_alloc((void **)&volume->distance, voxels, 1, "a volume");
}

ht_status ht_labelled_make(uint64_t seed, int edge, ht_labelled *volume) {
  ht_labelled_plan *plan = NULL;
  ht_labelled_images images = {.value = NULL};
  ht_status status = HT_OK;
  *volume = (ht_labelled){.scan = NULL};
  if (edge < HT_LABELLED_EDGE_MIN || edge > HT_LABELLED_EDGE_MAX)
    return ht_fail(HT_ERR_USAGE, "a volume of %d voxels along each axis: %d to %d are possible",
                   edge, HT_LABELLED_EDGE_MIN, HT_LABELLED_EDGE_MAX);
  HT_TRY_DONE(volume_make(seed, edge, volume));
  HT_TRY_DONE(images_make(edge, &images));
  HT_TRY_DONE(ht_labelled_plan_make(seed, edge, &plan));
  HT_TRY_DONE(textures_make(plan, &images));
  places_make(plan, &images);
  paint(plan, &images);
  HT_TRY_DONE(ht_gaussian_blur(edge, plan->blur, images.spare));
  labels_make(plan, &images, volume);
  HT_TRY_DONE(ht_labelled_scan(plan, &images, volume->scan));
  for (int a = 0; a < 3; a++) volume->spacing_mm[a] = plan->spacing[a] * plan->mm;
  volume->has = plan->has;
  volume->whole[0] = ht_labelled_stored(plan, plan->dark);
  volume->whole[1] = ht_labelled_stored(plan, plan->bright);
done:
  images_free(&images);
  ht_labelled_plan_free(plan);
  if (status != HT_OK) ht_labelled_free(volume);
  return status;
}
