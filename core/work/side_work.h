/* One piece of work at a time in parallel with the caller, on a thread of its own. */
#ifndef HT_SIDE_WORK_H
#define HT_SIDE_WORK_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_side_work ht_side_work;

/* Starts the thread, which waits for work. HT_ERR_MEMORY: no thread can be started. */
ht_status ht_side_work_make(ht_side_work **side);

/* Waits for the earlier work, as ht_side_work_wait; where that succeeded, begins work(user) and
 * returns. OpenMP has one core less in it than in the caller's thread. The caller leaves alone what
 * the work reads and writes until the next wait. Without a thread (side is NULL) the work is done
 * here and now. */
ht_status ht_side_work_begin(ht_side_work *side, ht_status (*work)(void *user), void *user);

/* Waits for the work; its failure, with its message, is returned once. HT_OK where there is none,
 * and for NULL. */
ht_status ht_side_work_wait(ht_side_work *side);

/* Waits for the work, and ends the thread. NULL: nothing. */
void ht_side_work_free(ht_side_work *side);

#ifdef __cplusplus
}
#endif
#endif
