/* Files that are dropped into the page: they are kept in hidden folders next to the cases, for
 * their owner alone, until they are imported. A file has its name once it is whole. Each function
 * may be called by several threads. */
#ifndef HT_DROPS_H
#define HT_DROPS_H

#include "core/disk/file.h"
#include <stdint.h>

/* Maximum size of a dropped file, and number of files of a drop. */
#define HT_DROP_FILE_MOST ((int64_t)16 << 30)
enum { HT_DROPS_MOST = 64, HT_DROP_FILES_MOST = 20000 };

typedef struct ht_drops ht_drops;

/* Begins with drops into hidden folders of `folder`. HT_ERR_MEMORY. */
ht_status ht_drops_open(const char *folder, ht_drops **drops);

/* Removes all drops, and frees. NULL is fine. */
void ht_drops_close(ht_drops *drops);

/* Removes the drops that a killed workbench left in the folder. */
void ht_drops_sweep(const char *folder);

/* Begins a drop; `path`: its folder. HT_ERR_USAGE: too many; HT_ERR_WRITE. */
ht_status ht_drops_begin(ht_drops *drops, int *number, char path[HT_PATH_MAX]);

/* Begins a file of a drop, of `size` bytes, whose name ends with `ending`: opens `hidden` to write,
 * which is to be renamed to `path` once it is whole. HT_ERR_NOT_FOUND: no such drop; HT_ERR_USAGE:
 * too many files; HT_ERR_WRITE: also where too little space would be left. */
ht_status ht_drops_file(ht_drops *drops, int number, const char *ending, int64_t size,
                        char hidden[HT_PATH_MAX], char path[HT_PATH_MAX], int *descriptor);

/* Removes a drop that has the path, or holds it; else does nothing. */
void ht_drops_remove(ht_drops *drops, const char *path);

#endif
