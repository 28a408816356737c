/* What lies below the start folder: folders, files that may be scans, cases. The page calls each by
 * its number, and names no path. No link is followed. Each function may be called by several
 * threads. */
#ifndef HT_ENTRIES_H
#define HT_ENTRIES_H

#include "core/disk/file.h"
#include <stdint.h>

typedef enum { HT_ENTRY_FOLDER, HT_ENTRY_SCAN, HT_ENTRY_CASE } ht_entry_kind;

typedef struct {
  int number;
  ht_entry_kind kind;
  const char *name; /* without its folder */
  int64_t size;     /* of a file, bytes */
  int64_t changed;  /* seconds since 1970 */
} ht_entry;

/* What a folder has besides its entries. */
typedef struct {
  int folder, parent;     /* numbers; the parent of the start folder is -1 */
  char name[HT_PATH_MAX]; /* below the start folder; "": itself */
  int others;             /* number of further files */
  int links;              /* number of links, which are left out */
  int has_dicom;          /* 1: one of the first further files is DICOM */
  int is_cut;             /* 1: there are more entries than are listed */
} ht_entry_folder;

/* Endings of files that may be scans, masks or surfaces; ends with NULL. The first
 * `ht_scan_endings_whole` of them are whole scans in one file. */
extern const char *const ht_scan_endings[];
extern const int ht_scan_endings_whole;

typedef struct ht_entries ht_entries;

/* Begins with the start folder as number 0. HT_ERR_MEMORY. */
ht_status ht_entries_open(const char *start, ht_entries **entries);
void ht_entries_free(ht_entries *entries);

/* Adds a path that did not come from the page: a scan of the command line, a dropped file.
 * HT_ERR_MEMORY. */
ht_status ht_entries_add(ht_entries *entries, const char *path, int *number);

/* Lists a folder: calls `each` for its entries, folders first, by name. HT_ERR_NOT_FOUND: no such
 * number, or no longer a folder; HT_ERR_MEMORY. */
ht_status ht_entries_list(ht_entries *entries, int folder,
                          void (*each)(void *user, const ht_entry *entry), void *user,
                          ht_entry_folder *about);

/* Finds the path of an entry. HT_ERR_NOT_FOUND: no such number, or nothing is there; HT_ERR_USAGE:
 * a part of it is a link. */
ht_status ht_entries_path(ht_entries *entries, int number, char path[HT_PATH_MAX]);

/* Finds the path of a scan: as ht_entries_path, and HT_ERR_USAGE where a file in it is a link. */
ht_status ht_entries_scan(ht_entries *entries, int number, char path[HT_PATH_MAX]);

#endif
