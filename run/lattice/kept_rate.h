/* The copy rate of this machine's memory, measured once and kept for all later runs.
 *
 * A choice of the lattice by time needs the machine's speed, and two runs of a case have to choose
 * the same lattice. A rate measured anew depends on what else runs: on a busy machine by a factor
 * of two, which is 4 nodes across of 20. Rounding it only moves the limit at which that happens.
 * So the first rate is kept, the best of many measurements, for each processor and number of
 * threads, in the user's folder (core/disk/config_folder.h). Remove the file to measure again. */
#ifndef HT_KEPT_RATE_H
#define HT_KEPT_RATE_H

#include "core/status.h"

/* Returns the kept rate for this number of threads (0: all), bytes a second; where there is none,
 * measures and keeps it, or with `measures` 0 returns 0. Of processes that measure at the same time
 * all return the first one's. What cannot be kept is measured each time. 0: it could not be
 * measured. */
double ht_kept_copy_rate(int threads, int measures);

#endif
