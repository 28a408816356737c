#include "export/files/result_files.h"
#include "run/mask/candidate_doubt.h"
#include "run/mask/choose_seen.h"
#include "run/mask/choose_vessel.h"
#include "run/mask/cut_ends.h"
#include "run/edit/edits_mask.h"
#include "run/process/console.h"
#include "run/mask/draw_mask.h"
#include "segment/surface/follow.h"
#include "import/import.h"
#include "run/record/journal.h"
#include "run/mask/mask_quality.h"
#include "run/mask/mask_warn.h"
#include "run/measured/measured_inlet.h"
#include "run/mask/move_point.h"
#include "run/openings/place.h"
#include "run/openings/place_ends.h"
#include "run/openings/place_flows.h"
#include "run/openings/place_points.h"
#include "run/openings/place_sections.h"
#include "run/openings/place_warn.h"
#include "segment/settings/preset.h"
#include "segment/settings/preset_guess.h"
#include "run/checkpoint/run_guard.h"
#include "run/lattice/run_lattice.h"
#include "run/lattice/within.h"
#include "run/inputs/load_inputs.h"
#include "run/checkpoint/run_checkpoint.h"
#include "run/checkpoint/run_record.h"
#include "run/stages/stages.h"
#include "run/mask/print_points.h"
#include "run/mask/see_vessels.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Warns of a scan without Hounsfield units, by which bone is found. On that scale fat and air are
 * below 0, and even a small region has some. */
static void warn_of_no_ct(const ht_run *run, double bone) {
  const ht_volume *scan = &run->imported.scan;
  const char *what = "has no value below 0, as CT has";
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  float least = INFINITY, most = -INFINITY;
  for (int64_t v = 0; v < voxels; v++) {
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
      isnan(run->given.settings->segment.bone) ? "by the preset" : "segment.bone");
}

/* Returns the case's options, with the preset that the scan's kind leads to in place of `auto`. The
 * reason goes to the record. */
static ht_segment_options with_preset(ht_run *run) {
  ht_segment_options options = run->given.settings->segment;
  ht_manifest *manifest = &run->manifest;
  char why[400];
  manifest->preset_why[0] = 0;
  if (options.preset != HT_PRESET_AUTO) return options;
  options.preset = ht_preset_guess(&run->imported.scan, manifest->signs, why, sizeof why);
  snprintf(manifest->preset_why, sizeof manifest->preset_why, "%s: %s",
           ht_segment_preset_words[options.preset], why);
  return options;
}

/* Prints the choice. An image file that looks like a CT may be an angiography: only its user
 * knows. */
static void tell_choice(const ht_run *run, const char *text, int between) {
  const char *why = run->manifest.preset_why;
  const char *part = between ? " (of these only bias counts for a vessel between points)" : "";
  if (text[0] && why[0])
    ht_console_note("preset %s%s; chosen because %s (--preset none switches it off)", text, part,
                    strstr(why, ": ") + 2);
  else if (text[0])
    ht_console_note("preset %s%s", text, part);
  else if (why[0] && !between && !run->imported.scan.modality[0] &&
           !run->given.settings->phantom[0] && ht_values_are_hounsfield(&run->imported.scan))
    ht_console_note("preset %s; for a CT angiography give --preset cta-head or cta-aorta", why);
}

/* Prints the preset before the search for the vessel: if that fails, the preset may be the
 * reason. */
static ht_status tell_preset(ht_run *run) {
  char text[256];
  if (run->given.settings->mask[0]) return HT_OK;
  HT_TRY(ht_need_scan(run));
  ht_tell_points_given(run->given.settings);
  ht_segment_options options = with_preset(run);
  ht_segment_options used = ht_preset_apply(&options, text, sizeof text);
  int between = options.points > 0;
  tell_choice(run, text, between);
  if (!isnan(used.bone) && !between) warn_of_no_ct(run, used.bone);
  return HT_OK;
}

/* Makes the mask from the nodes inside the surface, not those inside its voxels, whose smoothing
 * moves the wall by a part of a voxel. */
static ht_status follow_surface(ht_run *run) {
  const double off = 1.5; /* largest distance of the voxels' wall from the surface, voxels */
  ht_mask inside = {0};
  HT_TRY(ht_need_surface(run));
  if (!run->imported.surface.corner) return HT_OK;
  HT_TRY(ht_mask_alloc(&run->vessel.mask.grid, &inside));
  ht_status status = ht_triangles_fill(&run->imported.surface, &inside);
  if (status == HT_OK)
    status = ht_mask_follow(&run->vessel.mask, &inside, &run->imported.surface,
                            off * run->imported.drawn.grid.spacing_mm[0]);
  ht_mask_free(&inside);
  run->manifest.segment.volume_ml = ht_mask_ml(&run->vessel.mask);
  return status;
}

static ht_segment_options lattice_of(const ht_run *run, double spacing_mm) {
  ht_segment_options options = run->given.settings->segment;
  options.spacing_mm = spacing_mm;
  return options;
}

/* Shows the vessel to whoever waits for it, such as a page: to find its ends takes as long again.
 * A failure is not reported: the stage writes the surface once more. */
static void show_found(const ht_run *run) {
  char path[HT_PATH_MAX];
  ht_triangles walls = {0};
  if (ht_run_path(run, HT_FILE_VESSEL_FOUND, path) == HT_OK &&
      ht_vessel_triangles(run->vessel.found, &walls) == HT_OK && walls.corner)
    ht_export_triangles(path, &walls);
  ht_triangles_free(&walls);
}

static void drop_file(const ht_run *run, const char *name) {
  char path[HT_PATH_MAX];
  if (ht_run_path(run, name, path) == HT_OK) remove(path);
}

static ht_status find_on_scan(ht_run *run) {
  ht_segment_options options = run->given.settings->segment;
  ht_segment_report *report = &run->manifest.segment;
  if (run->vessel.found) return HT_OK;
  if (run->given.settings->mask[0]) {
    HT_TRY(ht_need_drawn(run));
    HT_TRY(ht_vessel_of_mask(&run->imported.drawn, &options, &run->vessel.found, report));
    return run->given.wall ? ht_vessel_take_wall(run->vessel.found, run->given.wall) : HT_OK;
  }
  HT_TRY(ht_need_scan(run));
  options.preset = with_preset(run).preset;
  if (options.learned == HT_SEGMENT_LEARNED_ONLY && options.points == 0) {
    HT_TRY(ht_vessel_check_agent(&run->imported.scan, &options));
    HT_TRY(ht_need_seen(run));
    options.seen = &run->imported.seen;
  }
  HT_TRY(ht_vessel_find(&run->imported.scan, &options, ht_console_progress(), &run->vessel.found,
                        report));
  show_found(run);
  return HT_OK;
}

static ht_status make_mask(ht_run *run, ht_segment_options options) {
  ht_mask_free(&run->vessel.mask);
  if (options.max_voxels == 0) options.max_voxels = ht_run_most_voxels();
  HT_TRY(find_on_scan(run));
  HT_TRY(ht_vessel_sample(run->vessel.found, &options, ht_console_progress(), &run->vessel.mask,
                          &run->manifest.segment));
  return run->given.settings->mask[0] ? follow_surface(run) : HT_OK;
}

/* Lists the mask in the journal before it gets its name, and removes the results and pictures of
 * the previous mask. The previous openings and surface go last (store_mask): a run can continue
 * from the old mask with them. The picture of a measured flow is drawn before (measure_inflow). */
static ht_status replace_mask(ht_run *run, ht_output *staged) {
  HT_TRY(ht_export_mask(staged->hidden, &run->vessel.mask));
  HT_TRY(ht_hash_file(staged->hidden, run->vessel.mask_sha256));
  HT_TRY(ht_journal_add(run->given.folder, staged->hidden));
  HT_TRY(ht_run_keep_mask(&run->given, &run->claim));
  ht_folder_drop_after(run->given.folder, HT_STAGE_SEGMENT);
  ht_folder_drop_mask_drawn(run->given.folder);
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
  memcpy(manifest->mask_sha256, run->vessel.mask_sha256, HT_HASH_TEXT);
  manifest->has_mask = 1;
  manifest->mask_edited = run->vessel.mask_edited = 0;
  manifest->flow_settings_sha256[0] = manifest->flow_sha256[0] = 0;
  memset(&manifest->machine, 0, sizeof manifest->machine);
  memset(&manifest->quality, 0, sizeof manifest->quality);
  for (int stage = HT_STAGE_SEGMENT; stage < HT_STAGES; stage++) /* set again at their end */
    memset(&manifest->stage[stage], 0, sizeof *manifest->stage);
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_MASK, manifest->mask_settings_sha256));
  ht_mask_free(&run->vessel.mask);
  HT_TRY(ht_import_mask(path, &run->vessel.mask));
  manifest->mask_grid = run->vessel.mask.grid;
  manifest->segment.volume_ml = ht_mask_ml(&run->vessel.mask);
  drop_file(run, HT_FILE_OPENINGS); /* those of the previous mask */
  drop_file(run, HT_FILE_MARKUPS);
  drop_file(run, HT_FILE_VESSEL);
  manifest->vessel_sha256[0] = 0;
  return ht_run_record(run);
}

/* Writes the surface that the mask is a sampling of, which the walls of the flow follow as it is
 * read back. A case that begins with a surface has its own. */
static ht_status store_walls(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_triangles walls = {0};
  ht_triangles_free(&run->vessel.walls);
  if (run->manifest.surface_sha256[0]) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_VESSEL, path));
  HT_TRY(ht_vessel_triangles(run->vessel.found, &walls));
  ht_status status = walls.corner ? ht_export_triangles(path, &walls) : HT_OK;
  if (status == HT_OK && walls.corner) status = ht_hash_file(path, run->manifest.vessel_sha256);
  ht_triangles_free(&walls);
  return status;
}

/* Draws the mask and its ends, numbered, if the openings fail: the picture shows best why. */
static ht_status draw_failed(ht_run *run, ht_status status) {
  char message[4096];
  ht_openings offer = {0};
  snprintf(message, sizeof message, "%s", ht_error_message());
  ht_place_offer(&run->vessel.placed, &offer);
  run->vessel.placed.openings = offer;
  if (status != HT_ERR_INTERRUPTED) ht_run_draw_mask(run);
  memset(&run->vessel.placed, 0, sizeof run->vessel.placed);
  return ht_fail(status, "%s", message);
}

static ht_status place(ht_run *run, const ht_placed *decided) {
  int cuts = 0;
  ht_status status =
      ht_place_known(run->given.settings, &run->vessel.mask, decided, &run->vessel.placed, &cuts);
  if (status != HT_OK) return draw_failed(run, status);
  if (cuts > 0) HT_TRY(store_mask(run));
  memcpy(run->vessel.placed.mask_sha256, run->vessel.mask_sha256, HT_HASH_TEXT);
  run->vessel.has_openings = 1;
  return ht_run_write_openings(run->given.folder, &run->vessel.placed);
}

static void tell(const ht_run *run) {
  const ht_segment_report *report = &run->manifest.segment;
  if (report->bone_ml > 0) ht_console_note("bone: %.3g mL removed", report->bone_ml);
  if (report->bridges > 0) ht_console_note("gaps: %d bridged", report->bridges);
  ht_tell_points_found(run->given.settings, report, &run->vessel.placed);
  ht_console_note("vessel: %.4g mL, %s, lattice %.3g mm, %.1f nodes across the widest opening",
                  report->volume_ml, report->method, report->spacing_mm,
                  ht_run_nodes_across(&run->vessel));
  ht_place_tell(&run->vessel.placed.openings);
}

/* Warns of a seed: the piece nearest to it is kept, however far away. */
static void warn_of_seed(const ht_run *run) {
  const ht_segment_options *options = &run->given.settings->segment;
  const ht_grid *grid = &run->vessel.mask.grid;
  double nearest = INFINITY, p[3];
  if (!options->has_seed || options->points > 0) return;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    if (!run->vessel.mask.inside[v]) continue;
    ht_grid_voxel_position(grid, v, p);
    nearest = fmin(nearest, ht_distance(p, options->seed_mm));
  }
  if (nearest <= 3 * grid->spacing_mm[0]) return;
  ht_console_warn("segment.seed_mm [%.1f, %.1f, %.1f] lies in no vessel: the nearest one is kept, "
                  "%.1f mm away; check pictures/projection.png",
                  options->seed_mm[0], options->seed_mm[1], options->seed_mm[2], nearest);
}

/* Warns of a cut mask: it looks like a whole vessel, but is only part of one. */
static void warn_of_cut(const ht_segment_report *report) {
  const double most = 0.01;
  if (report->cut_share > most)
    ht_console_warn("the vessel is cut off where it is wider than the radii that vesselness "
                    "searches (%s): set segment.radius_mm to the radii of the vessel, or "
                    "segment.method to threshold; look at pictures/mask_on_scan.png",
                    report->method);
}

static ht_status find_vessel(ht_run *run, double spacing_mm, const ht_placed *decided) {
  HT_TRY(make_mask(run, lattice_of(run, spacing_mm)));
  if (!(run->given.settings->segment.spacing_mm > 0))
    run->manifest.segment.diameter_mm = ht_widest_opening_mm(&decided->openings);
  ht_warn_of_mask(run);
  warn_of_seed(run);
  HT_TRY(store_mask(run));
  return place(run, decided);
}

/* ---- the openings ---- */

/* Nodes across the widest opening on the lattice on which the openings are decided: enough to tell
 * the direction of a vessel of a fifth of its width. */
static const double decides_across = 30, decides_least = 24, decides_most = 45;
static const double again_nodes = 3e6; /* of a lattice that is worth halving after a failure */

/* Decides at a spacing; 0 for half a voxel. */
static ht_status decide_at(ht_run *run, double spacing_mm) {
  int cuts;
  HT_TRY(make_mask(run, ht_segment_reference(&run->given.settings->segment, spacing_mm)));
  HT_TRY(ht_place_points(run->given.settings, &run->manifest.segment));
  HT_TRY(ht_place_openings(run->given.settings, &run->manifest.segment, &run->vessel.mask, NULL,
                           &run->vessel.placed, &cuts));
  return ht_check_point_cuts(run->given.settings, &run->manifest.segment, &run->vessel.placed);
}

/* Returns the spacing of a better lattice for the decision; 0: it is good. */
static double better_spacing(const ht_run *run, ht_status decided) {
  double across = ht_run_nodes_across(&run->vessel),
         spacing_mm = run->vessel.mask.grid.spacing_mm[0];
  if (decided == HT_ERR_OPENINGS)
    return (double)ht_grid_voxels(&run->vessel.mask.grid) < again_nodes ? spacing_mm / 2 : 0;
  if (decided != HT_OK || (across >= decides_least && across <= decides_most)) return 0;
  return spacing_mm * across / decides_across;
}

/* Decides on the openings, on a lattice that depends on the scan and the vessel alone. */
static ht_status decide_alone(ht_run *run) {
  ht_case *before;
  const int mark = ht_console_warnings();
  HT_TRY(ht_alloc((void **)&before, 1, sizeof *before, "the settings"));
  *before = *run->given.settings;
  ht_status status = decide_at(run, 0);
  double spacing_mm = run->vessel.mask.inside ? better_spacing(run, status) : 0;
  if (spacing_mm > 0) {
    *run->given.settings = *before;
    ht_console_drop_warnings(mark, ht_console_warnings());
    status = decide_at(run, spacing_mm);
  }
  free(before);
  return status;
}

static ht_status decide(ht_run *run) {
  ht_case *before;
  HT_TRY(ht_alloc((void **)&before, 1, sizeof *before, "the settings"));
  *before = *run->given.settings;
  ht_status status = decide_alone(run);
  if (status == HT_ERR_OPENINGS) status = ht_suggest_point(run, before, decide_alone);
  free(before);
  if (status == HT_OK) ht_place_warn(run->given.settings, &run->vessel.mask, &run->vessel.placed);
  if (status == HT_ERR_OPENINGS)
    ht_place_tell_blind(run->given.settings, &run->vessel.mask, &run->vessel.placed);
  return status;
}

static ht_status decide_candidate(ht_run *run) {
  HT_TRY(decide_alone(run));
  return ht_candidate_doubt(run);
}

/* Decides on the openings, or leaves the mask for inspection. */
static ht_status decide_or_draw(ht_run *run) {
  char message[4096];
  const int mark = ht_console_warnings();
  int taken;
  ht_status status = decide(run);
  const int before = ht_console_warnings();
  HT_TRY(ht_choose_seen(run, decide_alone, &status, &taken));
  if (taken) ht_console_drop_warnings(mark, before);
  if (taken && status == HT_OK)
    ht_place_warn(run->given.settings, &run->vessel.mask, &run->vessel.placed);
  status = ht_choose_vessel(run, status, decide_candidate);
  if (status == HT_OK) status = ht_check_cut_ends(run, decide_alone);
  if ((status != HT_ERR_OPENINGS && status != HT_ERR_VESSEL) || !run->vessel.mask.inside)
    return status;
  snprintf(message, sizeof message, "%s", ht_error_message());
  ht_warn_of_mask(run);
  ht_warn_of_foreign(run);
  warn_of_seed(run);
  HT_TRY(store_mask(run));
  drop_file(run, HT_FILE_FLOW_DRAWN);
  ht_fail(status, "%s", message);
  return status == HT_ERR_OPENINGS ? draw_failed(run, status) : status;
}

/* Chooses the lattice. `segment` alone only warns: `solve` can still get another flow, which the
 * lattice may fit. */
static ht_status choose_lattice(ht_run *run, double *spacing_mm) {
  ht_status status =
      ht_run_choose_lattice(run->given.settings, &run->vessel, &run->manifest.segment, spacing_mm);
  int too_much = status == HT_ERR_MEMORY || status == HT_ERR_UNSTABLE || status == HT_ERR_CASE;
  if (!too_much || run->given.last != HT_STAGE_SEGMENT) return status;
  ht_console_warn("%s", ht_error_message());
  return HT_OK;
}

/* Makes the walls that the flow would follow, by which a time leads to a lattice. They go with
 * store_walls. */
static ht_status find_walls(ht_run *run) {
  ht_triangles *walls = &run->vessel.walls;
  if (!(run->given.settings->within_s > 0) || run->imported.surface.corner) return HT_OK;
  ht_triangles_free(walls);
  HT_TRY(ht_vessel_triangles(run->vessel.found, walls));
  walls->of_voxels = 1;
  return HT_OK;
}

/* Returns 1 where the flow may go on from a checkpoint, or be that of a corrected mask. */
static int may_be_shorter(const ht_run *run) {
  char path[HT_PATH_MAX];
  return ht_run_path(run, HT_FILE_EDITS, path) != HT_OK || ht_file_exists(path) ||
         ht_run_checkpoint_is_there(run->given.folder);
}

/* Refuses a flow of many hours before a lattice is made that takes long itself. */
static ht_status check_large(const ht_run *run, double widest_mm, double spacing_mm) {
  const double large_across = 40;
  if (widest_mm <= large_across * spacing_mm || may_be_shorter(run)) return HT_OK;
  return ht_run_check_early(run);
}

/* Makes the measured flow the inflow, where the case has one. Its shares of the outlets go to the
 * openings. */
static ht_status measure_inflow(ht_run *run) {
  ht_run_vessel *of = &run->vessel;
  if (!run->given.settings->measured[0]) return HT_OK;
  ht_measured_vessel vessel = {.folder = run->given.folder,
                               .draws = !run->given.no_pictures,
                               .mask = &of->mask,
                               .openings = of->placed.openings};
  HT_TRY(ht_measured_inlet_take(run->given.settings, &vessel, &run->manifest));
  for (int i = 0; i < of->placed.openings.count; i++)
    of->placed.openings.item[i].flow_fraction = vessel.openings.item[i].flow_fraction;
  return HT_OK;
}

/* Decides on the openings, finds the vessel on the lattice that its flow needs, and samples it
 * again if that is another lattice, with its own warnings about the vessel and the openings. */
static ht_status find_on_lattice(ht_run *run) {
  const ht_case *settings = run->given.settings;
  double spacing_mm = 0;
  ht_placed decided;
  HT_TRY(decide_or_draw(run));
  HT_TRY(ht_place_need_sections(&run->vessel.mask, &run->vessel.placed.openings));
  HT_TRY(measure_inflow(run));
  decided = run->vessel.placed;
  const int before = ht_console_warnings();
  const int by_time = ht_case_within_chooses(settings);
  const double widest_mm = ht_widest_opening_mm(&decided.openings);
  const double usual_mm = widest_mm / HT_LEAST_NODES_ACROSS;
  const double first_mm = by_time ? usual_mm : ht_run_first_spacing(settings, &decided.openings);
  HT_TRY(check_large(run, widest_mm, first_mm));
  HT_TRY(find_vessel(run, first_mm, &decided));
  const int first = ht_console_warnings();
  HT_TRY(find_walls(run));
  HT_TRY(ht_run_choose_within(run));
  if (ht_run_lattice_is_auto(settings))
    HT_TRY(choose_lattice(run, &spacing_mm));
  else if (by_time)
    spacing_mm = ht_run_first_spacing(settings, &decided.openings);
  if (spacing_mm > 0 && spacing_mm != first_mm) {
    HT_TRY(check_large(run, widest_mm, spacing_mm));
    ht_console_drop_warnings(before, first);
    HT_TRY(find_vessel(run, spacing_mm, &decided));
  }
  return ht_run_tell_within(run);
}

/* Shows the warnings of the last lattice alone; none about a vessel that may not be meant. */
static ht_status find_and_warn(ht_run *run) {
  const int mark = ht_console_warnings();
  ht_console_hold_warnings();
  ht_status found = find_on_lattice(run);
  if (found == HT_ERR_VESSEL) ht_console_drop_warnings(mark, ht_console_warnings());
  ht_console_show_warnings();
  return found;
}

/* Makes the corrections of this vessel again, on its new lattice. The stages that follow read the
 * corrected mask. */
static ht_status correct_again(ht_run *run) {
  char aside[64];
  int made;
  HT_TRY(ht_edits_after_segment(run->given.folder, &run->manifest, ht_console_progress(), &made,
                                aside));
  if (aside[0])
    ht_console_warn(
        "the corrections of the mask belong to another vessel than the one found now: "
        "they are kept as %s; to do them here as well: `hemotile edit %s --steps %s/%s`",
        aside, run->given.typed, run->given.typed, aside);
  if (!made) return HT_OK;
  ht_console_note("the corrections of " HT_FILE_EDITS " are made again in this mask");
  ht_mask_free(&run->vessel.mask);
  run->vessel.has_openings = 0;
  return HT_OK;
}

/* Keeps the corrected mask in a run of all stages, where the settings of the mask are those that it
 * was made with: what a person has corrected need not be found again, and the search may have
 * failed. Puts steps into it that are not in it yet. */
static ht_status keep_corrected(ht_run *run, int *is_kept) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT], settings[HT_HASH_TEXT];
  ht_edits_known known;
  ht_edits edits;
  *is_kept = 0;
  if (ht_case_within_chooses(run->given.settings)) return HT_OK; /* on another lattice, perhaps */
  HT_TRY(ht_run_path(run, HT_FILE_MASK, path));
  if (run->given.last == HT_STAGE_SEGMENT || run->given.force || !run->manifest.has_mask ||
      !ht_file_exists(path))
    return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  HT_TRY(ht_edits_look(run->given.folder, hex, &known));
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_MASK, settings));
  const int is_ours = known.is_made || strcmp(hex, run->manifest.mask_sha256) == 0;
  if (known.steps == 0 || !is_ours || strcmp(settings, run->manifest.mask_settings_sha256) != 0)
    return HT_OK;
  *is_kept = 1;
  ht_console_note("the corrected mask is kept, with %d steps of " HT_FILE_EDITS
                  "; `hemotile segment %s` finds the vessel again",
                  known.steps, run->given.typed);
  if (!known.is_pending) return HT_OK;
  HT_TRY(ht_edits_open(run->given.folder, &edits));
  ht_status status = ht_edits_write_mask(&edits, &run->manifest, 0, ht_console_progress());
  ht_edits_free(&edits);
  return status;
}

/* Measures the inflow in a corrected mask, with its openings. */
static ht_status measure_in_kept(ht_run *run) {
  if (!run->given.settings->measured[0]) return HT_OK;
  HT_TRY(ht_need_openings(run));
  return measure_inflow(run);
}

ht_status ht_stage_segment(ht_run *run) {
  int is_kept;
  drop_file(run, HT_FILE_VESSEL_FOUND); /* that of a run that was killed */
  HT_TRY(keep_corrected(run, &is_kept));
  if (is_kept) return measure_in_kept(run);
  run->given.settings->scan_signs = run->manifest.signs;
  if (run->given.first != HT_STAGE_IMPORT && run->manifest.patient_hash[0])
    ht_tell_names_unchecked(run->given.settings);
  HT_TRY(tell_preset(run));
  ht_status found = find_and_warn(run);
  if (found == HT_OK) found = store_walls(run);
  drop_file(run, HT_FILE_VESSEL_FOUND);
  ht_vessel_free(run->vessel.found);
  run->vessel.found = NULL;
  HT_TRY(found);
  warn_of_cut(&run->manifest.segment);
  tell(run);
  HT_TRY(ht_run_draw_mask(run));
  HT_TRY(ht_run_show_quality(run));
  ht_warn_of_foreign(run);
  ht_status status = ht_place_flows(run->given.settings, &run->vessel.placed.openings);
  if (status != HT_OK && run->given.last == HT_STAGE_SEGMENT) {
    ht_console_warn("%s", ht_error_message()); /* `solve` can still be given a flow */
    status = HT_OK;
  }
  HT_TRY(status);
  HT_TRY(ht_run_write_openings(run->given.folder, &run->vessel.placed));
  return correct_again(run);
}
