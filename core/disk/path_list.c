#include "core/disk/path_list.h"
#include "core/disk/file.h"
#include "core/disk/folder_walk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ht_path_list_free(ht_path_list *list) {
  for (int i = 0; i < list->count; i++) free(list->path[i]);
  free(list->path);
  memset(list, 0, sizeof *list);
}

/* Makes room for one more item of `size` bytes. */
static ht_status grow(void **array, int count, int *capacity, size_t size) {
  if (count < *capacity) return HT_OK;
  int larger = *capacity ? 2 * *capacity : 256;
  void *grown = realloc(*array, (size_t)larger * size);
  if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
  *array = grown;
  *capacity = larger;
  return HT_OK;
}

ht_status ht_path_list_add(ht_path_list *list, const char *path) {
  HT_TRY(grow((void **)&list->path, list->count, &list->capacity, sizeof *list->path));
  char *copy = strdup(path);
  if (!copy) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
  list->path[list->count++] = copy;
  return HT_OK;
}

/* ---- Folders ---- */

typedef struct {
  dev_t device;
  ino_t inode;
} folder_id;

/* Identity of a folder that was read: each is read once, because a link may lead round in a
 * circle. */
typedef struct {
  ht_path_list *list;
  folder_id *seen; /* owned */
  int count, capacity;
} walk;

static int was_seen(const walk *at, const struct stat *info) {
  for (int i = 0; i < at->count; i++)
    if (at->seen[i].inode == info->st_ino && at->seen[i].device == info->st_dev) return 1;
  return 0;
}

static ht_status note_seen(walk *at, const struct stat *info) {
  HT_TRY(grow((void **)&at->seen, at->count, &at->capacity, sizeof *at->seen));
  at->seen[at->count++] = (folder_id){info->st_dev, info->st_ino};
  return HT_OK;
}

static ht_status list_folder(walk *at, const char *folder, int depth);

static ht_status list_below(walk *at, const char *path, const struct stat *info, int depth) {
  if (was_seen(at, info)) return HT_OK;
  if (depth == 0)
    return ht_fail(HT_ERR_FORMAT, "%s: too many folders in each other: give one further down",
                   path);
  HT_TRY(note_seen(at, info));
  return list_folder(at, path, depth - 1);
}

typedef struct {
  walk *at;
  const char *folder;
  int depth; /* -1: skips the folders in it */
} level;

/* Adds one entry. A link to a file counts, also where it leads nowhere: it may be a slice. */
static int list_entry(void *user, const char *name) {
  const level *in = user;
  ht_path_list *list = in->at->list;
  char path[HT_PATH_MAX];
  struct stat info;
  HT_TRY(ht_path_join(path, in->folder, name));
  if (stat(path, &info) != 0)
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? ht_path_list_add(list, path) : HT_OK;
  if (S_ISREG(info.st_mode)) return ht_path_list_add(list, path);
  if (S_ISDIR(info.st_mode))
    return in->depth < 0 ? HT_OK : list_below(in->at, path, &info, in->depth);
  if (list->special++ == 0) snprintf(list->special_name, sizeof list->special_name, "%.255s", name);
  return HT_OK;
}

static ht_status list_folder(walk *at, const char *folder, int depth) {
  level in = {at, folder, depth};
  int result = ht_folder_walk(folder, list_entry, &in);
  if (result >= 0) return (ht_status)result;
  return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot list the folder: %s", folder, strerror(errno));
}

ht_status ht_path_list_folder(const char *folder, int depth, ht_path_list *list) {
  walk at = {list, NULL, 0, 0};
  struct stat info;
  ht_status status = stat(folder, &info) == 0 ? note_seen(&at, &info) : HT_OK;
  if (status == HT_OK) status = list_folder(&at, folder, depth > 0 ? depth : -1);
  free(at.seen);
  return status;
}
