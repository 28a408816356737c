/* Makes the stored image of the clean one. */
#include "phantom/labelled/labelled_paint.h"
#include "core/numbers/units.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 6, RAYS = 512 };

static void blur_axis(int edge, int axis, const float weight[WINDOW + 1], int reach, float *image,
                      float *panel) {
  int64_t stride = axis == 0 ? 1 : axis == 1 ? edge : (int64_t)edge * edge;
  int64_t outer = axis == 2 ? edge : (int64_t)edge * edge; /* axis 1, 2: rows of x at once */
  int wide = axis == 0 ? 1 : edge;
  for (int n = 0; n < (axis == 0 ? edge * edge : edge); n++) {
    float *from = image + (axis == 0   ? (int64_t)n * edge
                           : axis == 1 ? n * (int64_t)edge * edge
                                       : n * outer);
    for (int i = 0; i < edge; i++)
      memcpy(panel + (int64_t)i * wide, from + i * stride, (size_t)wide * sizeof *panel);
    for (int i = 0; i < edge; i++) {
      float *to = from + i * stride;
      for (int c = 0; c < wide; c++) to[c] = weight[0] * panel[(int64_t)i * wide + c];
      for (int m = 1; m <= reach; m++) {
        const float *low = panel + (int64_t)(i < m ? 0 : i - m) * wide;
        const float *high = panel + (int64_t)(i + m < edge ? i + m : edge - 1) * wide;
        for (int c = 0; c < wide; c++) to[c] += weight[m] * (low[c] + high[c]);
      }
    }
  }
}

ht_status ht_gaussian_blur(int edge, const float sigma[3], float *image) {
  float *panel;
  HT_TRY(ht_alloc((void **)&panel, (size_t)edge * (size_t)edge, sizeof *panel, "a blur"));
  for (int axis = 0; axis < 3; axis++) {
    if (sigma[axis] < 0.2f) continue;
    float weight[WINDOW + 1], sum = 0;
    int reach = (int)ceilf(2.6f * sigma[axis]);
    if (reach > WINDOW) reach = WINDOW;
    for (int m = 0; m <= reach; m++) {
      weight[m] = expf(-0.5f * (float)(m * m) / (sigma[axis] * sigma[axis]));
      sum += m ? 2 * weight[m] : weight[m];
    }
    for (int m = 0; m <= reach; m++) weight[m] /= sum;
    blur_axis(edge, axis, weight, reach, image, panel);
  }
  free(panel);
  return HT_OK;
}

/* An unsharp mask, as a sharp kernel of CT. */
static ht_status sharpen(const ht_labelled_plan *plan, ht_labelled_images *images) {
  const float wide[3] = {1, 1, 0};
  memcpy(images->spare, images->value, (size_t)images->voxels * sizeof *images->spare);
  HT_TRY(ht_gaussian_blur(plan->edge, wide, images->spare));
  for (int64_t i = 0; i < images->voxels; i++)
    images->value[i] += plan->sharpen * (images->value[i] - images->spare[i]);
  return HT_OK;
}

/* Nearly normal noise of variance 1: the sum of the eight bytes of a random number. */
static void noise_fill(const ht_labelled_plan *plan, int which, int64_t voxels, float *noise) {
  uint64_t stream = ht_random_stream(plan->seed, which);
  for (int64_t i = 0; i < voxels; i++) {
    uint64_t bits = ht_random_bits(stream, (uint64_t)i);
    bits = (bits & 0x00ff00ff00ff00ffu) + (bits >> 8 & 0x00ff00ff00ff00ffu);
    uint32_t sum = (uint32_t)((bits * 0x0001000100010001u) >> 48);
    noise[i] = ((float)sum - 1020) / 209.0f;
  }
}

/* Noise that the kernel correlates, of variance 1 again. */
static ht_status grainy_noise(const ht_labelled_plan *plan, int which, int64_t voxels,
                              float *noise) {
  double square = 0;
  noise_fill(plan, which, voxels, noise);
  HT_TRY(ht_gaussian_blur(plan->edge, plan->grain, noise));
  for (int64_t i = 0; i < voxels; i++) square += (double)noise[i] * noise[i];
  float scale = (float)(1 / sqrt(fmax(square / (double)voxels, 1e-9)));
  for (int64_t i = 0; i < voxels; i++) noise[i] *= scale;
  return HT_OK;
}

/* Rays in the slices away from one place, as from metal or between two dense parts. */
static void streaks_add(const ht_labelled_plan *plan, float *image) {
  int edge = plan->edge;
  float ray[RAYS];
  uint64_t stream = ht_random_stream(plan->seed, HT_STREAM_RAYS);
  for (int k = 0; k < edge; k++) {
    for (int n = 0; n < RAYS; n++) {
      double angle = 2 * HT_PI * n / RAYS;
      const double at[3] = {3 * cos(angle), 3 * sin(angle), 0.05 * k};
      ray[n] = (float)ht_random_texture(stream, at, 0.4);
    }
    for (int j = 0; j < edge; j++)
      for (int i = 0; i < edge; i++) {
        float x = ((float)i - 0.5f * (float)edge) * plan->spacing[0] - plan->streak_at[0];
        float y = ((float)j - 0.5f * (float)edge) * plan->spacing[1] - plan->streak_at[1];
        float r = sqrtf(x * x + y * y), turn = atan2f(y, x) / (float)(2 * HT_PI) + 0.5f;
        image[((int64_t)k * edge + j) * edge + i] +=
            plan->streak * 2 * ray[(int)(turn * RAYS) % RAYS] * fminf(1, r / 6) /
            (1 + r / (0.7f * plan->half[0]));
      }
  }
}

/* Slow changes of a coil's sensitivity; bands of the slabs of a time-of-flight scan. */
static ht_status shade(const ht_labelled_plan *plan, ht_labelled_images *images) {
  int64_t slice = (int64_t)plan->edge * plan->edge;
  if (plan->bias > 0) {
    HT_TRY(ht_texture_fill(plan, HT_STREAM_SLOW, 1.2f * plan->half[0], images->spare));
    for (int64_t i = 0; i < images->voxels; i++)
      images->value[i] *= 1 + plan->bias * images->spare[i];
  }
  for (int k = 0; k < plan->edge && plan->blinds > 0; k++) {
    float at = (float)k * plan->spacing[2] / plan->blinds_width, saw = at - floorf(at);
    for (int64_t i = 0; i < slice; i++) images->value[k * slice + i] *= 1 - plan->blinds * saw;
  }
  return HT_OK;
}

/* Adds noise; the magnitude of a complex signal in MR (Rician). */
static ht_status noise_add(const ht_labelled_plan *plan, ht_labelled_images *images) {
  float *other = images->place[0];
  HT_TRY(grainy_noise(plan, HT_STREAM_NOISE, images->voxels, images->spare));
  if (plan->is_mr) HT_TRY(grainy_noise(plan, HT_STREAM_NOISE_2, images->voxels, other));
  for (int64_t i = 0; i < images->voxels; i++) {
    float value = images->value[i] + plan->noise * images->spare[i];
    if (plan->is_mr) {
      float across = plan->noise * other[i];
      value = sqrtf(value * value + across * across);
    }
    images->value[i] = value;
  }
  return HT_OK;
}

/* Removes the background: what is dim, or bone, or beyond the mask. */
static void background_remove(const ht_labelled_plan *plan, ht_labelled_images *images) {
  for (int64_t i = 0; i < images->voxels; i++) {
    int is_cut =
        plan->has & HT_LABELLED_CUT &&
        (images->value[i] < plan->cut || (images->bone[i] < 2.5f && images->vessel[i] > 0.7f));
    if (is_cut || ht_mask_distance(plan, i) > 0) images->value[i] = plan->dark;
  }
}

float ht_labelled_stored(const ht_labelled_plan *plan, float value) {
  float low = fmaxf(plan->window[0], plan->value[HT_TISSUE_AIR]);
  float top = fminf(plan->window[1], plan->value[HT_TISSUE_MUSCLE] + 2.5f * plan->contrast);
  value = fminf(fmaxf(value, plan->window[0]), plan->window[1]);
  return plan->is_coarse ? 255 * fminf(fmaxf((value - low) / (top - low), 0), 1) : value;
}

ht_status ht_labelled_scan(const ht_labelled_plan *plan, ht_labelled_images *images,
                           int16_t *scan) {
  HT_TRY(ht_gaussian_blur(plan->edge, plan->blur, images->value));
  if (plan->sharpen > 0) HT_TRY(sharpen(plan, images));
  HT_TRY(shade(plan, images));
  if (plan->streak > 0) streaks_add(plan, images->value);
  HT_TRY(noise_add(plan, images));
  if (plan->has & (HT_LABELLED_MASKED | HT_LABELLED_CUT)) background_remove(plan, images);
  for (int64_t i = 0; i < images->voxels; i++)
    scan[i] = (int16_t)lrintf(ht_labelled_stored(plan, images->value[i]));
  return HT_OK;
}
