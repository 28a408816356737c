/* A layout against the CPU reference. */
#ifndef HT_BENCH_CHECK_H
#define HT_BENCH_CHECK_H

#include "bench/measure/bench_layout.h"

/* Largest relative L2 difference, of density and of velocity, from the CPU's fp64 result for the
 * same model after 40 steps on a small geometry of the same kind. */
ht_status ht_bench_check(const ht_bench_geometry *geometry, const ht_bench_model *model,
                         ht_device device, int threads, double *error);

/* The error that a precision may have: fp64 1e-12, fp32 1e-5; fp16 0.5: its error is reported, and
 * only an error above that means another flow. */
double ht_bench_tolerance(ht_precision precision);

#endif
