/* Names of files: those of a folder, those that an import read. */
#ifndef HT_PATH_LIST_H
#define HT_PATH_LIST_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char **path; /* [count]; owned */
  int count, capacity;
  int special;            /* number of pipes, sockets and devices, which were left out */
  char special_name[256]; /* the first of these */
} ht_path_list;

/* Copies the path to the end of the list. HT_ERR_MEMORY. */
ht_status ht_path_list_add(ht_path_list *list, const char *path);

/* Adds every file of a folder, by name, and of the folders in it down to `depth` (0: only its own).
 * Links are followed; each folder is read once. Counts entries that are no files. HT_ERR_NOT_FOUND
 * where a folder cannot be listed, HT_ERR_FORMAT where folders lie deeper, HT_ERR_MEMORY; the list
 * then holds what was found. */
ht_status ht_path_list_folder(const char *folder, int depth, ht_path_list *list);

void ht_path_list_free(ht_path_list *list);

#ifdef __cplusplus
}
#endif
#endif
