/* The number of CPU threads, set for the whole program. */
#ifndef HT_THREAD_LIMIT_H
#define HT_THREAD_LIMIT_H

#include "core/status.h"

/* Sets the stack of threads started from now on to 2 MB, independent of the limit of the main
 * thread's stack (`ulimit -s`). Call it before any thread exists. */
void ht_thread_stacks(void);

/* Adds a remedy to failures of OpenMP from now on, with the code HT_ERR_MEMORY. OpenMP's library
 * ends the program by itself, with code 1, where it finds no memory or no thread in the middle of a
 * loop. */
void ht_thread_failures(void);

/* Where the environment binds OpenMP's threads (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY), lets
 * the calling thread run on all processors of OpenMP's places, and takes these variables out of the
 * environment, for a program that takes this one's place (execv). Returns 1 then, else 0. */
int ht_thread_unbind(void);

/* Limits every OpenMP loop to `threads` threads, and ITK too if it has not been used yet; 0: the
 * number in OMP_NUM_THREADS, else one for each processor. Starts the threads now, while there is
 * memory. If the system's limits allow only fewer, starts fewer and sets *fewer to their number,
 * else to 0; `fewer` may be NULL. HT_ERR_MEMORY: not even one can be started. */
ht_status ht_thread_limit(int threads, int *fewer);

#endif
