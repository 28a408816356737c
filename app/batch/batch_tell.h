/* Preview of a batch, before it runs. */
#ifndef HT_BATCH_TELL_H
#define HT_BATCH_TELL_H

#include "app/batch/batch_work.h"

/* Prints what ht_batch_run() would do, its time and its memory: by the cases that are done, else by
 * three that it runs up to their flow, in a temporary folder. HT_ERR_INTERRUPTED. */
ht_status ht_batch_tell(const ht_cohort *cohort, const ht_batch_options *options);

/* Prints what is to be done, and what each case may use of the machine. */
void ht_batch_tell_begin(const ht_batch_work *of);

#endif
