#define _GNU_SOURCE
#include "app/workbench/cases/drops.h"
#include "core/disk/folder_walk.h"
#include "core/vessel/volume.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX     ".hemotile-drop-"
#define SPACE_LEFT ((int64_t)1 << 30) /* bytes of the disk that a file leaves free */

typedef struct {
  char path[HT_PATH_MAX]; /* "": none */
  int files;
} drop;

struct ht_drops {
  pthread_mutex_t lock;
  char folder[HT_PATH_MAX];
  drop item[HT_DROPS_MOST];
};

/* ---- removal ---- */

static int remove_file(void *folder, const char *name) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, name) == HT_OK) unlink(path);
  return 0;
}

static void remove_drop(const char *path) {
  ht_folder_walk(path, remove_file, (void *)(uintptr_t)path);
  rmdir(path);
}

static int sweep_one(void *folder, const char *name) {
  char path[HT_PATH_MAX];
  struct stat at;
  if (strncmp(name, PREFIX, strlen(PREFIX)) == 0 && ht_path_join(path, folder, name) == HT_OK &&
      lstat(path, &at) == 0 && S_ISDIR(at.st_mode) && at.st_uid == getuid())
    remove_drop(path);
  return 0;
}

void ht_drops_sweep(const char *folder) {
  ht_folder_walk(folder, sweep_one, (void *)(uintptr_t)folder);
}

void ht_drops_remove(ht_drops *drops, const char *path) {
  pthread_mutex_lock(&drops->lock);
  for (int i = 0; i < HT_DROPS_MOST; i++) {
    drop *of = &drops->item[i];
    const size_t length = strlen(of->path);
    if (length == 0 || strncmp(path, of->path, length) != 0 ||
        (path[length] && path[length] != '/'))
      continue;
    remove_drop(of->path);
    *of = (drop){0};
  }
  pthread_mutex_unlock(&drops->lock);
}

/* ---- drops ---- */

ht_status ht_drops_open(const char *folder, ht_drops **drops) {
  *drops = NULL;
  HT_TRY(ht_alloc((void **)drops, 1, sizeof **drops, "dropped files"));
  pthread_mutex_init(&(*drops)->lock, NULL);
  snprintf((*drops)->folder, sizeof(*drops)->folder, "%s", folder);
  return HT_OK;
}

void ht_drops_close(ht_drops *drops) {
  if (!drops) return;
  for (int i = 0; i < HT_DROPS_MOST; i++)
    if (*drops->item[i].path) remove_drop(drops->item[i].path);
  pthread_mutex_destroy(&drops->lock);
  free(drops);
}

ht_status ht_drops_begin(ht_drops *drops, int *number, char path[HT_PATH_MAX]) {
  ht_status status = ht_path_join(path, drops->folder, PREFIX "XXXXXX");
  HT_TRY(status);
  pthread_mutex_lock(&drops->lock);
  *number = 0;
  while (*number < HT_DROPS_MOST && *drops->item[*number].path) (*number)++;
  if (*number == HT_DROPS_MOST)
    status = ht_fail(HT_ERR_USAGE, "%d dropped scans wait for their import: import them first",
                     HT_DROPS_MOST);
  else if (!mkdtemp(path))
    status = ht_fail(HT_ERR_WRITE, "a dropped file cannot be kept next to the cases: %s",
                     strerror(errno));
  else
    memcpy(drops->item[*number].path, path, HT_PATH_MAX);
  pthread_mutex_unlock(&drops->lock);
  return status;
}

static ht_status check_space(const char *folder, int64_t size) {
  struct statvfs disk;
  if (statvfs(folder, &disk) != 0) return HT_OK;
  const double left = (double)disk.f_bavail * (double)disk.f_frsize - (double)size;
  if (left >= (double)SPACE_LEFT) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "the disk of the cases has too little space for this file");
}

ht_status ht_drops_file(ht_drops *drops, int number, const char *ending, int64_t size,
                        char hidden[HT_PATH_MAX], char path[HT_PATH_MAX], int *descriptor) {
  char name[64], folder[HT_PATH_MAX] = "";
  int file = 0;
  pthread_mutex_lock(&drops->lock);
  if (number >= 0 && number < HT_DROPS_MOST) {
    memcpy(folder, drops->item[number].path, HT_PATH_MAX);
    file = ++drops->item[number].files;
  }
  pthread_mutex_unlock(&drops->lock);
  if (!*folder) return ht_fail(HT_ERR_NOT_FOUND, "this workbench has no such drop");
  if (file > HT_DROP_FILES_MOST)
    return ht_fail(HT_ERR_USAGE, "more than %d files were dropped", HT_DROP_FILES_MOST);
  HT_TRY(check_space(folder, size));
  snprintf(name, sizeof name, "%05d%s", file, ending);
  HT_TRY(ht_path_join(path, folder, name));
  snprintf(name, sizeof name, ".%05d.part", file);
  HT_TRY(ht_path_join(hidden, folder, name));
  *descriptor = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (*descriptor >= 0) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "a dropped file cannot be kept: %s", strerror(errno));
}
