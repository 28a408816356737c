/* Memory of the device that a lattice takes, so that it is counted, and freed at the end. Private
 * to solver/cuda/. */
#ifndef HT_CUDA_MEMORY_CUH
#define HT_CUDA_MEMORY_CUH

#include "solver/cuda/cuda_device.cuh"

enum { HT_CUDA_ARRAYS = 96 };

typedef struct {
  int64_t bytes; /* taken, also of arrays that have been given back */
  int count;
  void *taken[HT_CUDA_ARRAYS];
} ht_cuda_memory;

/* Takes memory, filled from the host, or with zeros where `from` is NULL. HT_ERR_MEMORY: says what
 * the flow has, what it needs beyond, and what is free. HT_ERR_DEVICE. */
ht_status ht_cuda_memory_take(ht_cuda_memory *memory, void **to, const void *from, size_t bytes);

/* Gives an array back before the end; NULL: nothing. */
void ht_cuda_memory_give_back(ht_cuda_memory *memory, void *array);

/* Frees all arrays. */
void ht_cuda_memory_free(ht_cuda_memory *memory);

#endif
