/* The coefficients of driven ports on their way to the GPU: those of a window of steps have one
 * place on the device, where the kernels of a graph read them; they are replaced before the graph
 * is launched again. Unchanged coefficients, as in a steady flow, are not copied. Private to
 * solver/cuda/. */
#ifndef HT_DRIVE_WINDOW_CUH
#define HT_DRIVE_WINDOW_CUH

#include "solver/lattice/backend.h"
#include <cstring>
#include <cuda_runtime.h>

enum { HT_WINDOWS_UNDER_WAY = 64 };

typedef struct {
  int steps;
  size_t values;  /* steps * columns */
  double *d_row;  /* [steps][columns] */
  double *pinned; /* [1 + HT_WINDOWS_UNDER_WAY][steps][columns]: the device's values when all copies
                     under way have arrived; and the sources of these copies */
  int under_way;
} ht_drive_window;

/* Begins as NaN, which equals no coefficient. */
static cudaError_t ht_drive_window_make(const ht_lattice_tables *tables, int steps,
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

static void ht_drive_window_free(ht_drive_window *window) {
  cudaFree(window->d_row);
  cudaFreeHost(window->pinned);
}

/* Marks the window as arrived, after the stream has been waited for. */
static void ht_drive_window_arrived(ht_drive_window *window) {
  window->under_way = 0;
}

/* Steps first, first + 1, ...; in the order of the stream. */
static cudaError_t ht_drive_window_send(ht_drive_window *window, const ht_lattice_tables *tables,
                                        int64_t first, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  size_t bytes = window->values * sizeof(double);
  if (window->under_way == HT_WINDOWS_UNDER_WAY) {
    error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return error;
    ht_drive_window_arrived(window);
  }
  double *next = window->pinned + (size_t)(1 + window->under_way) * window->values;
  for (int i = 0; i < window->steps; i++)
    ht_drive_fill(tables, first + i, next + (size_t)i * (size_t)tables->columns);
  if (memcmp(next, window->pinned, bytes) == 0) return error;
  memcpy(window->pinned, next, bytes);
  window->under_way++;
  return cudaMemcpyAsync(window->d_row, next, bytes, cudaMemcpyHostToDevice, stream);
}

#endif
