#include "solver/cuda/cuda_launches.cuh"

ht_cuda_kernels ht_cuda_kernels_fp16(const ht_lattice_tables *tables) {
  return choose_kernels<ht_half>(tables);
}
