/* Progress of long work, and the request to stop it. A library reports; the program decides how to
 * show it. */
#ifndef HT_PROGRESS_H
#define HT_PROGRESS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reports the work done of `total` from time to time (same unit; total 0: not known) with a short
 * note ("42.1 MFLUPS, change 3e-6"; may be ""). A non-zero return asks the work to stop: it then
 * frees what it holds and returns HT_ERR_INTERRUPTED. */
typedef int (*ht_progress_fn)(void *user, const char *stage, double done, double total,
                              const char *note);

/* Takes a number that the work is judged by ("change", "mflups"), as it is when `done` is done. */
typedef void (*ht_progress_number_fn)(void *user, const char *name, double done, double value);

typedef struct {
  ht_progress_fn report; /* may be NULL, as the next but one */
  void *user;
  ht_progress_number_fn number;
} ht_progress;

/* Reports, and turns a request to stop into HT_ERR_INTERRUPTED. `progress` may be NULL: then HT_OK.
 */
ht_status ht_progress_report(const ht_progress *progress, const char *stage, double done,
                             double total, const char *note);

/* Passes a number on, before the report that it belongs to. `progress` may be NULL. */
void ht_progress_number(const ht_progress *progress, const char *name, double done, double value);

#ifdef __cplusplus
}
#endif
#endif
