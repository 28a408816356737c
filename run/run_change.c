#include "run/run_change.h"
#include "run/case/case_json.h"
#include "run/case/override.h"
#include "run/checkpoint/run_checkpoint.h"
#include "run/checkpoint/run_record.h"
#include "run/openings/place_named.h"
#include "run/process/log_lock.h"
#include "run/run.h"
#include "run/run_newer.h"
#include <stdlib.h>
#include <string.h>

ht_status ht_run_refuse_busy(const char *folder) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_LOG));
  return ht_log_is_locked(path)
             ? ht_fail(HT_ERR_USAGE,
                       "%s: another hemotile works in this folder: wait until it has "
                       "ended",
                       folder)
             : HT_OK;
}

static ht_status read_openings(const char *folder, ht_placed *placed, int *is_there) {
  char path[HT_PATH_MAX];
  memset(placed, 0, sizeof *placed);
  HT_TRY(ht_path_join(path, folder, HT_FILE_OPENINGS));
  *is_there = ht_file_exists(path);
  return *is_there ? ht_placed_read(path, placed) : HT_OK;
}

static ht_status write_case(const char *folder, const ht_case *settings) {
  char path[HT_PATH_MAX];
  ht_placed placed;
  int has_openings;
  HT_TRY(read_openings(folder, &placed, &has_openings));
  HT_TRY(ht_run_keep_waveform(settings, folder));
  HT_TRY(ht_path_join(path, folder, HT_FILE_CASE));
  return ht_case_write(path, settings, settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN,
                       has_openings ? &placed.openings : NULL);
}

/* Checks what a run checks before its first stage. */
static ht_status check(ht_case *settings) {
  HT_TRY(ht_case_check(settings));
  return ht_case_read_waveform(settings);
}

ht_status ht_run_change(const char *folder, const ht_setting *change, int count) {
  ht_case *settings;
  HT_TRY(ht_run_refuse_busy(folder)); /* what runs will write the same at its end */
  HT_TRY(ht_run_open(folder, &settings));
  ht_status status = HT_OK;
  for (int i = 0; i < count && status == HT_OK; i++)
    status =
        ht_case_override(settings, change[i].name, change[i].text, change[i].name, HT_ERR_USAGE);
  if (status == HT_OK) status = ht_place_named(settings, folder);
  if (status == HT_OK) status = check(settings);
  if (status == HT_OK) status = write_case(folder, settings);
  if (status == HT_OK) ht_folder_drop_first_look(folder);
  free(settings);
  return status;
}

static void put_openings(ht_json *json, const ht_case *settings, const ht_openings *found) {
  ht_json_array(json, "openings");
  for (int i = 0; i < settings->openings; i++) {
    const ht_case_opening *one = &settings->opening[i];
    double strayed_mm;
    ht_json_object(json, NULL);
    ht_case_opening_json(json, one);
    if (found) {
      ht_json_integer(json, "found", ht_place_of_entry(one, found, &strayed_mm));
      ht_json_measured(json, "strayed_mm", strayed_mm);
    }
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
}

static void put_heart(ht_json *json, const ht_case *settings) {
  const ht_heart heart = ht_case_heart(settings);
  ht_json_object(json, "heart");
  ht_json_measured(json, "rate_per_min", heart.heart_rate_per_min);
  ht_json_measured(json, "output_l_min", heart.output_l_min);
  ht_json_measured(json, "stroke_ml", heart.stroke_ml);
  ht_json_object_end(json);
}

ht_status ht_run_settings_json(const char *folder, FILE *stream) {
  ht_json json = {stream, 0, 1};
  ht_case *settings;
  ht_placed placed;
  int has_openings;
  HT_TRY(read_openings(folder, &placed, &has_openings));
  HT_TRY(ht_run_open(folder, &settings));
  const ht_status checked = check(settings);
  ht_json_object(&json, NULL);
  if (checked != HT_OK) ht_json_string(&json, "problem", ht_error_message());
  ht_case_keys_json(&json, settings);
  put_openings(&json, settings, has_openings ? &placed.openings : NULL);
  ht_case_inflow_json(&json, settings);
  const ht_checkpoint_use use = ht_run_checkpoint_use(folder);
  ht_json_bool(&json, "checkpoint", use == HT_CHECKPOINT_GOES_ON);
  ht_json_bool(&json, "other_checkpoint", use == HT_CHECKPOINT_OTHER);
  ht_json_bool(&json, "stopped_flow", ht_run_checkpoint_is_there(folder));
  ht_json_string(&json, "newer", ht_run_newer(folder));
  if (settings->patient.kind == HT_PATIENT_AORTA) put_heart(&json, settings);
  ht_json_object_end(&json);
  free(settings);
  return HT_OK;
}
