#define _GNU_SOURCE
#include "run.h"
#include "clock.h"
#include "console.h"
#include "identity.h"
#include "interrupt.h"
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

static ht_status open_log(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(run->folder));
  HT_TRY(ht_run_path(run, HT_FILE_LOG, path));
  HT_TRY(ht_console_log(path));
  ht_folder_sweep(run->folder, 0); /* what a run left that was killed: the lock is ours */
  return HT_OK;
}

static ht_status find_own_scan(ht_run *run) {
  const ht_case *settings = run->settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN, path));
  run->own_scan = input[0] && ht_folder_is_case(run->folder) && ht_same_file(input, path);
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

static ht_status begin(ht_run *run) {
  const ht_case *settings = run->settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  char path[HT_PATH_MAX];
  HT_TRY(find_own_scan(run));
  if (run->first == HT_STAGE_IMPORT && !run->own_scan && input[0] && !ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  HT_TRY(ht_folder_check(run->folder, run->own_scan ? "" : input));
  if (!settings->keep_identity) {
    hide_paths(run);
    hide_identity(input);
  }
  ht_interrupt_folder(run->folder);
  if (!ht_folder_is_case(run->folder)) return HT_OK; /* made when the scan has been read */
  HT_TRY(open_log(run));
  HT_TRY(ht_run_path(run, HT_FILE_MANIFEST, path));
  if (ht_file_exists(path)) HT_TRY(ht_manifest_read(path, &run->manifest));
  return ht_run_guard(run);
}

static ht_status limit_threads(int threads) {
  int fewer;
  HT_TRY(ht_thread_limit(threads, &fewer));
  if (fewer)
    ht_console_warn("the system's limits allow %d thread%s: that is slower (ulimit -v, ulimit -u)",
                    fewer, fewer == 1 ? "" : "s");
  return HT_OK;
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
  HT_TRY(ht_case_check(settings));
  HT_TRY(limit_threads(settings->solver.threads));
  return begin(run);
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
  static char buffer[8192];
  char path[HT_PATH_MAX];
  const char *source = run->settings->waveform;
  HT_TRY(ht_run_path(run, HT_FILE_WAVEFORM, path));
  if (!ht_case_waveform_is_file(run->settings) || ht_same_file(path, source)) return HT_OK;
  FILE *from = fopen(source, "rb");
  if (!from) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open", source);
  ht_output output;
  ht_status status = ht_output_open(path, &output);
  for (size_t got; status == HT_OK && (got = fread(buffer, 1, sizeof buffer, from)) > 0;)
    fwrite(buffer, 1, got, output.stream);
  fclose(from);
  return status == HT_OK ? ht_output_commit(&output) : status;
}

ht_status ht_run_record(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_keep_case(run));
  HT_TRY(keep_waveform(run));
  HT_TRY(ht_run_path(run, HT_FILE_CASE, path));
  HT_TRY(ht_case_write(path, run->settings, run->settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN,
                       run->has_openings ? &run->placed.openings : NULL));
  HT_TRY(ht_hash_file(path, run->manifest.case_sha256));
  HT_TRY(ht_run_path(run, HT_FILE_MANIFEST, path));
  return ht_manifest_write(path, &run->manifest, run->settings);
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
  ht_volume_free(&run->scan);
  ht_mask_free(&run->drawn);
  ht_mask_free(&run->mask);
  ht_domain_free(&run->domain);
  ht_tiling_free(&run->tiling);
  ht_flow_free(&run->flow);
  ht_wall_cycle_free(&run->cycle);
  memset(run, 0, sizeof *run);
}
