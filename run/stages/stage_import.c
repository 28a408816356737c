#include "export/files/result_files.h"
#include "run/process/console.h"
#include "run/record/identity.h"
#include "import/import.h"
#include "phantom/phantom.h"
#include "run/openings/place_points.h"
#include "run/privacy/redact.h"
#include "run/checkpoint/run_guard.h"
#include "run/checkpoint/run_names.h"
#include "run/checkpoint/run_record.h"
#include "run/checkpoint/run_repeat.h"
#include "run/stages/stages.h"
#include "core/numbers/vector3.h"
#include "core/text/words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the openings of a phantom as the case's, unless the case lists its own. */
static void take_openings(ht_case *settings, const ht_openings *known) {
  if (settings->openings > 0 || settings->segment.points > 0) return;
  int gives_flow = settings->inlet_flow_ml_s > 0 || settings->inlet_reynolds > 0 ||
                   settings->patient.cardiac_output_l_min > 0 || ht_case_waveform_is_file(settings);
  for (int i = 0; i < known->count; i++) {
    const ht_opening *from = &known->item[i];
    ht_case_opening *to = &settings->opening[settings->openings++];
    memcpy(to->name, from->name, sizeof to->name);
    to->role = (int)from->role;
    to->has_near = 1;
    memcpy(to->near_mm, from->centre_mm, sizeof to->near_mm);
    if (from->role == HT_ROLE_INLET && !gives_flow) to->flow_ml_s = from->flow_ml_s;
    if (from->role == HT_ROLE_OUTLET) to->pressure_pa = from->pressure_pa;
  }
}

/* Returns the surface's end at an entry of the case: the nearest, as at the border; -1: none. */
static int end_of(const ht_case_opening *asked, const ht_openings *ends) {
  double mm;
  const double *at_mm = asked->has_near ? asked->near_mm : asked->centre_mm;
  int nearest = ht_placed_nearest(ends, at_mm, &mm);
  return nearest >= 0 && mm <= ends->item[nearest].radius_mm + HT_NEAR_SLACK_MM ? nearest : -1;
}

static void take_plane(const ht_opening *end, ht_case_opening *to) {
  to->has_near = to->point = 0;
  to->has_centre = to->has_normal = 1;
  for (int r = 0; r < 3; r++) { /* rounded as in a case file */
    to->centre_mm[r] = round(1e4 * end->centre_mm[r]) / 1e4 + 0.;
    to->normal[r] = round(1e6 * end->normal[r]) / 1e6 + 0.;
  }
  if (end->name[0] && !to->name[0]) memcpy(to->name, end->name, sizeof to->name);
  if (to->role == HT_ROLE_NONE) to->role = (int)end->role;
}

/* Takes the voxel size of a surface, and its flat ends as cutting planes. A place of the case near
 * an end becomes the end's plane. If the case has planes or points of its own, no others are added:
 * its planes may cut off the vessels that have those ends. */
static void take_surface(ht_case *settings, const ht_import_surface *surface) {
  int taken[HT_OPENINGS_MAX] = {0}, asked = settings->openings, own_planes = 0;
  if (surface->voxel_mm > 0) settings->surface_spacing_mm = surface->voxel_mm;
  for (int a = 0; a < asked; a++) {
    ht_case_opening *one = &settings->opening[a];
    own_planes += one->has_centre;
    int end = one->has_near || one->point > 0 ? end_of(one, &surface->ends) : -1;
    if (end < 0 || taken[end]) continue;
    take_plane(&surface->ends.item[end], one);
    taken[end] = 1;
  }
  if (own_planes || settings->others_wall) return;
  for (int e = 0; e < surface->ends.count; e++)
    if (!taken[e] && settings->openings < HT_OPENINGS_MAX)
      take_plane(&surface->ends.item[e], &settings->opening[settings->openings++]);
}

static ht_status make_phantom(ht_case *settings, ht_volume *scan) {
  ht_phantom_options options;
  ht_phantom_kind kind;
  ht_phantom phantom;
  if (ht_phantom_kind_parse(settings->phantom, &kind) != HT_OK)
    return ht_fail(HT_ERR_CASE, "%s: phantom: %s", ht_case_file(settings), ht_error_message());
  ht_phantom_defaults(kind, &options);
  options.seed = (uint64_t)settings->phantom_seed;
  if (settings->phantom_spacing_mm > 0) options.spacing_mm = settings->phantom_spacing_mm;
  HT_TRY(ht_phantom_make(&options, ht_console_progress(), &phantom));
  take_openings(settings, &phantom.openings);
  *scan = phantom.scan;
  memset(&phantom.scan, 0, sizeof phantom.scan);
  ht_phantom_free(&phantom);
  return HT_OK;
}

/* Keeps only a hash of the patient's number, unless --keep-identity is given. */
static ht_status record_identity(ht_case *settings, const ht_identity *identity,
                                 ht_manifest *manifest) {
  if (settings->keep_identity) manifest->patient = *identity;
  if (ht_identity_hash(identity, manifest->patient_hash) != HT_OK)
    ht_console_warn("the record has no hash of the patient's number: %s", ht_error_message());
  if (settings->keep_identity) return HT_OK;
  (void)ht_identity_hide_study(
      &manifest->study); /* without a salt as above: the UIDs are dropped */
  ht_identity_hide(identity);
  ht_run_clean_names(settings);
  return HT_OK;
}

/* Records the series that was read by its number: the request may be a part of its description, or
 * its UID. */
static void record_series(ht_case *settings, int chosen, ht_manifest *manifest) {
  char *series = settings->series;
  const size_t size = sizeof settings->series;
  if (!series[0] || settings->keep_identity) return;
  snprintf(series, size, "%d", chosen);
  if (chosen == 0) series[0] = 0; /* only DICOM has several */
  memcpy(manifest->series, series, size);
}

/* Prints the notes, one a line, and puts them into the record. */
static void tell_notes(const ht_import_notes *notes, ht_manifest *manifest) {
  snprintf(manifest->notes, sizeof manifest->notes, "%s%s%s", notes->warning,
           notes->warning[0] && notes->text[0] ? "\n" : "", notes->text);
  ht_redact(manifest->notes, sizeof manifest->notes);
  snprintf(manifest->warning, sizeof manifest->warning, "%s", notes->warning);
  ht_redact(manifest->warning, sizeof manifest->warning);
  if (notes->warning[0]) ht_console_warn("%s", notes->warning);
  for (const char *line = notes->text; *line; line += strspn(line, "\n")) {
    int length = (int)strcspn(line, "\n");
    ht_console_note("note: %.*s", length, line);
    line += length;
  }
}

/* Hashes only the files that were read: a link may lead elsewhere next time, and a folder may hold
 * other scans. */
static ht_status hash_input(const char *input, const ht_path_list *files, const char *folder,
                            ht_manifest *manifest) {
  int is_folder = ht_folder_exists(input);
  manifest->input_files = files->count;
  if (is_folder || (files->count > 1 && ht_import_is_slice(input)))
    HT_TRY(ht_folder_check_read(folder, files));
  return files->count == 1 && !is_folder ? ht_hash_file(files->path[0], manifest->input_sha256)
                                         : ht_hash_files(files, manifest->input_sha256);
}

static void record_reading(const ht_case *settings, ht_reading *reading) {
  *reading = (ht_reading){.phase = settings->phase,
                          .allow_gaps_mm = settings->allow_gaps_mm,
                          .surface_unit = settings->surface_unit,
                          .phantom_seed = settings->phantom_seed,
                          .phantom_spacing_mm = settings->phantom_spacing_mm};
  memcpy(reading->phantom, settings->phantom, sizeof reading->phantom);
  snprintf(reading->source, sizeof reading->source, "%s",
           settings->phantom[0] ? "phantom"
           : settings->mask[0]  ? "mask"
                                : "scan");
}

/* Refuses a scan that is too small for the filters that find a vessel. */
static ht_status check_size(const char *input, const int dim[3]) {
  const int least = HT_SEGMENT_VOXELS_LEAST;
  if (dim[0] >= least && dim[1] >= least && dim[2] >= least) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: it has %d x %d x %d voxels, and to find a vessel at least %d along each axis "
                 "are needed: give the whole scan",
                 input, dim[0], dim[1], dim[2], least);
}

static ht_status read_input(ht_run *run) {
  ht_case *settings = run->given.settings;
  ht_manifest *manifest = &run->manifest;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  memset(manifest, 0, sizeof *manifest);
  /* A repeated run has the inflow, and not the images that it was measured in. */
  if (run->given.repeats) manifest->measured = run->given.repeats->measured;
  ht_path_list_free(&run->imported.files);
  if (ht_manifest_input_name(settings, manifest->input) != HT_OK)
    ht_console_warn("the record has no hash of the input's name: %s", ht_error_message());
  record_reading(settings, &manifest->reading);
  if (settings->phantom[0]) return make_phantom(settings, &run->imported.scan);
  memcpy(manifest->series, settings->series, sizeof manifest->series);
  ht_import_notes notes = {"", ""};
  ht_identity identity;
  int chosen = 0;
  ht_import_surface surface = {.more = settings->more_masks,
                               .unit = (ht_surface_unit)settings->surface_unit,
                               .spacing_mm = settings->surface_spacing_mm,
                               .lattice_mm = settings->segment.spacing_mm,
                               .nodes_across = settings->segment.nodes_across,
                               .triangles = &run->imported.surface};
  ht_triangles_free(&run->imported.surface);
  ht_import_options options = {.series = settings->series[0] ? settings->series : NULL,
                               .allow_gaps_mm = settings->allow_gaps_mm,
                               .phase = (int)settings->phase,
                               .surface = &surface,
                               .files = &run->imported.files,
                               .chosen = &chosen,
                               .look = &run->imported.look,
                               .identity = &identity,
                               .study = &manifest->study,
                               .notes = &notes,
                               .signs = &manifest->signs};
  if (settings->mask[0]) {
    HT_TRY(ht_import_vessel(input, &options, &run->imported.drawn));
    HT_TRY(ht_place_points(settings, NULL));
    take_surface(settings, &surface);
  } else {
    HT_TRY(ht_import_volume(input, &options, ht_console_progress(), &run->imported.scan));
    HT_TRY(check_size(input, run->imported.scan.grid.dim));
    memcpy(manifest->modality, run->imported.scan.modality, sizeof manifest->modality);
  }
  HT_TRY(record_identity(settings, &identity, manifest));
  record_series(settings, chosen, manifest);
  tell_notes(&notes, manifest);
  HT_TRY(hash_input(input, &run->imported.files, run->given.folder, manifest));
  return ht_repeat_check_input(run->given.repeats, manifest, input);
}

/* Hashes the input after reading it: the hash must be that of what was read, since the run
 * began. */
static ht_status read_unchanged(ht_run *run) {
  ht_status status = read_input(run);
  if (status == HT_OK) status = ht_input_stamps_check(&run->imported.stamps, &run->imported.files);
  ht_imported_forget(&run->imported);
  return status;
}

/* Notes thick slices. If the vessel then falls to pieces, nothing later says why. Twice as thick:
 * as in the quality of the mask. */
static void tell_thick(const ht_grid *grid) {
  const double *mm = grid->spacing_mm, longest = fmax(mm[0], fmax(mm[1], mm[2]));
  if (longest < 2 * cbrt(mm[0] * mm[1] * mm[2])) return;
  ht_console_note("thick slices: they are %.3g mm apart, %.2g times the size of a pixel; a thin "
                  "vessel may break between them: take a series with thinner slices, if the study "
                  "has one",
                  longest, longest / fmin(mm[0], fmin(mm[1], mm[2])));
}

static void tell(const ht_imported *imported, const char *modality) {
  const ht_grid *grid = imported->drawn.inside ? &imported->drawn.grid : &imported->scan.grid;
  ht_console_note("%s: %d x %d x %d voxels of %.3g x %.3g x %.3g mm%s%s",
                  imported->drawn.inside ? "mask" : "scan", grid->dim[0], grid->dim[1],
                  grid->dim[2], grid->spacing_mm[0], grid->spacing_mm[1], grid->spacing_mm[2],
                  modality[0] ? ", " : "", modality);
  if (imported->scan.values) tell_thick(grid);
}

/* Stores the triangles of a surface, from which the wall's distance follows. */
static ht_status store_surface(const ht_triangles *surface, const char *folder,
                               char sha256[HT_HASH_TEXT]) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_SURFACE));
  remove(path);
  sha256[0] = 0;
  if (!surface->corner) return HT_OK;
  HT_TRY(ht_export_triangles(path, surface));
  return ht_hash_file(path, sha256);
}

/* Removes the files of the previous scan, then writes the record of the new one; the caller
 * names the new scan last. Wherever this stops, no scan is taken for another. */
static ht_status replace_scan(ht_run *run, ht_output *staged) {
  char path[HT_PATH_MAX];
  HT_TRY(run->imported.drawn.inside ? ht_export_mask(staged->hidden, &run->imported.drawn)
                                    : ht_export_volume(staged->hidden, &run->imported.scan));
  HT_TRY(ht_run_keep_mask(&run->given, &run->claim));
  if (strcmp(run->claim.held.input_sha256, run->manifest.input_sha256) != 0)
    ht_folder_drop_measurements(run->given.folder);
  ht_folder_drop_after(run->given.folder, HT_STAGE_IMPORT);
  HT_TRY(ht_run_path(run, HT_FILE_SCAN, path));
  remove(path);
  HT_TRY(ht_run_path(run, HT_FILE_DRAWN, path));
  remove(path);
  HT_TRY(store_surface(&run->imported.surface, run->given.folder, run->manifest.surface_sha256));
  return ht_run_record(run);
}

static ht_status store_scan(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_output staged;
  HT_TRY(ht_run_path(run, run->imported.drawn.inside ? HT_FILE_DRAWN : HT_FILE_SCAN, path));
  HT_TRY(ht_output_name(path, &staged));
  ht_status status = replace_scan(run, &staged);
  return status == HT_OK ? ht_output_rename(&staged) : ht_output_failed(&staged, status);
}

ht_status ht_stage_import(ht_run *run) {
  if (run->claim.own_scan) {
    ht_console_note("the folder has this scan already: nothing to import");
    return HT_OK;
  }
  HT_TRY(read_unchanged(run));
  tell(&run->imported, run->manifest.modality);
  /* Only now is there something to write; another run may have claimed the folder first. */
  if (!run->claim.claimed) HT_TRY(ht_run_claim(&run->given, &run->manifest, &run->claim));
  HT_TRY(ht_run_guard_scan(&run->given, &run->claim, &run->manifest));
  HT_TRY(store_scan(run));
  /* The later stages read the scan from the file, which has positions in single precision: the
   * vessel is then the same in one run as stage by stage. */
  ht_volume_free(&run->imported.scan);
  ht_mask_free(&run->imported.drawn);
  return HT_OK;
}
