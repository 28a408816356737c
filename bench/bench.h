/* hemotile bench: how fast the solver runs on this machine. The parts: bench_options.h (command
 * line), bench_geometry.h, bench_layout.h (storage layouts), bench_measure.h (check and timing),
 * bench_report.h (rows), bench_paper.h (the tiling paper's tables). */
#ifndef HT_BENCH_H
#define HT_BENCH_H

#include "bench/measure/bench_options.h"

/* Runs every model on every geometry, and prints and writes the rows. `argc`, `argv`: the command,
 * for the report. HT_ERR_INTERRUPTED with the rows that were finished; HT_ERR_DEVICE, HT_ERR_WRITE,
 * HT_ERR_MEMORY. */
ht_status ht_bench_run(const ht_bench_options *options, int argc, char **argv);

/* The geometries, layouts and tables that there are, on stdout. */
void ht_bench_print_list(void);

#endif
