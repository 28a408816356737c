#define _GNU_SOURCE
#include "app/workbench/one_open.h"
#include "run/folder/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_MOST = 256, HASH_DIGITS = 16 };

/* Finds the name of the lock: by the folder's whole path, also before it is made. */
static ht_status name_lock(const char *folder, ht_one_open *lock) {
  char hex[HT_HASH_TEXT], *whole = realpath(folder, NULL);
  ht_hash *hash = ht_hash_begin();
  if (!hash) {
    free(whole);
    return ht_fail(HT_ERR_MEMORY, "no memory to open the case");
  }
  if (!whole) {
    char *here = getcwd(NULL, 0);
    if (folder[0] != '/' && here) ht_hash_add(hash, here, strlen(here));
    if (folder[0] != '/') ht_hash_add(hash, "/", 1);
    free(here);
  }
  const char *path = whole ? whole : folder;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  ht_hash_add(hash, path, length);
  ht_hash_end(hash, hex);
  free(whole);
  snprintf(lock->path, sizeof lock->path, "/tmp/hemotile-open-%u-%.*s", (unsigned)getuid(),
           HASH_DIGITS, hex);
  return HT_OK;
}

static ht_status refuse(const char *folder, const ht_one_open *lock) {
  char link[LINK_MOST];
  const ssize_t length = pread(lock->descriptor, link, sizeof link - 1, 0);
  link[length > 0 ? length : 0] = 0;
  return ht_fail(HT_ERR_USAGE, "%s is open in another workbench: %s", folder,
                 link[0] ? link : "end it first, with Ctrl-C in its terminal");
}

ht_status ht_one_open_lock(const char *folder, ht_one_open *lock) {
  struct stat at;
  lock->descriptor = -1;
  HT_TRY(name_lock(folder, lock));
  const int descriptor = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0 || fstat(descriptor, &at) != 0 || at.st_uid != getuid()) {
    const int reason = descriptor < 0 ? errno : EPERM;
    if (descriptor >= 0) close(descriptor);
    return ht_fail(HT_ERR_WRITE, "%s: cannot lock: %s", lock->path, strerror(reason));
  }
  lock->descriptor = descriptor;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return HT_OK;
  ht_status status = refuse(folder, lock);
  close(descriptor);
  lock->descriptor = -1;
  return status;
}

void ht_one_open_tell(const ht_one_open *lock, const char *link) {
  const size_t length = strlen(link);
  if (ftruncate(lock->descriptor, 0) != 0 ||
      pwrite(lock->descriptor, link, length, 0) != (ssize_t)length)
    (void)ftruncate(lock->descriptor, 0); /* the message then names no link */
}

void ht_one_open_unlock(ht_one_open *lock) {
  if (lock->descriptor < 0) return;
  unlink(lock->path);
  close(lock->descriptor);
  lock->descriptor = -1;
}
