#include "run/run_look.h"
#include "core/machine/host_memory.h"
#include "core/numbers/units.h"
#include "import/image/nifti_file.h"
#include "import/import.h"
#include "run/lattice/run_extensions.h"
#include "run/folder/hash.h"
#include "run/lattice/run_offers.h"
#include "run/lattice/within_choice.h"
#include "run/openings/place_flows.h"
#include "run/openings/place_named.h"
#include "run/openings/place_outlets.h"
#include "run/process/console.h"
#include "run/run.h"
#include "segment/openings/main_path.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ACROSS = 8, MOST_ACROSS = 96 };

/* Gives the openings that were found what the case's list says now. */
static void apply_list(const ht_case *settings, ht_openings *openings) {
  const ht_openings found = *openings;
  double strayed_mm;
  for (int i = 0; i < settings->openings; i++) {
    const int at = ht_place_of_entry(&settings->opening[i], &found, &strayed_mm);
    if (at >= 0) ht_place_apply(&settings->opening[i], &openings->item[at]);
  }
}

static ht_status read_vessel(const char *folder, ht_run_vessel *vessel) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_OPENINGS));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND, "%s is missing: find the vessel first (`hemotile segment`)",
                   path);
  HT_TRY(ht_placed_read(path, &vessel->placed));
  HT_TRY(ht_path_join(path, folder, HT_FILE_MASK));
  HT_TRY(ht_import_mask(path, &vessel->mask));
  memcpy(vessel->mask_sha256, vessel->placed.mask_sha256, sizeof vessel->mask_sha256);
  if (ht_grid_is_isotropic(&vessel->mask.grid)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s is not on the lattice of a flow, as it was edited: `hemotile run --dry-run` "
                 "tells what it takes",
                 path);
}

/* Reads the surface that the walls follow and the extensions continue; none where the mask was
 * edited, or the case has other walls. */
static ht_status read_walls(const char *folder, const ht_case *settings, ht_run_vessel *vessel) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  ht_manifest *record;
  if (settings->solver.walls != HT_WALLS_INTERPOLATED) return HT_OK;
  HT_TRY(ht_alloc((void **)&record, 1, sizeof *record, "the record"));
  ht_status status = ht_path_join(path, folder, HT_FILE_MANIFEST);
  if (status == HT_OK) status = ht_manifest_read(path, record);
  if (status == HT_OK) status = ht_path_join(path, folder, HT_FILE_MASK);
  if (status == HT_OK) status = ht_hash_file(path, sha256);
  const int is_own = status == HT_OK && strcmp(sha256, record->mask_sha256) == 0;
  const int has_surface = is_own && record->surface_sha256[0];
  const int has_walls = is_own && (has_surface || record->vessel_sha256[0]);
  free(record);
  if (status != HT_OK || !has_walls) return status;
  HT_TRY(ht_path_join(path, folder, has_surface ? HT_FILE_SURFACE : HT_FILE_VESSEL));
  HT_TRY(ht_import_triangles(path, &vessel->walls));
  vessel->walls.of_voxels = !has_surface;
  return HT_OK;
}

static double voxels_of(const char *folder) {
  char path[HT_PATH_MAX];
  ht_nifti_info info;
  if (ht_path_join(path, folder, HT_FILE_SCAN) != HT_OK || !ht_file_exists(path) ||
      ht_nifti_header_info(path, &info) != HT_OK)
    return 0;
  return (double)info.dim[0] * info.dim[1] * info.dim[2];
}

static ht_status offer(const char *folder, const ht_case *settings, ht_run_vessel *vessel,
                       double *copy_rate, FILE *stream) {
  ht_lattice_offers *offers;
  ht_run_measures measures;
  ht_domain domain = {0};
  ht_json json = {stream, 0, 1};
  ht_run_measure(settings, vessel, ht_mask_ml(&vessel->mask), &measures);
  measures.scan_voxels = voxels_of(folder);
  HT_TRY(ht_alloc((void **)&offers, 1, sizeof *offers, "the lattices"));
  ht_status status = ht_run_build_domain(settings, vessel,
                                         vessel->walls.corner ? &vessel->walls : NULL, 1, &domain);
  if (status == HT_OK)
    status =
        ht_run_offer_lattices(&measures, &domain, LEAST_ACROSS, MOST_ACROSS, copy_rate, offers);
  ht_domain_free(&domain);
  if (status == HT_OK) {
    ht_json_object(&json, NULL);
    ht_run_offers_json(&json, &measures, offers);
    ht_within_json(&json, &measures, offers);
    ht_json_object_end(&json);
  }
  free(offers);
  return status;
}

static ht_status read_and_offer(const char *folder, ht_case *settings, double *copy_rate,
                                FILE *stream) {
  ht_run_vessel vessel = {0};
  ht_status status = ht_case_check(settings);
  if (status == HT_OK) status = ht_case_read_waveform(settings);
  if (status == HT_OK)
    status = ht_alloc((void **)&vessel.throat, 1, sizeof *vessel.throat, "the vessel");
  if (status == HT_OK) status = read_vessel(folder, &vessel);
  if (status == HT_OK) status = read_walls(folder, settings, &vessel);
  if (status == HT_OK) apply_list(settings, &vessel.placed.openings);
  if (status == HT_OK) status = ht_place_flows(settings, &vessel.placed.openings);
  if (status == HT_OK)
    status = ht_place_windkessels(settings, &vessel.placed.openings, &vessel.physiology);
  if (status == HT_OK) status = offer(folder, settings, &vessel, copy_rate, stream);
  ht_mask_free(&vessel.mask);
  ht_triangles_free(&vessel.walls);
  free(vessel.throat);
  return status;
}

/* What is missing or refused in the settings is an answer, too. */
static ht_status put_problem(FILE *stream) {
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "problem", ht_error_message());
  ht_json_object_end(&json);
  return HT_OK;
}

ht_status ht_run_lattices_json(const char *folder, double *copy_rate, FILE *stream) {
  ht_case *settings;
  HT_TRY(ht_run_open(folder, &settings));
  ht_host_memory_limit(1e9 * settings->max_memory_gb);
  const int mark = ht_console_warnings();
  const int was_quiet = ht_console_set_quiet(1); /* the run tells all of it */
  ht_console_hold_warnings();
  ht_status status = read_and_offer(folder, settings, copy_rate, stream);
  if (status == HT_ERR_CASE) status = put_problem(stream);
  ht_console_drop_warnings(mark, ht_console_warnings());
  ht_console_show_warnings();
  ht_console_set_quiet(was_quiet);
  free(settings);
  return status;
}

/* Returns the opening and the one at the other end of its path: the main inlet, or of that the
 * widest outlet. */
static ht_openings ends_of(const ht_openings *openings, int number) {
  const ht_opening *one = &openings->item[number], *inlet = ht_openings_main_inlet(openings);
  ht_openings ends = {.count = 1, .item = {*one}};
  for (int i = 0; i < openings->count && one == inlet; i++)
    if (openings->item[i].role == HT_ROLE_OUTLET) ends.item[ends.count++] = openings->item[i];
  if (inlet && one != inlet) {
    ends.item[0].role = HT_ROLE_OUTLET;
    ends.item[ends.count++] = *inlet;
  }
  return ends;
}

static void put_station(ht_json *json, const ht_vessel_path *path, int s, int is_reversed) {
  const ht_station *at = &path->station[s];
  const double along =
      is_reversed ? path->station[path->stations - 1].along_mm - at->along_mm : at->along_mm;
  double row[8] = {along, at->centre_mm[0], at->centre_mm[1], at->centre_mm[2]};
  for (int a = 0; a < 3; a++) row[4 + a] = is_reversed ? at->direction[a] : -at->direction[a];
  row[7] = sqrt(at->area_mm2 / HT_PI);
  ht_json_numbers(json, NULL, row, 8);
}

static ht_status find_path(const ht_run_vessel *vessel, int opening, FILE *stream) {
  ht_vessel_path path = {0};
  ht_json json = {stream, 0, 1};
  const ht_openings *openings = &vessel->placed.openings;
  if (opening < 0 || opening >= openings->count)
    return ht_fail(HT_ERR_USAGE, "there is no opening number %d", opening);
  const ht_openings ends = ends_of(openings, opening);
  const int is_reversed = &openings->item[opening] != ht_openings_main_inlet(openings);
  HT_TRY(ht_main_path_find(&vessel->mask, &ends, &path));
  ht_json_object(&json, NULL);
  ht_json_array(&json, "stations");
  for (int s = 0; s < path.stations; s++)
    put_station(&json, &path, is_reversed ? path.stations - 1 - s : s, is_reversed);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
  ht_vessel_path_free(&path);
  return HT_OK;
}

ht_status ht_run_path_json(const char *folder, int opening, FILE *stream) {
  ht_run_vessel vessel = {0};
  ht_status status = read_vessel(folder, &vessel);
  if (status == HT_OK) status = find_path(&vessel, opening, stream);
  ht_mask_free(&vessel.mask);
  return status;
}
