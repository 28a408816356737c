#include "app/compare/compare.h"
#include "app/compare/compare_page.h"
#include "app/compare/compare_picture.h"
#include "app/compare/compare_settings.h"
#include "app/compare/compare_table.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "export/files/result_files.h"
#include "app/compare/wall_map.h"
#include <math.h>
#include <string.h>

typedef struct {
  const ht_compare_options *options;
  int cases;
  ht_compared_case one[HT_COMPARED_MAX];
  ht_wall_map map[HT_COMPARED_MAX];
  ht_setting_table settings;
  ht_compare_table table;
} comparison;

/* ---- the request ---- */

/* Checks the wall of another program. */
static ht_status check_foreign(const ht_compare_options *options, int number) {
  const char *path = options->path[number];
  if (!ht_compared_is_foreign(path)) return HT_OK;
  if (number == 0)
    return ht_fail(HT_ERR_USAGE,
                   "%s: the first case is the reference and must be a case folder of hemotile: "
                   "give the wall of another program after it",
                   path);
  if (options->numbers_only)
    return ht_fail(HT_ERR_USAGE,
                   "%s: the wall of another program has no summary to compare: leave --numbers out",
                   path);
  return HT_OK;
}

static ht_status check_cases(const ht_compare_options *options) {
  if (options->cases < 2)
    return ht_fail(HT_ERR_USAGE, "give at least two finished cases; the first is the reference");
  for (int c = 0; c < options->cases; c++) {
    HT_TRY(ht_input_check(options->path[c]));
    HT_TRY(check_foreign(options, c));
    for (int k = 0; k < c; k++)
      if (ht_same_file(options->path[c], options->path[k]))
        return ht_fail(HT_ERR_USAGE, "%s and %s are the same: give each case once",
                       options->path[k], options->path[c]);
  }
  return HT_OK;
}

/* ---- reading ---- */

static void tell_notes(const char *path, const ht_import_notes *notes) {
  if (notes->text[0]) ht_console_note("%s: %s", path, notes->text);
  if (notes->warning[0]) ht_console_warn("%s: %s", path, notes->warning);
}

static ht_status read_case(comparison *c, const char *path) {
  const ht_compare_options *options = c->options;
  const ht_wall_reading how = {0, options->unit, options->arrays, options->array};
  ht_import_notes notes = {"", ""};
  ht_compared_case *one = &c->one[c->cases];
  HT_TRY(ht_compared_case_read(path, options->numbers_only ? NULL : &how, &notes, one));
  c->cases++;
  tell_notes(path, &notes);
  return HT_OK;
}

/* ---- the walls ---- */

/* Returns the distance: two segmentations differ by a voxel or two of the scan or the lattice. */
static double chosen_distance(const comparison *c) {
  double most = 0;
  if (c->options->distance_mm > 0) return c->options->distance_mm;
  for (int i = 0; i < c->cases; i++) {
    double spacing = ht_value_number(&c->one[i].numbers, "flow.spacing_mm");
    double voxel = ht_value_number(&c->one[i].record, "quality.scan_voxel_mm");
    if (spacing > most) most = spacing;
    if (voxel > most) most = voxel;
  }
  return most > 0 ? 2 * most : 1;
}

static void middle_of(const ht_surface *surface, double middle[3]) {
  double low[3], high[3];
  for (int r = 0; r < 3; r++) low[r] = INFINITY, high[r] = -INFINITY;
  for (int64_t i = 0; i < 3 * surface->points; i++) {
    low[i % 3] = fmin(low[i % 3], surface->point_mm[i]);
    high[i % 3] = fmax(high[i % 3], surface->point_mm[i]);
  }
  for (int r = 0; r < 3; r++) middle[r] = 0.5 * (low[r] + high[r]);
}

/* Writes "1.0 mm to the left, 0.5 mm to the feet". */
static void words_of_shift(const double a[3], const double b[3], char text[96]) {
  static const char *const side[3][2] = {{"right", "left"}, {"front", "back"}, {"feet", "head"}};
  int used = 0;
  text[0] = 0;
  for (int n = 0; n < 3; n++) {
    double mm = b[n] - a[n];
    if (fabs(mm) >= 0.05)
      used += snprintf(text + used, 96 - (size_t)used, "%s%.1f mm to the %s", used ? ", " : "",
                       fabs(mm), side[n][mm > 0]);
  }
}

static ht_status refuse_apart(const ht_compared_case *one, const ht_compared_case *other,
                              const ht_wall_map *map) {
  double a[3], b[3];
  char shift[96];
  middle_of(&one->wall.surface, a);
  middle_of(&other->wall.surface, b);
  words_of_shift(a, b, shift);
  return ht_fail(HT_ERR_VESSEL,
                 "%s and %s: only %.3g %% of the wall of the first lies within %.3g mm of the wall "
                 "of the second (at least %d %% are needed); the second's middle is %s of the "
                 "first's. Either the scans have different coordinates: register the second scan "
                 "to the first (3D Slicer: General Registration) and run that case again; or it is "
                 "another vessel%s. --distance MM accepts places that are farther away%s",
                 one->path, other->path, map->area_percent, map->reach_mm, HT_COMPARE_AREA_PERCENT,
                 shift[0] ? shift : "in the place",
                 other->is_foreign
                     ? "; or the file's axes are not LPS: in RAS the signs of x and y "
                       "are the other way round (ParaView: Transform, scale -1 -1 1)"
                     : "",
                 other->is_foreign ? "" : "; --numbers compares the numbers alone");
}

static ht_status map_wall(comparison *c, int number, double distance_mm) {
  ht_wall_map *map = &c->map[number];
  int common = 0;
  HT_TRY(ht_wall_map_make(&c->one[0].wall, &c->one[number].wall, distance_mm, map));
  if (!(map->area_percent >= HT_COMPARE_AREA_PERCENT))
    return refuse_apart(&c->one[0], &c->one[number], map);
  for (int n = 0; n < HT_WALL_NUMBERS; n++) common += map->other[n] != NULL;
  if (common == 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s and %s have no number of the wall in common: a steady case has wss and "
                   "pressure, a pulsatile one tawss and osi, too; say with --array which of them "
                   "the second file has",
                   c->one[0].path, c->one[number].path);
  return HT_OK;
}

static ht_status map_walls(comparison *c) {
  double distance_mm = chosen_distance(c);
  for (int i = 1; i < c->cases; i++) HT_TRY(map_wall(c, i, distance_mm));
  return HT_OK;
}

/* ---- writing ---- */

static ht_status write_wall(const comparison *c, int number) {
  char names[HT_WALL_NUMBERS][3][64], path[HT_PATH_MAX], file[96];
  static const char *const parts[] = {"difference", "reference", "other"};
  const ht_wall_map *map = &c->map[number];
  ht_wall_field field[HT_WALL_FIELDS_MAX];
  int fields = 0;
  for (int part = 0; part < 3; part++)
    for (int n = 0; n < HT_WALL_NUMBERS; n++) {
      const float *const values[] = {map->difference[n], c->one[0].wall.values[n], map->other[n]};
      if (!map->other[n]) continue;
      snprintf(names[n][part], sizeof names[n][part], "%s_%s%s", ht_wall_number_kinds[n].key,
               parts[part], ht_wall_number_suffix((ht_wall_number)n));
      field[fields++] = (ht_wall_field){names[n][part], values[part]};
    }
  field[fields++] = (ht_wall_field){"distance_mm", map->distance_mm};
  snprintf(file, sizeof file, HT_COMPARE_WALL "%s.vtp", c->one[number].label);
  HT_TRY(ht_path_join(path, c->options->folder, file));
  return ht_export_vtp_fields(path, &c->one[0].wall.surface, field, fields);
}

static ht_status write_pictures(const comparison *c, int number) {
  for (int n = 0; n < HT_WALL_NUMBERS; n++) {
    char file[96], path[HT_PATH_MAX];
    if (!c->map[number].other[n]) continue;
    ht_compare_picture_name(&c->one[number], (ht_wall_number)n, file);
    HT_TRY(ht_path_join(path, c->options->folder, file));
    HT_TRY(
        ht_compare_picture(path, &c->one[0], &c->one[number], &c->map[number], (ht_wall_number)n));
  }
  return HT_OK;
}

static ht_status write_files(const comparison *c) {
  const char *folder = c->options->folder;
  const ht_wall_map *map = c->options->numbers_only ? NULL : c->map;
  const ht_compare_page page = {folder, c->one, c->cases, &c->settings, &c->table, map};
  char path[HT_PATH_MAX];
  HT_TRY(ht_compare_folder_begin(folder));
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_CSV));
  HT_TRY(ht_compare_table_write(path, c->one, c->cases, &c->table));
  for (int i = 1; i < c->cases && map; i++) {
    HT_TRY(write_wall(c, i));
    HT_TRY(write_pictures(c, i));
  }
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_PAGE));
  return ht_compare_page_write(path, &page);
}

static ht_status compare(comparison *c, FILE *stream) {
  const ht_compare_options *options = c->options;
  HT_TRY(check_cases(options));
  HT_TRY(ht_compare_folder_check(options->folder));
  for (int i = 0; i < options->cases; i++) HT_TRY(read_case(c, options->path[i]));
  ht_compared_labels(c->one, c->cases);
  if (!options->numbers_only) HT_TRY(map_walls(c));
  HT_TRY(ht_setting_table_make(c->one, c->cases, &c->settings));
  ht_compare_warn(c->one, c->cases, &c->settings);
  HT_TRY(ht_compare_table_make(c->one, c->cases, options->numbers_only ? NULL : c->map, &c->table));
  HT_TRY(write_files(c));
  ht_compare_print(stream, c->one, c->cases, &c->settings, &c->table);
  return HT_OK;
}

ht_status ht_compare_run(const ht_compare_options *options, FILE *stream) {
  comparison c;
  memset(&c, 0, sizeof c);
  c.options = options;
  ht_status status = compare(&c, stream);
  for (int i = 0; i < c.cases; i++) {
    ht_compared_case_free(&c.one[i]);
    ht_wall_map_free(&c.map[i]);
  }
  ht_setting_table_free(&c.settings);
  ht_compare_table_free(&c.table);
  return status;
}
