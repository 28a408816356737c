/* Measuring in the results of the case that the page shows: the library of `hemotile measure` in
 * the server's own process, with the results read once. */
#ifndef HT_BENCH_MEASURING_H
#define HT_BENCH_MEASURING_H

typedef struct ht_bench_measuring ht_bench_measuring;

/* Frees the results; NULL is allowed. */
void ht_bench_measuring_free(ht_bench_measuring *of);

#endif
