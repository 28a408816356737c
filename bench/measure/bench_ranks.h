/* hemotile bench --gpus N, --ranks N: the speed of N ranks against one, in the same run. */
#ifndef HT_BENCH_RANKS_H
#define HT_BENCH_RANKS_H

#include "bench/measure/bench_options.h"

/* Runs on rank 0 of `ranks`. Each geometry is computed by one GPU (or process) alone and by all, in
 * turns: the same lattice (strong scaling), and one with `ranks` times the nodes (weak scaling).
 * Checks that both flows are the same. Prints a row for each. HT_ERR_VALIDATION: they are not;
 * HT_ERR_DEVICE, HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_bench_ranks(const ht_bench_options *options, int ranks);

#endif
