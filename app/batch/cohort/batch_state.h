/* State of the cases of a batch: the file batch.csv, complete at any moment. */
#ifndef HT_BATCH_STATE_H
#define HT_BATCH_STATE_H

#include "app/batch/cohort/cohort.h"

/* States, in the order of ht_case_state_words. */
typedef enum {
  HT_CASE_WAITING,
  HT_CASE_RUNNING,
  HT_CASE_DONE,
  HT_CASE_FAILED,  /* it began, and did not end with usable results */
  HT_CASE_REFUSED, /* its scan or its settings cannot be run */
} ht_case_state;
extern const char *const ht_case_state_words[];

typedef struct {
  ht_case_state state;
  int exit_code, tries;
  int changed; /* 1: its settings differ from those that it ran with, so it waits */
  int lost;    /* 1: it was done, and its results are gone, so it waits */
  double seconds;
  char ended[32];          /* UTC, ISO 8601 */
  char hash[HT_HASH_TEXT]; /* hash of the case, as it was run */
  char message[512];       /* reason why it failed or was refused */
} ht_case_record;

/* Returns the state of a case after an exit code of `hemotile run` (status.h); a signal is 128 +
 * its number. `stopped`: the batch asked it to end; a case that this ended waits again. */
ht_case_state ht_case_state_of(int exit_code, int stopped);

/* Fills record[cohort->cases] from the file, by id; no file: all wait. A case that was running when
 * the batch ended waits; one whose settings have changed waits, and is marked and counted in
 * *changed. Cases that are no longer in the cohort are left out. HT_ERR_FORMAT: not a state of a
 * batch; errors of ht_csv_read. */
ht_status ht_batch_state_read(const char *path, const ht_cohort *cohort, ht_case_record *record,
                              int *changed);

/* Writes the file: to the disk under another name, then renamed. HT_ERR_WRITE. */
ht_status ht_batch_state_write(const char *path, const ht_cohort *cohort,
                               const ht_case_record *record);

#endif
