#define _POSIX_C_SOURCE 200809L
#include "core/disk/folder_walk.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int has_name(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int ht_folder_walk(const char *folder, ht_folder_entry each, void *user) {
  struct dirent **entry;
  int result = 0, count = scandir(folder, &entry, has_name, alphasort);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    if (result == 0) result = each(user, entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
  return result;
}
