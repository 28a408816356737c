/* The members of the workbench, for the files that keep them. */
#ifndef HT_BENCH_OWN_H
#define HT_BENCH_OWN_H

#include "app/workbench/bench.h"
#include <stdatomic.h>

/* Time between two looks at what runs. */
enum { HT_BENCH_LOOK_US = 100000 };

struct ht_bench {
  const char *folder; /* the case folder */
  ht_job *job;
  atomic_int streams;                             /* number of pages that follow the state */
  _Atomic(struct ht_bench_measuring *) measuring; /* owned; NULL: nothing was measured yet */
};

#endif
