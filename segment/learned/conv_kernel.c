/* The inner loops of a convolution; compiled for each instruction set (HT_ISA), with vectors of 16
 * output channels or parts of them. The sums have one order, whatever the threads do. */
#include "segment/learned/conv.h"
#include <float.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#if defined(__AVX512F__)
enum { LANES = 16, VOXELS = 14 };
#elif defined(__AVX__)
enum { LANES = 8, VOXELS = 6 };
#else
enum { LANES = 4, VOXELS = 2 };
#endif
enum { PARTS = 16 / LANES };

typedef float vector __attribute__((vector_size(4 * LANES)));

static inline vector load(const float *from) {
  vector value;
  memcpy(&value, from, sizeof value);
  return value;
}

/* Computes 16 channels of VOXELS voxels, of which `count` are kept. */
static inline __attribute__((always_inline)) void
compute_block(const ht_conv_row *row, int row_count, int taps, int from, int x, const float *weight,
              const float *bias, int count, float *out) {
  vector sum[VOXELS][PARTS], factor[PARTS];
#pragma GCC unroll 4
  for (int p = 0; p < PARTS; p++) factor[p] = load(bias + p * LANES);
#pragma GCC unroll 16
  for (int v = 0; v < VOXELS; v++)
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++) sum[v][p] = factor[p];
  for (int r = 0; r < row_count; r++) {
    const float *voxel = row->rows[r] + (long)x * from;
    /* Taps and channels lie one after another, in the row as in the weights. */
    for (int n = 0; n < taps * from; n++, weight += 16) {
#pragma GCC unroll 4
      for (int p = 0; p < PARTS; p++) factor[p] = load(weight + p * LANES);
#pragma GCC unroll 16
      for (int v = 0; v < VOXELS; v++) {
        const float value = voxel[v * from + n];
#pragma GCC unroll 4
        for (int p = 0; p < PARTS; p++) sum[v][p] += value * factor[p];
      }
    }
  }
  const float least = row->relu ? 0 : -FLT_MAX;
#pragma GCC unroll 16
  for (int v = 0; v < VOXELS; v++) {
    if (v >= count) break;
    float value[16];
#pragma GCC unroll 4
    for (int p = 0; p < PARTS; p++) memcpy(value + p * LANES, &sum[v][p], sizeof(vector));
    for (int n = 0; n < 16; n++) out[(long)v * row->to + n] = value[n] > least ? value[n] : least;
  }
}

static inline __attribute__((always_inline)) void compute_row(const ht_conv_row *row, int row_count,
                                                              int taps, int from) {
  for (int block = 0; block < row->to / 16; block++)
    for (int x = 0; x < row->count; x += VOXELS)
      compute_block(
          row, row_count, taps, from, x, row->weight + (long)block * row_count * taps * from * 16,
          row->bias + 16 * block, row->count - x, row->out + (long)x * row->to + 16 * block);
}

void JOIN(ht_conv_row_, HT_ISA)(const ht_conv_row *row) {
  const int key = 1000 * row->taps + row->from;
  switch (key) { /* with a constant stride the loads need no registers of their own */
  case 3001:
    compute_row(row, 9, 3, 1);
    break;
  case 3016:
    compute_row(row, 9, 3, 16);
    break;
  case 3032:
    compute_row(row, 9, 3, 32);
    break;
  case 3064:
    compute_row(row, 9, 3, 64);
    break;
  case 3128:
    compute_row(row, 9, 3, 128);
    break;
  default:
    compute_row(row, row->row_count, row->taps, row->from);
  }
}
