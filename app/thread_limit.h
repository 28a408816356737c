/* How many CPU threads the program takes: set here for all of it. */
#ifndef HT_THREAD_LIMIT_H
#define HT_THREAD_LIMIT_H

/* From now on every loop of OpenMP takes at most so many threads, and so does ITK where it was not
 * used before; 0: as OMP_NUM_THREADS says, else one for each processor. */
void ht_thread_limit(int threads);

#endif
