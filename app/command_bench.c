#include "bench.h"
#include "command.h"
#include "interrupt.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "bench_case.h"
#endif
#include <stdio.h>

void ht_page_bench(ht_command_page *page) {
  ht_bench_page(page);
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
  if (status == HT_OK) status = ht_bench_run(&options, argc, argv);
  fflush(stdout);
  ht_interrupt_done();
  if (status != HT_OK) fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
  return (int)status;
}
