/* hemotile bench --levels: the speed of a lattice of two levels against one, in the same run. */
#ifndef HT_BENCH_LEVELS_H
#define HT_BENCH_LEVELS_H

#include "bench/measure/bench_options.h"

/* Times a pipe with interpolated walls, --size coarse nodes across (64 and 128) and four times as
 * long, of which the half in the middle is fine, and a uniform fine lattice of half of that length,
 * in turns. Prints a row for each size, precision (fp32) and collision (cumulant). argc, argv: the
 * command, for the heading. HT_ERR_VALIDATION: a flow diverged; HT_ERR_DEVICE, HT_ERR_MEMORY,
 * HT_ERR_INTERRUPTED. */
ht_status ht_bench_levels(const ht_bench_options *options, int argc, char **argv);

#endif
