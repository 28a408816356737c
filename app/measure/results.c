#define _POSIX_C_SOURCE 200809L
#include "app/measure/results.h"
#include "app/batch/cohort/csv.h"
#include "core/numbers/vector3.h"
#include "core/text/shell_word.h"
#include "import/import.h"
#include "run/folder/beat_file.h"
#include "run/folder/flow_file.h"
#include "run/folder/folder.h"
#include "run/folder/moments_file.h"
#include "run/folder/series_file.h"
#include "run/folder/yaml_file.h"
#include "run/process/log_lock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  char text[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
} word;

static word typed(const char *path) {
  word of;
  ht_shell_word(path, of.text, sizeof of.text);
  return of;
}

static int path_of(const ht_results *of, const char *name, char path[HT_PATH_MAX]) {
  return ht_path_join(path, of->folder, name) == HT_OK && ht_file_exists(path);
}

/* ---- the wall ---- */

static int is_wanted(void *user, const char *name) {
  static const char *const vectors[] = {"wss_pa", "mean_wss_pa", "wss_peak_pa"};
  (void)user;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (strcmp(name, vectors[i]) == 0) return 0;
  return 1;
}

const float *ht_results_array(const ht_results *results, const char *name) {
  for (int i = 0; i < results->mesh.arrays; i++)
    if (results->mesh.array[i].components == 1 && strcmp(results->mesh.array[i].name, name) == 0)
      return results->mesh.array[i].value;
  return NULL;
}

const float *ht_results_wss(const ht_results *results) {
  const float *mean = ht_results_array(results, "tawss_pa");
  return mean ? mean : ht_results_array(results, "wss_magnitude_pa");
}

static ht_status read_wall(ht_results *of) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, of->folder, HT_FILE_WALL));
  HT_TRY(ht_vtp_mesh_read(path, HT_UNIT_MM, is_wanted, NULL, NULL, &of->mesh));
  of->wall = (ht_surface){.points = of->mesh.points,
                          .triangles = of->mesh.triangles,
                          .point_mm = of->mesh.point_mm,
                          .triangle = of->mesh.triangle};
  of->mesh.point_mm = NULL;
  of->mesh.triangle = NULL;
  for (int i = 0; i < of->mesh.arrays; i++) {
    ht_vtp_values *array = &of->mesh.array[i];
    if (strcmp(array->name, "Normals") != 0 || array->components != 3) continue;
    of->wall.normal = array->value;
    array->value = NULL;
  }
  if (of->wall.normal && ht_results_wss(of)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: it has no normals or no wall shear stress: `hemotile export %s` writes it "
                 "again",
                 path, typed(of->folder).text);
}

/* ---- the flow ---- */

static ht_status of_two_flows(const ht_results *of, const char *file) {
  return ht_fail(HT_ERR_CASE,
                 "%s/%s belongs to another flow than " HT_FILE_FLOW
                 ": run `hemotile solve %s` and `hemotile export %s`",
                 of->folder, file, typed(of->folder).text, typed(of->folder).text);
}

static ht_status read_phase(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  ht_flow_stats stats = {0};
  if (!path_of(of, HT_FILE_PHASE, path)) return HT_OK;
  HT_TRY(ht_flow_file_read(path, &of->phase, &stats, sha256));
  if (strcmp(sha256, mask_sha256) == 0 && of->phase.nodes == of->flow.nodes) return HT_OK;
  return of_two_flows(of, HT_FILE_PHASE);
}

static ht_status read_beat(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  if (!path_of(of, HT_FILE_BEAT, path)) return HT_OK;
  HT_TRY(ht_beat_file_read(path, &of->beat, sha256));
  return strcmp(sha256, mask_sha256) == 0 ? HT_OK : of_two_flows(of, HT_FILE_BEAT);
}

static ht_status read_moments(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  if (!path_of(of, HT_FILE_MOMENTS, path)) return HT_OK;
  HT_TRY(ht_moments_file_read(path, &of->moments, sha256));
  if (strcmp(sha256, mask_sha256) == 0 && of->moments.points == of->wall.points) return HT_OK;
  return of_two_flows(of, HT_FILE_MOMENTS);
}

static ht_status read_series(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  if (!path_of(of, HT_FILE_SERIES, path)) return HT_OK;
  HT_TRY(ht_beat_series_open(path, &of->series, sha256));
  if (strcmp(sha256, mask_sha256) == 0 && of->series.points == of->wall.points) return HT_OK;
  return of_two_flows(of, HT_FILE_SERIES);
}

/* Puts the vessel of mask.nii.gz onto the flow's grid, which has more around it. */
static ht_status place_vessel(ht_results *of, const ht_mask *mask) {
  HT_TRY(ht_mask_alloc(&of->flow.grid, &of->vessel));
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double position_mm[3];
    int at[3];
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, position_mm);
    const int64_t to = ht_grid_nearest(&of->flow.grid, position_mm, at);
    if (ht_flow_node(&of->flow, to) >= 0) of->vessel.inside[to] = 1;
  }
  return HT_OK;
}

/* Numbers the vessel's voxels as the series has them; without a series of this vessel there are no
 * samples. */
static ht_status number_series(ht_results *of) {
  if (of->series.samples == 0) return HT_OK;
  if (of->vessel.inside && ht_mask_count(&of->vessel) == of->series.voxels)
    return ht_node_map_of_mask(ht_grid_voxels(&of->vessel.grid), of->vessel.inside, &of->entry_of);
  ht_beat_series_free(&of->series);
  return HT_OK;
}

static ht_status read_vessel(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  ht_mask mask = {0};
  const ht_import_options own = {.is_own = 1};
  if (!path_of(of, HT_FILE_MASK, path)) return number_series(of);
  HT_TRY(ht_hash_file(path, sha256));
  of->mask_edited_since = strcmp(sha256, mask_sha256) != 0;
  if (of->mask_edited_since) return number_series(of);
  HT_TRY(ht_import_vessel(path, &own, &mask));
  ht_status status = place_vessel(of, &mask);
  ht_mask_free(&mask);
  return status == HT_OK ? number_series(of) : status;
}

static ht_status read_openings(ht_results *of) {
  char path[HT_PATH_MAX];
  if (!path_of(of, HT_FILE_OPENINGS, path)) return HT_OK;
  return ht_placed_read(path, &of->placed);
}

/* ---- the surface of the vessel ---- */

/* Finds in the record which surface the walls of the flow follow; "": the voxels of its mask, as of
 * one that was edited before the flow was computed. */
static ht_status find_outline(const ht_results *of, const char *mask_sha256, const char **file,
                              char sha256[HT_HASH_TEXT]) {
  char path[HT_PATH_MAX], walls[32] = "", own[HT_HASH_TEXT] = "";
  ht_yaml yaml;
  *file = "";
  if (!path_of(of, HT_FILE_MANIFEST, path)) return HT_OK;
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  struct fy_node *options = ht_yaml_get(yaml.root, "options");
  struct fy_node *input = ht_yaml_get(yaml.root, "input");
  if (options) ht_yaml_text(ht_yaml_get(options, "flow"), "walls", walls, sizeof walls);
  ht_yaml_text(yaml.root, "mask_sha256", own, sizeof own);
  if (strcmp(walls, "interpolated") == 0 && strcmp(own, mask_sha256) == 0) {
    if (input && ht_yaml_text(input, "surface_sha256", sha256, HT_HASH_TEXT))
      *file = HT_FILE_SURFACE;
    else if (ht_yaml_text(yaml.root, "vessel_sha256", sha256, HT_HASH_TEXT))
      *file = HT_FILE_VESSEL;
  }
  ht_yaml_free(&yaml);
  return HT_OK;
}

static ht_status read_outline(ht_results *of, const char *mask_sha256) {
  char path[HT_PATH_MAX], wanted[HT_HASH_TEXT] = "", sha256[HT_HASH_TEXT];
  const char *file;
  HT_TRY(find_outline(of, mask_sha256, &file, wanted));
  if (!*file || !path_of(of, file, path)) return HT_OK;
  HT_TRY(ht_hash_file(path, sha256));
  if (strcmp(sha256, wanted) == 0) return ht_import_triangles(path, &of->outline);
  return ht_fail(HT_ERR_CASE,
                 "%s was changed since the flow was computed: run `hemotile run %s` again", path,
                 typed(of->folder).text);
}

/* ---- the centreline ---- */

static ht_status read_station(const ht_csv *table, int row, const int column[5], ht_station *to) {
  double *const number[4] = {&to->along_mm, &to->centre_mm[0], &to->centre_mm[1],
                             &to->centre_mm[2]};
  for (int k = 0; k < 4; k++) {
    const char *text = ht_csv_cell(table, row, column[k]);
    char *end;
    *number[k] = strtod(text, &end);
    if (end == text || *end || !isfinite(*number[k]))
      return ht_fail(HT_ERR_FORMAT, HT_FILE_CENTRELINE ":%d: not a number: '%.20s'",
                     table->line[row], text);
  }
  to->is_mixed = strcmp(ht_csv_cell(table, row, column[4]), "vessel") != 0;
  return HT_OK;
}

static ht_status take_stations(ht_results *of, const ht_csv *table) {
  static const char *const names[5] = {"position_mm", "x_mm", "y_mm", "z_mm", "place"};
  int column[5];
  for (int k = 0; k < 5; k++) {
    column[k] = ht_csv_column(table, names[k]);
    if (column[k] < 0)
      return ht_fail(HT_ERR_FORMAT, HT_FILE_CENTRELINE " has no column %s", names[k]);
  }
  HT_TRY(
      ht_alloc((void **)&of->station, (size_t)table->rows, sizeof *of->station, "the centreline"));
  for (int row = 1; row < table->rows; row++)
    HT_TRY(read_station(table, row, column, &of->station[of->stations++]));
  return HT_OK;
}

static ht_status read_stations(ht_results *of) {
  char path[HT_PATH_MAX];
  ht_csv table;
  if (!path_of(of, HT_FILE_CENTRELINE, path)) return HT_OK;
  ht_status status = ht_csv_read(path, &table);
  if (status != HT_OK) return status == HT_ERR_MEMORY ? status : HT_ERR_FORMAT;
  status = take_stations(of, &table);
  ht_csv_free(&table);
  return status == HT_OK ? HT_OK : ht_fail_in(status, of->folder);
}

/* ---- all ---- */

static ht_status check_there(const ht_results *of) {
  static const struct {
    const char *file, *command;
  } needed[] = {{HT_FILE_FLOW, "solve"}, {HT_FILE_WALL, "export"}, {HT_FILE_SUMMARY, "export"}};
  char path[HT_PATH_MAX];
  if (!ht_folder_exists(of->folder) || !ht_folder_is_case(of->folder))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: no case folder of hemotile: give a folder that `hemotile run ... -o DIR` "
                   "has made",
                   of->folder);
  HT_TRY(ht_path_join(path, of->folder, HT_FILE_LOG));
  if (ht_log_is_locked(path))
    return ht_fail(HT_ERR_USAGE,
                   "%s: another hemotile is working in this folder: measure when it has ended",
                   of->folder);
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!path_of(of, needed[i].file, path))
      return ht_fail(HT_ERR_NOT_FOUND,
                     "%s: there are no results to measure in (%s is missing): run `hemotile %s %s` "
                     "first",
                     of->folder, needed[i].file, needed[i].command, typed(of->folder).text);
  return HT_OK;
}

static ht_status read_all(ht_results *of) {
  char path[HT_PATH_MAX], mask_sha256[HT_HASH_TEXT];
  HT_TRY(check_there(of));
  HT_TRY(ht_path_join(path, of->folder, HT_FILE_FLOW));
  HT_TRY(ht_flow_file_read(path, &of->flow, &of->stats, mask_sha256));
  HT_TRY(read_wall(of));
  HT_TRY(read_phase(of, mask_sha256));
  HT_TRY(read_beat(of, mask_sha256));
  HT_TRY(read_moments(of, mask_sha256));
  HT_TRY(read_series(of, mask_sha256));
  HT_TRY(read_openings(of));
  HT_TRY(read_stations(of));
  HT_TRY(read_vessel(of, mask_sha256));
  return read_outline(of, mask_sha256);
}

ht_status ht_results_read(const char *folder, ht_results *results) {
  memset(results, 0, sizeof *results);
  if (snprintf(results->folder, sizeof results->folder, "%s", folder) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", folder);
  for (size_t end = strlen(results->folder); end > 1 && results->folder[end - 1] == '/'; end--)
    results->folder[end - 1] = 0;
  ht_status status = read_all(results);
  if (status != HT_OK) ht_results_free(results);
  return status;
}

void ht_results_free(ht_results *results) {
  if (!results) return;
  ht_flow_free(&results->flow);
  ht_flow_free(&results->phase);
  ht_vtp_mesh_free(&results->mesh);
  ht_surface_free(&results->wall);
  ht_beat_free(&results->beat);
  ht_wall_moments_free(&results->moments);
  ht_beat_series_free(&results->series);
  ht_mask_free(&results->vessel);
  ht_node_map_free(&results->entry_of);
  free(results->station);
  ht_triangles_free(&results->outline);
  memset(results, 0, sizeof *results);
}

uint64_t ht_results_stamp(const char *folder) {
  static const char *const files[] = {HT_FILE_FLOW, HT_FILE_WALL, HT_FILE_SUMMARY, HT_FILE_SERIES,
                                      HT_FILE_MASK};
  uint64_t stamp = 14695981039346656037U; /* FNV-1a over sizes and times */
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[HT_PATH_MAX];
    struct stat is = {0};
    const int there = ht_path_join(path, folder, files[i]) == HT_OK && stat(path, &is) == 0;
    if (!there && i < 3) return 0;
    const uint64_t part[3] = {(uint64_t)is.st_size, (uint64_t)is.st_mtim.tv_sec,
                              (uint64_t)is.st_mtim.tv_nsec};
    for (int k = 0; k < 3; k++) stamp = (stamp ^ part[k]) * 1099511628211U;
  }
  return stamp ? stamp : 1;
}
