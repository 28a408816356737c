#include "bench/papers/ladder/ladder_state.cuh"
#include "solver/cuda/cuda_device.cuh"

ht_status ht_ladder_allocate(void **d_pointer, int64_t bytes, const char *what) {
  *d_pointer = NULL;
  cudaError_t error = cudaMalloc(d_pointer, bytes > 0 ? (size_t)bytes : 1);
  if (error == cudaErrorMemoryAllocation) {
    size_t unused = 0, all = 0;
    cudaGetLastError(); /* else the next call reports it again */
    cudaMemGetInfo(&unused, &all);
    return ht_fail(HT_ERR_MEMORY,
                   "%s takes %s on the GPU and %s are free; take a smaller geometry, "
                   "fp32 or fp16, or a layout that stores fluid nodes only",
                   what, ht_memory_words((double)bytes).text, ht_memory_words((double)unused).text);
  }
  HT_TRY(ht_cuda_check(error, "taking memory"));
  return ht_cuda_check(cudaMemset(*d_pointer, 0, (size_t)bytes), "clearing memory");
}

ht_status ht_ladder_to_device(ht_ladder *ladder, const void *h_table, int64_t bytes,
                              const void **d_table) {
  *d_table = NULL;
  if (ladder->tables == HT_LADDER_TABLES)
    return ht_fail(HT_ERR_INTERNAL, "a rung has more than %d tables", HT_LADDER_TABLES);
  void **place = &ladder->d_table[ladder->tables++];
  HT_TRY(ht_ladder_allocate(place, bytes, "a table of neighbours"));
  ladder->bytes += bytes;
  *d_table = *place;
  if (!h_table) return HT_OK;
  return ht_cuda_check(cudaMemcpy(*place, h_table, (size_t)bytes, cudaMemcpyHostToDevice),
                       "copying a table of neighbours");
}
