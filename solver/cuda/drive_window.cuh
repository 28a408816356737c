/* The coefficients of driven ports on their way to the GPU: those of a window of steps have one
 * place on the device, where the kernels of a graph read them; they are replaced before the graph
 * is launched again. Unchanged coefficients, as in a steady flow, are not copied. Private to
 * solver/cuda/. */
#ifndef HT_DRIVE_WINDOW_CUH
#define HT_DRIVE_WINDOW_CUH

#include "solver/lattice/backend.h"
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

/* Makes a window of `steps` steps. */
cudaError_t ht_drive_window_make(const ht_lattice_tables *tables, int steps,
                                 ht_drive_window *window);
void ht_drive_window_free(ht_drive_window *window);

/* Marks the window as arrived, after the stream has been waited for. */
void ht_drive_window_arrived(ht_drive_window *window);

/* Sends the coefficients of the steps first, first + 1, ..., `count` of them, in the order of the
 * stream. Nothing where there are no ports. */
cudaError_t ht_drive_window_send(ht_drive_window *window, const ht_lattice_tables *tables,
                                 int64_t first, int count, cudaStream_t stream);

#endif
