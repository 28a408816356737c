/* The scanner: voxels, brightness of each tissue, noise and artefacts. */
#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>

enum { REGIONS = 5 };

/* Parts of the body, and voxels that they are scanned with. */
static const struct {
  unsigned has;
  double spacing_mm[2];
} regions[REGIONS] = {{HT_LABELLED_HEAD, {0.3, 1.2}},
                      {HT_LABELLED_NECK, {0.3, 1.4}},
                      {HT_LABELLED_TRUNK, {0.6, 3.2}},
                      {HT_LABELLED_LIMB, {0.3, 1.5}},
                      {HT_LABELLED_BLOBS, {0.3, 3}}};

/* Least and most of each tissue, how often the scanner is chosen, and for what part of the body. */
typedef struct {
  unsigned has;
  double share, regions[REGIONS], spacing_mm[2], value[HT_TISSUES][2],
      noise[2]; /* noise: of the contrast */
} scanner_row;

/* X-ray: Hounsfield units; 3DRA and MR: a usual scale. Order of the tissues: air, lung, fat,
 * muscle, fluid, organ, marrow, cortex, blood, calcium, metal. */
static const scanner_row scanners[] = {
    {HT_LABELLED_CT,
     0.5,
     {0.25, 0.15, 0.5, 0.06, 0.04},
     {0.3, 3},
     {{-1000, -1000},
      {-900, -780},
      {-120, -80},
      {40, 70},
      {0, 25},
      {45, 140},
      {60, 320},
      {300, 1600},
      {170, 650},
      {500, 1600},
      {2000, 3500}},
     {0.03, 0.22}},
    {HT_LABELLED_TOF,
     0.16,
     {0.74, 0.12, 0.03, 0.07, 0.04},
     {0.3, 0.8},
     {{0, 25},
      {0, 20},
      {30, 260},
      {60, 170},
      {15, 60},
      {90, 210},
      {30, 160},
      {5, 40},
      {230, 480},
      {5, 30},
      {0, 10}},
     {0.03, 0.2}},
    {HT_LABELLED_MRA,
     0.14,
     {0.15, 0.25, 0.38, 0.17, 0.05},
     {0.6, 2},
     {{0, 20},
      {0, 20},
      {10, 140},
      {20, 90},
      {5, 60},
      {20, 150},
      {10, 90},
      {0, 25},
      {180, 600},
      {0, 20},
      {0, 10}},
     {0.03, 0.2}},
    {HT_LABELLED_3DRA,
     0.12,
     {0.8, 0.1, 0.03, 0.03, 0.04},
     {0.3, 0.6},
     {{0, 300},
      {0, 400},
      {300, 600},
      {400, 800},
      {350, 600},
      {450, 900},
      {1000, 3000},
      {2500, 5500},
      {4500, 9000},
      {3000, 7000},
      {9000, 15000}},
     {0.02, 0.12}},
    {HT_LABELLED_ANY,
     0.08,
     {0.3, 0.15, 0.3, 0.1, 0.15},
     {0.3, 3},
     {{0, 300},
      {0, 400},
      {0, 500},
      {200, 500},
      {0, 500},
      {200, 600},
      {0, 500},
      {0, 500},
      {650, 1100},
      {0, 300},
      {0, 300}},
     {0.02, 0.22}},
};

static const scanner_row *scanner_draw(ht_labelled_plan *plan) {
  double at = ht_plan_between(plan, 0, 1);
  int n = 0;
  while (n < (int)(sizeof scanners / sizeof *scanners) - 1 && at >= scanners[n].share)
    at -= scanners[n++].share;
  plan->has |= scanners[n].has;
  return &scanners[n];
}

static void voxels_draw(ht_labelled_plan *plan, const scanner_row *scanner) {
  double at = ht_plan_between(plan, 0, 1);
  int n = 0;
  while (n < REGIONS - 1 && at >= scanner->regions[n]) at -= scanner->regions[n++];
  plan->has |= regions[n].has;
  double least = fmax(scanner->spacing_mm[0], regions[n].spacing_mm[0]);
  plan->mm = ht_plan_scaled(plan, least,
                            fmax(least, fmin(scanner->spacing_mm[1], regions[n].spacing_mm[1])));
  for (int a = 0; a < 3; a++) plan->spacing[a] = 1;
  double thick = ht_plan_scaled(plan, 1, fmin(4, fmax(1.5, 4 / plan->mm)));
  if (ht_plan_is(plan, 0.5)) {
    int axis = ht_plan_is(plan, 0.85) ? 2 : ht_plan_count(plan, 0, 1);
    plan->spacing[axis] = (float)thick;
  }
  for (int a = 0; a < 3; a++) plan->half[a] = 0.5f * (float)plan->edge * plan->spacing[a];
}

/* Contrast agent: arterial, weak, or none. */
static void values_draw(ht_labelled_plan *plan, const scanner_row *scanner) {
  for (int t = 0; t < HT_TISSUES; t++)
    plan->value[t] = ht_plan_between(plan, scanner->value[t][0], scanner->value[t][1]);
  if (scanner->has & HT_LABELLED_TOF)
    plan->value[HT_TISSUE_BLOOD] =
        fmaxf(plan->value[HT_TISSUE_BLOOD], 1.4f * plan->value[HT_TISSUE_ORGAN]);
  plan->contrast = plan->value[HT_TISSUE_BLOOD] - plan->value[HT_TISSUE_MUSCLE];
  if (scanner->has & (HT_LABELLED_CT | HT_LABELLED_3DRA)) /* else nobody tells it from blood */
    plan->value[HT_TISSUE_CALCIUM] =
        fmaxf(plan->value[HT_TISSUE_CALCIUM], plan->value[HT_TISSUE_BLOOD] + 0.5f * plan->contrast);
  plan->uptake = plan->contrast;
  if (!(scanner->has & HT_LABELLED_CT) || !ht_plan_is(plan, 0.15)) return;
  plan->has |= HT_LABELLED_NO_CONTRAST;
  plan->value[HT_TISSUE_BLOOD] = ht_plan_between(plan, 30, 60);
  plan->value[HT_TISSUE_ORGAN] = ht_plan_between(plan, 30, 65);
  plan->contrast = 120;
  plan->uptake = 0;
}

/* The kernel and the noise, which it correlates; slices are cruder. */
static void sharpness_draw(ht_labelled_plan *plan, const scanner_row *scanner) {
  float blur = ht_plan_between(plan, 0.35, 1.0);
  float grain = ht_plan_between(plan, 0, 1.1);
  if (ht_plan_is(plan, 0.35)) grain = 0;
  if (ht_plan_is(plan, 0.15)) { /* voxels that were interpolated */
    blur = ht_plan_between(plan, 1, 1.9);
    grain = 0.8f * blur;
  }
  for (int a = 0; a < 3; a++) {
    int is_thick = plan->spacing[a] > 1;
    plan->blur[a] = is_thick ? fmaxf(0.4f, blur / plan->spacing[a]) : blur;
    plan->grain[a] = is_thick || ht_plan_is(plan, 0.2) ? 0.5f * grain : grain;
  }
  if (ht_plan_is(plan, plan->is_mr ? 0.1 : 0.3)) plan->sharpen = ht_plan_between(plan, 0.2, 1.2);
  plan->noise = ht_plan_scaled(plan, scanner->noise[0], scanner->noise[1]) * plan->contrast;
}

static void artefacts_draw(ht_labelled_plan *plan) {
  plan->mixing = ht_plan_between(plan, 0.02, ht_plan_is(plan, 0.2) ? 0.3 : 0.06);
  if (plan->is_mr || ht_plan_is(plan, 0.15)) plan->bias = ht_plan_between(plan, 0.02, 0.45);
  if (plan->has & HT_LABELLED_TOF && ht_plan_is(plan, 0.3)) {
    plan->blinds = ht_plan_between(plan, 0.03, 0.2);
    plan->blinds_width = ht_plan_between(plan, 15, 50);
  }
  if (ht_plan_is(plan, plan->is_mr ? 0 : plan->has & HT_LABELLED_3DRA ? 0.7 : 0.15)) {
    plan->has |= HT_LABELLED_STREAKS;
    plan->streak = ht_plan_scaled(plan, 0.04, 0.35) * plan->contrast;
    for (int a = 0; a < 2; a++) plan->streak_at[a] = ht_plan_between(plan, -1, 1) * plan->half[a];
  }
  float muscle = plan->value[HT_TISSUE_MUSCLE];
  plan->vein_mixing = ht_plan_is(plan, 0.4) ? ht_plan_between(plan, 1.5, 8) : 1;
  plan->window[0] = ht_plan_is(plan, 0.25)
                        ? muscle + ht_plan_between(plan, -1.2, 0.15) * plan->contrast
                    : plan->is_mr ? 0
                                  : -32000;
  plan->window[1] =
      ht_plan_is(plan, 0.25) ? muscle + ht_plan_between(plan, 1.1, 5) * plan->contrast : 32000;
  plan->is_coarse = ht_plan_is(plan, 0.15);
  if (!(plan->has & HT_LABELLED_NO_CONTRAST) && ht_plan_is(plan, 0.1)) {
    plan->has |= HT_LABELLED_CUT;
    plan->cut = plan->value[HT_TISSUE_MUSCLE] + ht_plan_between(plan, 0.2, 0.45) * plan->contrast;
  }
  if (!ht_plan_is(plan, plan->is_mr ? 0.15 : 0.06)) return;
  plan->has |= HT_LABELLED_MASKED;
  for (int a = 0; a < 3; a++) plan->mask_half[a] = ht_plan_between(plan, 0.6, 1.2) * plan->half[a];
}

void ht_labelled_scanner_draw(ht_labelled_plan *plan) {
  const scanner_row *scanner = scanner_draw(plan);
  voxels_draw(plan, scanner);
  values_draw(plan, scanner);
  plan->is_mr = (plan->has & (HT_LABELLED_TOF | HT_LABELLED_MRA | HT_LABELLED_ANY)) != 0;
  sharpness_draw(plan, scanner);
  artefacts_draw(plan);
  plan->shell = fmaxf(0.6f, ht_plan_between(plan, 0.6, 3) / plan->mm);
  plan->clear = ht_plan_between(plan, -0.2, 1.5);
  float blood = plan->value[HT_TISSUE_MUSCLE] + plan->contrast;
  int is_cut = (plan->has & HT_LABELLED_CUT) != 0;
  plan->dark = plan->is_mr || (is_cut && ht_plan_is(plan, 0.5)) ? 0 : plan->value[HT_TISSUE_AIR];
  plan->bright = plan->has & HT_LABELLED_CT && !is_cut
                     ? ht_plan_scaled(plan, blood, fmaxf(3 * blood, 1200))
                     : ht_plan_between(plan, 0.8, 1.2) * blood;
}
