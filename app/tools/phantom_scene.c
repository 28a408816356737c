#include "app/tools/phantom_scene.h"
#include "run/process/console.h"
#include "export/export.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "phantom/phantom.h"
#include "phantom/phantom_folder.h"
#include "phantom/scenes/scene.h"
#include "run/case/schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_phantom_seed(const ht_arguments *arguments, uint64_t *seed) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the settings"));
  ht_case_defaults(settings);
  ht_status status = ht_arguments_apply(arguments, settings);
  double spacing_mm = settings->phantom_spacing_mm;
  *seed = (uint64_t)settings->phantom_seed;
  free(settings);
  HT_TRY(status);
  if (spacing_mm == 0 && isnan(arguments->severity) && isnan(arguments->eccentricity) &&
      arguments->flow == 0 && arguments->reynolds == 0 && !arguments->child)
    return HT_OK;
  return ht_fail(
      HT_ERR_USAGE, "the phantom '%s' takes %s and -o only: all else follows from the seed",
      arguments->operand,
      strcmp(arguments->operand, "scene") == 0 ? "--seed, --format" : "--seed, --count, --edge");
}

typedef struct {
  const ht_scene *scene;
  int dicom;
} made_scene;

static void truth_json(ht_json *json, const void *made) {
  const ht_scene *scene = ((const made_scene *)made)->scene;
  ht_json_string(json, "phantom", "scene");
  ht_json_integer(json, "seed", (int64_t)scene->seed);
  ht_json_string(json, "scene", scene->text);
  ht_json_number(json, "vessel_diameter_mm", scene->diameter_mm);
}

static ht_status write_points(const char *path, const ht_scene *scene) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("name,x_mm,y_mm,z_mm\n", output.stream);
  for (int i = 0; i < scene->points; i++) {
    const double *p = scene->point_mm[i];
    char name[32] = "inlet";
    if (i > 0) snprintf(name, sizeof name, "outlet-%d", i);
    fprintf(output.stream, "%s,%.3f,%.3f,%.3f\n", name, p[0], p[1], p[2]);
  }
  return ht_output_commit(&output);
}

static ht_status write_files(const char *folder, const void *made) {
  const ht_scene *scene = ((const made_scene *)made)->scene;
  int dicom = ((const made_scene *)made)->dicom;
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, dicom ? HT_PHANTOM_DICOM : HT_FILE_SCAN));
  HT_TRY(dicom ? ht_dicom_write_series(path, &scene->scan, "hemotile phantom scene", scene->seed)
               : ht_export_volume(path, &scene->scan));
  HT_TRY(ht_path_join(path, folder, HT_PHANTOM_MASK));
  HT_TRY(ht_export_mask(path, &scene->truth));
  HT_TRY(ht_path_join(path, folder, HT_PHANTOM_DISTANCE));
  HT_TRY(ht_export_volume(path, &scene->distance));
  HT_TRY(ht_path_join(path, folder, HT_PHANTOM_POINTS));
  return write_points(path, scene);
}

ht_status ht_phantom_scene(const ht_arguments *arguments) {
  const char *folder = arguments->output;
  ht_scene scene;
  uint64_t seed;
  HT_TRY(ht_phantom_seed(arguments, &seed));
  if (!folder) return ht_fail(HT_ERR_USAGE, "no folder for the phantom: give -o DIR");
  HT_TRY(ht_phantom_folder_check(folder));
  ht_interrupt_folder(folder, ht_folder_sweep);
  HT_TRY(ht_scene_make(seed, ht_console_progress(), &scene));
  const made_scene made = {&scene, arguments->format == 0};
  ht_status status =
      ht_phantom_folder_write(&(ht_phantom_files){folder, truth_json, write_files, &made});
  if (status == HT_OK) printf("the scene is in %s: %s\n", folder, scene.text);
  ht_scene_free(&scene);
  return status;
}
