/* Lock of a case folder, on its log: it keeps a second hemotile out while the log is open. */
#ifndef HT_LOG_LOCK_H
#define HT_LOG_LOCK_H

#include "core/status.h"

/* Locks the open log at `path`; only one log at a time. Uses flock, else fcntl; on a file system
 * with neither a file "PATH.lock" that names this process. HT_ERR_USAGE where another hemotile
 * holds the lock, HT_ERR_WRITE where no lock is available; then nothing is locked. Call
 * ht_log_unlock before the log is closed. */
ht_status ht_log_lock(const char *path, int descriptor);

/* Returns 1 where another process holds the lock of the log at `path`, by flock or fcntl; 0 also
 * where that is not known. Takes no lock that lasts. */
int ht_log_is_locked(const char *path);

/* Removes the file "PATH.lock", if ht_log_lock made one. May be called from any thread. */
void ht_log_unlock(void);

/* Adds `line` with the time to the locked log, if there is one, then unlocks as ht_log_unlock:
 * before the process is ended by force, from a thread other than the one that writes the log. Takes
 * no lock of the log's stream, which the writing thread may hold. */
void ht_log_end(const char *line);

#endif
