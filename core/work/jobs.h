/* Independent work in parallel, on all cores. Its results do not depend on the number of cores. */
#ifndef HT_JOBS_H
#define HT_JOBS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_JOBS_MAX = 32 };

/* `run` must not touch what another job writes. One job of a list may print. */
typedef struct {
  ht_status (*run)(void *user);
  void *user;
} ht_job;

/* Sets the question asked before each job and each piece of one, on any thread: once it returns 1,
 * no more of them begin. NULL, as at the start: never. Set it while there is one thread. */
void ht_jobs_stop_when(int (*asked)(void));

/* Runs every job, also after one has failed, each on one core; put a long one first. Returns the
 * failure of the first in the list that failed, with its message. HT_ERR_INTERRUPTED: asked to
 * stop. HT_ERR_INTERNAL: more than HT_JOBS_MAX. */
ht_status ht_jobs_run(const ht_job *jobs, int count);

/* Calls work(user, n) for each n from 0 to pieces - 1, in any order. Inside a job the cores that
 * have no job of their own help. A piece that can fail keeps its failure in `user`.
 * HT_ERR_INTERRUPTED: asked to stop; pieces are missing. */
ht_status ht_jobs_spread(int pieces, void (*work)(void *user, int piece), void *user);

#ifdef __cplusplus
}
#endif
#endif
