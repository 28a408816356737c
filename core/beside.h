/* One piece of work at a time beside the caller, on a thread of its own. */
#ifndef HT_BESIDE_H
#define HT_BESIDE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_beside ht_beside;

/* Starts the thread, which waits for work. HT_ERR_MEMORY: there is no thread to have. */
ht_status ht_beside_make(ht_beside **beside);

/* Waits for the work before, as ht_beside_wait; where that succeeded, begins work(user) and
 * returns. OpenMP has one core less in it than in the caller's thread. What the work reads and
 * writes is its own until the next wait. Without a thread (beside is NULL) the work is done here
 * and now. */
ht_status ht_beside_begin(ht_beside *beside, ht_status (*work)(void *user), void *user);

/* Waits for the work; its failure, with its message, is returned once. HT_OK where there is none,
 * and for NULL. */
ht_status ht_beside_wait(ht_beside *beside);

/* Waits for the work, and ends the thread. NULL: nothing. */
void ht_beside_free(ht_beside *beside);

#ifdef __cplusplus
}
#endif
#endif
