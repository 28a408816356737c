#include "bench/measure/bench_statistics.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

ht_bench_statistic ht_bench_summarize(double *values, int count) {
  if (count < 1) return (ht_bench_statistic){NAN, NAN, NAN};
  qsort(values, (size_t)count, sizeof *values, ascending);
  return (ht_bench_statistic){.median = 0.5 * (values[(count - 1) / 2] + values[count / 2]),
                              .low = values[0],
                              .high = values[count - 1]};
}

double ht_bench_spread(const ht_bench_statistic *statistic) {
  return (statistic->high - statistic->low) / statistic->median;
}
