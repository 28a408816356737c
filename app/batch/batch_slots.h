/* Processes of the cases that run on this machine. */
#ifndef HT_BATCH_SLOTS_H
#define HT_BATCH_SLOTS_H

#include "run/process/child.h"

enum { HT_BATCH_JOBS_MAX = 64 };

typedef struct {
  ht_child child[HT_BATCH_JOBS_MAX]; /* pid 0: a free slot */
  int at[HT_BATCH_JOBS_MAX];         /* case of each child */
  int stopped;                       /* the running cases are asked to end */
} ht_batch_slots;

/* Pauses between two checks of the running processes: 50 ms. */
void ht_batch_pause(void);

/* Returns the number of running processes. */
int ht_batch_running(const ht_batch_slots *of);

/* Asks the running processes to end, and begins no other. */
void ht_batch_stop_all(ht_batch_slots *of);

#endif
