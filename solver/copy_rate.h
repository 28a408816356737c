/* How fast a machine copies memory, and what its data sheet promises: the yardsticks for a solver
 * whose work is to move memory. For the benchmark, and to say beforehand how long a run takes.
 */
#ifndef HT_COPY_RATE_H
#define HT_COPY_RATE_H

#include "solver.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two buffers on the device, ready to be copied one into the other again and again. */
typedef struct ht_copy ht_copy;

/* `bytes` are those that one pass moves: half of them read, half written. Take many times the
 * caches. CPU: `threads` (0: all) work, each on pages that it touched first. HT_ERR_MEMORY (says
 * how much is needed), HT_ERR_DEVICE (says why there is no GPU). The caller frees. */
ht_status ht_copy_create(ht_device device, int threads, int64_t bytes, ht_copy **copy);
void ht_copy_free(ht_copy *copy);

/* Bytes read and written a second: the best of several passes of the fastest way known (CPU: plain
 * and with non-temporal stores; GPU: a kernel with accesses of 16 bytes, timed by events, and the
 * driver's own copy). HT_ERR_DEVICE. */
ht_status ht_copy_measure(ht_copy *copy, double *bytes_per_s);

/* What was the fastest: "AVX-512 non-temporal stores". */
const char *ht_copy_way(const ht_copy *copy);

/* Create, measure, free. */
ht_status ht_copy_rate(ht_device device, int threads, int64_t bytes, double *bytes_per_s);

typedef struct {
  ht_device device;        /* CPU or CUDA: what `auto` came to */
  char name[128];          /* "NVIDIA H200"; the processor's name */
  char driver[96];         /* "580.159.04, CUDA 13.0"; "" on a CPU */
  double bytes_per_s;      /* of the memory: the data sheet of a known GPU, else from its clock and
                              bus; 0: not known (a CPU) */
  int from_datasheet;      /* 1: `bytes_per_s` is the data sheet's */
  int64_t available_bytes; /* memory that may still be taken (a CPU: host_memory.h); 0: not known */
  int64_t total_bytes;     /* in all, whatever else runs; 0: not known */
} ht_device_memory;

/* HT_ERR_DEVICE: a GPU is asked for and there is none; says why. */
ht_status ht_device_memory_describe(ht_device device, ht_device_memory *memory);

/* Waits until the device has done all that was started on it. HT_ERR_DEVICE. */
ht_status ht_device_wait(ht_device device);

#ifdef __cplusplus
}
#endif
#endif
