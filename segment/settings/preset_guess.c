#include "segment/settings/preset_guess.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const unsigned head = HT_SIGN_HEAD | HT_SIGN_NECK;
static const unsigned trunk = HT_SIGN_CHEST | HT_SIGN_ABDOMEN | HT_SIGN_AORTA;

/* Returns the share of the voxels with a value from `least` to `most`. */
static double share_within(const ht_volume *scan, double least, double most) {
  int64_t voxels = ht_grid_voxels(&scan->grid), within = 0;
  const float *values = scan->values;
#pragma omp parallel for simd reduction(+ : within)
  for (int64_t v = 0; v < voxels; v++) within += values[v] >= least && values[v] <= most;
  return (double)within / (double)voxels;
}

/* A percent of air: the scan of a head has air around it, and that of a trunk also inside. Padding
 * below -1100 is no air. */
static int is_hounsfield_above(const ht_volume *scan, double water) {
  const double least_air = 0.01, least_tissue = 0.05;
  return share_within(scan, water - 1100, water - 900) >= least_air &&
         share_within(scan, water, water + 100) >= least_tissue;
}

int ht_values_are_hounsfield(const ht_volume *scan) {
  return is_hounsfield_above(scan, 0);
}

/* A CT that was clipped has a large part at its least value. In a part of a CT without air nothing
 * is dark. Files of whole numbers often have Hounsfield units with 1024 added. */
int ht_values_are_mr(const ht_volume *scan) {
  const double most_clipped = 0.2, least_dark = 0.01, dark = 0.1;
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  const float *values = scan->values;
  float least = INFINITY, most = -INFINITY;
#pragma omp parallel for simd reduction(min : least) reduction(max : most)
  for (int64_t v = 0; v < voxels; v++) {
    least = values[v] < least ? values[v] : least;
    most = values[v] > most ? values[v] : most;
  }
  return least >= 0 && most > 1 && share_within(scan, least, least) < most_clipped &&
         share_within(scan, least, dark * most) >= least_dark && !is_hounsfield_above(scan, 1024);
}

/* Fat and air are below 0; a region cut out of a CT may have little of them. */
static int has_value_below_0(const ht_volume *scan) {
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  for (int64_t v = 0; v < voxels; v++)
    if (scan->values[v] < 0) return 1;
  return 0;
}

/* Return the preset; none with the reason against one in *against. */

/* Time of flight by name, or an angiography of head or neck by 3D gradient echo without a contrast
 * agent, whose vessels are bright by inflow, too. In the trunk and the limbs blood fades and pulses
 * otherwise, and vessels are wider: the preset is not made for them. */
static ht_segment_preset guess_mr(unsigned signs, const char **against) {
  const unsigned inflow = HT_SIGN_3D | HT_SIGN_GRADIENT_ECHO | HT_SIGN_ANGIO;
  const unsigned otherwise = HT_SIGN_COMPUTED | HT_SIGN_VEINS | HT_SIGN_PHASE_CONTRAST;
  int is_named = (signs & HT_SIGN_TOF) != 0;
  *against = "they do not say that it is a time-of-flight angiography";
  if (!is_named && ((signs & inflow) != inflow || signs & HT_SIGN_CONTRAST)) return HT_PRESET_NONE;
  *against = "time of flight has a longer repetition time";
  if (signs & HT_SIGN_SHORT_TR) return HT_PRESET_NONE;
  *against = "they name something other than the arteries of a time-of-flight angiography";
  if (signs & otherwise) return HT_PRESET_NONE;
  *against = "they do not say that it is of the head or the neck";
  if (signs & HT_SIGNS_PARTS & ~head || (!is_named && !(signs & head))) return HT_PRESET_NONE;
  return HT_PRESET_TOF_MRA;
}

/* The radii of cta-head hold for any vessel of head and neck. In the trunk a contrast agent alone
 * may be for the liver: an angiography, or the aorta, must be named. */
static ht_segment_preset guess_ct(const ht_volume *scan, unsigned signs, const char **against) {
  unsigned part = signs & HT_SIGNS_PARTS;
  if (part & HT_SIGN_AORTA) part &= ~(unsigned)HT_SIGN_HEART; /* "aorta, cardiac gating" */
  *against = "they name no contrast agent and no angiography";
  if (!(signs & (HT_SIGN_CONTRAST | HT_SIGN_ANGIO)) || signs & HT_SIGN_NATIVE)
    return HT_PRESET_NONE;
  *against = "they name something other than arteries as they were scanned";
  if (signs & (HT_SIGN_COMPUTED | HT_SIGN_VEINS)) return HT_PRESET_NONE;
  *against = "no value is below 0, as CT has";
  if (!has_value_below_0(scan)) return HT_PRESET_NONE;
  *against = "they do not say that it is of head and neck alone, or of the aorta";
  if (part && !(part & ~head)) return HT_PRESET_CTA_HEAD;
  int is_trunk = part && !(part & ~trunk);
  return is_trunk && signs & (HT_SIGN_ANGIO | HT_SIGN_AORTA) ? HT_PRESET_CTA_AORTA : HT_PRESET_NONE;
}

static ht_segment_preset guess_xa(unsigned signs, const char **against) {
  const unsigned otherwise = HT_SIGN_COMPUTED | HT_SIGN_NATIVE | HT_SIGN_VEINS;
  *against = "they do not say that it is a rotational angiography of arteries";
  return signs & HT_SIGN_ROTATIONAL && !(signs & otherwise) ? HT_PRESET_3DRA : HT_PRESET_NONE;
}

/* Values alone show a CT, but distinguish neither contrast agent from bone nor one part of the body
 * from another. */
static ht_segment_preset guess_by_values(const ht_volume *scan, char *why, size_t size) {
  if (ht_values_are_hounsfield(scan))
    snprintf(why, size,
             "its values look like those of a CT, but the file does not say which part of the "
             "body it shows, or whether there is a contrast agent");
  else
    snprintf(why, size, "the file does not say what kind of scan it is");
  return HT_PRESET_NONE;
}

ht_segment_preset ht_preset_guess(const ht_volume *scan, unsigned signs, char *why, size_t size) {
  ht_segment_preset found = HT_PRESET_NONE;
  const char *against = "there is no preset for it";
  char words[320];
  if (!scan->modality[0]) return guess_by_values(scan, why, size);
  if (strcmp(scan->modality, "MR") == 0) found = guess_mr(signs, &against);
  if (strcmp(scan->modality, "CT") == 0) found = guess_ct(scan, signs, &against);
  if (strcmp(scan->modality, "XA") == 0) found = guess_xa(signs, &against);
  ht_scan_signs_text(signs, words, sizeof words);
  snprintf(why, size, "the scan's tags say %s%s%s%s%s", scan->modality, words[0] ? ", " : "", words,
           found == HT_PRESET_NONE ? "; " : "", found == HT_PRESET_NONE ? against : "");
  return found;
}
