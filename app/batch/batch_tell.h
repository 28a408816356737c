/* Preview of a batch, before it runs. */
#ifndef HT_BATCH_TELL_H
#define HT_BATCH_TELL_H

#include "app/batch/batch_options.h"
#include "app/batch/cohort.h"

/* Prints what ht_batch_run() would do, its time and its memory: by the cases that are done, else by
 * three that it runs up to their flow, in a temporary folder. HT_ERR_INTERRUPTED. */
ht_status ht_batch_tell(const ht_cohort *cohort, const ht_batch_options *options);

#endif
