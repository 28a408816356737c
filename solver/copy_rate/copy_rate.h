/* The rate at which a machine copies memory: the measure for a solver that mostly moves memory. For
 * the benchmark, and for the estimate of a run's duration. */
#ifndef HT_COPY_RATE_H
#define HT_COPY_RATE_H

#include "solver/lattice/device.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two buffers on the device, ready to be copied one into the other again and again. */
typedef struct ht_copy ht_copy;

/* One pass moves `bytes`: half of them read, half written. Take many times the size of the caches.
 * CPU: `threads` (0: all), each on pages that it touched first. HT_ERR_MEMORY (says how much is
 * needed), HT_ERR_DEVICE (says why there is no GPU). The caller frees. */
ht_status ht_copy_create(ht_device device, int threads, int64_t bytes, ht_copy **copy);
void ht_copy_free(ht_copy *copy);

/* Bytes read and written a second: the best of several passes of the fastest way known (CPU: plain
 * and with non-temporal stores; GPU: a kernel with accesses of 16 bytes, timed by events, and the
 * driver's own copy). HT_ERR_DEVICE. */
ht_status ht_copy_measure(ht_copy *copy, double *bytes_per_s);

/* The fastest way: "AVX-512 non-temporal stores". */
const char *ht_copy_way(const ht_copy *copy);

/* Creates a copy, measures it and frees it. */
ht_status ht_copy_rate(ht_device device, int threads, int64_t bytes, double *bytes_per_s);

#ifdef __cplusplus
}
#endif
#endif
