#include "app/batch/cohort/csv.h"
#include "app/measure/branch.h"
#include "app/measure/measure_region.h"
#include "core/text/shell_word.h"
#include "run/folder/folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- points of the wall ---- */

static ht_status number_of(const ht_csv *table, int row, int column, double *number) {
  const char *text = ht_csv_cell(table, row, column);
  char *end;
  *number = strtod(text, &end);
  if (end != text && !*end && isfinite(*number)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "line %d: '%.40s' is not a number", table->line[row], text);
}

static ht_status take_points(const ht_results *results, const ht_csv *table, int column,
                             uint8_t *chosen) {
  for (int row = 1; row < table->rows; row++) {
    double number;
    HT_TRY(number_of(table, row, column, &number));
    if (number < 0 || number >= (double)results->wall.points || number != floor(number))
      return ht_fail(HT_ERR_FORMAT, "line %d: the wall has points 0 to %lld, not %g",
                     table->line[row], (long long)results->wall.points - 1, number);
    chosen[(int64_t)number] = 1;
  }
  return HT_OK;
}

static ht_status region_of_points(const ht_results *results, const ht_csv *table, int column,
                                  ht_wall_region *region) {
  uint8_t *chosen;
  HT_TRY(ht_alloc((void **)&chosen, (size_t)results->wall.points + 1, 1, "a region of the wall"));
  ht_status status = take_points(results, table, column, chosen);
  if (status == HT_OK) status = ht_wall_region_points(&results->wall, chosen, region);
  free(chosen);
  return status;
}

static ht_status region_of_balls(const ht_results *results, const ht_csv *table,
                                 const int column[4], ht_wall_region *region) {
  ht_wall_ball *ball;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&ball, (size_t)table->rows, sizeof *ball, "a region of the wall"));
  for (int row = 1; row < table->rows && status == HT_OK; row++) {
    for (int k = 0; k < 4 && status == HT_OK; k++)
      status = number_of(table, row, column[k], &ball[row - 1][k]);
    if (status == HT_OK && !(ball[row - 1][3] > 0))
      status = ht_fail(HT_ERR_FORMAT, "line %d: the radius must be above 0 mm", table->line[row]);
  }
  if (status == HT_OK) status = ht_wall_region_balls(&results->wall, ball, table->rows - 1, region);
  free(ball);
  return status;
}

static ht_status region_of_table(const ht_results *results, const ht_csv *table,
                                 ht_wall_region *region) {
  static const char *const names[4] = {"x_mm", "y_mm", "z_mm", "radius_mm"};
  const int point = ht_csv_column(table, "point");
  int column[4], balls = 1;
  for (int k = 0; k < 4; k++) {
    column[k] = ht_csv_column(table, names[k]);
    balls &= column[k] >= 0;
  }
  if (table->rows < 2) return ht_fail(HT_ERR_FORMAT, "the table has no row");
  if (balls) return region_of_balls(results, table, column, region);
  if (point >= 0) return region_of_points(results, table, point, region);
  return ht_fail(HT_ERR_FORMAT, "give balls in the columns x_mm,y_mm,z_mm,radius_mm, or numbers of "
                                "points of wall.vtp, from 0, in the column point");
}

static ht_status region_of_file(const ht_results *results, const char *path,
                                ht_wall_region *region) {
  ht_csv table;
  ht_status status = ht_csv_read(path, &table);
  if (status != HT_OK) return status == HT_ERR_CASE ? HT_ERR_FORMAT : status;
  status = region_of_table(results, &table, region);
  ht_csv_free(&table);
  return status == HT_OK ? HT_OK : ht_fail_in(status, path);
}

/* ---- the sac ---- */

/* Takes the points of the sac, a column of wall.csv. */
static ht_status region_of_sac(const ht_results *results, ht_wall_region *region) {
  char path[HT_PATH_MAX];
  ht_csv table;
  uint8_t *chosen = NULL;
  HT_TRY(ht_path_join(path, results->folder, HT_FILE_WALL_CSV));
  ht_status status = ht_csv_read(path, &table);
  if (status != HT_OK) return status == HT_ERR_CASE ? HT_ERR_FORMAT : status;
  const int column = ht_csv_column(&table, "in_sac");
  if (column < 0)
    status =
        ht_fail(HT_ERR_NOT_FOUND, "%s: hemotile has found no sac in this case", results->folder);
  else if (table.rows - 1 != results->wall.points)
    status = ht_fail(HT_ERR_CASE, "%s has %d points, and wall.vtp %lld: export the case again",
                     path, table.rows - 1, (long long)results->wall.points);
  if (status == HT_OK)
    status = ht_alloc((void **)&chosen, (size_t)results->wall.points + 1, 1, "the sac");
  for (int row = 1; row < table.rows && status == HT_OK; row++)
    chosen[row - 1] = ht_csv_cell(&table, row, column)[0] == '1';
  if (status == HT_OK) status = ht_wall_region_points(&results->wall, chosen, region);
  free(chosen);
  ht_csv_free(&table);
  return status;
}

static ht_status region_of_all(const ht_results *results, const ht_measure_place *place,
                               ht_wall_region *region) {
  uint8_t *chosen;
  HT_TRY(ht_alloc((void **)&chosen, (size_t)results->wall.points + 1, 1, "the wall"));
  ht_status status = HT_OK;
  if (place->kind == HT_AT_WALL)
    memset(chosen, 1, (size_t)results->wall.points);
  else
    status = ht_branch_points(results, place->name, chosen);
  if (status == HT_OK) status = ht_wall_region_points(&results->wall, chosen, region);
  free(chosen);
  return status;
}

static ht_status find_region(const ht_results *results, const ht_measure_place *place,
                             ht_wall_region *region) {
  switch (place->kind) {
  case HT_AT_BALLS:
    return ht_wall_region_balls(&results->wall, (const ht_wall_ball *)place->ball, place->balls,
                                region);
  case HT_AT_FILE:
    return region_of_file(results, place->text, region);
  case HT_AT_SAC:
    return region_of_sac(results, region);
  default:
    return region_of_all(results, place, region);
  }
}

/* ---- numbers ---- */

/* Measures each number that the wall has. */
static ht_status measure_arrays(const ht_results *results, ht_measurement *to) {
  for (int i = 0; i < results->mesh.arrays && to->quantities < HT_REGION_ROWS_MAX; i++) {
    const ht_vtp_values *array = &results->mesh.array[i];
    ht_region_row *row = &to->quantity[to->quantities];
    if (!array->value || array->components != 1) continue;
    memcpy(row->name, array->name, sizeof row->name);
    HT_TRY(ht_wall_region_spread(&to->region, array->value, &row->spread));
    to->quantities++;
  }
  return HT_OK;
}

ht_status ht_measure_region(const ht_results *results, const ht_measure_place *place,
                            ht_measurement *measurement) {
  memset(measurement, 0, sizeof *measurement);
  measurement->is_region = 1;
  ht_status status = find_region(results, place, &measurement->region);
  measurement->area_mm2 = measurement->region.area_mm2;
  if (status == HT_OK) status = measure_arrays(results, measurement);
  if (status != HT_OK) ht_measurement_free(measurement);
  return status;
}
