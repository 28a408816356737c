#define _POSIX_C_SOURCE 200809L
#include "arguments.h"
#include "command.h"
#include "console.h"
#include "export.h"
#include "folder.h"
#include "interrupt.h"
#include "phantom.h"
#include "place.h"
#include "schema.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "phantom.json" /* says that the folder is ours to write over */

typedef struct {
  const char *kind, *folder;
  int dicom;
  ht_phantom_options options;
} request;

static ht_status parse_number(const char *option, const char *text, double least, double most,
                              double *value) {
  char *end;
  *value = strtod(text, &end);
  if (*end == 0 && *value >= least && *value <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s wants a number from %g to %g, not '%s'", option, least, most,
                 text);
}

static ht_status parse_request(const ht_arguments *arguments, request *wanted) {
  ht_phantom_kind kind;
  double number;
  const char *format = arguments->format ? arguments->format : "dicom";
  wanted->kind = arguments->operand;
  wanted->folder = arguments->output;
  HT_TRY(ht_phantom_kind_parse(arguments->operand, &kind));
  ht_phantom_defaults(kind, &wanted->options);
  if (!wanted->folder) return ht_fail(HT_ERR_USAGE, "say with -o DIR where the phantom is to go");
  if (strcmp(format, "dicom") != 0 && strcmp(format, "nifti") != 0)
    return ht_fail(HT_ERR_USAGE, "--format wants dicom or nifti, not '%s'", format);
  wanted->dicom = strcmp(format, "dicom") == 0;
  if (arguments->seed) {
    HT_TRY(parse_number("--seed", arguments->seed, 0, 9e15, &number));
    wanted->options.seed = (uint64_t)number;
  }
  if (arguments->spacing) {
    HT_TRY(parse_number("--spacing", arguments->spacing, 0.05, 10, &number));
    wanted->options.spacing_mm = number;
  }
  return HT_OK;
}

/* The slices of a phantom made here before: another spacing has another number of them. */
static void clear_series(const char *folder) {
  char path[HT_PATH_MAX];
  DIR *listing = opendir(folder);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    size_t length = strlen(entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, ".dcm") == 0 &&
        ht_path_join(path, folder, entry->d_name) == HT_OK)
      unlink(path);
  }
  closedir(listing);
}

static ht_status check_folder(const char *folder) {
  char path[HT_PATH_MAX];
  if (!ht_file_exists(folder)) return HT_OK;
  if (!ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: -o wants a folder", folder);
  HT_TRY(ht_path_join(path, folder, MARK));
  if (ht_file_exists(path) || ht_folder_entries(folder) == 0) return HT_OK;
  return ht_fail(
      HT_ERR_USAGE,
      "%s: this folder holds other files and no phantom: choose an empty or new one with "
      "-o",
      folder);
}

static ht_status write_truth(const char *path, const request *wanted, const ht_phantom *phantom) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  ht_json json = {output.stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "phantom", wanted->kind);
  ht_json_integer(&json, "seed", (int64_t)wanted->options.seed);
  ht_json_string(&json, "axes", "LPS, mm; normal and direction point out of the vessel");
  if (phantom->pipe_radius_mm > 0) {
    ht_json_number(&json, "pipe_radius_mm", phantom->pipe_radius_mm);
    ht_json_number(&json, "pipe_length_mm", phantom->pipe_length_mm);
  }
  ht_json_array(&json, "openings");
  for (int i = 0; i < phantom->openings.count; i++) {
    const ht_opening *opening = &phantom->openings.item[i];
    ht_json_object(&json, NULL);
    ht_opening_json(&json, opening);
    ht_json_number(&json, "flow_ml_s", opening->flow_ml_s);
    ht_json_number(&json, "pressure_pa", opening->pressure_pa);
    ht_json_object_end(&json);
  }
  ht_json_array_end(&json);
  ht_json_object_end(&json);
  return ht_output_commit(&output);
}

static ht_status write_case(const char *path, const request *wanted, const ht_phantom *phantom) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  FILE *stream = output.stream;
  fprintf(stream, "# Run it with: hemotile run CASE.yaml -o DIR\nname: %s\nscan: %s\nopenings:\n",
          wanted->kind, wanted->dicom ? "dicom" : HT_FILE_SCAN);
  for (int i = 0; i < phantom->openings.count; i++) {
    const ht_opening *one = &phantom->openings.item[i];
    fputs("  - {name: ", stream);
    ht_yaml_quote(stream, one->name);
    fprintf(stream, ", role: %s, near_mm: [%.3f, %.3f, %.3f]", ht_role_name(one->role),
            one->centre_mm[0], one->centre_mm[1], one->centre_mm[2]);
    if (one->role == HT_ROLE_INLET) fprintf(stream, ", flow_ml_s: %.6g", one->flow_ml_s);
    if (one->role == HT_ROLE_OUTLET) fprintf(stream, ", pressure_pa: %.6g", one->pressure_pa);
    fputs("}\n", stream);
  }
  return ht_output_commit(&output);
}

static ht_status write_scan(const request *wanted, const ht_phantom *phantom) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, wanted->folder, HT_FILE_SCAN));
  unlink(path);
  if (!wanted->dicom) HT_TRY(ht_export_volume(path, &phantom->scan));
  HT_TRY(ht_path_join(path, wanted->folder, "dicom"));
  clear_series(path);
  rmdir(path); /* only where it is empty */
  if (!wanted->dicom) return HT_OK;
  char description[64];
  snprintf(description, sizeof description, "hemotile phantom %s", wanted->kind);
  return ht_dicom_write_series(path, &phantom->scan, description, wanted->options.seed);
}

static ht_status write_all(const request *wanted, const ht_phantom *phantom) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(wanted->folder));
  HT_TRY(ht_path_join(path, wanted->folder, MARK));
  HT_TRY(write_truth(path, wanted, phantom));
  HT_TRY(write_scan(wanted, phantom));
  HT_TRY(ht_path_join(path, wanted->folder, "truth_mask.nii.gz"));
  HT_TRY(ht_export_mask(path, &phantom->truth));
  HT_TRY(ht_path_join(path, wanted->folder, "truth_distance.nii.gz"));
  HT_TRY(ht_export_volume(path, &phantom->distance));
  HT_TRY(ht_path_join(path, wanted->folder, HT_FILE_CASE));
  return write_case(path, wanted, phantom);
}

static ht_status make(const request *wanted) {
  ht_phantom phantom;
  HT_TRY(check_folder(wanted->folder));
  ht_interrupt_folder(wanted->folder);
  HT_TRY(ht_phantom_make(&wanted->options, ht_console_progress(), &phantom));
  ht_status status = write_all(wanted, &phantom);
  ht_phantom_free(&phantom);
  return status;
}

static const ht_usage usage = {
    "phantom",
    "KIND",
    "make a scan whose truth is known",
    "KIND is aneurysm (on a curved artery), coarctation (of an aortic arch with branches), pipe "
    "or\n"
    "pipe-oblique (Poiseuille flow). DIR gets the scan (dicom/ or scan.nii.gz), the true vessel\n"
    "(truth_mask.nii.gz, truth_distance.nii.gz: mm to the wall, negative inside), phantom.json "
    "(the\n"
    "true openings) and case.yaml, ready to run.",
    "  hemotile phantom aneurysm -o sample\n  hemotile run sample/case.yaml -o result",
    HT_TAKES_OUTPUT | HT_TAKES_PHANTOM,
};

int ht_command_phantom(int argc, char **argv) {
  ht_arguments arguments;
  request wanted;
  memset(&wanted, 0, sizeof wanted);
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  ht_arguments_console(&arguments, argc, argv);
  ht_console_stage("phantom", 1, 1);
  if (status == HT_OK) status = parse_request(&arguments, &wanted);
  if (status == HT_OK) status = make(&wanted);
  ht_interrupt_done();
  if (status == HT_OK)
    printf("phantom '%s' is in %s; run it with: hemotile run %s/" HT_FILE_CASE " -o DIR\n",
           wanted.kind, wanted.folder, wanted.folder);
  else
    ht_console_error();
  fflush(stdout);
  ht_console_end();
  return (int)status;
}
