/* Many cases, unattended: each in a process of its own, several at a time. */
#ifndef HT_BATCH_H
#define HT_BATCH_H

#include "batch_state.h"

/* Which cases that have ended run again. */
typedef enum { HT_RETRY_NONE, HT_RETRY_FAILED, HT_RETRY_ALL } ht_batch_retry;

typedef struct {
  const char *folder;  /* of the results */
  const char *program; /* path of hemotile */
  int jobs;            /* cases at a time; 0: by cores and GPUs */
  int force;           /* each run gets --force */
  ht_batch_retry retry;
} ht_batch_options;

/* How many cases run at a time, and what each may take. */
typedef struct {
  int jobs, threads, gpus;
  double memory_gb; /* 0: not limited */
} ht_batch_share;

ht_batch_share ht_batch_share_of(const ht_cohort *cohort, const ht_batch_options *options);

/* Runs all cases that wait, and writes batch.csv whenever one begins or ends, and at the end
 * cohort.csv, cohort.html and methods.txt. A case that ends for want of memory runs once more,
 * alone. Returns HT_OK where every case is done; HT_ERR_BATCH where some are not;
 * HT_ERR_INTERRUPTED after a signal (the running cases are asked to end, and wait again);
 * HT_ERR_WRITE. */
ht_status ht_batch_run(const ht_cohort *cohort, const ht_batch_options *options);

/* Prints what ht_batch_run() would do. */
ht_status ht_batch_tell(const ht_cohort *cohort, const ht_batch_options *options);

#endif
