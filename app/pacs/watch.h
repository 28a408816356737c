/* `hemotile pacs watch`: studies that are sent to this machine are computed by rules, and the
 * results go back to the archive. One study at a time. */
#ifndef HT_WATCH_H
#define HT_WATCH_H

#include "app/pacs/watcher.h"

/* Watches until `stop` says so. A killed watch goes on where it was when it is started again.
 * HT_ERR_USAGE: settings that are missing or too open. HT_ERR_WRITE: the folder. HT_ERR_NETWORK:
 * the port is taken. */
ht_status ht_watch(const ht_watcher *watcher);

#endif
