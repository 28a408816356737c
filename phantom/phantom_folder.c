#include "phantom/phantom_folder.h"
#include "core/disk/file.h"
#include "run/folder/folder.h"
#include "run/folder/hash.h"
#include "run/folder/yaml_file.h"
#include "core/disk/folder_walk.h"
#include <string.h>
#include <unistd.h>

static const char *const written[] = {HT_PHANTOM_DICOM,  HT_PHANTOM_FLOW,     HT_FILE_SCAN,
                                      HT_PHANTOM_MASK,   HT_PHANTOM_DISTANCE, HT_FILE_CASE,
                                      HT_PHANTOM_POINTS, HT_PHANTOM_MEASURED};
enum { WRITTEN = sizeof written / sizeof *written };

/* Tells whether a name is one of ht_dicom_write_series: "slice-0001.dcm". */
static int is_slice(const char *name) {
  return strncmp(name, "slice-", 6) == 0 && strspn(name + 6, "0123456789") == 4 &&
         strcmp(name + 10, ".dcm") == 0;
}

/* Tells whether it is a folder of such files. */
static int has_slices(const char *name) {
  return strcmp(name, HT_PHANTOM_DICOM) == 0 || strcmp(name, HT_PHANTOM_FLOW) == 0;
}

/* Tells whether a file was left by a hemotile that was killed. */
static int is_half(const char *name) {
  return strncmp(name, ".slice-", 7) == 0 && strstr(name, ".part") != NULL;
}

static int check_slice(void *user, const char *name) {
  if (is_slice(name) || is_half(name)) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s/%.255s: this file is not of the phantom that is there, and would be mixed "
                 "with the new one: move it away, or choose another folder with -o",
                 (const char *)user, name);
}

static ht_status check_slices(char path[HT_PATH_MAX]) {
  int result = ht_folder_walk(path, check_slice, path);
  return result < 0 ? HT_OK : (ht_status)result;
}

static ht_status check_file(const char *folder, const char *name, ht_yaml *mark, int complete) {
  char path[HT_PATH_MAX], recorded[HT_HASH_TEXT] = "", now[HT_HASH_TEXT];
  HT_TRY(ht_path_join(path, folder, name));
  if (!ht_file_exists(path)) return HT_OK;
  if (has_slices(name)) HT_TRY(check_slices(path));
  if (!complete) return HT_OK; /* stopped before it recorded anything */
  ht_yaml_text(ht_yaml_get(mark->root, "sha256"), name, recorded, sizeof recorded);
  HT_TRY(ht_hash_path(path, now));
  if (strcmp(now, recorded) == 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this is not as `hemotile phantom` wrote it, and would be replaced: choose "
                 "another folder with -o, or remove it where you do not need it",
                 path);
}

static ht_status check_files(const char *folder, const char *mark_path) {
  ht_yaml mark;
  int complete = 1; /* a record without hashes protects every file */
  HT_TRY(ht_yaml_read(mark_path, HT_ERR_USAGE, &mark));
  ht_yaml_bool(mark.root, "complete", &complete);
  ht_status status = HT_OK;
  for (int i = 0; status == HT_OK && i < WRITTEN; i++)
    status = check_file(folder, written[i], &mark, complete);
  ht_yaml_free(&mark);
  return status;
}

ht_status ht_phantom_folder_check(const char *folder) {
  char mark[HT_PATH_MAX];
  if (!ht_file_exists(folder)) return HT_OK;
  if (!ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: give -o a folder", folder);
  HT_TRY(ht_path_join(mark, folder, HT_PHANTOM_MARK));
  if (ht_file_exists(mark)) return check_files(folder, mark);
  if (ht_folder_entries(folder) == 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds other files and no phantom: choose an empty or new one "
                 "with -o",
                 folder);
}

static int clear_slice(void *user, const char *name) {
  char path[HT_PATH_MAX];
  if ((is_slice(name) || is_half(name)) && ht_path_join(path, user, name) == HT_OK) unlink(path);
  return 0;
}

static void clear_slices(char folder[HT_PATH_MAX]) {
  if (ht_folder_walk(folder, clear_slice, folder) < 0) return;
  rmdir(folder); /* only where it is empty */
}

static void folder_clear(const char *folder) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < WRITTEN; i++) {
    if (ht_path_join(path, folder, written[i]) != HT_OK) continue;
    if (has_slices(written[i]))
      clear_slices(path);
    else
      unlink(path);
  }
}

/* The object "sha256" of phantom.json: each file of the phantom that is in the folder. */
static ht_status hashes_json(ht_json *json, const char *folder) {
  char path[HT_PATH_MAX], hash[HT_HASH_TEXT];
  ht_json_object(json, "sha256");
  for (int i = 0; i < WRITTEN; i++) {
    HT_TRY(ht_path_join(path, folder, written[i]));
    if (!ht_file_exists(path)) continue;
    HT_TRY(ht_hash_path(path, hash));
    ht_json_string(json, written[i], hash);
  }
  ht_json_object_end(json);
  return HT_OK;
}

/* Written first, so that hemotile recognises a phantom whose writing was stopped, and again at the
 * end with the list of its files. */
static ht_status write_mark(const ht_phantom_files *files, int complete) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  ht_status status = HT_OK;
  HT_TRY(ht_path_join(path, files->folder, HT_PHANTOM_MARK));
  HT_TRY(ht_json_open(path, &output, &json));
  files->truth(&json, files->phantom);
  ht_json_bool(&json, "complete", complete);
  if (complete) status = hashes_json(&json, files->folder);
  ht_json_object_end(&json);
  return ht_output_end(&output, status);
}

ht_status ht_phantom_folder_write(const ht_phantom_files *files) {
  char mark[HT_PATH_MAX];
  HT_TRY(ht_folder_make(files->folder));
  HT_TRY(ht_path_join(mark, files->folder, HT_PHANTOM_MARK));
  HT_TRY(write_mark(files, 0));
  folder_clear(files->folder); /* another spacing has another number of slices */
  ht_status status = files->files(files->folder, files->phantom);
  if (status == HT_OK) status = write_mark(files, 1);
  if (status == HT_OK) return HT_OK;
  folder_clear(files->folder);
  unlink(mark);
  return status;
}
