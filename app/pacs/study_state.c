#define _GNU_SOURCE
#include "app/pacs/study_state.h"
#include "core/disk/folder_walk.h"
#include "run/folder/members.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const step_words[] = {"received", "processing", "sending", "sent",
                                         "kept",     "ignored",    "failed",  NULL};

#define AT(key, field) HT_MEMBER(ht_study_state, key, field)
static const ht_member state_members[] = {
    {AT("state", step), .words = step_words, .options = HT_REQUIRED},
    {AT("objects", objects)},
    {AT("attempts", attempts)},
    {AT("series", series)},
    {AT("images", images)},
    {AT("message", message)},
    {0},
};

const char *ht_study_step_name(ht_study_step step) {
  return step_words[step];
}

ht_status ht_study_read(const char *folder, ht_study_state *state) {
  char path[HT_PATH_MAX], word[16] = "";
  ht_yaml yaml;
  memset(state, 0, sizeof *state);
  HT_TRY(ht_path_join(path, folder, "state.json"));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  const int complete = ht_members_read(yaml.root, state_members, state);
  ht_yaml_text(yaml.root, "state", word, sizeof word);
  ht_yaml_free(&yaml);
  if (!complete) return ht_fail(HT_ERR_FORMAT, "%s: unknown state '%s'", path, word);
  return HT_OK;
}

ht_status ht_study_write(const char *folder, const ht_study_state *state) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  HT_TRY(ht_path_join(path, folder, "state.json"));
  HT_TRY(ht_json_open(path, &output, &json));
  ht_members_json(&json, state_members, state);
  return ht_json_commit(&json, &output);
}

ht_status ht_study_set_aside(const char *folder, ht_study_state *state) {
  char path[HT_PATH_MAX], aside[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, "state.json"));
  HT_TRY(ht_path_join(aside, folder, "state.json.damaged"));
  if (rename(path, aside) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: cannot be read, nor renamed: %s", path, strerror(errno));
  *state = (ht_study_state){.step = HT_STUDY_FAILED, .objects = ht_study_objects(folder)};
  snprintf(state->message, sizeof state->message,
           "its state could not be read and is now state.json.damaged; whether results were sent "
           "is not known: look into result/ and the archive. To compute the study again, stop the "
           "watch, remove state.json and start it");
  return ht_study_write(folder, state);
}

static ht_status make_private(const char *path) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot make this folder: %s", path, strerror(errno));
}

/* Flushes the names in a folder to the disk. */
static void flush_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)fsync(folder);
  close(folder);
}

/* ---- objects ---- */

/* Reads the first readable object of a folder; HT_ERR_NOT_FOUND: there is none. */
static ht_status read_first(const char *scan, ht_pacs_object *first) {
  char path[HT_PATH_MAX];
  struct dirent *entry;
  ht_status status = HT_ERR_NOT_FOUND;
  DIR *folder = opendir(scan);
  while (folder && status != HT_OK && (entry = readdir(folder)))
    if (entry->d_name[0] != '.' && ht_path_join(path, scan, entry->d_name) == HT_OK)
      status = ht_pacs_object_read(path, first);
  if (folder) closedir(folder);
  return status;
}

/* Checks the patient. A study is of one patient: an archive or a sender that says otherwise has
 * mixed up two. */
static ht_status check_patient(const char *scan, const ht_pacs_object *object) {
  ht_pacs_object first;
  if (read_first(scan, &first) != HT_OK || ht_pacs_same_patient(&first, object)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "study %s: object %s is of another patient than those of this study that are here "
                 "(%s): ask the sender which is right",
                 object->study_uid, object->instance_uid, scan);
}

/* Checks the file that has the name already. One that cannot be read makes room. */
static ht_status check_present(const char *target, const ht_pacs_object *object, int *stays) {
  ht_pacs_object present;
  *stays = ht_file_exists(target) && ht_pacs_object_read(target, &present) == HT_OK;
  if (!*stays || strcmp(present.series_uid, object->series_uid) == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "study %s: there is an object %s already, of another series",
                 object->study_uid, object->instance_uid);
}

static ht_status mark_of(const char *folder, const char *series_uid, char mark[HT_PATH_MAX]) {
  char marks[HT_PATH_MAX];
  HT_TRY(ht_path_join(marks, folder, "unfinished"));
  return ht_path_join(mark, marks, series_uid);
}

static ht_status put_mark(const char *folder, const char *series_uid, int *was_marked) {
  char marks[HT_PATH_MAX], mark[HT_PATH_MAX];
  HT_TRY(mark_of(folder, series_uid, mark));
  HT_TRY(ht_path_join(marks, folder, "unfinished"));
  HT_TRY(make_private(marks));
  *was_marked = ht_file_exists(mark);
  const int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", mark, strerror(errno));
  close(file);
  flush_folder(marks);
  flush_folder(folder);
  return HT_OK;
}

ht_status ht_study_keep(const char *folder, const ht_pacs_object *object, const char *path,
                        int unfinished, ht_study_kept *kept) {
  char scan[HT_PATH_MAX], name[80], target[HT_PATH_MAX];
  int stays;
  *kept = (ht_study_kept){0};
  HT_TRY(make_private(folder));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  HT_TRY(make_private(scan));
  snprintf(name, sizeof name, "%s.dcm", object->instance_uid);
  HT_TRY(ht_path_join(target, scan, name));
  HT_TRY(check_patient(scan, object));
  HT_TRY(check_present(target, object, &stays));
  if (unfinished) HT_TRY(put_mark(folder, object->series_uid, &kept->was_marked));
  if (stays) return HT_OK;
  if (rename(path, target) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", target, strerror(errno));
  kept->is_new = 1;
  flush_folder(scan);
  flush_folder(folder);
  return HT_OK;
}

void ht_study_finish(const char *folder, const char *series_uid) {
  char mark[HT_PATH_MAX];
  if (mark_of(folder, series_uid, mark) == HT_OK) unlink(mark);
}

int ht_study_is_unfinished(const char *folder, const char *series_uid) {
  char mark[HT_PATH_MAX];
  return mark_of(folder, series_uid, mark) == HT_OK && ht_file_exists(mark);
}

static int count_entry(void *user, const char *name) {
  (void)name;
  ++*(int *)user;
  return 0;
}

int ht_study_objects(const char *folder) {
  char scan[HT_PATH_MAX];
  int count = 0;
  if (ht_path_join(scan, folder, "scan") == HT_OK) ht_folder_walk(scan, count_entry, &count);
  return count;
}
