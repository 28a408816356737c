#include "solver/cuda/cuda_launches.cuh"

ht_cuda_kernels ht_cuda_kernels_fp64(const ht_lattice_tables *tables) {
  return choose_kernels<double>(tables);
}
