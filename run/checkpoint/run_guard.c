#define _POSIX_C_SOURCE 200809L
#include "run/checkpoint/run_guard.h"
#include "run/edit/edits_mask.h"
#include "run/process/console.h"
#include "run/record/journal.h"
#include <stdio.h>
#include <string.h>

static int same_content(const char *a, const char *b) {
  char one[HT_HASH_TEXT], other[HT_HASH_TEXT];
  return ht_hash_file(a, one) == HT_OK && ht_hash_file(b, other) == HT_OK &&
         strcmp(one, other) == 0;
}

/* Copies a file that is about to be replaced to the first free name of stem_1.ending,
 * stem_2.ending, ... in the folder, unless the folder has a copy already. The file itself stays: if
 * the replacement fails, the user may edit it again. */
static ht_status keep_as(const char *folder, const char *path, const char *stem, const char *ending,
                         char kept[HT_PATH_MAX]) {
  char name[64];
  for (int n = 1;; n++) {
    snprintf(name, sizeof name, "%s_%d%s", stem, n, ending);
    HT_TRY(ht_path_join(kept, folder, name));
    if (!ht_file_exists(kept)) return ht_file_copy(path, kept);
    if (same_content(kept, path)) return HT_OK; /* kept by a run that failed */
  }
}

/* ---- the mask ---- */

/* Refuses to overwrite a manual correction without --force. A mask that is not in the record may be
 * one. */
static ht_status guard_edited_mask(const ht_given *given, ht_claim *claim) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT];
  ht_edits_known known;
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_MASK));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  if (claim->held.has_mask && strcmp(hex, claim->held.mask_sha256) == 0) return HT_OK;
  HT_TRY(ht_edits_look(given->folder, hex, &known));
  if (known.is_made && known.is_again) return HT_OK; /* the steps make it again */
  claim->keep_mask = given->force;
  if (given->force) return HT_OK;
  if (!claim->held.has_mask)
    return ht_fail(
        HT_ERR_USAGE,
        "%s may have been edited by hand (it is not in the folder's record, " HT_FILE_MANIFEST
        "), and this command would replace it: give --force to segment again (the mask is then "
        "kept as mask_edited_1.nii.gz)",
        path);
  return ht_fail(HT_ERR_USAGE,
                 "%s was edited by hand, and this command would replace it: go on from it with "
                 "`hemotile solve %s` and then `hemotile export %s`, or give --force to segment "
                 "again (the edited mask is then kept as mask_edited_1.nii.gz)",
                 path, given->typed, given->typed);
}

ht_status ht_run_keep_mask(const ht_given *given, ht_claim *claim) {
  char path[HT_PATH_MAX], kept[HT_PATH_MAX];
  if (!claim->keep_mask) return HT_OK;
  claim->keep_mask = 0;
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_MASK));
  HT_TRY(keep_as(given->folder, path, "mask_edited", ".nii.gz", kept));
  ht_console_note("the edited mask is kept as %s", kept);
  return HT_OK;
}

/* ---- the scan ---- */

static ht_status has_file(const ht_given *given, const char *name, int *there) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, given->folder, name));
  *there = ht_file_exists(path);
  return HT_OK;
}

static int is_number(const char *text) {
  return *text && text[strspn(text, "0123456789")] == 0;
}

/* Returns in *same whether the input can be the one that the folder was made from. Called before
 * the input is read. */
static ht_status may_be_same(const ht_given *given, const ht_manifest *record, int *same) {
  const ht_case *settings = given->settings;
  const char *held = record->series;
  char phantom[HT_PATH_MAX];
  int other_kind;
  if (settings->phantom[0]) {
    HT_TRY(ht_manifest_input_name(settings, phantom));
    *same = strcmp(phantom, record->input) == 0;
    return HT_OK;
  }
  HT_TRY(has_file(given, settings->mask[0] ? HT_FILE_SCAN : HT_FILE_DRAWN, &other_kind));
  /* The record has the number of the series that was read: other words may mean the same series. */
  const int may_mean_it = settings->series[0] && held[0] && !settings->keep_identity &&
                          !(is_number(settings->series) && is_number(held));
  *same = !other_kind && (strcmp(settings->series, held) == 0 || may_mean_it);
  return HT_OK;
}

/* Writes "NAME (LABEL), series 'N'": the record of the folder has only the label. */
static void describe_input(const ht_case *settings, const char *label,
                           char text[2 * HT_PATH_MAX + 128]) {
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  int named = input[0] && strcmp(input, label) != 0;
  snprintf(text, 2 * HT_PATH_MAX + 128, "%s%s%s%s%s%s%s", named ? input : "", named ? " (" : "",
           label, named ? ")" : "", settings->series[0] ? ", series '" : "", settings->series,
           settings->series[0] ? "'" : "");
}

/* Returns the known difference, for the message. The patient's hash is "" before the scan is read,
 * and if the scan has no patient number. */
static const char *how_other(const ht_case *settings, const ht_manifest *held,
                             const ht_manifest *now, const char *label) {
  const char *was = held->patient_hash, *is = now->patient_hash;
  if (was[0] && is[0] && strcmp(was, is) != 0) return ", of another patient";
  if (strcmp(label, held->input) != 0 || strcmp(settings->series, held->series) != 0) return "";
  if (strcmp(was, is) == 0) return ", which has changed since or is read as another kind of input";
  return ", which has changed since, is read as another kind, or is of another patient";
}

static ht_status other_scan(const ht_given *given, const ht_manifest *held,
                            const ht_manifest *manifest) {
  const ht_case *settings = given->settings;
  char now[2 * HT_PATH_MAX + 128], label[HT_PATH_MAX];
  (void)ht_manifest_input_name(settings, label); /* without the hash it is still a name */
  describe_input(settings, label, now);
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds the case of another scan (%s%s%s), and this is %s%s: "
                 "choose another folder with -o, or give --force to replace what is there",
                 given->folder, held->input, held->series[0] ? ", series " : "", held->series, now,
                 how_other(settings, held, manifest, label));
}

/* Refuses a scan without a record: its owner is unknown. */
static ht_status guard_unknown(const ht_given *given) {
  int scan, drawn;
  HT_TRY(has_file(given, HT_FILE_SCAN, &scan));
  HT_TRY(has_file(given, HT_FILE_DRAWN, &drawn));
  if (!scan && !drawn) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds a scan and no record of whose it is (" HT_FILE_MANIFEST
                 "): choose another folder with -o, or give --force to replace what is there",
                 given->folder);
}

static ht_status guard_input(const ht_given *given, const ht_claim *claim,
                             const ht_manifest *manifest) {
  int same;
  if (given->first != HT_STAGE_IMPORT || given->force || claim->own_scan) return HT_OK;
  if (!claim->held.input[0]) return guard_unknown(given);
  HT_TRY(may_be_same(given, &claim->held, &same));
  return same ? HT_OK : other_scan(given, &claim->held, manifest);
}

ht_status ht_run_guard_scan(const ht_given *given, const ht_claim *claim,
                            const ht_manifest *manifest) {
  HT_TRY(guard_input(given, claim, manifest));
  if (given->force || !claim->held.input[0] || given->settings->phantom[0]) return HT_OK;
  return strcmp(manifest->input_sha256, claim->held.input_sha256) == 0
             ? HT_OK
             : other_scan(given, &claim->held, manifest);
}

/* ---- the flow ---- */

ht_status ht_run_refuse_flow(const ht_given *given) {
  if (given->force) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s has a flow already, and `hemotile %s` would remove it: give --force to go on "
                 "without it, or take a copy of the folder without " HT_FILE_FLOW,
                 given->folder, ht_stage_name(given->last));
}

/* Refuses to make a mask again where that would remove a flow of these very settings, which may
 * have taken hours. A command that also computes the flow may do so. */
static ht_status guard_flow(const ht_given *given, const ht_manifest *held) {
  char settings[HT_HASH_TEXT];
  int there;
  if (given->first > HT_STAGE_SEGMENT || given->last >= HT_STAGE_SOLVE) return HT_OK;
  HT_TRY(has_file(given, HT_FILE_FLOW, &there));
  if (!there) return HT_OK;
  HT_TRY(ht_case_hash(given->settings, HT_HASH_FLOW, settings));
  return strcmp(settings, held->flow_settings_sha256) == 0 ? ht_run_refuse_flow(given) : HT_OK;
}

/* ---- the settings ---- */

/* Finds out whether the folder's case.yaml was edited by hand, and this run has other settings. */
static ht_status find_edited_case(const ht_given *given, ht_claim *claim) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT];
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_CASE));
  if (!ht_file_exists(path) || ht_same_file(path, given->settings->file)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  claim->keep_case = strcmp(hex, claim->held.case_sha256) != 0;
  return HT_OK;
}

/* ---- all of it ---- */

/* Keeps a damaged record from blocking the folder for good: --force begins a new one. */
static ht_status read_damaged(const ht_given *given, const char *path) {
  char kept[HT_PATH_MAX], message[2048];
  snprintf(message, sizeof message, "%s", ht_error_message());
  if (!given->force)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: this is the record of the folder, and it is damaged: give --force to `run`, "
        "`import` or `segment` to begin a new one (the damaged one is then kept as "
        "manifest_damaged_1.json)",
        message);
  HT_TRY(keep_as(given->folder, path, "manifest_damaged", ".json", kept));
  ht_console_warn("%s was damaged: it is kept as %s, and a new record is begun", path, kept);
  return HT_OK;
}

static ht_status read_record(const ht_given *given, ht_manifest *held) {
  char path[HT_PATH_MAX];
  memset(held, 0, sizeof *held);
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_MANIFEST));
  if (ht_file_exists(path)) {
    ht_status status = ht_manifest_read(path, held);
    if (status != HT_ERR_FORMAT) HT_TRY(status);
    if (status != HT_OK) {
      memset(held, 0, sizeof *held);
      HT_TRY(read_damaged(given, path));
    }
  }
  return ht_journal_settle(given->folder, held);
}

ht_status ht_run_claim(const ht_given *given, const ht_manifest *manifest, ht_claim *claim) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_folder_make(given->folder));
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_LOG));
  HT_TRY(ht_console_log(path));
  claim->claimed = 1;
  ht_folder_sweep(given->folder, 0); /* files of a killed run: the lock is ours */
  HT_TRY(read_record(given, &claim->held));
  HT_TRY(guard_input(given, claim, manifest));
  if (given->first <= HT_STAGE_SEGMENT) HT_TRY(guard_edited_mask(given, claim));
  HT_TRY(guard_flow(given, &claim->held));
  return given->first == HT_STAGE_IMPORT ? find_edited_case(given, claim) : HT_OK;
}

ht_status ht_run_keep_case(const ht_given *given, ht_claim *claim) {
  char path[HT_PATH_MAX], kept[HT_PATH_MAX];
  if (!claim->keep_case) return HT_OK;
  claim->keep_case = 0;
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_CASE));
  HT_TRY(keep_as(given->folder, path, "case_edited", ".yaml", kept));
  ht_console_warn("%s was edited by hand, and this run has other settings: the edited file is kept "
                  "as %s; `hemotile run %s` uses the case.yaml of the folder",
                  path, kept, given->typed);
  return HT_OK;
}
