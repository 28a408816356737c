#include "app/workbench/bench_own.h"

const char *ht_bench_folder(const ht_http_call *call, const ht_bench *of) {
  (void)call;
  return of->folder;
}
