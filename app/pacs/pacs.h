/* A hospital's image archive (PACS): find studies, get them into a folder, send results. The
 * networking is DCMTK's.
 *
 * What is fetched is the patient's, as the archive has it: in a folder that its owner alone may
 * read. HT_ERR_NETWORK of each function: the archive cannot be reached, refuses the association, or
 * fails on the request; the message says which. */
#ifndef HT_PACS_H
#define HT_PACS_H

#include "app/pacs/pacs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Query of studies. "": anything. Texts may have the wildcards * and ?. */
typedef struct {
  char patient_id[65];
  char study_date[24];  /* YYYYMMDD, or YYYYMMDD-YYYYMMDD with either end left out */
  char modality[17];    /* "CT" */
  char description[65]; /* of the study */
  char study_uid[65];   /* lists the series of this study */
} ht_pacs_query;

/* A study, or with ht_pacs_query.study_uid a series. UTF-8; "" and -1 where the archive does not
 * say. */
typedef struct {
  char study_uid[65], series_uid[65];
  char patient_id[65], patient_name[200];
  char date[9];
  char modality[65]; /* a study's, all of them: "CT\SR" */
  char description[200];
  int number;         /* number of a series */
  int series, images; /* numbers of series and images */
} ht_pacs_match;

enum { HT_PACS_ANSWERS_MAX = 1000 };

/* Finds the studies (with study_uid: series) that match, up to HT_PACS_ANSWERS_MAX; *more is 1
 * where there may be others. The caller frees *matches with free(), also after a failure, when it
 * is NULL. HT_ERR_USAGE: nothing to search for. */
ht_status ht_pacs_find(const ht_pacs_settings *settings, const ht_pacs_query *query,
                       ht_pacs_match **matches, int *count, int *more);

/* Gets a study, or one series of it (series_uid not ""), into `folder`, which must be absent or
 * empty: one file per object, named after its UID, in the transfer syntax in which it came. Until
 * all have come they are in a folder of another name next to it. HT_ERR_NOT_FOUND: the archive has
 * no such object. HT_ERR_NETWORK: also where an object is of another study, series or patient, came
 * twice, or fewer came than the archive counts. HT_ERR_WRITE, HT_ERR_USAGE (the folder),
 * HT_ERR_INTERRUPTED. */
ht_status ht_pacs_get(const ht_pacs_settings *settings, const char *study_uid,
                      const char *series_uid, const char *folder, int (*stop)(void), int *objects);

typedef struct {
  char file[512]; /* its name */
  int stored;     /* 1: the archive confirmed it */
  char what[200]; /* "stored", or the archive's reason */
} ht_pacs_sent;

/* Sends the DICOM files of a folder, or one file. *sent [*count] has each of them, in the order of
 * their names; the caller frees it with free(), also after a failure. HT_ERR_NETWORK: also where
 * one of them was not stored. HT_ERR_NOT_FOUND, HT_ERR_FORMAT: there is none, or one cannot be
 * read; nothing was sent. */
ht_status ht_pacs_send(const ht_pacs_settings *settings, const char *path, int (*stop)(void),
                       ht_pacs_sent **sent, int *count);

#ifdef __cplusplus
}
#endif
#endif
