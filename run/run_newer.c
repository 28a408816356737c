#include "run/run_newer.h"
#include "core/version.h"
#include "run/checkpoint/run_checkpoint.h"
#include "run/edit/edits_mask.h"
#include "run/run.h"
#include <stdlib.h>
#include <string.h>

/* Computes the hash of the settings as the next run would. */
static ht_status hash_settings(const char *folder, char hex[HT_HASH_TEXT]) {
  ht_case *settings = NULL;
  ht_idle_key *idle = NULL;
  int count;
  HT_TRY(ht_run_open(folder, &settings));
  ht_status status = ht_alloc((void **)&idle, HT_CASE_KEYS_MAX, sizeof *idle, "the settings");
  if (status == HT_OK) status = ht_case_check(settings);
  if (status == HT_OK) status = ht_case_read_waveform(settings);
  if (status == HT_OK) status = ht_case_drop_idle(settings, idle, &count);
  if (status == HT_OK) status = ht_case_hash(settings, HT_HASH_FLOW, hex);
  free(idle);
  free(settings);
  return status;
}

/* Computes the hash of the mask; "" where the corrections are not in it yet. */
static ht_status hash_mask(const char *folder, char hex[HT_HASH_TEXT]) {
  char path[HT_PATH_MAX];
  ht_edits_known known;
  HT_TRY(ht_path_join(path, folder, HT_FILE_MASK));
  HT_TRY(ht_hash_file(path, hex));
  HT_TRY(ht_edits_look(folder, hex, &known));
  if (known.is_pending) *hex = 0;
  return HT_OK;
}

const char *ht_run_newer(const char *folder) {
  static const char *const text[2][2] = {
      {"", "the settings were changed"},
      {"the mask was corrected", "the mask was corrected and the settings were changed"}};
  char path[HT_PATH_MAX], mask[HT_HASH_TEXT] = "", settings[HT_HASH_TEXT] = "";
  ht_manifest *record;
  int has_mask = 0, has_settings = 0;
  if (ht_alloc((void **)&record, 1, sizeof *record, "the record") != HT_OK) return "";
  if (ht_path_join(path, folder, HT_FILE_MANIFEST) == HT_OK &&
      ht_manifest_read(path, record) == HT_OK && record->flow_settings_sha256[0]) {
    const char *used = record->mask_edited ? record->edited_sha256 : record->mask_sha256;
    has_mask = hash_mask(folder, mask) == HT_OK && strcmp(mask, used) != 0;
    /* Settings that a run refuses are others, too. */
    has_settings = hash_settings(folder, settings) != HT_OK ||
                   strcmp(settings, record->flow_settings_sha256) != 0;
  }
  free(record);
  return text[has_mask][has_settings];
}

ht_checkpoint_use ht_run_checkpoint_use(const char *folder) {
  char path[HT_CHECKPOINTS][HT_PATH_MAX], mask[HT_HASH_TEXT] = "", settings[HT_HASH_TEXT] = "";
  ht_checkpoint_head head;
  int64_t latest = -1;
  ht_checkpoint_use use = HT_CHECKPOINT_NONE;
  if (ht_run_checkpoint_paths(folder, path) != HT_OK) return use;
  for (int k = 0; k < HT_CHECKPOINTS; k++) {
    if (!ht_file_exists(path[k]) || ht_checkpoint_peek(path[k], &head) != HT_OK) continue;
    if (!*settings &&
        (hash_settings(folder, settings) != HT_OK || hash_mask(folder, mask) != HT_OK))
      return HT_CHECKPOINT_NONE;
    if (strcmp(head.mask_sha256, mask) != 0 || strcmp(head.settings_sha256, settings) != 0 ||
        head.step < latest)
      continue;
    latest = head.step;
    use = strcmp(head.hemotile, ht_version()) == 0 && strcmp(head.commit, ht_commit()) == 0
              ? HT_CHECKPOINT_GOES_ON
              : HT_CHECKPOINT_OTHER;
  }
  return use;
}
