/* Choice of the series of a study that is computed, by which rule, and whether it is complete. */
#ifndef HT_STUDY_CHOICE_H
#define HT_STUDY_CHOICE_H

#include "app/pacs/pacs.h"
#include "app/pacs/study_state.h"

typedef struct {
  ht_pacs_object first; /* the first of its objects */
  int objects;          /* number of objects here */
  int unfinished;       /* 1: the association that brought it has not been released */
} ht_study_series;

typedef enum {
  HT_CHOICE_NONE,  /* no rule fits */
  HT_CHOICE_SAME,  /* series of a study that has come to its end, with as many images as then */
  HT_CHOICE_WAIT,  /* a series that fits is not complete; message says which */
  HT_CHOICE_READY, /* to be computed */
  HT_CHOICE_FAILED /* an object cannot be read; message */
} ht_choice_kind;

typedef struct {
  ht_choice_kind kind;
  int rule;
  char series[65];
  int images;  /* images of the series */
  int objects; /* objects in scan/ */
  char message[400];
} ht_study_choice;

/* Lists the series of a study's folder; the caller frees *list [*count] with free().
 * HT_ERR_FORMAT, HT_ERR_MEMORY, HT_ERR_NOT_FOUND. */
ht_status ht_study_list(const char *folder, ht_study_series **list, int *count);

/* Returns the first rule that fits a series, and the largest such series (number in `series`); -1:
 * none. */
int ht_study_rule(const ht_pacs_watch *watch, const ht_study_series *list, int count, int *series);

/* Returns 0 where a series that fits the rule is not complete, with the reason in `message` [400]:
 * the archive counts more objects in it than are here (`said` [answers]: its series, -1 where it
 * does not say), or its association was not released and the archive does not count as many as are
 * here. */
int ht_study_is_whole(const ht_pacs_rule *rule, const ht_study_series *list, int count,
                      const ht_pacs_match *said, int answers, char *message);

/* Chooses the series in a study's folder. Asks the archive, where the settings have one and
 * watch.count is 1, for the numbers of objects: waits for it up to timeout_s. */
void ht_study_choose(const ht_pacs_settings *settings, const char *folder, const char *study_uid,
                     const ht_study_state *before, ht_study_choice *choice);

#endif
