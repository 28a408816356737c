/* Many cases, unattended: each in a process of its own, several at a time. */
#ifndef HT_BATCH_H
#define HT_BATCH_H

#include "app/batch/batch_options.h"
#include "app/batch/cohort/batch_state.h"

/* Runs all cases that wait. Writes batch.csv whenever one begins or ends, and at the end
 * cohort.csv, cohort.html and methods.txt. A case that ends for lack of memory, or that the system
 * kills, runs once more, alone. A case waits while another hemotile works in its folder. Returns
 * HT_OK where every case is done; HT_ERR_BATCH where some are not; HT_ERR_INTERRUPTED after a
 * signal (the running cases are asked to end, and wait again); HT_ERR_WRITE. */
ht_status ht_batch_run(const ht_cohort *cohort, const ht_batch_options *options);

#endif
