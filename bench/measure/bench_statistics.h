/* Median and spread of repeated measurements. */
#ifndef HT_BENCH_STATISTICS_H
#define HT_BENCH_STATISTICS_H

typedef struct {
  double median, low, high;
} ht_bench_statistic;

/* Sorts the values. Of an even number the median is the mean of the two in the middle. */
ht_bench_statistic ht_bench_summarize(double *values, int count);

/* (high - low) / median. */
double ht_bench_spread(const ht_bench_statistic *statistic);

#endif
