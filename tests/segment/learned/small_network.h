/* A small network with random weights, its file, and its outputs by plain loops in double. */
#ifndef HT_SMALL_NETWORK_H
#define HT_SMALL_NETWORK_H

#include "segment/learned/network.h"
#include "segment/learned/stream.h"

enum { SMALL_LEVELS = 3 };

/* Makes the bytes of a file of weights; the caller frees. */
unsigned char *small_network_file(size_t *count);

/* Makes a scan of random values with some structure; the caller frees. */
ht_volume small_scan(int nx, int ny, int nz);

/* Computes the outputs [5][nz][ny][nx] of the network in `file` on brightness values of the scan's
 * size. */
void small_network_outputs(const unsigned char *file, const float *brightness, const int dim[3],
                           double *outputs);

#endif
