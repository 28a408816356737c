/* Reads a few values of the blocks, and slips of interpolated walls, for the host. */
#ifndef HT_BLOCK_MARKS_CUH
#define HT_BLOCK_MARKS_CUH

#include "solver/cuda/blocks/block_thread.cuh"

/* Marked nodes on the device; zeroed: none. */
typedef struct {
  int64_t values, links;
  uint32_t *d_address; /* [values] in the array of values */
  uint32_t *d_link;    /* [links] in the order of the blocks */
  double *d_read;      /* [values + links] */
} ht_device_marks;

/* One thread per number; double holds every value exactly. */
template <class S>
__global__ void ht_read_marks(const S *values, const void *slip, ht_device_marks marks) {
  typedef typename ht_stored<S>::real R;
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= marks.values + marks.links) return;
  if (i < marks.values)
    marks.d_read[i] = (double)ht_load(values + marks.d_address[i]);
  else
    marks.d_read[i] = (double)((const R *)slip)[marks.d_link[i - marks.values]];
}

#endif
