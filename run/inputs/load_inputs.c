#include "run/inputs/load_inputs.h"
#include "run/folder/beat_file.h"
#include "run/process/console.h"
#include "run/folder/cycle_file.h"
#include "run/folder/moments_file.h"
#include "run/edit/edits_mask.h"
#include "run/folder/edited_mask.h"
#include "run/folder/flow_file.h"
#include "import/import.h"
#include "segment/openings/main_path.h"
#include "run/openings/place.h"
#include "run/openings/place_points.h"
#include "run/openings/place_flows.h"
#include "run/openings/place_outlets.h"
#include "run/openings/place_sections.h"
#include "run/openings/place_warn.h"
#include "run/inputs/export_during_flow.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/run_levels.h"
#include "run/lattice/run_plan.h"
#include "run/network/start_outlets.h"
#include "segment/shape/wall_distance.h"
#include <math.h>
#include <string.h>

static ht_status absent(const char *path, const char *command, const char *folder) {
  return ht_fail(HT_ERR_NOT_FOUND, "%s is missing: run `hemotile %s %s` first", path, command,
                 folder);
}

/* Makes an image of the mask, which the pictures of a case with a ready mask show in place of a
 * scan. */
static ht_status image_of_mask(const ht_mask *mask, ht_volume *image) {
  HT_TRY(ht_volume_alloc(&mask->grid, image));
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) image->values[v] = mask->inside[v] ? 1 : 0;
  return HT_OK;
}

ht_status ht_need_drawn(ht_run *run) {
  char path[HT_PATH_MAX];
  if (run->imported.drawn.inside) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_DRAWN, path));
  if (!ht_file_exists(path)) return absent(path, "import MASK -o", run->given.typed);
  return ht_import_mask(path, &run->imported.drawn);
}

ht_status ht_need_surface(ht_run *run) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  if (run->imported.surface.corner || !run->manifest.surface_sha256[0]) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_SURFACE, path));
  if (!ht_file_exists(path)) return absent(path, "import MASK -o", run->given.typed);
  HT_TRY(ht_hash_file(path, sha256));
  if (strcmp(sha256, run->manifest.surface_sha256) == 0)
    return ht_import_triangles(path, &run->imported.surface);
  return ht_fail(
      HT_ERR_CASE,
      "%s was changed since the import, and the mask was not: import the changed surface "
      "with `hemotile import SURFACE -o %s --force`",
      path, run->given.typed);
}

ht_status ht_need_walls(ht_run *run) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  HT_TRY(ht_need_surface(run));
  if (run->imported.surface.corner || run->vessel.walls.corner || !run->manifest.vessel_sha256[0])
    return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_VESSEL, path));
  if (!ht_file_exists(path)) return absent(path, "segment", run->given.typed);
  HT_TRY(ht_hash_file(path, sha256));
  if (strcmp(sha256, run->manifest.vessel_sha256) != 0)
    return ht_fail(HT_ERR_CASE,
                   "%s was changed since the segmentation, and the mask was not: run `hemotile "
                   "segment %s` again; to compute the flow in a changed surface, give it as `mask: "
                   "FILE.stl` of another case",
                   path, run->given.typed);
  HT_TRY(ht_import_triangles(path, &run->vessel.walls));
  run->vessel.walls.of_voxels = 1;
  return HT_OK;
}

ht_status ht_need_scan(ht_run *run) {
  char path[HT_PATH_MAX];
  if (run->imported.scan.values) return HT_OK;
  if (run->given.settings->mask[0]) {
    HT_TRY(ht_need_drawn(run));
    return image_of_mask(&run->imported.drawn, &run->imported.scan);
  }
  HT_TRY(ht_run_path(run, HT_FILE_SCAN, path));
  if (!ht_file_exists(path)) return absent(path, "import SCAN -o", run->given.typed);
  HT_TRY(ht_import_volume(path, NULL, ht_console_progress(), &run->imported.scan));
  /* NIfTI does not store the modality. */
  memcpy(run->imported.scan.modality, run->manifest.modality, sizeof run->imported.scan.modality);
  return HT_OK;
}

/* Makes a mask edited by hand fit for the solver, with as few changes as possible. */
static ht_status fit_edited(ht_run *run, ht_mask *drawn) {
  ht_segment_options options = run->given.settings->segment;
  ht_segment_report report;
  options.has_region = options.has_sphere = 0; /* applied before the editing */
  options.nodes_across = 0;
  options.spacing_mm = ht_grid_is_isotropic(&drawn->grid) ? 0 : run->manifest.segment.spacing_mm;
  int64_t before = ht_mask_count(drawn);
  HT_TRY(ht_segment_mask(drawn, &options, ht_console_progress(), &run->vessel.mask, &report));
  ht_console_warn("%s was edited by hand: the flow follows the edited mask", HT_FILE_MASK);
  if (report.components > 1)
    ht_console_warn("the edited mask has %d separate pieces: one is kept, with %.1f %% of its "
                    "voxels",
                    report.components, 100 * report.kept_fraction);
  ht_console_note("edited mask: %lld voxels drawn, %lld used", (long long)before,
                  (long long)ht_mask_count(&run->vessel.mask));
  return HT_OK;
}

/* Updates the manifest's volume to that of the mask in use: it changes with an edit, and back when
 * the edit is undone. The tolerance is for NIfTI's spacings in single precision. */
static void measure_used(const ht_run_vessel *vessel, double *told_ml) {
  double ml = ht_mask_ml(&vessel->mask);
  if (fabs(ml - *told_ml) > 1e-6 * ml) *told_ml = ml;
  if (vessel->mask_edited) ht_console_note("vessel: %.3g mL, edited mask", ml);
}

/* Refuses the mask of a segmentation that was stopped, or whose openings failed: it is for
 * inspection only. A mask edited since then is the user's decision. */
static ht_status check_segmented(const ht_run *run, const char *path) {
  if (run->vessel.mask_edited || run->given.first <= HT_STAGE_SEGMENT) return HT_OK;
  if (run->manifest.stage[HT_STAGE_SEGMENT].ended[0]) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: the segmentation that wrote it did not finish (stopped, or its openings "
                 "failed): run `hemotile segment %s` first",
                 path, run->given.typed);
}

static ht_status read_stored(const char *path, int is_edited, const char *folder, ht_mask *stored) {
  ht_import_notes notes = {0};
  const ht_import_options options = {.notes = &notes, .is_own = 1};
  ht_status status = ht_import_vessel(path, &options, stored);
  if (status == HT_OK && is_edited && notes.warning[0]) ht_console_warn("%s", notes.warning);
  if (status != HT_ERR_VESSEL || !is_edited) return status;
  return ht_fail(
      status,
      "%s: the edited mask is empty: no voxel is > 0. Draw the vessel in it with a label "
      "of 1 or more and save it, or segment again with `hemotile segment %s --force`",
      path, folder);
}

/* Fails where the scan, settings and position that the mask belongs to are unknown. */
static ht_status unknown(const char *path, const char *folder) {
  return ht_fail(HT_ERR_CASE,
                 "%s: this mask is not in the folder's record (" HT_FILE_MANIFEST
                 "): `hemotile segment %s --force` makes a new one and keeps this one as "
                 "mask_edited_1.nii.gz; to use this one, write a case file with `mask: %s`",
                 path, folder, path);
}

/* Finds out whether the mask is that of the corrections. Fails where they are not in it yet: the
 * flow would be that of another vessel than the one on the screen. */
static ht_status look_for_edits(const ht_run *run, ht_edits_known *known) {
  HT_TRY(ht_edits_look(run->given.folder, run->vessel.mask_sha256, known));
  if (!known->is_pending || (run->vessel.mask_edited && !known->is_made)) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the corrections of the mask (" HT_FILE_EDITS
                 ", %d steps) are not in " HT_FILE_MASK " yet: run `hemotile edit %s` first",
                 known->steps, run->given.typed);
}

/* Sets mask, mask_sha256 and mask_edited. */
static ht_status need_mask(ht_run *run) {
  char path[HT_PATH_MAX], settings[HT_HASH_TEXT];
  ht_mask stored = {0};
  ht_edits_known known;
  if (run->vessel.mask.inside) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_MASK, path));
  if (!ht_file_exists(path)) return absent(path, "segment", run->given.typed);
  if (!run->manifest.has_mask) return unknown(path, run->given.typed);
  HT_TRY(ht_hash_file(path, run->vessel.mask_sha256));
  run->vessel.mask_edited = strcmp(run->vessel.mask_sha256, run->manifest.mask_sha256) != 0;
  run->manifest.mask_edited = run->vessel.mask_edited;
  memcpy(run->manifest.edited_sha256, run->vessel.mask_sha256, HT_HASH_TEXT);
  HT_TRY(look_for_edits(run, &known));
  HT_TRY(check_segmented(run, path));
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_MASK, settings));
  if (strcmp(settings, run->manifest.mask_settings_sha256) != 0)
    return ht_fail(
        HT_ERR_CASE,
        "%s: 'region', 'segment', 'vessel' or 'lattice' was changed since the mask was made: run "
        "`hemotile segment %s` first",
        ht_case_file(run->given.settings), run->given.typed);
  HT_TRY(read_stored(path, run->vessel.mask_edited, run->given.typed, &stored));
  if (!run->vessel.mask_edited) {
    run->vessel.mask = stored;
    measure_used(&run->vessel, &run->manifest.segment.volume_ml);
    return HT_OK;
  }
  /* One made by `hemotile edit` lies where it belongs, and may be larger than it was. */
  ht_status status = known.is_made ? HT_OK
                                   : ht_edited_mask_check(path, run->given.typed,
                                                          &run->manifest.mask_grid, &stored.grid);
  if (status == HT_OK) status = fit_edited(run, &stored);
  if (status == HT_OK) measure_used(&run->vessel, &run->manifest.segment.volume_ml);
  ht_mask_free(&stored);
  return status;
}

ht_status ht_need_openings(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_placed before = {0};
  int readable = 0, known = 0, cuts;
  run->given.settings->scan_signs = run->manifest.signs;
  if (run->vessel.has_openings) return HT_OK;
  HT_TRY(need_mask(run));
  HT_TRY(ht_run_path(run, HT_FILE_OPENINGS, path));
  /* An edited mask has the cuts of the mask before the edit. */
  if (ht_file_exists(path)) readable = ht_placed_read(path, &before) == HT_OK;
  known = readable &&
          (run->vessel.mask_edited || strcmp(before.mask_sha256, run->vessel.mask_sha256) == 0);
  ht_place_new_points(run->given.settings, &run->manifest.segment);
  if (known && !run->vessel.mask_edited)
    HT_TRY(ht_place_known(run->given.settings, &run->vessel.mask, &before, &run->vessel.placed,
                          &cuts));
  else
    HT_TRY(ht_place_openings(run->given.settings, NULL, &run->vessel.mask, known ? &before : NULL,
                             &run->vessel.placed, &cuts));
  ht_place_warn(run->given.settings, &run->vessel.mask, &run->vessel.placed);
  HT_TRY(ht_place_need_sections(&run->vessel.mask, &run->vessel.placed.openings));
  if (readable && run->vessel.mask_edited)
    HT_TRY(ht_place_check_new(run->given.settings, &before.openings, &run->vessel.placed.openings));
  if (readable)
    ht_place_compare(run->given.settings, &before.openings, &run->vessel.placed.openings);
  memcpy(run->vessel.placed.mask_sha256, run->vessel.mask_sha256, HT_HASH_TEXT);
  run->vessel.has_openings = 1;
  return HT_OK;
}

static int is_interpolated(const ht_case *settings) {
  return settings->solver.walls == HT_WALLS_INTERPOLATED;
}

static ht_status build_domain(void *user) {
  ht_run *run = user;
  return ht_run_build_domain(run->given.settings, &run->vessel, ht_run_walls(run), 0, &run->domain);
}

static ht_status build_domain_and_wall(void *user) {
  ht_run *run = user;
  HT_TRY(build_domain(run));
  return ht_surface_build(&run->domain, &run->ahead.wall);
}

/* Makes the domain. The solver and the export also need the path through the vessel, the surface of
 * its wall and the paths to the outlets: they are found in parallel with the domain, or with the
 * flow. */
static ht_status make_domain(ht_run *run) {
  ht_job jobs[HT_JOBS_MAX] = {
      {run->given.last == HT_STAGE_EXPORT ? build_domain_and_wall : build_domain, run}};
  int count = 1;
  if (run->given.last < HT_STAGE_SOLVE || ht_run_has_idle_cores(&run->given))
    return build_domain(run);
  if (!run->given.only_page) HT_TRY(ht_run_ahead_jobs(run, jobs, &count));
  return ht_jobs_run(jobs, count);
}

/* Starts a pulse's Windkessels by the vessel's network. Not for the later stages, whose flow is
 * there. */
static ht_status start_outlets(ht_run *run) {
  ht_throat throat;
  double diameters[HT_OPENINGS_MAX];
  ht_openings *openings = &run->vessel.placed.openings;
  if (run->given.first > HT_STAGE_SOLVE ||
      !ht_outlets_want_start(run->given.settings, openings, &run->vessel.physiology))
    return HT_OK;
  HT_TRY(ht_run_throat(run->given.settings, &run->vessel, openings, &throat));
  HT_TRY(ht_run_extensions(run->given.settings, &run->vessel, 1, diameters));
  return ht_start_outlets(run->given.settings, &run->vessel.mask, &throat, diameters, openings);
}

ht_status ht_need_domain(ht_run *run) {
  if (run->domain.mask.inside) return HT_OK;
  HT_TRY(ht_need_openings(run));
  HT_TRY(ht_place_flows(run->given.settings, &run->vessel.placed.openings));
  HT_TRY(ht_place_windkessels(run->given.settings, &run->vessel.placed.openings,
                              &run->vessel.physiology));
  HT_TRY(start_outlets(run));
  if (is_interpolated(run->given.settings) && !run->vessel.mask_edited) HT_TRY(ht_need_walls(run));
  ht_status status = make_domain(run);
  if (status != HT_OK) {
    ht_run_drop_domain(run);
    return status;
  }
  ht_place_warn_of_straight(&run->vessel.placed.openings, &run->domain);
  if (is_interpolated(run->given.settings))
    HT_TRY(ht_domain_measure_walls(&run->domain, ht_run_walls(run)));
  return ht_run_has_idle_cores(&run->given) ? ht_run_ahead_begin(run) : HT_OK;
}

ht_status ht_run_take_wall(ht_run *run, ht_surface *surface) {
  HT_TRY(ht_need_domain(run));
  HT_TRY(ht_run_ahead_wait(run));
  *surface = run->ahead.wall;
  memset(&run->ahead.wall, 0, sizeof run->ahead.wall);
  return surface->points > 0 ? HT_OK : ht_surface_build(&run->domain, surface);
}

ht_status ht_need_path(ht_run *run) {
  HT_TRY(ht_need_domain(run));
  HT_TRY(ht_run_ahead_wait(run));
  if (run->ahead.path.stations > 0) return HT_OK;
  return ht_main_path_find(&run->vessel.mask, &run->vessel.placed.openings, &run->ahead.path);
}

ht_status ht_need_tiling(ht_run *run) {
  if (run->tiling.inside) return HT_OK;
  HT_TRY(ht_need_domain(run));
  return ht_tiling_build(&run->domain.mask, NULL, &run->tiling);
}

/* Returns 1 where flow.bin and the newly built domain have the same nodes. */
static int same_nodes(const ht_domain *domain, const ht_flow *flow) {
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  if (memcmp(domain->mask.grid.dim, flow->grid.dim, sizeof flow->grid.dim) != 0) return 0;
  for (int64_t v = 0; v < voxels; v++)
    if ((domain->mask.inside[v] != HT_SOLID) != (ht_flow_node(flow, v) >= 0)) return 0;
  return 1;
}

static ht_status of_another_mask(const char *path, const char *folder) {
  return ht_fail(HT_ERR_CASE, "%s belongs to another mask: run `hemotile solve %s` first", path,
                 folder);
}

/* Reads the beat; a flow of an earlier version has none. */
static ht_status need_beat(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  HT_TRY(ht_run_path(run, HT_FILE_BEAT, path));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_beat_file_read(path, &run->sampled.beat, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) == 0) return HT_OK;
  ht_beat_free(&run->sampled.beat);
  return of_another_mask(path, run->given.typed);
}

static ht_status need_phase(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  ht_flow_stats stats = {0}; /* statistics of the flow */
  HT_TRY(ht_run_path(run, HT_FILE_PHASE, path));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_flow_file_read(path, &run->solved.phase, &stats, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) != 0 ||
      !same_nodes(&run->domain, &run->solved.phase)) {
    ht_flow_free(&run->solved.phase);
    return of_another_mask(path, run->given.typed);
  }
  ht_flow_share_nodes(&run->solved.phase, &run->solved.flow);
  return HT_OK;
}

/* Reads the moments; a pulsatile flow of an earlier version has none. */
static ht_status need_moments(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  HT_TRY(ht_run_path(run, HT_FILE_MOMENTS, path));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_moments_file_read(path, &run->sampled.moments, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) == 0) return HT_OK;
  ht_wall_moments_free(&run->sampled.moments);
  return of_another_mask(path, run->given.typed);
}

/* Reads the cycle of a pulsatile flow; a steady flow has none. */
static ht_status need_cycle(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  HT_TRY(need_beat(run));
  HT_TRY(need_phase(run));
  HT_TRY(need_moments(run));
  HT_TRY(ht_run_path(run, HT_FILE_CYCLE, path));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_cycle_file_read(path, &run->sampled.cycle, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) == 0) return HT_OK;
  ht_wall_cycle_free(&run->sampled.cycle);
  return of_another_mask(path, run->given.typed);
}

/* Fails where the mask and settings that the flow belongs to are not known. */
static ht_status no_record(const ht_given *given) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_MANIFEST));
  if (ht_file_exists(path))
    return ht_fail(HT_ERR_CASE,
                   "%s has no flow, and " HT_FILE_FLOW " is there: run `hemotile solve %s` first",
                   path, given->typed);
  return ht_fail(
      HT_ERR_NOT_FOUND,
      "%s is missing: without this record it is not known which mask and settings " HT_FILE_FLOW
      " belongs to. Put it back from a copy of the folder, or compute the flow again: `hemotile "
      "segment %s --force`, then `hemotile solve %s` and `hemotile export %s`",
      path, given->typed, given->typed, given->typed);
}

ht_status ht_need_flow(ht_run *run) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT], settings[HT_HASH_TEXT];
  if (run->solved.flow.velocity_m_s) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FILE_FLOW, path));
  if (!ht_file_exists(path)) return absent(path, "solve", run->given.typed);
  if (!run->manifest.flow_settings_sha256[0]) return no_record(&run->given);
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_FLOW, settings));
  if (strcmp(settings, run->manifest.flow_settings_sha256) != 0)
    return ht_fail(HT_ERR_CASE,
                   "%s was changed since the flow was computed: run `hemotile solve %s` first",
                   ht_case_file(run->given.settings), run->given.typed);
  HT_TRY(ht_need_domain(run));
  HT_TRY(ht_flow_file_read(path, &run->solved.flow, &run->solved.stats, mask_sha256));
  if (strcmp(mask_sha256, run->vessel.mask_sha256) == 0 &&
      same_nodes(&run->domain, &run->solved.flow)) {
    HT_TRY(ht_run_recall_levels(run));
    return need_cycle(run);
  }
  ht_flow_free(&run->solved.flow);
  return ht_fail(HT_ERR_CASE,
                 "%s was changed since the flow was computed: run `hemotile solve %s` "
                 "first",
                 HT_FILE_MASK, run->given.typed);
}
