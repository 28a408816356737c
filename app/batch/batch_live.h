/* Progress of a batch. */
#ifndef HT_BATCH_LIVE_H
#define HT_BATCH_LIVE_H

#include "app/batch/batch_work.h"

/* Returns the seconds until all cases have ended, estimated by those that have; -1: none has. */
double ht_batch_left_s(const ht_batch_work *of);

/* Shows the progress, on a terminal with a line for each running case; HT_ERR_INTERRUPTED after a
 * signal. */
ht_status ht_batch_report(ht_batch_work *of);

#endif
