/* Copies on the GPU, timed by events: a kernel whose threads move 16 bytes at a time, and the
 * driver's own copy.
 */
#include "solver/copy_rate/copy_backend.h"
#include "solver/cuda/cuda_device.cuh"
#include "core/vessel/volume.h"
#include <cstdlib>

/* Four accesses in flight a thread, a block's width apart: each is coalesced. */
enum { BLOCK = 256, EACH = 4 };

__global__ void __launch_bounds__(BLOCK)
    copy_16_bytes(const int4 *__restrict__ from, int4 *__restrict__ to, int64_t count) {
  int64_t first = (int64_t)blockIdx.x * BLOCK * EACH + threadIdx.x;
  int4 value[EACH];
#pragma unroll
  for (int i = 0; i < EACH; i++)
    if (first + i * BLOCK < count) value[i] = from[first + i * BLOCK];
#pragma unroll
  for (int i = 0; i < EACH; i++)
    if (first + i * BLOCK < count) to[first + i * BLOCK] = value[i];
}

typedef struct {
  int4 *from, *to;
  int64_t half;
  cudaEvent_t began, ended;
} cuda_copy;

static ht_status allocate(cuda_copy *copy) {
  size_t available = 0, total = 0;
  size_t half = (size_t)copy->half;
  HT_TRY(ht_cuda_check(cudaMemGetInfo(&available, &total), "asking for its memory"));
  if (cudaMalloc((void **)&copy->from, half) != cudaSuccess ||
      cudaMalloc((void **)&copy->to, half) != cudaSuccess) {
    cudaGetLastError();
    return ht_fail(HT_ERR_MEMORY,
                   "the copy to compare with needs %s on the GPU, of which %s are free",
                   ht_memory_words(2 * (double)half).text, ht_memory_words((double)available).text);
  }
  HT_TRY(ht_cuda_check(cudaMemset(copy->from, 1, half), "filling a buffer"));
  HT_TRY(ht_cuda_check(cudaMemset(copy->to, 2, half), "filling a buffer"));
  HT_TRY(ht_cuda_check(cudaEventCreate(&copy->began), "making a timer"));
  return ht_cuda_check(cudaEventCreate(&copy->ended), "making a timer");
}

ht_status ht_cuda_copy_create(int64_t half, void **state) {
  cuda_copy *made;
  *state = NULL;
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the copy"));
  made->half = half / 16 * 16;
  ht_status status = allocate(made);
  if (status == HT_OK)
    *state = made;
  else
    ht_cuda_copy_free(made);
  return status;
}

void ht_cuda_copy_free(void *state) {
  cuda_copy *copy = (cuda_copy *)state;
  if (!copy) return;
  cudaFree(copy->from);
  cudaFree(copy->to);
  if (copy->began) cudaEventDestroy(copy->began);
  if (copy->ended) cudaEventDestroy(copy->ended);
  free(copy);
}

static cudaError_t start(const cuda_copy *copy, int way) {
  int64_t count = copy->half / 16, blocks = (count + BLOCK * EACH - 1) / (BLOCK * EACH);
  if (way == 1)
    return cudaMemcpyAsync(copy->to, copy->from, (size_t)copy->half, cudaMemcpyDeviceToDevice);
  copy_16_bytes<<<(unsigned)blocks, BLOCK>>>(copy->from, copy->to, count);
  return cudaGetLastError();
}

ht_status ht_cuda_copy_pass(void *state, int way, double *seconds) {
  cuda_copy *copy = (cuda_copy *)state;
  float milliseconds = 0;
  HT_TRY(ht_cuda_check(cudaEventRecord(copy->began), "timing a copy"));
  HT_TRY(ht_cuda_check(start(copy, way), "copying"));
  HT_TRY(ht_cuda_check(cudaEventRecord(copy->ended), "timing a copy"));
  HT_TRY(ht_cuda_check(cudaEventSynchronize(copy->ended), "copying"));
  HT_TRY(ht_cuda_check(cudaEventElapsedTime(&milliseconds, copy->began, copy->ended),
                       "timing a copy"));
  *seconds = 1e-3 * milliseconds;
  return HT_OK;
}
