/* Shared by the CUDA files: errors of the device, and registers and occupancy of a kernel. Private
 * to the CUDA files of solver/. */
#ifndef HT_CUDA_DEVICE_CUH
#define HT_CUDA_DEVICE_CUH

#include "solver/lattice/lattice_setup.h"
#include "core/text/words.h"
#include <cuda_runtime.h>

/* Checks a call of CUDA. HT_ERR_MEMORY or HT_ERR_DEVICE; `doing`: "copying the ports". Clears the
 * error: the next cudaGetLastError(), which checks a launch, would report it again. */
static inline ht_status ht_cuda_check(cudaError_t error, const char *doing) {
  if (error == cudaSuccess) return HT_OK;
  cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) {
    size_t free_bytes = 0, all_bytes = 0;
    const cudaError_t known = cudaMemGetInfo(&free_bytes, &all_bytes);
    cudaGetLastError();
    if (known != cudaSuccess) /* not even the program itself fits */
      return ht_fail(HT_ERR_MEMORY,
                     "the GPU is out of memory, with too little left to start a program on it "
                     "(nvidia-smi shows who uses it); wait for the others, or use --device cpu");
    return ht_fail(HT_ERR_MEMORY,
                   "the GPU ran out of memory while %s: %s of its %s are free (nvidia-smi "
                   "shows who uses it); use a coarser spacing, a lower precision, or --device cpu",
                   doing, ht_memory_words((double)free_bytes).text,
                   ht_memory_words((double)all_bytes).text);
  }
  return ht_fail(HT_ERR_DEVICE, "the GPU failed while %s: %s; try again, or with --device cpu",
                 doing, cudaGetErrorString(error));
}

/* Registers and occupancy of a kernel in groups of `threads`; 0 where the device gives none. */
static inline void ht_cuda_measure_kernel(const void *kernel, int threads, ht_lattice_cost *cost) {
  cudaFuncAttributes attributes = {};
  int groups = 0, device = 0, possible = 0;
  cost->registers = 0, cost->occupancy = 0;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return;
  cost->registers = attributes.numRegs;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&possible, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, threads, 0);
  if (possible > 0) cost->occupancy = (double)groups * threads / possible;
}

#endif
