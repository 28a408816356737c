#include "bench/bench.h"
#include "app/common/command.h"
#include "bench/measure/bench_ranks.h"
#include "run/process/interrupt.h"
#include "core/mpi/ranks.h"
#include "app/common/start_ranks.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "app/stages/bench_case.h"
#endif
#include <stdio.h>

void ht_page_bench(ht_command_page *page) {
  ht_bench_page(page);
}

static ht_status run(const ht_bench_options *options, int argc, char **argv) {
  if (ht_ranks() == 1) return ht_bench_run(options, argc, argv);
  if (options->gpus || options->ranks) return ht_bench_ranks(options, ht_ranks());
  return ht_fail(HT_ERR_USAGE, "mpirun has started %d processes: give --gpus %d or --ranks %d",
                 ht_ranks(), ht_ranks(), ht_ranks());
}

int ht_command_bench(int argc, char **argv) {
  ht_command_page page;
  ht_bench_options options;
#ifdef HEMOTILE_HAVE_IMAGING
  if (ht_bench_case_asked(argc, argv)) return ht_bench_case(argc, argv);
#endif
  ht_status status = ht_bench_parse(argc, argv, &options);
  if (status == HT_OK && options.help) {
    ht_page_bench(&page);
    ht_command_page_help(stdout, &page);
    return 0;
  }
  if (status == HT_OK && options.list) {
    ht_bench_print_list();
    return 0;
  }
  if (status == HT_OK) status = ht_start_ranks(options.ranks, options.gpus, argc, argv);
  if (status == HT_OK) status = run(&options, argc, argv);
  fflush(stdout);
  ht_interrupt_done();
  if (status != HT_OK) fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
  return (int)status;
}
