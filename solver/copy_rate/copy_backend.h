/* The GPU's side of copy_rate.c. Private to solver/copy_rate/. */
#ifndef HT_COPY_BACKEND_H
#define HT_COPY_BACKEND_H

#include "core/status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two buffers of `half` bytes. */
ht_status ht_cuda_copy_create(int64_t half, void **state);
void ht_cuda_copy_free(void *state);

/* Seconds of one pass; way 0: the kernel, 1: the driver's copy. */
ht_status ht_cuda_copy_pass(void *state, int way, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
