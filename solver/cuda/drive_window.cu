#include "solver/cuda/drive_window.cuh"
#include <cstring>

/* Begins as NaN, which equals no coefficient. */
cudaError_t ht_drive_window_make(const ht_lattice_tables *tables, int steps,
                                 ht_drive_window *window) {
  window->steps = steps;
  window->values = (size_t)steps * (size_t)tables->columns;
  size_t bytes = window->values * sizeof(double);
  cudaError_t error = cudaMalloc((void **)&window->d_row, bytes);
  if (error != cudaSuccess) return error;
  error = cudaMallocHost((void **)&window->pinned, (1 + HT_WINDOWS_UNDER_WAY) * bytes);
  if (error == cudaSuccess) memset(window->pinned, 0xff, bytes);
  return error;
}

void ht_drive_window_free(ht_drive_window *window) {
  cudaFree(window->d_row);
  cudaFreeHost(window->pinned);
}

void ht_drive_window_arrived(ht_drive_window *window) {
  window->under_way = 0;
}

cudaError_t ht_drive_window_send(ht_drive_window *window, const ht_lattice_tables *tables,
                                 int64_t first, int count, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  const size_t bytes = (size_t)count * (size_t)tables->columns * sizeof(double);
  if (tables->port_nodes == 0) return error;
  if (window->under_way == HT_WINDOWS_UNDER_WAY) {
    error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return error;
    ht_drive_window_arrived(window);
  }
  double *next = window->pinned + (size_t)(1 + window->under_way) * window->values;
  for (int i = 0; i < count; i++)
    ht_drive_fill(tables, first + i, next + (size_t)i * (size_t)tables->columns);
  if (memcmp(next, window->pinned, bytes) == 0) return error;
  memcpy(window->pinned, next, bytes);
  window->under_way++;
  return cudaMemcpyAsync(window->d_row, next, bytes, cudaMemcpyHostToDevice, stream);
}
