#include "console.h"
#include "redact.h"
#include "run.h"
#include <stdio.h>
#include <string.h>

/* Gives the file the first free name of stem_1.ending, stem_2.ending, ... in the folder. */
static ht_status keep_as(const ht_run *run, const char *path, const char *stem, const char *ending,
                         char kept[HT_PATH_MAX]) {
  char name[64];
  for (int n = 1;; n++) {
    snprintf(name, sizeof name, "%s_%d%s", stem, n, ending);
    HT_TRY(ht_run_path(run, name, kept));
    if (!ht_file_exists(kept)) break;
  }
  if (rename(path, kept) != 0) return ht_fail(HT_ERR_WRITE, "%s: cannot rename to %s", path, kept);
  return HT_OK;
}

/* A correction by hand is never overwritten without a word. */
static ht_status guard_edited_mask(ht_run *run) {
  char path[HT_PATH_MAX], kept[HT_PATH_MAX], hex[HT_HASH_TEXT];
  HT_TRY(ht_run_path(run, HT_FILE_MASK, path));
  if (!run->manifest.has_mask || !ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  if (strcmp(hex, run->manifest.mask_sha256) == 0) return HT_OK;
  if (!run->force)
    return ht_fail(HT_ERR_USAGE,
                   "%s was edited by hand, and this would replace it: go on from it with `hemotile "
                   "solve %s` and then `hemotile export %s`, or give --force to segment "
                   "again (it is then kept as mask_edited_1.nii.gz)",
                   path, run->typed, run->typed);
  HT_TRY(keep_as(run, path, "mask_edited", ".nii.gz", kept));
  ht_console_note("the edited mask is kept as %s", kept);
  return HT_OK;
}

/* Is the input what the folder was made from? */
static ht_status same_input(const ht_run *run, const char *input, int *same) {
  const ht_manifest *manifest = &run->manifest;
  const ht_case *settings = run->settings;
  char drawn[HT_PATH_MAX], hex[HT_HASH_TEXT], phantom[HT_PATH_MAX], series[sizeof settings->series];
  int files;
  HT_TRY(ht_run_path(run, HT_FILE_DRAWN, drawn));
  *same = 0;
  if (settings->phantom[0]) {
    HT_TRY(ht_run_input_name(settings, phantom));
    *same = strcmp(phantom, manifest->input) == 0;
    return HT_OK;
  }
  memcpy(series, settings->series, sizeof series);
  ht_redact_name(series, sizeof series); /* as the record has it */
  if (ht_file_exists(drawn) != (settings->mask[0] != 0)) return HT_OK;
  if (strcmp(series, manifest->series) != 0) return HT_OK;
  HT_TRY(ht_hash_path(input, hex, &files));
  *same = strcmp(hex, manifest->input_sha256) == 0;
  return HT_OK;
}

/* "NAME (LABEL), series N": the record of the folder has the label alone. */
static void describe_input(const ht_case *settings, const char *label,
                           char text[2 * HT_PATH_MAX + 128]) {
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  int named = input[0] && strcmp(input, label) != 0;
  snprintf(text, 2 * HT_PATH_MAX + 128, "%s%s%s%s%s%s", named ? input : "", named ? " (" : "",
           label, named ? ")" : "", settings->series[0] ? ", series " : "", settings->series);
}

static ht_status guard_other_input(const ht_run *run) {
  const ht_manifest *manifest = &run->manifest;
  const ht_case *settings = run->settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  char now[2 * HT_PATH_MAX + 128], label[HT_PATH_MAX];
  int same;
  if (run->force || run->own_scan || !manifest->input[0]) return HT_OK;
  HT_TRY(same_input(run, input, &same));
  if (same) return HT_OK;
  (void)ht_run_input_name(settings, label); /* without its hash it is a name still */
  describe_input(settings, label, now);
  int changed =
      strcmp(label, manifest->input) == 0 && strcmp(settings->series, manifest->series) == 0;
  return ht_fail(
      HT_ERR_USAGE,
      "%s: this folder holds the case of another scan (%s%s%s), and this is %s%s: choose "
      "another folder with -o, or give --force to replace what is there",
      run->folder, manifest->input, manifest->series[0] ? ", series " : "", manifest->series, now,
      changed ? ", which has changed since or is read as another kind" : "");
}

/* Settings that a person wrote into the folder, where this run has others. */
static ht_status find_edited_case(ht_run *run) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT];
  HT_TRY(ht_run_path(run, HT_FILE_CASE, path));
  if (!ht_file_exists(path) || ht_same_file(path, run->settings->file)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  run->keep_case = strcmp(hex, run->manifest.case_sha256) != 0;
  return HT_OK;
}

ht_status ht_run_guard(ht_run *run) {
  if (run->first == HT_STAGE_IMPORT) HT_TRY(guard_other_input(run));
  if (run->first <= HT_STAGE_SEGMENT) HT_TRY(guard_edited_mask(run));
  return run->first == HT_STAGE_IMPORT ? find_edited_case(run) : HT_OK;
}

ht_status ht_run_keep_case(ht_run *run) {
  char path[HT_PATH_MAX], kept[HT_PATH_MAX];
  if (!run->keep_case) return HT_OK;
  run->keep_case = 0;
  HT_TRY(ht_run_path(run, HT_FILE_CASE, path));
  HT_TRY(keep_as(run, path, "case_edited", ".yaml", kept));
  ht_console_warn("%s was edited by hand, and this run has other settings: what was edited is kept "
                  "as %s; `hemotile run %s` goes by the case.yaml of the folder",
                  path, kept, run->typed);
  return HT_OK;
}
