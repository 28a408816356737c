#define _GNU_SOURCE
#include "run/process/log_lock.h"
#include "core/machine/clock.h"
#include "core/disk/file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char lock_file[HT_PATH_MAX]; /* "": the system keeps the lock */
static int log_descriptor = -1;     /* of the locked log */

/* Locks the log as a whole. The functions of this kind return 0 or the system's reason. */
static int lock_whole(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

/* Locks a range. The lock belongs to the open file, not to the process: it ends when the log is
 * closed, not earlier. */
static int lock_range(int descriptor) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  while (fcntl(descriptor, F_OFD_SETLK, &all) != 0)
    if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
  return 0;
}

/* Returns 1 where locks are missing: Lustre mounted without flock, and some FUSE and NFS mounts. */
static int is_missing(int error) {
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

/* ---- a file in place of a lock ---- */

static ht_status refuse_held(const char *path) {
  char holder[256] = "";
  FILE *file = ht_file_open(path);
  if (file && !fgets(holder, sizeof holder, file)) holder[0] = 0;
  if (file) fclose(file);
  holder[strcspn(holder, "\n")] = 0;
  return ht_fail(HT_ERR_USAGE,
                 "%s: another hemotile is working in this folder (%s): wait until it has ended, or "
                 "choose another folder with -o; if it was killed, remove this file",
                 path, *holder ? holder : "it does not say which");
}

static ht_status write_holder(const char *path, int descriptor) {
  char host[128] = "unknown", holder[256];
  gethostname(host, sizeof host - 1);
  int length = snprintf(holder, sizeof holder, "host %s, process %ld\n", host, (long)getpid());
  ssize_t written = write(descriptor, holder, (size_t)length);
  int error = errno;
  if (close(descriptor) == 0 && written == length) return HT_OK;
  unlink(path);
  return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path, strerror(error));
}

/* Makes the file. Whether a process on another machine is alive is unknown: the user has to remove
 * the file of a killed one. */
static ht_status make_file(const char *log) {
  char path[HT_PATH_MAX];
  if (snprintf(path, sizeof path, "%s.lock", log) >= (int)sizeof path)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", log);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) return refuse_held(path);
  if (descriptor < 0)
    return ht_fail(HT_ERR_WRITE,
                   "%s: cannot write: %s; the file system of this folder gives no locks, and this "
                   "file is to keep other runs out: choose another folder with -o",
                   path, strerror(errno));
  HT_TRY(write_holder(path, descriptor));
  pthread_mutex_lock(&mutex);
  memcpy(lock_file, path, sizeof lock_file);
  pthread_mutex_unlock(&mutex);
  return HT_OK;
}

/* ---- all of it ---- */

static ht_status lock(const char *path, int descriptor) {
  int error = lock_whole(descriptor);
  if (is_missing(error)) error = lock_range(descriptor);
  if (is_missing(error)) return make_file(path);
  if (error == 0) return HT_OK;
  if (error == EWOULDBLOCK)
    return ht_fail(HT_ERR_USAGE,
                   "%s: another hemotile is working in this folder: wait until it has ended, or "
                   "choose another folder with -o",
                   path);
  return ht_fail(HT_ERR_WRITE,
                 "%s: cannot lock this file (%s), so nothing keeps two runs from mixing their "
                 "cases here: choose a folder on another disk with -o",
                 path, strerror(error));
}

ht_status ht_log_lock(const char *path, int descriptor) {
  HT_TRY(lock(path, descriptor));
  pthread_mutex_lock(&mutex);
  log_descriptor = descriptor;
  pthread_mutex_unlock(&mutex);
  return HT_OK;
}

int ht_log_is_locked(const char *path) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return 0;
  int error = lock_whole(descriptor);
  if (is_missing(error)) error = lock_range(descriptor);
  close(descriptor);
  return error == EWOULDBLOCK || error == EAGAIN;
}

static void remove_lock_file(void) {
  if (lock_file[0]) unlink(lock_file);
  lock_file[0] = 0;
  log_descriptor = -1;
}

void ht_log_unlock(void) {
  pthread_mutex_lock(&mutex);
  remove_lock_file();
  pthread_mutex_unlock(&mutex);
}

/* Writes the line at once to a file that is open for appending, so that it does not split another
 * line. */
void ht_log_end(const char *line) {
  char stamp[32], text[256];
  ht_time_utc(stamp);
  int length = snprintf(text, sizeof text, "%s %s\n", stamp, line);
  pthread_mutex_lock(&mutex);
  ssize_t written = log_descriptor >= 0 ? write(log_descriptor, text, (size_t)length) : 0;
  (void)written; /* a full disk: the process ends all the same */
  remove_lock_file();
  pthread_mutex_unlock(&mutex);
}
