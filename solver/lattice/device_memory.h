/* The memory of a device: its size and its rate. Sizes the lattice of a case, and gives the
 * benchmark and the estimate of a run's duration the rate of the data sheet. */
#ifndef HT_DEVICE_MEMORY_H
#define HT_DEVICE_MEMORY_H

#include "solver/lattice/device.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_device device;        /* CPU or CUDA, never auto */
  char name[128];          /* "NVIDIA H200"; the processor's name */
  char driver[96];         /* "580.159.04, CUDA 13.0"; "" on a CPU */
  double bytes_per_s;      /* of the memory: the data sheet of a known GPU, else from its clock and
                              bus; 0: unknown (a CPU) */
  int from_datasheet;      /* 1: `bytes_per_s` is the data sheet's */
  int64_t available_bytes; /* free (a CPU: host_memory.h); 0: unknown */
  int64_t total_bytes;     /* free or in use; 0: unknown */
} ht_device_memory;

/* Finds the memory of the device. HT_ERR_DEVICE: a GPU is requested and there is none; says why. */
ht_status ht_device_memory_describe(ht_device device, ht_device_memory *memory);

/* The GPU's part: name, driver, clock times bus, free memory. */
ht_status ht_cuda_memory_describe(ht_device_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
