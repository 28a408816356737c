#define _GNU_SOURCE
#include "run.h"
#include "clock.h"
#include "console.h"
#include "host_memory.h"
#include "identity.h"
#include "interrupt.h"
#include "journal.h"
#include "markups.h"
#include "redact.h"
#include "summary.h"
#include "thread_limit.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]) {
  return ht_path_join(path, run->folder, name);
}

const char *ht_run_name(const ht_run *run, char folder[HT_PATH_MAX]) {
  char whole[PATH_MAX];
  if (run->settings->name[0]) return run->settings->name;
  const char *path = realpath(run->folder, whole) ? whole : run->folder; /* may be "." */
  const char *slash = strrchr(path, '/');
  snprintf(folder, HT_PATH_MAX, "%s", slash ? slash + 1 : path);
  ht_redact_name(folder, HT_PATH_MAX);
  return folder;
}

static ht_status find_own_scan(ht_run *run) {
  const ht_case *settings = run->settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN, path));
  int is_own = ht_same_file(input, path) || (!ht_file_exists(path) && strcmp(input, path) == 0);
  run->own_scan = input[0] && ht_folder_is_case(run->folder) && is_own;
  return HT_OK;
}

/* Before anything is written. */
static void hide_paths(const ht_run *run) {
  const ht_case *settings = run->settings;
  ht_identity_hide_output(run->folder);
  ht_identity_hide_input(settings->scan);
  ht_identity_hide_input(settings->mask);
  ht_identity_hide_input(settings->file);
  ht_identity_hide_input(settings->markups);
  if (ht_case_waveform_is_file(settings)) ht_identity_hide_input(settings->waveform);
}

static void hide_identity(const char *input) {
  enum { MOST = 200 }; /* patients and studies in a folder */
  static ht_identity found[MOST];
  if (!input[0]) return;
  int count = ht_import_identities(input, found, MOST);
  for (int i = 0; i < count; i++) ht_identity_hide(&found[i]);
}

/* The record was lost: what is left to say is which scan the folder has. */
static ht_status record_own_scan(ht_run *run, const char *input) {
  ht_manifest *manifest = &run->manifest;
  if (!ht_file_exists(input)) return HT_OK; /* whatever needs it says so */
  ht_console_warn("%s has no record of where its scan is from (" HT_FILE_MANIFEST
                  "): from now on that is %s",
                  run->folder, input);
  if (ht_run_input_name(run->settings, manifest->input) != HT_OK)
    ht_console_warn("the record has no hash of the input's name: %s", ht_error_message());
  manifest->input_files = 1;
  return ht_hash_file(input, manifest->input_sha256);
}

/* The series of a slice is looked for in its folder, which is asked before all of it is read. */
static ht_status check_folder(const ht_run *run, const char *input) {
  char holder[HT_PATH_MAX];
  if (run->own_scan) return ht_folder_check(run->folder, "");
  if (!ht_import_has_others(input)) return ht_folder_check(run->folder, input);
  ht_folder_of(input, holder);
  return ht_folder_check(run->folder, holder);
}

static ht_status begin(ht_run *run) {
  const ht_case *settings = run->settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  HT_TRY(find_own_scan(run));
  if (run->first == HT_STAGE_IMPORT && !run->own_scan && input[0] && !ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  if (input[0]) HT_TRY(ht_input_check(input));
  HT_TRY(check_folder(run, input));
  if (!settings->keep_identity) {
    hide_paths(run);
    hide_identity(input);
  }
  ht_interrupt_folder(run->folder);
  if (!ht_folder_is_case(run->folder)) return HT_OK; /* made when the scan has been read */
  HT_TRY(ht_run_claim(run));
  run->manifest = run->held;
  return run->own_scan && !run->held.input[0] ? record_own_scan(run, input) : HT_OK;
}

static ht_status limit_threads(int threads) {
  int fewer;
  HT_TRY(ht_thread_limit(threads, &fewer));
  if (fewer)
    ht_console_warn("the system's limits allow %d thread%s: that is slower (ulimit -v, ulimit -u)",
                    fewer, fewer == 1 ? "" : "s");
  return HT_OK;
}

/* With what the numbers came to: a reader sees where that is not what was meant. */
static void tell_comma(const ht_case *settings) {
  if (!settings->inflow_has_comma) return;
  ht_console_note("waveform: the numbers of %s are read with a decimal comma (0,5 is a half): mean "
                  "%.4g %s, highest %.4g",
                  settings->waveform, ht_waveform_mean(&settings->inflow),
                  settings->inflow_is_velocity ? "m/s" : "mL/s",
                  ht_waveform_peak(&settings->inflow));
}

ht_status ht_run_begin(ht_run *run, ht_case *settings, const char *folder, ht_stage first,
                       ht_stage last, int force) {
  memset(run, 0, sizeof *run);
  run->settings = settings;
  run->first = first;
  run->last = last;
  run->force = force;
  if (snprintf(run->folder, sizeof run->folder, "%s", folder) >= (int)sizeof run->folder)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", folder);
  size_t length = strlen(run->folder);
  while (length > 1 && run->folder[length - 1] == '/') run->folder[--length] = 0;
  ht_run_quote_folder(run);
  ht_folder_privacy(settings->follow_umask);
  HT_TRY(ht_case_check(settings));
  HT_TRY(ht_case_read_waveform(settings));
  ht_host_memory_limit(1e9 * settings->max_memory_gb);
  HT_TRY(limit_threads(settings->solver.threads));
  HT_TRY(begin(run));
  tell_comma(settings);
  return HT_OK;
}

ht_status ht_run_open(const char *folder, ht_case **settings) {
  char path[HT_PATH_MAX];
  *settings = NULL;
  if (!ht_file_exists(folder))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such folder", folder);
  HT_TRY(ht_path_join(path, folder, HT_FILE_CASE));
  if (!ht_folder_is_case(folder) || !ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: this is not a case folder (it has no " HT_FILE_CASE
                   " of hemotile): make one with `hemotile import SCAN -o FOLDER`",
                   folder);
  HT_TRY(ht_alloc((void **)settings, 1, sizeof **settings, "the case"));
  ht_status status = ht_case_read(path, *settings);
  if (status != HT_OK) {
    free(*settings);
    *settings = NULL;
  }
  return status;
}

/* The folder repeats itself: it has the waveform, byte for byte. */
static ht_status keep_waveform(const ht_run *run) {
  char path[HT_PATH_MAX];
  const char *source = run->settings->waveform;
  HT_TRY(ht_run_path(run, HT_FILE_WAVEFORM, path));
  if (!ht_case_waveform_is_file(run->settings) || ht_same_file(path, source)) return HT_OK;
  return ht_file_copy(source, path);
}

/* Written beside it and named in the journal, so that nobody takes it for edited by hand where this
 * ends before the manifest knows of it. */
static ht_status stage_case(ht_run *run, ht_output *staged) {
  char hex[HT_HASH_TEXT];
  HT_TRY(ht_case_write(staged->hidden, run->settings,
                       run->settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN,
                       run->has_openings ? &run->placed.openings : NULL));
  HT_TRY(ht_hash_file(staged->hidden, hex));
  if (strcmp(hex, run->manifest.case_sha256) != 0)
    HT_TRY(ht_journal_add(run->folder, staged->hidden));
  memcpy(run->manifest.case_sha256, hex, sizeof hex);
  return HT_OK;
}

static ht_status write_case(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_output staged;
  HT_TRY(ht_run_path(run, HT_FILE_CASE, path));
  HT_TRY(ht_output_name(path, &staged));
  ht_status status = stage_case(run, &staged);
  return status == HT_OK ? ht_output_rename(&staged) : ht_output_failed(&staged, status);
}

ht_status ht_run_record(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_keep_case(run));
  HT_TRY(keep_waveform(run));
  HT_TRY(write_case(run));
  HT_TRY(ht_run_path(run, HT_FILE_MANIFEST, path));
  HT_TRY(ht_manifest_write(path, &run->manifest, run->settings));
  ht_journal_end(run->folder);
  return HT_OK;
}

ht_status ht_run_write_openings(const ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_OPENINGS, path));
  HT_TRY(ht_placed_write(path, &run->placed));
  HT_TRY(ht_run_path(run, HT_FILE_MARKUPS, path));
  return ht_markups_write(path, &run->placed.openings);
}

static ht_status run_stage(ht_run *run, ht_stage stage) {
  static ht_status (*const function[])(ht_run *) = {ht_stage_import, ht_stage_segment,
                                                    ht_stage_tile, ht_stage_solve, ht_stage_export};
  double begun_s = ht_clock_s();
  ht_console_stage(ht_stage_name(stage), (int)(stage - run->first) + 1,
                   (int)(run->last - run->first) + 1);
  ht_stage_record *record = &run->manifest.stage[stage];
  ht_status status = ht_progress_report(ht_console_progress(), ht_stage_name(stage), 0, 0, "");
  if (status == HT_OK) status = function[stage](run);
  if (status == HT_OK &&
      ht_progress_report(ht_console_progress(), ht_stage_name(stage), 0, 0, "") != HT_OK)
    status = HT_ERR_INTERRUPTED;
  if (status != HT_OK) {
    ht_run_hint_failed(run, stage, status);
    return status;
  }
  if (stage != HT_STAGE_IMPORT || !run->own_scan) {
    record->seconds = ht_clock_s() - begun_s;
    ht_time_utc(record->ended);
  }
  for (int later = (int)stage + 1; later < HT_STAGES; later++)
    memset(&run->manifest.stage[later], 0, sizeof *run->manifest.stage);
  ht_console_stage_end();
  return HT_OK;
}

ht_status ht_run_stages(ht_run *run) {
  char path[HT_PATH_MAX];
  for (int stage = (int)run->first; stage <= (int)run->last; stage++) {
    HT_TRY(run_stage(run, (ht_stage)stage));
    HT_TRY(ht_run_record(run));
  }
  if (run->last == HT_STAGE_EXPORT) {
    HT_TRY(ht_run_path(run, HT_FILE_SUMMARY, path));
    HT_TRY(ht_summary_write(path, run));
  }
  if (run->outcome == HT_OK) return HT_OK;
  ht_run_hint_not_steady(run);
  return ht_fail(run->outcome, "%s", run->outcome_message);
}

void ht_run_free(ht_run *run) {
  if (!run) return;
  free(run->settings);
  ht_path_list_free(&run->files);
  ht_volume_free(&run->scan);
  ht_mask_free(&run->drawn);
  ht_mask_free(&run->mask);
  ht_domain_free(&run->domain);
  ht_tiling_free(&run->tiling);
  ht_flow_free(&run->flow);
  ht_wall_cycle_free(&run->cycle);
  memset(run, 0, sizeof *run);
}
