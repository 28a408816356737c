/* The cases of a batch, and where each stands. */
#ifndef HT_BATCH_CASES_H
#define HT_BATCH_CASES_H

#include "app/batch/cohort/batch_state.h"
#include "app/batch/cohort/cohort.h"
#include "core/disk/file.h"

typedef struct {
  const ht_cohort *cohort;
  char path[HT_PATH_MAX]; /* of batch.csv */
  ht_case_record *record; /* [cases] */
  char *alone;            /* [cases] 1: runs once more, without others at the same time */
  char *told;             /* [cases] 1: the user knows that its folder is in use */
} ht_batch_cases;

/* Counts the cases by state. */
enum { HT_CASE_STATES = HT_CASE_REFUSED + 1 };
void ht_batch_count(const ht_batch_cases *of, int count[HT_CASE_STATES]);

/* Marks a case as running, in memory. */
void ht_batch_begin_case(ht_batch_cases *of, int number);

/* Writes batch.csv. HT_ERR_WRITE. */
ht_status ht_batch_write_state(const ht_batch_cases *of);

/* Prints how a case has ended. */
void ht_batch_tell_end(const ht_batch_cases *of, int number);

#endif
