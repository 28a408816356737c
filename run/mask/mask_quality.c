#include "run/mask/mask_quality.h"
#include "run/mask/choose_seen.h"
#include "export/pictures/pictures.h"
#include "run/process/console.h"
#include "core/work/jobs.h"
#include "segment/openings/main_path.h"
#include "segment/settings/preset_guess.h"
#include "segment/quality/quality.h"
#include "run/inputs/load_inputs.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes "at [1.0, 2.0, 3.0] mm (LPS), 12 mm along straightened.png". */
static const char *place_of(const ht_quality_place *at, char text[128]) {
  const double *p = at->centre_mm;
  text[0] = 0;
  if (!isfinite(p[0])) return text;
  int used = snprintf(text, 128, "at [%.1f, %.1f, %.1f] mm (LPS)", p[0], p[1], p[2]);
  if (isfinite(at->along_mm))
    snprintf(text + used, 128 - (size_t)used, ", near %.0f mm in pictures/straightened.png",
             at->along_mm);
  return text;
}

static void warn_of_contrast(const ht_mask_quality *q, int flags) {
  char at[128];
  double lowest = fmin(q->contrast_to_noise, q->lowest_contrast_to_noise);
  if (flags & HT_QUALITY_NO_CONTRAST)
    ht_console_warn("the vessel (%.4g) is no brighter than what is around it (%.4g): the mask does "
                    "not follow the scan's blood; look at pictures/mask_on_scan.png",
                    q->blood, q->tissue);
  if (flags & HT_QUALITY_LOW_CONTRAST)
    ht_console_warn("the contrast is only %.2g times the noise (below %g, noise moves the wall) "
                    "%s: look there; a larger segment.smoothing_mm, method levelset, or a better "
                    "scan",
                    lowest, ht_quality_limits.contrast_to_noise, place_of(&q->lowest_at, at));
}

static void warn_of_wall(const ht_mask_quality *q, int flags) {
  double off = fabs(q->offset_voxels);
  char at[128];
  if (flags & (HT_QUALITY_TOO_WIDE | HT_QUALITY_TOO_NARROW)) {
    int wide = (flags & HT_QUALITY_TOO_WIDE) != 0;
    ht_console_warn("the mask is too %s: its wall lies %.1f voxels (of the scan) %s the edge of "
                    "the blood; look at pictures/sections.png; a %s --lower, or method levelset",
                    wide ? "wide" : "narrow", off, wide ? "outside" : "inside",
                    wide ? "higher" : "lower");
  }
  if (flags & HT_QUALITY_MISSING)
    ht_console_warn("on %.3g %% of the mask's wall the scan has no edge: the wall is drawn through "
                    "something; the largest such piece (%.2g mm2) is %s; look there and correct "
                    "the mask, or cut with region",
                    100 * q->missing_share, q->missing.area_mm2, place_of(&q->missing.at, at));
  if (flags & HT_QUALITY_LEAKS)
    ht_console_warn("the mask leaks: lowering its level by 1 %% of the contrast adds %.3g %% to "
                    "its volume, %.2g times as much as a clean wall's; a higher --lower; look at "
                    "pictures/sections.png",
                    q->leak_index, q->leak_ratio);
}

static void warn_of_others(const ht_case *settings, const ht_mask_quality *q, int flags) {
  char at[128];
  if (flags & HT_QUALITY_TOUCHES)
    ht_console_warn("on %.3g %% of the wall the scan stays as bright outside: something touches "
                    "the vessel, or a part of it is left out; the largest piece (%.2g mm2) is %s: "
                    "look there and correct the mask",
                    100 * q->touching_share, q->touching.area_mm2, place_of(&q->touching.at, at));
  if (flags & HT_QUALITY_BRIGHT)
    ht_console_warn("%.3g %% of the mask is far brighter than blood, as bone, calcium or another "
                    "vessel is; the largest piece (%.3g mm3) is %s: look there; segment.bone, "
                    "%sa region, or correct the mask",
                    100 * q->bright_share, q->bright.volume_mm3, place_of(&q->bright.at, at),
                    ht_seen_is_offered(settings) ? "segment.learned: auto, " : "");
  if (flags & HT_QUALITY_DARK)
    ht_console_warn("%.3g %% of the mask is hardly brighter than tissue; the largest piece (%.3g "
                    "mm3) is %s: the mask has run out of the vessel, or the vessel "
                    "darkens; a higher --lower, segment.bias: n4 in MR, or correct the mask",
                    100 * q->dark_share, q->dark.volume_mm3, place_of(&q->dark.at, at));
}

static void warn_of_thin(const ht_mask_quality *q, int flags) {
  char at[128];
  if (flags & HT_QUALITY_THIN)
    ht_console_warn("%.3g mm of the vessel's %.3g mm along its centreline are thinner than 4 "
                    "voxels of the %s, at the least %.1f (%.2f mm) %s: the wall is off by up to "
                    "a third of a voxel there, do not trust the wall shear stress",
                    q->thin_mm, q->path_mm, q->has_values ? "scan" : "mask as given",
                    q->thinnest_voxels, q->thinnest_mm, place_of(&q->thinnest_at, at));
}

static void warn_of_slices(const ht_mask_quality *q, int flags) {
  char at[128];
  if (flags & HT_QUALITY_SLICES)
    ht_console_warn("the slices are %.3g mm apart, and the vessel is %.2f mm wide %s, or %.1f "
                    "slices: between them its wall is a guess, and thinner branches may be "
                    "missing; take a series of thinner slices",
                    q->longest_mm, q->thinnest_mm, place_of(&q->thinnest_at, at),
                    q->thinnest_mm / q->longest_mm);
}

/* Warns of a CT without contrast agent: blood has 30 to 60 HU, with an agent 150 and more. A drawn
 * mask may be of a CT without one. */
static void warn_of_no_agent(const ht_case *settings, const ht_manifest *manifest,
                             const ht_volume *scan) {
  const double least_hu = 100;
  const ht_mask_quality *q = &manifest->quality;
  const char *modality = manifest->modality;
  int is_ct = strcmp(modality, "CT") == 0 ||
              (!modality[0] && scan->values && ht_values_are_hounsfield(scan));
  if (settings->mask[0] || !is_ct || !(q->blood < least_hu)) return;
  ht_console_warn("no contrast agent seen in a CT: the vessel has %.0f HU, as blood without an "
                  "agent: its wall is hard to tell from its surroundings; take the series with "
                  "contrast agent, or look closely at pictures/mask_on_scan.png",
                  q->blood);
}

void ht_run_warn_of_quality(const ht_case *settings, const ht_manifest *manifest,
                            const ht_volume *scan) {
  const ht_mask_quality *quality = &manifest->quality;
  /* a surface has no voxels of its own, only those that were made of it */
  if (manifest->surface_sha256[0] || !(quality->voxel_mm > 0)) return;
  int flags = ht_quality_judge(quality);
  warn_of_no_agent(settings, manifest, scan);
  warn_of_contrast(quality, flags);
  warn_of_wall(quality, flags);
  warn_of_others(settings, quality, flags);
  warn_of_thin(quality, flags);
  warn_of_slices(quality, flags);
}

static void tell(const ht_run *run) {
  char words[320];
  const ht_mask_quality *quality = &run->manifest.quality;
  int flags = ht_quality_judge(quality);
  if (run->manifest.surface_sha256[0]) return;
  ht_quality_words(quality, words, sizeof words);
  if (words[0]) ht_console_note("quality: %s", words);
  ht_run_warn_of_quality(run->given.settings, &run->manifest, &run->imported.scan);
  if ((flags & ~(HT_QUALITY_THIN | HT_QUALITY_SLICES)) && run->given.settings->segment.points > 0)
    ht_console_note(
        "between points segment.upper, region and segment.bone are not used: move a point, "
        "give one more, or correct the mask by hand");
}

typedef struct {
  const ht_run *run;
  const ht_vessel_path *path;
  ht_picture_text text;
  char straight[HT_PATH_MAX], sections[HT_PATH_MAX];
} drawing;

static ht_status draw_straightened(void *user) {
  const drawing *of = user;
  return ht_picture_straightened(of->straight, &of->run->imported.scan, &of->run->vessel.mask,
                                 &of->run->vessel.placed.openings, of->path, &of->text);
}

static ht_status draw_sections(void *user) {
  const drawing *of = user;
  return ht_picture_sections(of->sections, &of->run->imported.scan, &of->run->vessel.mask, of->path,
                             &of->text);
}

/* Draws the pictures and removes those of an earlier mask. */
static ht_status draw(const ht_run *run, const ht_vessel_path *path) {
  char folder[HT_PATH_MAX];
  drawing of = {.run = run, .path = path, .text = {ht_run_name(&run->given, folder), NULL}};
  const ht_job jobs[] = {{draw_straightened, &of}, {draw_sections, &of}};
  HT_TRY(ht_run_path(run, HT_FILE_STRAIGHTENED, of.straight));
  HT_TRY(ht_run_path(run, HT_FILE_SECTIONS, of.sections));
  if (path->stations >= 2) return ht_jobs_run(jobs, 2);
  unlink(of.straight);
  unlink(of.sections);
  return HT_OK;
}

ht_status ht_run_show_quality(ht_run *run) {
  ht_vessel_path path = {0};
  ht_mask coarse;
  ht_mask_quality *quality = &run->manifest.quality;
  HT_TRY(ht_need_scan(run));
  HT_TRY(ht_quality_coarsen(&run->imported.scan.grid, &run->vessel.mask, &coarse));
  const ht_mask *mask = coarse.inside ? &coarse : &run->vessel.mask;
  ht_status status = ht_main_path_find(mask, &run->vessel.placed.openings, &path);
  if (status == HT_OK)
    status = ht_quality_measure(&run->imported.scan, !run->given.settings->mask[0], mask,
                                &run->vessel.placed.openings, &path, quality);
  ht_mask_free(&coarse);
  if (status == HT_OK) tell(run);
  if (status == HT_OK) status = draw(run, &path);
  ht_vessel_path_free(&path);
  return status;
}
