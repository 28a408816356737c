#include "choose_vessel.h"
#include "console.h"
#include "draw_mask.h"
#include "follow.h"
#include "import.h"
#include "journal.h"
#include "mask_quality.h"
#include "mask_warn.h"
#include "place.h"
#include "place_flows.h"
#include "place_points.h"
#include "place_warn.h"
#include "preset.h"
#include "preset_guess.h"
#include "run_guard.h"
#include "run_lattice.h"
#include "run_need.h"
#include "run_record.h"
#include "stages.h"
#include "tell_points.h"
#include "vector3.h"
#include "vessel_sections.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bone is found by its Hounsfield units. On that scale fat and air are below 0, and even a small
 * region has some. */
static void warn_of_no_ct(const ht_run *run, double bone) {
  const ht_volume *scan = &run->scan;
  const char *what = "has no value below 0, as CT has";
  float least = INFINITY, most = -INFINITY;
  for (int64_t v = 0; v < ht_grid_voxels(&scan->grid); v++) {
    least = fminf(least, scan->values[v]);
    most = fmaxf(most, scan->values[v]);
  }
  int other = scan->modality[0] && strcmp(scan->modality, "CT") != 0;
  if (most < bone || (least < 0 && !other)) return;
  if (other) what = "is no CT";
  ht_console_warn(
      "the scan%s%s %s, and what is above %g in it is removed as bone (%s), with any part of "
      "the vessel that is as bright: the limit for bone is in Hounsfield units of CT; give "
      "--preset none, --preset tof-mra for such a scan, or another segment.bone",
      other ? ", " : "", other ? scan->modality : "", what, bone,
      isnan(run->settings->segment.bone) ? "by the preset" : "segment.bone");
}

/* The case's options, with the preset that the scan's kind leads to in place of `auto`. The reason
 * goes to the record. */
static ht_segment_options with_preset(ht_run *run) {
  ht_segment_options options = run->settings->segment;
  ht_manifest *manifest = &run->manifest;
  char why[400];
  manifest->preset_why[0] = 0;
  if (options.preset != HT_PRESET_AUTO) return options;
  options.preset = ht_preset_guess(&run->scan, manifest->signs, why, sizeof why);
  snprintf(manifest->preset_why, sizeof manifest->preset_why, "%s: %s",
           ht_segment_preset_words[options.preset], why);
  return options;
}

/* An image file that looks like a CT may be an angiography: only its user knows. */
static void tell_choice(const ht_run *run, const char *text, int between) {
  const char *why = run->manifest.preset_why;
  const char *part = between ? " (of these only bias counts for a vessel between points)" : "";
  if (text[0] && why[0])
    ht_console_note("preset %s%s; chosen because %s (--preset none switches it off)", text, part,
                    strstr(why, ": ") + 2);
  else if (text[0])
    ht_console_note("preset %s%s", text, part);
  else if (why[0] && !between && !run->scan.modality[0] && !run->settings->phantom[0] &&
           ht_values_are_hounsfield(&run->scan))
    ht_console_note("preset %s; for a CT angiography give --preset cta-head or cta-aorta", why);
}

/* Printed before the search for the vessel: if that fails, the preset may be the reason. */
static ht_status tell_preset(ht_run *run) {
  char text[256];
  if (run->settings->mask[0]) return HT_OK;
  HT_TRY(ht_need_scan(run));
  ht_tell_points_given(run->settings);
  ht_segment_options options = with_preset(run);
  ht_segment_options used = ht_preset_apply(&options, text, sizeof text);
  int between = options.points > 0;
  tell_choice(run, text, between);
  if (!isnan(used.bone) && !between) warn_of_no_ct(run, used.bone);
  return HT_OK;
}

/* The nodes inside the surface are the mask, not those inside its voxels, whose smoothing moves the
 * wall by a part of a voxel. */
static ht_status follow_surface(ht_run *run) {
  const double off = 1.5; /* voxels: farther the voxels' wall is not from the surface */
  ht_mask inside = {0};
  HT_TRY(ht_need_surface(run));
  if (!run->surface.corner) return HT_OK;
  HT_TRY(ht_mask_alloc(&run->mask.grid, &inside));
  ht_status status = ht_triangles_fill(&run->surface, &inside);
  if (status == HT_OK)
    status =
        ht_mask_follow(&run->mask, &inside, &run->surface, off * run->drawn.grid.spacing_mm[0]);
  ht_mask_free(&inside);
  run->manifest.segment.volume_ml = ht_mask_ml(&run->mask);
  return status;
}

/* spacing_mm: the lattice spacing chosen for the case; 0: the case's own settings. */
static ht_status make_mask(ht_run *run, double spacing_mm) {
  ht_segment_options options = run->settings->segment;
  if (ht_run_lattice_is_auto(run)) options.nodes_across = HT_LEAST_NODES_ACROSS;
  if (spacing_mm > 0) options.spacing_mm = spacing_mm;
  ht_segment_report *report = &run->manifest.segment;
  if (options.max_voxels == 0) options.max_voxels = ht_run_most_voxels();
  if (run->settings->mask[0]) {
    HT_TRY(ht_need_drawn(run));
    HT_TRY(ht_segment_mask(&run->drawn, &options, ht_console_progress(), &run->mask, report));
    return follow_surface(run);
  }
  HT_TRY(ht_need_scan(run));
  if (!run->vessel) {
    options.preset = with_preset(run).preset;
    HT_TRY(ht_vessel_find(&run->scan, &options, ht_console_progress(), &run->vessel, report));
  }
  return ht_vessel_sample(run->vessel, &options, ht_console_progress(), &run->mask, report);
}

/* Lists the mask in the journal before it gets its name, and removes the results of the previous
 * mask. The previous openings go last (store_mask): a run can continue from the old mask with them.
 */
static ht_status replace_mask(ht_run *run, ht_output *staged) {
  HT_TRY(ht_export_mask(staged->hidden, &run->mask));
  HT_TRY(ht_hash_file(staged->hidden, run->mask_sha256));
  HT_TRY(ht_journal_add(run->folder, staged->hidden));
  HT_TRY(ht_run_keep_mask(run));
  ht_folder_drop_after(run->folder, HT_STAGE_SEGMENT);
  return HT_OK;
}

/* Writes the mask and reads it back, so that a run and the single stages work on the same bits. */
static ht_status store_mask(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_output staged;
  ht_manifest *manifest = &run->manifest;
  HT_TRY(ht_run_path(run, HT_FILE_MASK, path));
  HT_TRY(ht_output_name(path, &staged));
  ht_status status = replace_mask(run, &staged);
  if (status != HT_OK) return ht_output_failed(&staged, status);
  HT_TRY(ht_output_rename(&staged));
  memcpy(manifest->mask_sha256, run->mask_sha256, HT_HASH_TEXT);
  manifest->has_mask = 1;
  manifest->mask_edited = run->mask_edited = 0;
  manifest->flow_settings_sha256[0] = manifest->flow_sha256[0] = 0;
  memset(&manifest->machine, 0, sizeof manifest->machine);
  memset(&manifest->quality, 0, sizeof manifest->quality);
  for (int stage = HT_STAGE_SEGMENT; stage < HT_STAGES; stage++) /* set again at their end */
    memset(&manifest->stage[stage], 0, sizeof *manifest->stage);
  HT_TRY(ht_case_hash(run->settings, HT_HASH_MASK, manifest->mask_settings_sha256));
  ht_mask_free(&run->mask);
  HT_TRY(ht_import_mask(path, &run->mask));
  manifest->mask_grid = run->mask.grid;
  manifest->segment.volume_ml = ht_mask_ml(&run->mask);
  HT_TRY(ht_run_path(run, HT_FILE_OPENINGS, path));
  remove(path); /* those of the previous mask */
  HT_TRY(ht_run_path(run, HT_FILE_MARKUPS, path));
  remove(path);
  return ht_run_record(run);
}

/* If the openings fail, draws the mask: the picture shows best why. */
static ht_status place(ht_run *run) {
  char message[4096];
  int cuts = 0;
  ht_status status = ht_place_points(run->settings, &run->manifest.segment);
  if (status == HT_OK)
    status = ht_place_openings(run->settings, &run->mask, NULL, &run->placed, &cuts);
  if (status != HT_OK) {
    snprintf(message, sizeof message, "%s", ht_error_message());
    memset(&run->placed, 0, sizeof run->placed);
    if (status != HT_ERR_INTERRUPTED) ht_run_draw_mask(run);
    return ht_fail(status, "%s", message);
  }
  if (cuts > 0) HT_TRY(store_mask(run));
  memcpy(run->placed.mask_sha256, run->mask_sha256, HT_HASH_TEXT);
  run->has_openings = 1;
  return ht_run_write_openings(run);
}

static void tell(const ht_run *run) {
  const ht_segment_report *report = &run->manifest.segment;
  if (report->bone_ml > 0) ht_console_note("bone: %.3g mL removed", report->bone_ml);
  if (report->bridges > 0) ht_console_note("gaps: %d bridged", report->bridges);
  ht_tell_points_found(run->settings, report, &run->placed.openings);
  ht_console_note("vessel: %.4g mL, %s, lattice %.3g mm, %.1f nodes across the widest opening",
                  report->volume_ml, report->method, report->spacing_mm, ht_run_nodes_across(run));
  ht_place_tell(&run->placed.openings);
}

/* The piece nearest to the seed is kept, however far away. */
static void warn_of_seed(const ht_run *run) {
  const ht_segment_options *options = &run->settings->segment;
  const ht_grid *grid = &run->mask.grid;
  double nearest = INFINITY, p[3];
  if (!options->has_seed || options->points > 0) return;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    if (!run->mask.inside[v]) continue;
    ht_grid_voxel_position(grid, v, p);
    nearest = fmin(nearest, ht_distance(p, options->seed_mm));
  }
  if (nearest <= 3 * grid->spacing_mm[0]) return;
  ht_console_warn("segment.seed_mm [%.1f, %.1f, %.1f] lies in no vessel: the nearest one is kept, "
                  "%.1f mm away; check pictures/projection.png",
                  options->seed_mm[0], options->seed_mm[1], options->seed_mm[2], nearest);
}

/* Such a mask looks like a whole vessel, but is only part of one. */
static void warn_of_cut(const ht_segment_report *report) {
  const double most = 0.01;
  if (report->cut_share > most)
    ht_console_warn("the vessel is cut off where it is wider than the radii that vesselness "
                    "searches (%s): set segment.radius_mm to the radii of the vessel, or "
                    "segment.method to threshold; look at pictures/mask_on_scan.png",
                    report->method);
}

static ht_status find_vessel(ht_run *run, double spacing_mm) {
  ht_mask_free(&run->mask);
  HT_TRY(make_mask(run, spacing_mm));
  ht_warn_of_mask(run);
  warn_of_seed(run);
  HT_TRY(store_mask(run));
  return place(run);
}

/* `segment` alone only warns: `solve` can still get another flow, which the lattice may fit. */
static ht_status choose_lattice(ht_run *run, double *spacing_mm) {
  ht_status status = ht_run_choose_lattice(run, spacing_mm);
  int too_much = status == HT_ERR_MEMORY || status == HT_ERR_UNSTABLE || status == HT_ERR_CASE;
  if (!too_much || run->last != HT_STAGE_SEGMENT) return status;
  ht_console_warn("%s", ht_error_message());
  return HT_OK;
}

/* Drops the warnings about the vessel and openings on the first lattice (those after `before`, up
 * to `end`): the second lattice has its own. */
static void forget_first(ht_warnings *before, int end) {
  static ht_warnings all;
  ht_console_keep_warnings(&all);
  for (int i = end; i < all.count; i++)
    memcpy(before->text[before->count++], all.text[i], sizeof all.text[i]);
  ht_console_restore_warnings(before);
}

/* The widths of the openings are known only when they are placed. Until then the widest is a guess,
 * which fails if one opening is inside the scan and another at its border. */
static ht_status find_across(ht_run *run, const ht_warnings *before) {
  enum { TRIES = 2 };
  double spacing_mm;
  HT_TRY(ht_choose_vessel(run, find_vessel(run, 0)));
  for (int again = 0; again < TRIES && (spacing_mm = ht_run_mended_spacing(run)) > 0; again++) {
    ht_console_note("lattice: %.1f nodes lie across the widest opening, of %.2f mm: the vessel is "
                    "sampled again, at %.3g mm",
                    ht_run_nodes_across(run),
                    ht_run_nodes_across(run) * run->mask.grid.spacing_mm[0], spacing_mm);
    ht_console_restore_warnings(before);
    ht_case_drop_made_up_names(run->settings);
    HT_TRY(find_vessel(run, spacing_mm));
  }
  return HT_OK;
}

/* Finds the vessel on the lattice that its flow needs, and samples it again if that is another
 * lattice. */
static ht_status find_on_lattice(ht_run *run) {
  double spacing_mm = 0;
  static ht_warnings before, first;
  static ht_openings sections;
  sections.count = 0;
  ht_console_keep_warnings(&before);
  HT_TRY(find_across(run, &before));
  HT_TRY(ht_run_measure_sections(run, &sections));
  ht_console_keep_warnings(&first);
  if (ht_run_lattice_is_auto(run)) HT_TRY(choose_lattice(run, &spacing_mm));
  if (!(spacing_mm > 0)) return HT_OK;
  forget_first(&before, first.count);
  ht_case_drop_made_up_names(run->settings);
  HT_TRY(find_vessel(run, spacing_mm));
  return ht_run_measure_sections(run, &sections);
}

/* Shows the warnings of the last lattice alone; none about a vessel that may not be meant. */
static ht_status find_and_warn(ht_run *run) {
  static ht_warnings before;
  ht_console_keep_warnings(&before);
  ht_console_hold_warnings();
  ht_status found = find_on_lattice(run);
  if (found == HT_ERR_VESSEL) ht_console_restore_warnings(&before);
  ht_console_show_warnings();
  return found;
}

ht_status ht_stage_segment(ht_run *run) {
  run->settings->scan_signs = run->manifest.signs;
  if (run->first != HT_STAGE_IMPORT && run->manifest.patient_hash[0])
    ht_tell_names_unchecked(run->settings);
  HT_TRY(tell_preset(run));
  ht_status found = find_and_warn(run);
  ht_vessel_free(run->vessel);
  run->vessel = NULL;
  HT_TRY(found);
  warn_of_cut(&run->manifest.segment);
  tell(run);
  HT_TRY(ht_run_draw_mask(run));
  HT_TRY(ht_run_show_quality(run));
  ht_status status = ht_place_flows(run->settings, &run->placed.openings);
  if (status != HT_OK && run->last == HT_STAGE_SEGMENT) {
    ht_console_warn("%s", ht_error_message()); /* `solve` can still be given a flow */
    return ht_run_write_openings(run);
  }
  HT_TRY(status);
  return ht_run_write_openings(run);
}
