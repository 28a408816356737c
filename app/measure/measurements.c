#define _DEFAULT_SOURCE
#include "app/measure/measurements.h"
#include "app/batch/cohort/csv.h"
#include "core/disk/folder_names.h"
#include "core/formats/csv_cell.h"
#include "core/numbers/units.h"
#include "core/text/utf8.h"
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char header[] =
    "name,kind,place,moment,time_s,x_mm,y_mm,z_mm,normal_x,normal_y,normal_z,area_mm2,diameter_mm,"
    "flow_ml_s,mean_velocity_m_s,highest_velocity_m_s,pressure_pa,pressure_mmhg,wss_mean_pa,"
    "wss_highest_pa,quantity,mean,p5,p50,p95,p99,least,highest";
enum { NAME, KIND, PLACE, COLUMNS = 28 };

ht_status ht_measurements_check_name(const char *name) {
  const size_t length = strlen(name);
  int plain = length > 0 && length < HT_NAME_MAX && !strchr("=+-@ ", *name) &&
              name[length ? length - 1 : 0] != ' ';
  for (const char *c = name; *c && plain; c += ht_utf8_bytes(c))
    plain = ht_utf8_bytes(c) > 0 && (unsigned char)*c >= ' ' && *c != 127 && !strchr("\"',;", *c);
  if (plain) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "--name '%.60s': a name has 1 to %d bytes, no quotes, commas, semicolons or "
                 "control characters, and does not begin with a blank or one of = + - @",
                 name, HT_NAME_MAX - 1);
}

/* ---- rows ---- */

static void put_number(FILE *stream, double value) {
  fputc(',', stream);
  if (isfinite(value)) fprintf(stream, "%.6g", value == 0 ? 0.0 : value);
}

static void put_numbers(FILE *stream, const double *value, int count) {
  for (int i = 0; i < count; i++) put_number(stream, value[i]);
}

static void put_empty(FILE *stream, int count) {
  for (int i = 0; i < count; i++) fputc(',', stream);
}

static void put_place(FILE *stream, const char *name, const ht_measure_place *place) {
  ht_csv_put(stream, name);
  fprintf(stream, ",%s,", ht_place_option(place->kind));
  ht_csv_put(stream, place->text);
}

static void put_section(FILE *stream, const char *name, const ht_measure_place *place,
                        const ht_measurement *of) {
  for (int i = 0; i < of->rows; i++) {
    const ht_section_row *row = &of->row[i];
    const double numbers[] = {of->area_mm2,
                              of->diameter_mm,
                              row->flow_ml_s,
                              row->mean_m_s,
                              row->highest_m_s,
                              row->pressure_pa,
                              row->pressure_pa / HT_PA_PER_MMHG,
                              row->wss_mean_pa,
                              row->wss_highest_pa};
    put_place(stream, name, place);
    fprintf(stream, ",%s", i > 0 ? "sample" : of->is_pulsatile ? "mean" : "steady");
    put_number(stream, row->time_s);
    put_numbers(stream, of->centre_mm, 3);
    put_numbers(stream, of->normal, 3);
    put_numbers(stream, numbers, sizeof numbers / sizeof *numbers);
    put_empty(stream, 8);
    fputc('\n', stream);
  }
}

static void put_region(FILE *stream, const char *name, const ht_measure_place *place,
                       const ht_measurement *of) {
  for (int i = 0; i < of->quantities; i++) {
    const ht_wall_spread_full *spread = &of->quantity[i].spread;
    const double numbers[] = {spread->mean, spread->p5,    spread->p50,    spread->p95,
                              spread->p99,  spread->least, spread->highest};
    put_place(stream, name, place);
    put_empty(stream, 8);
    put_number(stream, of->area_mm2);
    put_empty(stream, 8);
    fprintf(stream, ",%s", of->quantity[i].name);
    put_numbers(stream, numbers, 7);
    fputc('\n', stream);
  }
}

static void put(FILE *stream, const char *name, const ht_measure_place *place,
                const ht_measurement *of) {
  (of->is_region ? put_region : put_section)(stream, name, place, of);
}

/* ---- the table ---- */

static ht_status check_header(const ht_csv *table, const char *path) {
  size_t at = 0;
  int is_same = table->columns == COLUMNS;
  for (int c = 0; c < table->columns && is_same; c++) {
    const char *cell = ht_csv_cell(table, 0, c);
    is_same = strncmp(header + at, cell, strlen(cell)) == 0;
    at += strlen(cell) + 1;
  }
  if (is_same) return HT_OK;
  return ht_fail(
      HT_ERR_FORMAT,
      "%s is no table of this version of hemotile: move it away, or give it another name", path);
}

static ht_status read_table(const char *path, ht_csv *table) {
  const ht_status status = ht_csv_read(path, table);
  if (status == HT_ERR_CASE) return HT_ERR_FORMAT;
  HT_TRY(status);
  const ht_status checked = check_header(table, path);
  if (checked != HT_OK) ht_csv_free(table);
  return checked;
}

static void put_row(FILE *stream, const ht_csv *table, int row) {
  for (int c = 0; c < table->columns; c++) {
    if (c > 0) fputc(',', stream);
    ht_csv_put(stream, ht_csv_cell(table, row, c));
  }
  fputc('\n', stream);
}

/* Copies the table, with the new rows of a name (measurement NULL: none) in place of its old.
 * Returns 1 where there were old ones. */
static int copy_rows(FILE *stream, const ht_csv *table, const char *name,
                     const ht_measure_place *place, const ht_measurement *measurement) {
  int found = 0;
  fprintf(stream, "%s\n", header);
  for (int row = 1; row < table->rows; row++) {
    const int is_old = strcmp(ht_csv_cell(table, row, NAME), name) == 0;
    if (is_old && !found && measurement) put(stream, name, place, measurement);
    if (!is_old) put_row(stream, table, row);
    found |= is_old;
  }
  if (!found && measurement) put(stream, name, place, measurement);
  return found;
}

static ht_status change(const char *folder, const char *name, const ht_measure_place *place,
                        const ht_measurement *measurement) {
  char path[HT_PATH_MAX];
  ht_csv table = {0};
  ht_output output;
  HT_TRY(ht_path_join(path, folder, HT_FILE_MEASUREMENTS));
  if (ht_file_exists(path)) HT_TRY(read_table(path, &table));
  ht_status status = ht_output_open(path, &output);
  if (status == HT_OK && !copy_rows(output.stream, &table, name, place, measurement) &&
      !measurement) {
    ht_output_abandon(&output);
    status = ht_fail(HT_ERR_NOT_FOUND, "%s has no measurement '%.60s'", path, name);
  } else if (status == HT_OK) {
    status = ht_output_commit(&output);
  }
  ht_csv_free(&table);
  return status;
}

/* Changes the table under a lock of the folder; where the file system has none, without. */
static ht_status change_locked(const char *folder, const char *name, const ht_measure_place *place,
                               const ht_measurement *measurement) {
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) (void)flock(descriptor, LOCK_EX);
  const ht_status status = change(folder, name, place, measurement);
  if (descriptor >= 0) close(descriptor);
  return status;
}

ht_status ht_measurements_keep(const char *folder, const char *name, const ht_measure_place *place,
                               const ht_measurement *measurement) {
  HT_TRY(ht_measurements_check_name(name));
  return change_locked(folder, name, place, measurement);
}

ht_status ht_measurements_remove(const char *folder, const char *name) {
  return change_locked(folder, name, NULL, NULL);
}

ht_status ht_measurements_places(const char *path, ht_measurements_take take, void *user) {
  ht_csv table;
  ht_status status = read_table(path, &table);
  for (int row = 1; status == HT_OK && row < table.rows; row++) {
    const char *name = ht_csv_cell(&table, row, NAME);
    if (row > 1 && strcmp(name, ht_csv_cell(&table, row - 1, NAME)) == 0) continue;
    status = take(user, name, ht_csv_cell(&table, row, KIND), ht_csv_cell(&table, row, PLACE));
  }
  ht_csv_free(&table);
  return status;
}
