#define _POSIX_C_SOURCE 200809L
#include "run/record/journal.h"
#include "core/disk/file.h"
#include <string.h>
#include <unistd.h>

enum { JOURNAL_MAX = 16 * HT_HASH_TEXT };

/* Reads the lines of the journal; "" if there is none. */
static ht_status read_journal(const char *folder, char path[HT_PATH_MAX], char text[JOURNAL_MAX]) {
  text[0] = 0;
  HT_TRY(ht_path_join(path, folder, HT_FILE_JOURNAL));
  FILE *file = ht_file_open(path);
  if (!file) return HT_OK;
  text[fread(text, 1, JOURNAL_MAX - 1, file)] = 0;
  fclose(file);
  return HT_OK;
}

ht_status ht_journal_add(const char *folder, const char *path) {
  char journal[HT_PATH_MAX], text[JOURNAL_MAX], hex[HT_HASH_TEXT];
  ht_output output;
  HT_TRY(ht_hash_file(path, hex));
  HT_TRY(read_journal(folder, journal, text));
  if (strlen(text) + 2 * HT_HASH_TEXT > JOURNAL_MAX)
    text[0] = 0; /* entries of runs killed long ago */
  HT_TRY(ht_output_open(journal, &output));
  fprintf(output.stream, "%s%s\n", text, hex);
  return ht_output_commit(&output);
}

void ht_journal_end(const char *folder) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, HT_FILE_JOURNAL) == HT_OK) unlink(path);
}

/* Finds out whether the file is there and the journal lists it. */
static ht_status is_named(const char *folder, const char *name, const char *text,
                          char hex[HT_HASH_TEXT], int *named) {
  char path[HT_PATH_MAX];
  *named = 0;
  HT_TRY(ht_path_join(path, folder, name));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  *named = strstr(text, hex) != NULL;
  return HT_OK;
}

ht_status ht_journal_settle(const char *folder, ht_manifest *manifest) {
  char path[HT_PATH_MAX], text[JOURNAL_MAX], hex[HT_HASH_TEXT];
  int named;
  HT_TRY(read_journal(folder, path, text));
  if (!text[0]) return HT_OK;
  HT_TRY(is_named(folder, HT_FILE_CASE, text, hex, &named));
  if (named) memcpy(manifest->case_sha256, hex, HT_HASH_TEXT);
  HT_TRY(is_named(folder, HT_FILE_MASK, text, hex, &named));
  if (!named || strcmp(hex, manifest->mask_sha256) == 0) return HT_OK;
  manifest->has_mask = 1;
  memcpy(manifest->mask_sha256, hex, HT_HASH_TEXT);
  manifest->vessel_sha256[0] = 0;
  manifest->mask_settings_sha256[0] = manifest->flow_settings_sha256[0] = 0;
  memset(&manifest->mask_grid, 0, sizeof manifest->mask_grid);
  manifest->mask_edited = 0;
  for (int stage = HT_STAGE_SEGMENT; stage < HT_STAGES; stage++)
    memset(&manifest->stage[stage], 0, sizeof *manifest->stage);
  return HT_OK;
}
