#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "app/batch/batch_slots.h"
#include <time.h>

void ht_batch_pause(void) {
  const struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
}

int ht_batch_running(const ht_batch_slots *of) {
  int count = 0;
  for (int s = 0; s < HT_BATCH_JOBS_MAX; s++) count += of->child[s].pid != 0;
  return count;
}

void ht_batch_stop_all(ht_batch_slots *of) {
  of->stopped = 1;
  for (int s = 0; s < HT_BATCH_JOBS_MAX; s++) ht_child_stop(&of->child[s]);
}
