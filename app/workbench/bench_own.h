/* The members of the workbench, for the files that keep them. */
#ifndef HT_BENCH_OWN_H
#define HT_BENCH_OWN_H

#include "app/workbench/bench.h"
#include <pthread.h>
#include <stdatomic.h>

/* Time between two looks at what runs. */
enum { HT_BENCH_LOOK_US = 100000 };

struct ht_bench {
  const char *folder; /* the case folder */
  ht_job *job;
  atomic_int streams;            /* number of pages that follow the state */
  pthread_mutex_t estimating;    /* held while lattices are offered */
  double copy_rate, copy_rate_s; /* of this machine's memory, bytes a second, and when measured */
  pthread_mutex_t changing;      /* held while the settings are changed */
};

#endif
