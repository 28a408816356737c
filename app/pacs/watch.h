/* `hemotile pacs watch`: computes studies that are sent to this machine, by rules, and sends the
 * results back to the archive. One study at a time. */
#ifndef HT_WATCH_H
#define HT_WATCH_H

#include "app/pacs/watcher.h"

/* Watches until `stop` returns 1. A killed watch resumes where it was when it is started again.
 * HT_ERR_USAGE: settings that are missing or too open. HT_ERR_WRITE: the folder. HT_ERR_NETWORK:
 * the port is taken. */
ht_status ht_watch(const ht_watcher *watcher);

#endif
