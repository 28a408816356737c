#include "solver/cuda/cuda_memory.cuh"

/* Says what the flow has taken, what it needs beyond, and what is free. */
static ht_status too_little_memory(const ht_cuda_memory *memory, size_t room) {
  size_t free_bytes = 0, all_bytes = 0;
  cudaMemGetInfo(&free_bytes, &all_bytes);
  cudaGetLastError();
  return ht_fail(HT_ERR_MEMORY,
                 "not enough memory on the GPU: the flow needs at least %s (it has %s, and "
                 "asked for %s more), and %s of the GPU's %s are free (nvidia-smi shows "
                 "who uses it); use a coarser spacing, a lower precision, or --device cpu",
                 ht_memory_words((double)memory->bytes + (double)room).text,
                 ht_memory_words((double)memory->bytes).text, ht_memory_words((double)room).text,
                 ht_memory_words((double)free_bytes).text, ht_memory_words((double)all_bytes).text);
}

/* What looks free may not be had: it is in pieces, or another process was faster. */
ht_status ht_cuda_memory_take(ht_cuda_memory *memory, void **to, const void *from, size_t bytes) {
  size_t free_bytes = 0, all_bytes = 0, room = bytes > 0 ? bytes : sizeof(double);
  if (memory->count == HT_CUDA_ARRAYS)
    return ht_fail(HT_ERR_INTERNAL, "more than %d arrays on the GPU", (int)HT_CUDA_ARRAYS);
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory"));
  if (room > free_bytes) return too_little_memory(memory, room);
  cudaError_t error = cudaMalloc(to, room);
  if (error == cudaErrorMemoryAllocation) return too_little_memory(memory, room);
  HT_TRY(ht_cuda_check(error, "taking memory"));
  memory->taken[memory->count++] = *to;
  memory->bytes += (int64_t)room;
  if (from && bytes > 0)
    return ht_cuda_check(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice), "copying the case");
  return ht_cuda_check(cudaMemset(*to, 0, room), "clearing memory");
}

void ht_cuda_memory_give_back(ht_cuda_memory *memory, void *array) {
  for (int i = 0; array && i < memory->count; i++)
    if (memory->taken[i] == array) memory->taken[i] = memory->taken[--memory->count];
  cudaFree(array);
}

void ht_cuda_memory_free(ht_cuda_memory *memory) {
  for (int i = 0; i < memory->count; i++) cudaFree(memory->taken[i]);
  memory->count = 0;
}
