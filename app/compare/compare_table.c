#include "app/compare/compare_table.h"
#include "core/formats/csv_cell.h"
#include "run/record/summary_table.h"
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the main numbers ---- */

/* Main numbers, in the order of the page. A star stands for the name of an opening, which goes in
 * front. */
static const struct {
  const char *pattern, *words;
} main_numbers[] = {
    {"narrowing.peak_to_peak_mmhg", "Pressure drop over the narrowing, peak to peak, mmHg"},
    {"narrowing.highest_mmhg", "Pressure drop over the narrowing, highest at one moment, mmHg"},
    {"narrowing.mean_mmhg", "Pressure drop over the narrowing, mean, mmHg"},
    {"narrowing.velocity_jet_m_s", "Highest velocity of the jet, m/s"},
    {"narrowing.throat_diameter_mm", "Diameter of the throat, mm"},
    {"wall.cycle.tawss_mean_pa", "TAWSS, mean, Pa"},
    {"wall.cycle.tawss_p99_pa", "TAWSS, 99 % of the wall below, Pa"},
    {"wall.cycle.tawss_below_0_4_pa_percent", "Wall with a TAWSS below 0.4 Pa, %"},
    {"wall.cycle.osi_mean", "Oscillatory shear index, mean"},
    {"wall.wss_mean_pa", "Wall shear stress (of a pulse: of its mean flow), mean, Pa"},
    {"wall.wss_p99_pa",
     "Wall shear stress (of a pulse: of its mean flow), 99 % of the wall below, Pa"},
    {"flow.max_velocity_m_s", "Highest velocity, m/s"},
    {"sac.volume_mm3", "Volume of the sac, mm3"},
    {"sac.aspect_ratio", "Aspect ratio of the sac"},
    {"sac.inflow_ml_s", "Flow into the sac, mL/s"},
    {"openings.*.pressure_drop_from_inlet_mmhg", "pressure drop from the inlet, mmHg"},
    {"openings.*.highest_pressure_mmhg", "highest pressure of the beat, mmHg"},
    {"openings.*.lowest_pressure_mmhg", "lowest pressure of the beat, mmHg"},
    {"openings.*.flow_ml_s", "flow, mL/s"},
    {"vessel.volume_ml", "Volume of the vessel, mL"},
    {"wall.area_mm2", "Area of the wall, mm2"},
    {"flow.spacing_mm", "Lattice spacing, mm"},
};
enum { MAIN = sizeof main_numbers / sizeof *main_numbers };

static void find_words(ht_compare_row *row, const char *pattern, const char *words) {
  const char *star = strchr(pattern, '*');
  if (!star) {
    snprintf(row->words, sizeof row->words, "%s", words);
    return;
  }
  int name = (int)(strlen(row->name) - (strlen(pattern) - 1));
  snprintf(row->words, sizeof row->words, "%.*s: %s", name, row->name + (star - pattern), words);
}

/* ---- rows ---- */

static ht_compare_row *new_row(ht_compare_table *table, const char *name) {
  if (table->rows == table->room) {
    int room = table->room ? 2 * table->room : 256;
    void *larger = realloc(table->row, (size_t)room * sizeof *table->row);
    if (!larger) return NULL;
    table->row = larger;
    table->room = room;
  }
  ht_compare_row *row = &table->row[table->rows];
  memset(row, 0, sizeof *row);
  snprintf(row->name, sizeof row->name, "%s", name);
  for (int c = 0; c < HT_COMPARED_MAX; c++) row->value[c] = NAN;
  return row;
}

static ht_status no_memory(void) {
  return ht_fail(HT_ERR_MEMORY, "not enough memory for the numbers of the cases");
}

static int has_row(const ht_compare_table *table, const char *name) {
  for (int r = 0; r < table->rows; r++)
    if (strcmp(table->row[r].name, name) == 0) return 1;
  return 0;
}

/* Adds a row for the number, where two cases have it. */
static ht_status add_number(ht_compare_table *table, const ht_compared_case *one, int cases,
                            const char *name) {
  int known = 0;
  if (has_row(table, name)) return HT_OK;
  ht_compare_row *row = new_row(table, name);
  if (!row) return no_memory();
  for (int c = 0; c < cases; c++) {
    row->value[c] = ht_value_number(&one[c].numbers, name);
    known += isfinite(row->value[c]);
  }
  row->is_place = fnmatch("*.[xyz]", name, 0) == 0 || strcmp(name, "warnings") == 0;
  table->rows += known >= 2;
  return HT_OK;
}

static ht_status add_main(ht_compare_table *table, const ht_compared_case *one, int cases, int m) {
  for (int c = 0; c < cases; c++)
    for (int i = 0; i < one[c].numbers.count; i++) {
      const char *name = one[c].numbers.item[i].name;
      int before = table->rows;
      if (fnmatch(main_numbers[m].pattern, name, 0) != 0) continue;
      HT_TRY(add_number(table, one, cases, name));
      if (table->rows > before)
        find_words(&table->row[before], main_numbers[m].pattern, main_numbers[m].words);
    }
  return HT_OK;
}

/* ---- rows of the maps ---- */

/* Reader of one number of a map. */
typedef double (*map_number)(const ht_wall_map *map, int number);
static double take_area(const ht_wall_map *map, int n) {
  return (void)n, map->area_percent;
}
static double take_near(const ht_wall_map *map, int n) {
  return (void)n, map->distance_median_mm;
}
static double take_far(const ht_wall_map *map, int n) {
  return (void)n, map->distance_p95_mm;
}
static double take_first(const ht_wall_map *map, int n) {
  return map->number[n].reference_mean;
}
static double take_other(const ht_wall_map *map, int n) {
  return map->number[n].other_mean;
}
static double take_median(const ht_wall_map *map, int n) {
  return map->number[n].median;
}
static double take_p95(const ht_wall_map *map, int n) {
  return map->number[n].p95;
}
static double take_correlation(const ht_wall_map *map, int n) {
  return map->number[n].correlation;
}

static ht_status add_map_row(ht_compare_table *table, int cases, const ht_wall_map *map,
                             map_number take, int number, const char *name, const char *words) {
  int known = 0;
  ht_compare_row *row = new_row(table, name);
  if (!row) return no_memory();
  row->is_pair = 1;
  for (int c = 1; c < cases; c++) {
    if (number < 0 || map[c].other[number]) row->value[c] = take(&map[c], number);
    known += isfinite(row->value[c]);
  }
  if (words) snprintf(row->words, sizeof row->words, "%s", words);
  table->rows += known > 0;
  return HT_OK;
}

static ht_status add_map_number(ht_compare_table *table, int cases, const ht_wall_map *map, int n) {
  static const struct {
    map_number take;
    const char *name, *words;
    int has_unit;
  } rows[] = {{take_first, "reference_mean", "mean of the reference", 1},
              {take_other, "mean", "mean", 1},
              {take_median, "difference_median", "median of the difference", 1},
              {take_p95, "difference_p95", "95 % of the area differs by less than", 1},
              {take_correlation, "correlation", "correlation", 0}};
  const ht_wall_number_kind *kind = &ht_wall_number_kinds[n];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[HT_COMPARE_NAME], words[HT_COMPARE_NAME];
    const char *unit = rows[i].has_unit ? kind->unit : "";
    snprintf(name, sizeof name, "wall_map.%s.%s%s", kind->key, rows[i].name,
             rows[i].has_unit ? ht_wall_number_suffix((ht_wall_number)n) : "");
    snprintf(words, sizeof words, "%s: %s%s%s", kind->brief, rows[i].words, *unit ? ", " : "",
             unit);
    HT_TRY(add_map_row(table, cases, map, rows[i].take, n, name, words));
  }
  return HT_OK;
}

static ht_status add_maps(ht_compare_table *table, int cases, const ht_wall_map *map) {
  HT_TRY(add_map_row(table, cases, map, take_area, -1, "wall_map.common_area_percent",
                     "Area of the reference's wall that is common, %"));
  HT_TRY(add_map_row(table, cases, map, take_near, -1, "wall_map.distance_median_mm",
                     "Distance of the walls, median, mm"));
  HT_TRY(add_map_row(table, cases, map, take_far, -1, "wall_map.distance_p95_mm",
                     "Distance of the walls, 95 % below, mm"));
  for (int n = 0; n < HT_WALL_NUMBERS; n++) HT_TRY(add_map_number(table, cases, map, n));
  return HT_OK;
}

ht_status ht_compare_table_make(const ht_compared_case *one, int cases, const ht_wall_map *map,
                                ht_compare_table *table) {
  ht_status status = HT_OK;
  *table = (ht_compare_table){.rows = 0};
  for (int m = 0; m < MAIN; m++) HT_TRY_DONE(add_main(table, one, cases, m));
  if (map) HT_TRY_DONE(add_maps(table, cases, map));
  for (int c = 0; c < cases; c++)
    for (int i = 0; i < one[c].numbers.count; i++)
      HT_TRY_DONE(add_number(table, one, cases, one[c].numbers.item[i].name));
done:
  if (status != HT_OK) ht_compare_table_free(table);
  return status;
}

void ht_compare_table_free(ht_compare_table *table) {
  if (!table) return;
  free(table->row);
  memset(table, 0, sizeof *table);
}

double ht_compare_difference(const ht_compare_row *row, int number) {
  return row->is_pair ? NAN : row->value[number] - row->value[0];
}

double ht_compare_percent(const ht_compare_row *row, int number) {
  if (row->is_pair || row->is_place || row->value[0] == 0) return NAN;
  return 100 * (row->value[number] - row->value[0]) / fabs(row->value[0]);
}

/* ---- comparison.csv ---- */

static void put_number(FILE *stream, double value) {
  fputc(',', stream);
  if (isfinite(value)) fprintf(stream, "%.9g", value);
}

ht_status ht_compare_table_write(const char *path, const ht_compared_case *one, int cases,
                                 const ht_compare_table *table) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  FILE *stream = output.stream;
  fprintf(stream, "number,%s", one[0].label);
  for (int c = 1; c < cases; c++)
    fprintf(stream, ",%s,%s_difference,%s_difference_percent", one[c].label, one[c].label,
            one[c].label);
  fputc('\n', stream);
  for (int r = 0; r < table->rows; r++) {
    const ht_compare_row *row = &table->row[r];
    ht_csv_put(stream, row->name);
    put_number(stream, row->value[0]);
    for (int c = 1; c < cases; c++) {
      put_number(stream, row->value[c]);
      put_number(stream, ht_compare_difference(row, c));
      put_number(stream, ht_compare_percent(row, c));
    }
    fputc('\n', stream);
  }
  return ht_output_commit(&output);
}

/* ---- the text ---- */

void ht_compare_text(double value, int digits, int is_difference, char text[24]) {
  text[0] = 0;
  if (value == 0)
    snprintf(text, 24, "0");
  else if (isfinite(value))
    snprintf(text, 24, is_difference ? "%+.*g" : "%.*g", digits, value);
}

static void print_cell(FILE *stream, int width, int digits, int is_difference, double value) {
  char text[24];
  ht_compare_text(value, digits, is_difference, text);
  fprintf(stream, " %*s", width, text);
}

/* Finds the widths of the columns: of the names, and of the cases' values. */
static void find_widths(const ht_compared_case *one, int cases, const ht_setting_table *settings,
                        int width[1 + HT_COMPARED_MAX]) {
  char text[HT_COMPARE_VALUE];
  width[0] = (int)strlen("settings that differ");
  for (int c = 0; c < cases; c++) width[1 + c] = (int)strlen(one[c].label);
  for (int r = 0; r < settings->rows; r++)
    for (int c = -1; c < cases; c++) {
      const ht_setting_row *row = &settings->row[r];
      int length = (int)strlen(c < 0 ? row->name : ht_setting_text(row, c, text));
      if (length > width[1 + c]) width[1 + c] = length;
    }
}

static void print_settings(FILE *stream, const ht_compared_case *one, int cases,
                           const ht_setting_table *settings) {
  int width[1 + HT_COMPARED_MAX];
  if (settings->rows == 0) {
    fprintf(stream, "\n  %s\n", ht_setting_none(one, cases));
    return;
  }
  find_widths(one, cases, settings, width);
  fprintf(stream, "\n  %-*s", width[0], "settings that differ");
  for (int c = 0; c < cases; c++) fprintf(stream, "  %*s", width[1 + c], one[c].label);
  fputc('\n', stream);
  for (int r = 0; r < settings->rows; r++) {
    fprintf(stream, "  %-*s", width[0], settings->row[r].name);
    for (int c = 0; c < cases; c++) {
      char text[HT_COMPARE_VALUE];
      fprintf(stream, "  %*s", width[1 + c], ht_setting_text(&settings->row[r], c, text));
    }
    fputc('\n', stream);
  }
}

static void print_rows(FILE *stream, int cases, const ht_compare_table *table, int width,
                       int is_pair) {
  for (int r = 0; r < table->rows; r++) {
    const ht_compare_row *row = &table->row[r];
    if (!row->words[0] || row->is_pair != is_pair) continue;
    fprintf(stream, "  %-*s", width, row->words);
    print_cell(stream, 12, 4, 0, row->value[0]);
    for (int c = 1; c < cases; c++) {
      print_cell(stream, 12, 4, 0, row->value[c]);
      print_cell(stream, 11, 3, 1, ht_compare_difference(row, c));
      print_cell(stream, 8, 3, 1, ht_compare_percent(row, c));
    }
    fputc('\n', stream);
  }
}

void ht_compare_print(FILE *stream, const ht_compared_case *one, int cases,
                      const ht_setting_table *settings, const ht_compare_table *table) {
  int width = 8, maps = 0;
  for (int c = 0; c < cases; c++)
    fprintf(stream, "  %-12.40s %s%s\n", one[c].label, one[c].path,
            c == 0 ? "   (the reference)" : "");
  print_settings(stream, one, cases, settings);
  for (int r = 0; r < table->rows; r++) {
    if ((int)strlen(table->row[r].words) > width) width = (int)strlen(table->row[r].words);
    maps |= table->row[r].is_pair;
  }
  fprintf(stream, "\n  %-*s %12.12s", width, "", one[0].label);
  for (int c = 1; c < cases; c++)
    fprintf(stream, " %12.12s %11s %8s", one[c].label, "difference", "%");
  fputc('\n', stream);
  print_rows(stream, cases, table, width, 0);
  if (maps) fputs("\n  on the common wall\n", stream);
  print_rows(stream, cases, table, width, 1);
}
