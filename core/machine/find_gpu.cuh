/* Whether a GPU works: for the CUDA files of every room. */
#ifndef HT_FIND_GPU_CUH
#define HT_FIND_GPU_CUH

#include <cstdio>
#include <cuda_runtime.h>

/* Finds the GPU in use: returns 1 and writes its name, or 0 and writes why there is none. With
 * HEMOTILE_CUDA_CHECK, a property of the source that includes this, there is none. */
static inline int ht_find_gpu(char name[128], char why[256]) {
  int count = 0, number = 0;
  cudaDeviceProp properties;
  name[0] = why[0] = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) error = cudaGetDevice(&number);
  if (error == cudaSuccess && count > 0) error = cudaGetDeviceProperties(&properties, number);
  if (error != cudaSuccess || count == 0) {
    snprintf(why, 256, "no CUDA device was found (%s)",
             error == cudaSuccess ? "none installed" : cudaGetErrorString(error));
    cudaGetLastError(); /* forget it */
    return 0;
  }
#ifdef HEMOTILE_CUDA_CHECK
  snprintf(
      why, 256,
      "this hemotile was built where there is no GPU, to see that its CUDA code compiles: build "
      "it again here, by scripts/build.sh");
  return 0;
#else
  snprintf(name, 128, "%s", properties.name);
  return 1;
#endif
}

#endif
