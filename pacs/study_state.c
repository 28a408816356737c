#define _GNU_SOURCE
#include "study_state.h"
#include "folder_walk.h"
#include "json.h"
#include "path_list.h"
#include "words.h"
#include "yaml_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const step_words[] = {"received", "processing", "sending", "sent",
                                         "kept",     "ignored",    "failed",  NULL};

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
  ht_yaml_text(yaml.root, "state", word, sizeof word);
  ht_yaml_int(yaml.root, "objects", &state->objects);
  ht_yaml_int(yaml.root, "attempts", &state->attempts);
  ht_yaml_text(yaml.root, "message", state->message, sizeof state->message);
  ht_yaml_free(&yaml);
  int found = ht_word_find(step_words, word, strlen(word));
  if (found < 0) return ht_fail(HT_ERR_FORMAT, "%s: no known state '%s'", path, word);
  state->step = (ht_study_step)found;
  return HT_OK;
}

ht_status ht_study_write(const char *folder, const ht_study_state *state) {
  char path[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_path_join(path, folder, "state.json"));
  HT_TRY(ht_output_open(path, &output));
  ht_json json = {output.stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "state", ht_study_step_name(state->step));
  ht_json_integer(&json, "objects", state->objects);
  ht_json_integer(&json, "attempts", state->attempts);
  ht_json_string(&json, "message", state->message);
  ht_json_object_end(&json);
  return ht_output_commit(&output);
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
           "is not known: look into result/ and the archive. To compute the study anew, stop the "
           "watch, remove state.json and start it");
  return ht_study_write(folder, state);
}

static ht_status make_private(const char *path) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot make this folder: %s", path, strerror(errno));
}

/* The names in a folder reach the disk. */
static void flush_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)fsync(folder);
  close(folder);
}

ht_status ht_study_keep(const char *folder, const ht_pacs_object *object, const char *path) {
  char scan[HT_PATH_MAX], name[80], target[HT_PATH_MAX];
  HT_TRY(make_private(folder));
  HT_TRY(ht_path_join(scan, folder, "scan"));
  HT_TRY(make_private(scan));
  snprintf(name, sizeof name, "%s.dcm", object->instance_uid);
  HT_TRY(ht_path_join(target, scan, name));
  if (ht_file_exists(target)) return HT_OK;
  if (rename(path, target) != 0)
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", target, strerror(errno));
  flush_folder(scan);
  flush_folder(folder);
  return HT_OK;
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

/* ---- which rule ---- */

enum { SERIES_MAX = 256 };

typedef struct {
  ht_pacs_object first; /* of its objects */
  int objects;
} series;

static ht_status add_object(const char *path, series *list, int *count) {
  ht_pacs_object object;
  HT_TRY(ht_pacs_object_read(path, &object));
  int n = 0;
  while (n < *count && strcmp(list[n].first.series_uid, object.series_uid) != 0) n++;
  if (n == SERIES_MAX) return HT_OK; /* the first of very many are looked at */
  if (n == *count) list[(*count)++].first = object;
  list[n].objects++;
  return HT_OK;
}

static int fits(const ht_pacs_rule *rule, const ht_pacs_object *object) {
  return ht_pacs_fits(rule->modality, object->modality) &&
         (ht_pacs_fits(rule->description, object->study_description) ||
          ht_pacs_fits(rule->description, object->series_description));
}

static const ht_pacs_rule *choose(const ht_pacs_watch *watch, const series *list, int count,
                                  char uid[65]) {
  for (int r = 0; r < watch->rules; r++) {
    int most = 0;
    for (int s = 0; s < count; s++) {
      if (!fits(&watch->rule[r], &list[s].first) || list[s].objects <= most) continue;
      most = list[s].objects;
      memcpy(uid, list[s].first.series_uid, 65);
    }
    if (most > 0) return &watch->rule[r];
  }
  return NULL;
}

const ht_pacs_rule *ht_study_rule(const char *folder, const ht_pacs_watch *watch, char uid[65],
                                  ht_status *status) {
  char scan[HT_PATH_MAX];
  ht_path_list files = {0};
  series *list = NULL;
  int count = 0;
  const ht_pacs_rule *rule = NULL;
  *status = ht_path_join(scan, folder, "scan");
  if (*status == HT_OK) *status = ht_path_list_folder(scan, 0, &files);
  if (*status == HT_OK)
    *status = ht_alloc((void **)&list, SERIES_MAX, sizeof *list, "the list of series");
  for (int i = 0; i < files.count && *status == HT_OK; i++)
    *status = add_object(files.path[i], list, &count);
  if (*status == HT_OK) rule = choose(watch, list, count, uid);
  free(list);
  ht_path_list_free(&files);
  return rule;
}
