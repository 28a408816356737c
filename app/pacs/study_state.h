/* What has become of a study that `hemotile pacs watch` took: its folder, and the file state.json
 * in it, which is written whole before each step, so that a killed program goes on where it was.
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
  int attempts;    /* of the present step */
  char series[65]; /* of which the results are, or will be; "": none */
  int images;      /* of that series, when its processing began */
  char message[512];
} ht_study_state;

/* "received", "processing", ... */
const char *ht_study_step_name(ht_study_step step);

/* The state of a study's folder; a new study has none yet: HT_STUDY_RECEIVED. HT_ERR_FORMAT. */
ht_status ht_study_read(const char *folder, ht_study_state *state);

/* Writes it to the disk. HT_ERR_WRITE. */
ht_status ht_study_write(const char *folder, const ht_study_state *state);

/* For a state that cannot be read: keeps its file as state.json.damaged, and writes that the study
 * has failed, with what to do. HT_ERR_WRITE. */
ht_status ht_study_set_aside(const char *folder, ht_study_state *state);

typedef struct {
  int is_new;     /* 0: the object was there already */
  int was_marked; /* 1: so was the mark of its series */
} ht_study_kept;

/* Gives an object its place in the study's folder, which is made where absent; with `unfinished`
 * the series is marked first, as one that is not whole yet. An object that is there already stays
 * as it is. HT_ERR_FORMAT: the study has objects of another patient, or this UID of another series.
 * HT_ERR_WRITE. */
ht_status ht_study_keep(const char *folder, const ht_pacs_object *object, const char *path,
                        int unfinished, ht_study_kept *kept);

/* Takes the mark off again. */
void ht_study_finish(const char *folder, const char *series_uid);

/* 1 where the mark is there. */
int ht_study_is_unfinished(const char *folder, const char *series_uid);

/* The number of objects in scan/. */
int ht_study_objects(const char *folder);

#endif
