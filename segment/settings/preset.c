#include "segment/settings/preset.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const ht_segment_preset_words[] = {"auto",      "none", "tof-mra", "cta-head",
                                               "cta-aorta", "3dra", NULL};
const char *const ht_segment_method_words[] = {"auto",     "threshold", "vesselness",
                                               "levelset", "file",      NULL};
const char *const ht_segment_bias_words[] = {"auto", "none", "n4", NULL};
const char *const ht_segment_learned_words[] = {"no", "auto", "only", NULL};

typedef struct {
  ht_segment_method method;
  ht_segment_bias bias;
  double bone, gap_mm, radius_mm[2];
} preset;

/* tof-mra: blood is bright by inflow, the coil's sensitivity changes over the head: N4. Blood loses
 *   its brightness along its way, so one level does not fit everywhere: level set. Slow or
 * turbulent flow leaves gaps of about a voxel: 1 mm is bridged. Arteries from 0.5 mm (what 0.5 mm
 * voxels show) to 4 mm radius (more than a carotid's). cta-head: blood 412 to 462 HU in the
 * carotid, middle cerebral and basilar arteries of 50 patients (standard deviation 17 to 24 HU;
 * Tomography 7 (2021) 711); 700 HU lies far above blood, and below the compact bone of the skull's
 * base. No gaps: bone and vein lie next to an artery. cta-aorta: calcium is best distinguished from
 * the aorta's arterial blood at 800 to 900 HU in 1125 patients
 *   ("Improving aortic calcium assessment in contrast-enhanced CT", see docs/segmentation.md): 800.
 *   Radii from the arch's branches, 2 mm, to a wide aorta, 25 mm.
 * 3dra: rotational angiography shows little but the blood, and bone far dimmer: threshold. No bone:
 * a value in its arbitrary unit would mean nothing. */
static const preset presets[] = {
    [HT_PRESET_AUTO] = {HT_SEGMENT_AUTO, HT_BIAS_NONE, NAN, 0, {0, 0}},
    [HT_PRESET_NONE] = {HT_SEGMENT_AUTO, HT_BIAS_NONE, NAN, 0, {0, 0}},
    [HT_PRESET_TOF_MRA] = {HT_SEGMENT_LEVELSET, HT_BIAS_N4, NAN, 1, {0.5, 4}},
    [HT_PRESET_CTA_HEAD] = {HT_SEGMENT_AUTO, HT_BIAS_NONE, 700, 0, {0.5, 4}},
    [HT_PRESET_CTA_AORTA] = {HT_SEGMENT_AUTO, HT_BIAS_NONE, 800, 0, {2, 25}},
    [HT_PRESET_3DRA] = {HT_SEGMENT_THRESHOLD, HT_BIAS_NONE, NAN, 0, {0.3, 4}},
};

static void say(char *text, size_t size, const char *format, double value) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, format, value);
}

ht_segment_options ht_preset_apply(const ht_segment_options *options, char *text, size_t size) {
  const preset *p = &presets[options->preset];
  ht_segment_options used = *options;
  text[0] = 0;
  if (used.method == HT_SEGMENT_AUTO) used.method = p->method;
  if (used.bias == HT_BIAS_AUTO) used.bias = p->bias;
  if (isnan(used.bone)) used.bone = p->bone;
  if (used.gap_mm < 0) used.gap_mm = p->gap_mm;
  for (int n = 0;
       n < 2 && !(options->vessel_radius_mm[0] > 0) && !(options->vessel_radius_mm[1] > 0); n++)
    used.vessel_radius_mm[n] = p->radius_mm[n];
  if (options->preset <= HT_PRESET_NONE) return used;
  snprintf(text, size, "%s: method %s, bias %s", ht_segment_preset_words[options->preset],
           ht_segment_method_words[used.method], ht_segment_bias_words[used.bias]);
  if (isnan(used.bone))
    say(text, size, ", no bone removed", 0);
  else
    say(text, size, ", bone above %g removed", used.bone);
  say(text, size, ", gaps up to %g mm bridged", used.gap_mm);
  say(text, size, ", radii from %g", used.vessel_radius_mm[0]);
  say(text, size, " to %g mm", used.vessel_radius_mm[1]);
  return used;
}
