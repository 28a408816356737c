#include "app/batch/cohort/csv.h"
#include "app/measure/branch.h"
#include "app/measure/measure_region.h"
#include "run/folder/folder.h"
#include <stdlib.h>
#include <string.h>

/* ---- points of the wall ---- */

static ht_status region_of_points(const ht_results *results, const ht_measure_place *place,
                                  ht_wall_region *region) {
  uint8_t *chosen;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&chosen, (size_t)results->wall.points + 1, 1, "a region of the wall"));
  for (int i = 0; i < place->points && status == HT_OK; i++) {
    if (place->point[i] < results->wall.points)
      chosen[place->point[i]] = 1;
    else
      status = ht_fail(HT_ERR_USAGE, "--region: the wall has points 0 to %lld, not %lld",
                       (long long)results->wall.points - 1, (long long)place->point[i]);
  }
  if (status == HT_OK) status = ht_wall_region_points(&results->wall, chosen, region);
  free(chosen);
  return status;
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
  case HT_AT_POINTS:
    return region_of_points(results, place, region);
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
  if (place->kind == HT_AT_SAC)
    strcpy(measurement->remark, "the triangles that the neck cuts are left out; the sac of "
                                "summary.json is cut along its neck, and has these, too");
  if (status == HT_OK) status = measure_arrays(results, measurement);
  if (status != HT_OK) ht_measurement_free(measurement);
  return status;
}
