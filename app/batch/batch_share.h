/* Division of the machine among the cases of a batch. */
#ifndef HT_BATCH_SHARE_H
#define HT_BATCH_SHARE_H

#include "app/batch/batch_options.h"
#include "app/batch/cohort/cohort.h"

/* Divides the processors and devices among the cases that run at the same time. */
ht_batch_share ht_batch_share_of(const ht_cohort *cohort, const ht_batch_options *options);

#endif
