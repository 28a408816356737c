/* A batch at work: data shared by its loop, its tasks on a cluster and its second round. */
#ifndef HT_BATCH_WORK_H
#define HT_BATCH_WORK_H

#include "app/batch/batch_cases.h"
#include "app/batch/batch_options.h"
#include "app/batch/batch_slots.h"

/* Progress of the running cases on the terminal. */
typedef struct {
  double read_s; /* time when their logs were last read; 0: not yet */
  char line[HT_BATCH_JOBS_MAX][96];
} ht_batch_live;

typedef struct {
  const ht_batch_options *options;
  ht_batch_share share;
  ht_batch_cases cases;
  ht_batch_slots slots;
  ht_batch_live live;
  char base[HT_PATH_MAX]; /* case file of all cases */
  int dry;                /* 1: the cases' runs end before the flow */
  int redraws;            /* for --dry-run: cases whose pictures are drawn at the end */
  int undrawn;            /* cases whose pictures could not be drawn */
  double begun_s;         /* start on ht_clock_s */
} ht_batch_work;

#endif
