/* hold_memory MB: takes the memory of the GPU but for so many MB, says so, and holds it until its
 * standard input ends. For full_gpu.sh. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **argv) {
  const size_t left = (argc > 1 ? strtoull(argv[1], NULL, 10) : 200) << 20, step = (size_t)16 << 20;
  size_t free_bytes = 0, all_bytes = 0;
  void *piece;
  if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess) return 77;
  while (free_bytes > left + step) {
    size_t now = free_bytes - left > 8 * step ? (free_bytes - left) / 2 : step;
    if (cudaMalloc(&piece, now) != cudaSuccess) break;
    cudaMemGetInfo(&free_bytes, &all_bytes);
  }
  printf("%zu MB are free\n", free_bytes >> 20);
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}
