/* hold_memory MB: takes the memory of the GPU, says so, and holds it until its standard input ends.
 * What is left is as much as a program takes to begin (measured: what this one took), and MB more;
 * below 0: a program that begins finds too little. For full_gpu.sh. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **argv) {
  const long long step = 16 << 20;
  size_t free_bytes = 0, all_bytes = 0;
  void *piece;
  if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess) return 77;
  const long long begin = (long long)(all_bytes - free_bytes);
  long long left = begin + (argc > 1 ? atoll(argv[1]) : 300) * (1 << 20);
  if (left < step) left = step;
  while ((long long)free_bytes > left + step) {
    const long long more = (long long)free_bytes - left;
    if (cudaMalloc(&piece, (size_t)(more > 8 * step ? more / 2 : step)) != cudaSuccess) break;
    cudaMemGetInfo(&free_bytes, &all_bytes);
  }
  printf("%zu MB are free; a program takes %lld MB to begin\n", free_bytes >> 20, begin >> 20);
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}
