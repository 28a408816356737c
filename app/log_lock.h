/* The lock of a case folder, on its log: it keeps a second hemotile out for as long as the log is
 * open. */
#ifndef HT_LOG_LOCK_H
#define HT_LOG_LOCK_H

#include "status.h"

/* Locks the open log at `path`, one at a time: with flock, else with fcntl, and where the file
 * system has neither with a file "PATH.lock" that names this process. HT_ERR_USAGE where another
 * hemotile has it, HT_ERR_WRITE where no lock can be had; then nothing is locked. Call
 * ht_log_unlock before the log is closed. */
ht_status ht_log_lock(const char *path, int descriptor);

/* Removes the file that ht_log_lock made, where it made one. From any thread. */
void ht_log_unlock(void);

/* Before the process is ended by force, from another thread than that which writes the log: adds
 * `line` with the time to the locked log, where one is locked, then as ht_log_unlock. Takes no lock
 * of the log's stream, which the writing thread may hold. */
void ht_log_end(const char *line);

#endif
