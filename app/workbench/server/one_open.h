/* One workbench a case: two would start stages on one folder. */
#ifndef HT_ONE_OPEN_H
#define HT_ONE_OPEN_H

#include "core/disk/file.h"

typedef struct {
  int descriptor; /* of the locked file; -1: none */
  char path[128]; /* "/tmp/hemotile-open-....html" */
} ht_one_open;

/* Locks the case for this process, by a file that only this user may read, in XDG_RUNTIME_DIR or
 * /tmp. HT_ERR_USAGE where another workbench has it open: the message names its file. HT_ERR_WRITE.
 */
ht_status ht_one_open_lock(const char *folder, ht_one_open *lock);

/* Makes the file a page that leads to the link: for the browser, and for whoever opens the case a
 * second time. */
void ht_one_open_tell(const ht_one_open *lock, const char *link);

void ht_one_open_unlock(ht_one_open *lock);

#endif
