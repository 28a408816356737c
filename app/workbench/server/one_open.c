#define _GNU_SOURCE
#include "app/workbench/server/one_open.h"
#include "run/folder/hash.h"
#include "run/process/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH_DIGITS = 16, RUNTIME_MOST = 60 };

/* Adds the whole path of a folder that is not made yet. */
static void add_new(const char *folder, ht_hash *hash) {
  char parent[HT_PATH_MAX];
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  size_t name = length;
  while (name > 0 && folder[name - 1] != '/') name--;
  snprintf(parent, sizeof parent, "%.*s", (int)(name ? name : 1), name ? folder : ".");
  char *whole = realpath(parent, NULL);
  const char *path = whole ? whole : parent;
  ht_hash_add(hash, path, strlen(path));
  if (path[strlen(path) - 1] != '/') ht_hash_add(hash, "/", 1);
  ht_hash_add(hash, folder + name, length - name);
  free(whole);
}

/* Finds the name of the lock: by the folder's whole path, also before it is made. */
static ht_status name_lock(const char *folder, ht_one_open *lock) {
  char hex[HT_HASH_TEXT], *whole = realpath(folder, NULL);
  ht_hash *hash = ht_hash_begin();
  if (!hash) {
    free(whole);
    return ht_fail(HT_ERR_MEMORY, "no memory to open the case");
  }
  if (whole)
    ht_hash_add(hash, whole, strlen(whole));
  else
    add_new(folder, hash);
  ht_hash_end(hash, hex);
  free(whole);
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  const int is_private = runtime && ht_folder_exists(runtime) && strlen(runtime) < RUNTIME_MOST;
  snprintf(lock->path, sizeof lock->path, "%s/hemotile-open-%u-%.*s.html",
           is_private ? runtime : "/tmp", (unsigned)getuid(), HASH_DIGITS, hex);
  return HT_OK;
}

ht_status ht_one_open_lock(const char *folder, ht_one_open *lock) {
  struct stat at;
  lock->descriptor = -1;
  HT_TRY(name_lock(folder, lock));
  const int descriptor = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0 || fstat(descriptor, &at) != 0 || at.st_uid != getuid() ||
      !S_ISREG(at.st_mode) || at.st_nlink != 1) {
    const int reason = descriptor < 0 ? errno : EPERM;
    if (descriptor >= 0) close(descriptor);
    return ht_fail(HT_ERR_WRITE, "%s: cannot lock: %s; remove this file", lock->path,
                   strerror(reason));
  }
  lock->descriptor = descriptor;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return HT_OK;
  close(descriptor);
  lock->descriptor = -1;
  return ht_fail(HT_ERR_USAGE,
                 "%s is open in another workbench: open file://%s in a browser, or "
                 "end it with Ctrl-C in its terminal",
                 folder, lock->path);
}

void ht_one_open_tell(const ht_one_open *lock, const char *link) {
  if (ftruncate(lock->descriptor, 0) != 0 ||
      dprintf(lock->descriptor,
              "<!DOCTYPE html><title>hemotile workbench</title>"
              "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
              link) < 0)
    ht_console_warn("%s: cannot write: %s; open the link above", lock->path, strerror(errno));
}

void ht_one_open_unlock(ht_one_open *lock) {
  if (lock->descriptor < 0) return;
  unlink(lock->path);
  close(lock->descriptor);
  lock->descriptor = -1;
}
