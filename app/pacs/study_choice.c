#include "app/pacs/study_choice.h"
#include "core/disk/path_list.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 256 };

static ht_status add_object(const char *path, ht_study_series *list, int *count) {
  ht_pacs_object object;
  HT_TRY(ht_pacs_object_read(path, &object));
  int n = 0;
  while (n < *count && strcmp(list[n].first.series_uid, object.series_uid) != 0) n++;
  if (n == SERIES_MAX) return HT_OK; /* only the first of very many are examined */
  if (n == *count) list[(*count)++].first = object;
  list[n].objects++;
  return HT_OK;
}

ht_status ht_study_list(const char *folder, ht_study_series **list, int *count) {
  char scan[HT_PATH_MAX];
  ht_path_list files = {0};
  *list = NULL;
  *count = 0;
  HT_TRY(ht_path_join(scan, folder, "scan"));
  ht_status status = ht_path_list_folder(scan, 0, &files);
  if (status == HT_OK)
    status = ht_alloc((void **)list, SERIES_MAX, sizeof **list, "the list of series");
  for (int i = 0; i < files.count && status == HT_OK; i++)
    status = add_object(files.path[i], *list, count);
  for (int s = 0; s < *count; s++)
    (*list)[s].unfinished = ht_study_is_unfinished(folder, (*list)[s].first.series_uid);
  ht_path_list_free(&files);
  if (status == HT_OK) return HT_OK;
  free(*list);
  *list = NULL;
  *count = 0;
  return status;
}

static int fits(const ht_pacs_rule *rule, const ht_pacs_object *object) {
  return ht_pacs_fits(rule->modality, object->modality) &&
         (ht_pacs_fits(rule->description, object->study_description) ||
          ht_pacs_fits(rule->description, object->series_description));
}

int ht_study_rule(const ht_pacs_watch *watch, const ht_study_series *list, int count, int *series) {
  for (int r = 0; r < watch->rules; r++) {
    int most = 0;
    for (int s = 0; s < count; s++) {
      if (!fits(&watch->rule[r], &list[s].first) || list[s].objects <= most) continue;
      most = list[s].objects;
      *series = s;
    }
    if (most > 0) return r;
  }
  return -1;
}

/* ---- whether it is whole ---- */

enum { MESSAGE_MAX = 400 };

static int count_of(const ht_pacs_match *said, int answers, const char *series_uid) {
  for (int i = 0; i < answers; i++)
    if (strcmp(said[i].series_uid, series_uid) == 0) return said[i].images;
  return -1;
}

int ht_study_is_whole(const ht_pacs_rule *rule, const ht_study_series *list, int count,
                      const ht_pacs_match *said, int answers, char *message) {
  for (int s = 0; s < count; s++) {
    const ht_study_series *of = &list[s];
    const int all = count_of(said, answers, of->first.series_uid);
    if (!fits(rule, &of->first)) continue;
    if (all > of->objects) {
      snprintf(message, MESSAGE_MAX,
               "waits: %d of the %d objects that the archive has of series %s are here; send the "
               "study again if no more come",
               of->objects, all, of->first.series_uid);
      return 0;
    }
    if (of->unfinished && all != of->objects) {
      snprintf(message, MESSAGE_MAX,
               "waits: the association that brought series %s was not released, so that its %d "
               "objects may not be all; send the study again",
               of->first.series_uid, of->objects);
      return 0;
    }
  }
  return 1;
}

static void judge(const ht_pacs_settings *settings, const char *study_uid,
                  const ht_study_series *list, int count, ht_study_choice *choice) {
  ht_pacs_query query = {.patient_id = ""};
  ht_pacs_match *said = NULL;
  int answers = 0, more;
  snprintf(query.study_uid, sizeof query.study_uid, "%s", study_uid);
  if (settings->host[0] && settings->watch.count &&
      ht_pacs_find(settings, &query, &said, &answers, &more) != HT_OK)
    snprintf(choice->message, sizeof choice->message,
             "the archive was not asked for its number of objects: %.300s", ht_error_message());
  const ht_pacs_rule *rule = &settings->watch.rule[choice->rule];
  choice->kind = ht_study_is_whole(rule, list, count, said, answers, choice->message)
                     ? HT_CHOICE_READY
                     : HT_CHOICE_WAIT;
  free(said);
}

void ht_study_choose(const ht_pacs_settings *settings, const char *folder, const char *study_uid,
                     const ht_study_state *before, ht_study_choice *choice) {
  ht_study_series *list;
  int count, series = 0;
  *choice = (ht_study_choice){.kind = HT_CHOICE_NONE, .objects = ht_study_objects(folder)};
  if (ht_study_list(folder, &list, &count) != HT_OK) {
    choice->kind = HT_CHOICE_FAILED;
    snprintf(choice->message, sizeof choice->message, "%s", ht_error_message());
    return;
  }
  choice->rule = ht_study_rule(&settings->watch, list, count, &series);
  if (choice->rule >= 0) {
    memcpy(choice->series, list[series].first.series_uid, sizeof choice->series);
    choice->images = list[series].objects;
    if (before->step >= HT_STUDY_SENT && before->images == choice->images &&
        strcmp(before->series, choice->series) == 0)
      choice->kind = HT_CHOICE_SAME;
    else
      judge(settings, study_uid, list, count, choice);
  }
  free(list);
}
