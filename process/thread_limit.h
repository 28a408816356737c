/* How many CPU threads the program takes: set here for all of it. */
#ifndef HT_THREAD_LIMIT_H
#define HT_THREAD_LIMIT_H

#include "status.h"

/* Before any thread: those that are started from now on have a stack of 2 MB, whatever the
 * system's limit of the main thread's is (`ulimit -s`). */
void ht_thread_stacks(void);

/* From now on every loop of OpenMP takes at most so many threads, and so does ITK where it was not
 * used before; 0: as OMP_NUM_THREADS says, else one for each processor. Starts them, while there is
 * memory: fewer where the system's limits allow no more (*fewer, where not NULL, gets the number
 * then, else 0). HT_ERR_MEMORY where not even one can be. */
ht_status ht_thread_limit(int threads, int *fewer);

#endif
