/* The compiled kernels of the CUDA backend, by the type in which values are stored. Private to
 * solver/cuda/. */
#ifndef HT_CUDA_KERNELS_CUH
#define HT_CUDA_KERNELS_CUH

#include "solver/lattice/backend.h"
#include <cuda_runtime.h>

/* Launches of the kernels in a precision, for a model and a kind of step (cuda_launches.cuh), in
 * the order of stream[0]; is_up: of the state that lies so. */
typedef struct ht_cuda_state ht_cuda_state;
typedef struct {
  cudaError_t (*step)(ht_cuda_state *state, int64_t step, int row);
  cudaError_t (*edge)(ht_cuda_state *state, int64_t step, int row);
  cudaError_t (*rest)(ht_cuda_state *state);
  cudaError_t (*pack)(const ht_cuda_state *state, int is_up, cudaStream_t stream);
  cudaError_t (*unpack)(const ht_cuda_state *state, int is_up, cudaStream_t stream);
  cudaError_t (*copy_ports)(ht_cuda_state *state, int from_blocks);
  void (*watch)(ht_cuda_state *state);
  void (*watch_blocks)(ht_cuda_state *state);
  void (*port_flows)(ht_cuda_state *state);
  void (*momentum)(ht_cuda_state *state);
  void (*marks)(const ht_cuda_state *state);
  cudaError_t (*masses)(const ht_cuda_state *state);
  cudaError_t (*shares)(const ht_cuda_state *state);
  cudaError_t (*fields)(const ht_cuda_state *state, int64_t first, int64_t count);
  const void *(*main_kernel)(const ht_cuda_state *state); /* of a step, whose cost is measured */
  const void *small_kernel;                               /* compiled with it, quick to load */
} ht_cuda_kernels;

/* Return the launches for these tables, whose precision is that of the name. */
ht_cuda_kernels ht_cuda_kernels_fp64(const ht_lattice_tables *tables);
ht_cuda_kernels ht_cuda_kernels_fp32(const ht_lattice_tables *tables);
ht_cuda_kernels ht_cuda_kernels_fp16(const ht_lattice_tables *tables);

#endif
