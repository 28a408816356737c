#include "run/checkpoint/run_repeat.h"
#include "run/process/console.h"
#include "core/text/shell_word.h"
#include <stdlib.h>
#include <string.h>

static ht_status check_record(const char *path, const ht_manifest *record) {
  if (!record->mask_edited) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: the mask of that run was edited by hand, so the scan alone cannot repeat it: "
                 "write a case file with that mask.nii.gz as `mask`, or copy the folder of the "
                 "case and run `hemotile solve` and `hemotile export` on the copy",
                 path);
}

/* Applies what case.yaml does not keep, as the import read it. */
static void apply_reading(const ht_manifest *record, ht_case *settings) {
  const ht_reading *reading = &record->reading;
  snprintf(settings->series, sizeof settings->series, "%s", record->series);
  if (!reading->source[0]) return;
  settings->phase = reading->phase;
  settings->allow_gaps_mm = reading->allow_gaps_mm;
  settings->surface_unit = reading->surface_unit;
  memcpy(settings->phantom, reading->phantom, sizeof settings->phantom);
  settings->phantom_seed = reading->phantom_seed;
  settings->phantom_spacing_mm = reading->phantom_spacing_mm;
}

/* Returns 1 for a mask; a record of an earlier version does not say whether its input was one. */
static int is_mask(const ht_manifest *record, const char *input) {
  if (record->reading.source[0]) return strcmp(record->reading.source, "mask") == 0;
  return ht_import_is_vessel(input) || strcmp(record->segment.method, "file") == 0;
}

static ht_status set_input(const char *path, const char *input, const ht_manifest *record,
                           ht_case *settings) {
  if (settings->phantom[0] && input)
    return ht_fail(HT_ERR_USAGE,
                   "%s is the record of a phantom, which is made again: leave '%s' out", path,
                   input);
  if (settings->phantom[0]) return HT_OK;
  if (!input && settings->keep_identity) input = record->input;
  if (!input) {
    char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
    ht_shell_word(path, typed, sizeof typed);
    return ht_fail(HT_ERR_USAGE,
                   "%s names its scan only by a label (%s), because it keeps no path of a "
                   "patient's scan: give the scan, too: `hemotile run SCAN --from-manifest %s -o "
                   "DIR`; its SHA-256 is compared with the record",
                   path, record->input, typed);
  }
  if (!ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  char *source = is_mask(record, input) ? settings->mask : settings->scan;
  if (snprintf(source, HT_PATH_MAX, "%s", input) < HT_PATH_MAX) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", input);
}

/* Sets the device that `auto` chose. */
static void set_device(const ht_manifest *record, ht_case *settings) {
  if (strcmp(record->machine.device, "cpu") == 0) settings->solver.device = HT_DEVICE_CPU;
  if (strcmp(record->machine.device, "cuda") == 0) settings->solver.device = HT_DEVICE_CUDA;
}

ht_status ht_repeat_open(const char *path, const char *input, ht_manifest *record,
                         ht_case **settings) {
  *settings = NULL;
  HT_TRY(ht_manifest_read(path, record));
  HT_TRY(check_record(path, record));
  HT_TRY(ht_alloc((void **)settings, 1, sizeof **settings, "the case"));
  ht_status status = ht_case_read_record(path, *settings);
  if (status == HT_OK) {
    apply_reading(record, *settings);
    set_device(record, *settings);
    status = set_input(path, input, record, *settings);
  }
  if (status == HT_OK) return HT_OK;
  free(*settings);
  *settings = NULL;
  return status;
}

static ht_status check_waveform(const ht_case *settings, const ht_manifest *record) {
  if (strcmp(settings->inflow_facts.sha256, record->waveform_sha256) == 0) return HT_OK;
  char of_bytes[HT_HASH_TEXT] = ""; /* as records up to version 0.2 have it */
  if (record->waveform_sha256[0] && ht_hash_file(settings->waveform, of_bytes) == HT_OK &&
      strcmp(of_bytes, record->waveform_sha256) == 0)
    return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this is not the waveform of the record (SHA-256 %.12s there, %.12s here): "
                 "put the file of that run next to the record",
                 settings->waveform, record->waveform_sha256, settings->inflow_facts.sha256);
}

static void tell(const ht_machine_record *there, const ht_machine_record *here) {
  char differs[1024];
  if (!ht_machine_differs(there, here, differs, sizeof differs)) return;
  ht_console_warn("this is not the program and machine of the record, and the bits of the results "
                  "may differ: %s",
                  differs);
}

ht_status ht_repeat_begin(ht_given *given, const ht_manifest *record) {
  ht_machine_record here;
  const ht_solver_options *solver = &given->settings->solver;
  given->repeats = record;
  HT_TRY(check_waveform(given->settings, record));
  ht_status status = ht_machine_now(solver->device, solver->threads, &here);
  if (status == HT_ERR_DEVICE)
    return ht_fail(status,
                   "the record is of a run on %s, and here: %s; with --device cpu the run goes on, "
                   "and its numbers differ by rounding",
                   record->machine.device_name, ht_error_message());
  HT_TRY(status);
  tell(&record->machine, &here);
  return HT_OK;
}

ht_status ht_repeat_check_input(const ht_manifest *record, const ht_manifest *here,
                                const char *input) {
  if (!record || strcmp(record->input_sha256, here->input_sha256) == 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: these are not the files of the record: %d file%s with SHA-256 %.12s there "
                 "(%s%s%s), %d file%s with %.12s here. Give the scan that the record was made of, "
                 "unchanged; to compute the flow in this one, give a case file in place of "
                 "--from-manifest",
                 input, record->input_files, record->input_files == 1 ? "" : "s",
                 record->input_sha256, record->input, record->series[0] ? ", series " : "",
                 record->series, here->input_files, here->input_files == 1 ? "" : "s",
                 here->input_sha256);
}

ht_status ht_repeat_compare(const ht_manifest *there, const ht_manifest *here) {
  char differs[1024];
  if (!there->flow_sha256[0]) {
    ht_console_note("the record has no hash of a flow: there is nothing to compare with");
    return HT_OK;
  }
  int same_mask = strcmp(there->mask_sha256, here->mask_sha256) == 0;
  if (same_mask && strcmp(there->flow_sha256, here->flow_sha256) == 0) {
    ht_console_note("the same bits as in the record: the mask and the flow at every node");
    return HT_OK;
  }
  const char *what = same_mask ? "the flow has other bits than in the record; the mask has the same"
                               : "the mask has other bits than in the record, and so has the flow";
  if (ht_machine_differs(&there->machine, &here->machine, differs, sizeof differs)) {
    ht_console_warn("%s: %s", what, differs);
    return HT_OK;
  }
  return ht_fail(HT_ERR_VALIDATION,
                 "%s, though version, libraries, device and compiler are those of the record: "
                 "please report this, with both manifest.json",
                 what);
}
