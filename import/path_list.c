#include "path_list.h"
#include "file.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ht_path_list_free(ht_path_list *list) {
  for (int i = 0; i < list->count; i++) free(list->path[i]);
  free(list->path);
  memset(list, 0, sizeof *list);
}

ht_status ht_path_list_add(ht_path_list *list, const char *path) {
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 256;
    char **grown = realloc(list->path, (size_t)capacity * sizeof *grown);
    if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
    list->path = grown;
    list->capacity = capacity;
  }
  char *copy = strdup(path);
  if (!copy) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
  list->path[list->count++] = copy;
  return HT_OK;
}

/* A file behind a link counts, also where the link leads nowhere: it may be a slice. A folder
 * behind a link may lead round in a circle. */
static ht_status list_entry(const char *folder, const char *name, int depth, ht_path_list *list) {
  char path[HT_PATH_MAX];
  struct stat itself, target;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return HT_OK;
  HT_TRY(ht_path_join(path, folder, name));
  if (lstat(path, &itself) != 0) return HT_OK;
  if (stat(path, &target) != 0)
    return S_ISLNK(itself.st_mode) ? ht_path_list_add(list, path) : HT_OK;
  if (S_ISREG(target.st_mode)) return ht_path_list_add(list, path);
  if (S_ISDIR(itself.st_mode) && depth > 0) return ht_path_list_folder(path, depth - 1, list);
  return HT_OK;
}

ht_status ht_path_list_folder(const char *folder, int depth, ht_path_list *list) {
  struct dirent **entry;
  ht_status status = HT_OK;
  int count = scandir(folder, &entry, NULL, alphasort);
  if (count < 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot list the folder: %s", folder, strerror(errno));
  for (int i = 0; i < count; i++) {
    if (status == HT_OK) status = list_entry(folder, entry[i]->d_name, depth, list);
    free(entry[i]);
  }
  free(entry);
  return status;
}
