#define _XOPEN_SOURCE 700
#include "app/compare/compared_case.h"
#include "run/folder/folder.h"
#include "run/folder/hash.h"
#include "run/record/summary_table.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the name to the folder's. A patient's name is not in it where hemotile has removed it from
 * the case's name, which is the folder's by default. */
static void name_it(ht_compared_case *one) {
  char whole[PATH_MAX];
  const char *name = ht_path_name(realpath(one->path, whole) ? whole : one->path);
  const char *case_name = ht_value_text(&one->numbers, "name");
  if (case_name && strstr(case_name, "[removed]")) name = "case";
  snprintf(one->label, sizeof one->label, "%.40s", *name ? name : "case");
  if (one->is_foreign && strrchr(one->label, '.')) *strrchr(one->label, '.') = 0;
  for (char *c = one->label; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '_';
}

void ht_compared_labels(ht_compared_case *one, int cases) {
  for (int i = 1; i < cases; i++)
    for (int number = 2, k = 0; k < i; k++) {
      char plain[HT_COMPARED_LABEL];
      if (strcmp(one[i].label, one[k].label) != 0) continue;
      snprintf(plain, sizeof plain, "%.40s", one[i].label);
      char *end = strrchr(plain, '_');
      if (number > 2 && end) *end = 0;
      snprintf(one[i].label, sizeof one[i].label, "%.36s_%d", plain, number++);
      k = -1; /* starts at the first again */
    }
}

static ht_status refuse(const char *path) {
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", path);
  return ht_fail(
      HT_ERR_NOT_FOUND,
      "%s: neither a case folder of hemotile nor a wall of another program (.vtp): give "
      "folders that `hemotile run ... -o DIR` has made. Phase-contrast MR is given after one "
      "case, alone",
      path);
}

/* Takes the waveform's hash: two waveforms may have files of one name. */
static ht_status take_waveform(ht_compared_case *one) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT];
  HT_TRY(ht_path_join(path, one->path, HT_FILE_WAVEFORM));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  ht_value_list_take(&one->record, "waveform_sha256", hex);
  return HT_OK;
}

static ht_status read_summary(ht_compared_case *one) {
  char path[HT_PATH_MAX];
  ht_yaml yaml;
  HT_TRY(ht_path_join(path, one->path, HT_FILE_SUMMARY));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: this case is not finished (there is no " HT_FILE_SUMMARY
                   "): `hemotile info %s` lists its stages; `hemotile run %s` finishes it",
                   one->path, one->path, one->path);
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  struct fy_node *manifest = ht_yaml_get(yaml.root, "manifest");
  ht_summary_flatten(yaml.root, ht_value_list_take, &one->numbers);
  if (manifest) ht_summary_flatten(manifest, ht_value_list_take, &one->record);
  const char *volume = ht_value_text(&one->record, "segment.volume_ml");
  if (volume) ht_value_list_take(&one->numbers, "vessel.volume_ml", volume);
  ht_yaml_free(&yaml);
  HT_TRY(take_waveform(one));
  HT_TRY(ht_value_list_check(&one->numbers));
  return ht_value_list_check(&one->record);
}

static ht_status read_wall(const ht_wall_reading *how, ht_import_notes *notes,
                           ht_compared_case *one) {
  char path[HT_PATH_MAX];
  ht_wall_reading reading = *how;
  reading.foreign = one->is_foreign;
  snprintf(path, sizeof path, "%s", one->path);
  if (!one->is_foreign) HT_TRY(ht_path_join(path, one->path, HT_FILE_WALL));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: there is no " HT_FILE_WALL
                   ": `hemotile export %s` writes it; or compare the numbers alone with --numbers",
                   one->path, one->path);
  HT_TRY(ht_compared_wall_read(path, &reading, notes, &one->wall));
  one->has_wall = 1;
  return HT_OK;
}

int ht_compared_is_foreign(const char *path) {
  return !ht_folder_exists(path) && ht_path_ends(path, ".vtp") && ht_file_exists(path);
}

ht_status ht_compared_case_read(const char *path, const ht_wall_reading *how,
                                ht_import_notes *notes, ht_compared_case *one) {
  memset(one, 0, sizeof *one);
  if (snprintf(one->path, sizeof one->path, "%s", path) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", path);
  for (size_t end = strlen(one->path); end > 1 && one->path[end - 1] == '/'; end--)
    one->path[end - 1] = 0;
  one->is_foreign =
      !ht_folder_exists(one->path) && ht_path_ends(one->path, ".vtp") && ht_file_exists(one->path);
  ht_status status = HT_OK;
  if (!one->is_foreign)
    status = ht_folder_exists(one->path) && ht_folder_is_case(one->path) ? read_summary(one)
                                                                         : refuse(one->path);
  if (status == HT_OK && how) status = read_wall(how, notes, one);
  if (status == HT_OK)
    name_it(one);
  else
    ht_compared_case_free(one);
  return status;
}

void ht_compared_case_free(ht_compared_case *one) {
  if (!one) return;
  ht_value_list_free(&one->numbers);
  ht_value_list_free(&one->record);
  ht_compared_wall_free(&one->wall);
  memset(one, 0, sizeof *one);
}
