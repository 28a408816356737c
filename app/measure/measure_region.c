#include "app/measure/branch.h"
#include "app/measure/measure_region.h"
#include "export/sac/sac.h"
#include "run/folder/folder.h"
#include "run/folder/yaml_file.h"
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

static ht_status no_sac(const ht_results *results, struct fy_node *sac) {
  char why[400] = "";
  ht_yaml_text(sac, "why_not", why, sizeof why);
  return ht_fail(HT_ERR_NOT_FOUND, "%s: hemotile has found no sac in this case%s%s",
                 results->folder, why[0] ? ": " : "", why);
}

/* Reads the plane of the neck, which the numbers of the sac in summary.json were taken with. */
static ht_status read_neck(const ht_results *results, ht_neck_plane *neck) {
  char path[HT_PATH_MAX];
  ht_yaml yaml = {0};
  HT_TRY(ht_path_join(path, results->folder, HT_FILE_SUMMARY));
  ht_status status = ht_yaml_read(path, HT_ERR_FORMAT, &yaml);
  struct fy_node *sac = status == HT_OK ? ht_yaml_get(yaml.root, "sac") : NULL;
  if (status == HT_OK && !(ht_yaml_numbers(sac, "neck_mm", neck->origin_mm, 3) &&
                           ht_yaml_numbers(sac, "neck_normal", neck->normal, 3)))
    status = no_sac(results, sac);
  ht_yaml_free(&yaml);
  return status;
}

/* Cuts the sac off along its neck, as the numbers of summary.json are. */
static ht_status region_of_sac(const ht_results *results, ht_wall_region *region) {
  ht_neck_plane neck;
  ht_surface_links links = {0};
  ht_sac_mesh sac = {0};
  HT_TRY(read_neck(results, &neck));
  ht_status status = ht_surface_links_make(&results->wall, &links);
  if (status == HT_OK) status = ht_sac_cut(&results->wall, &links, &neck, &sac);
  if (status == HT_OK)
    status = ht_wall_region_between(&results->wall, sac.points, sac.from, sac.share, sac.triangles,
                                    sac.triangle, region);
  ht_sac_mesh_free(&sac);
  ht_surface_links_free(&links);
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
  if (status == HT_OK) status = measure_arrays(results, measurement);
  if (status != HT_OK) ht_measurement_free(measurement);
  return status;
}
