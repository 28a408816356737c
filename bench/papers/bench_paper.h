/* `hemotile bench --table`: a table of the tiling paper, its figures and ours. */
#ifndef HT_BENCH_PAPER_H
#define HT_BENCH_PAPER_H

#include "bench/measure/bench_report.h"

/* Runs the table of report->options. Given options choose among its rows. The rows are added to the
 * report. Errors as ht_bench_measure. */
ht_status ht_bench_paper_run(ht_bench_report *report);

#endif
