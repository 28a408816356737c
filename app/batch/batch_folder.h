/* The folder of a batch. */
#ifndef HT_BATCH_FOLDER_H
#define HT_BATCH_FOLDER_H

#include "app/batch/batch_work.h"

/* Reads the state of the folder, and chooses what runs again. The caller closes, also after a
 * failure. */
ht_status ht_batch_open(ht_batch_work *of);
void ht_batch_close(ht_batch_work *of);

/* Sets `base`, the case file of all cases: without --base an empty one is written into the folder.
 */
ht_status ht_batch_make_base(ht_batch_work *of);

/* Makes the folders of the cases and of their logs. */
ht_status ht_batch_make_folders(const char *folder);

#endif
