/* State of a study that `hemotile pacs watch` took: its folder, and the file state.json in it,
 * which is written completely before each step, so that a killed program resumes where it was.
 *
 *   STUDIES/UID/scan/              the objects
 *   STUDIES/UID/unfinished/SERIES  empty; is there until the association that brings this series is
 *                                  released. Where it breaks, the file stays
 *   STUDIES/UID/state.json         the state
 *   STUDIES/UID/result/            the case
 *   STUDIES/UID/messages.txt       what the runs printed
 */
#ifndef HT_STUDY_STATE_H
#define HT_STUDY_STATE_H

#include "app/pacs/pacs_object.h"

typedef enum {
  HT_STUDY_RECEIVED,   /* objects come, or came and wait */
  HT_STUDY_PROCESSING, /* `hemotile run` works on it */
  HT_STUDY_SENDING,    /* the results are there and go to the archive */
  /* the ends */
  HT_STUDY_SENT,
  HT_STUDY_KEPT,    /* the results stay here */
  HT_STUDY_IGNORED, /* no rule fits */
  HT_STUDY_FAILED,
  HT_STUDY_STATES
} ht_study_step;

typedef struct {
  ht_study_step step;
  int objects;     /* in scan/ when its processing began; 0: not begun */
  int attempts;    /* attempts at the present step */
  char series[65]; /* series of the results, present or future; "": none */
  int images;      /* images of that series, when its processing began */
  char message[512];
} ht_study_state;

/* Returns "received", "processing", ... */
const char *ht_study_step_name(ht_study_step step);

/* Reads the state of a study's folder; a new study has none yet: HT_STUDY_RECEIVED.
 * HT_ERR_FORMAT. */
ht_status ht_study_read(const char *folder, ht_study_state *state);

/* Writes the state to the disk. HT_ERR_WRITE. */
ht_status ht_study_write(const char *folder, const ht_study_state *state);

/* Keeps the file of a state that cannot be read as state.json.damaged, and writes that the study
 * has failed, with a remedy. HT_ERR_WRITE. */
ht_status ht_study_set_aside(const char *folder, ht_study_state *state);

typedef struct {
  int is_new;     /* 0: the object was there already */
  int was_marked; /* 1: the mark of its series was there already, too */
} ht_study_kept;

/* Gives an object its place in the study's folder, which is made where absent. With `unfinished`
 * the series is first marked as not complete yet. An object that is there already stays as it is.
 * HT_ERR_FORMAT: the study has objects of another patient, or this UID in another series.
 * HT_ERR_WRITE. */
ht_status ht_study_keep(const char *folder, const ht_pacs_object *object, const char *path,
                        int unfinished, ht_study_kept *kept);

/* Removes the mark. */
void ht_study_finish(const char *folder, const char *series_uid);

/* Returns 1 where the mark is there. */
int ht_study_is_unfinished(const char *folder, const char *series_uid);

/* Returns the number of objects in scan/. */
int ht_study_objects(const char *folder);

#endif
