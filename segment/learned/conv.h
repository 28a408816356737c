/* One row of a convolution on the CPU, for each instruction set. Private to segment/learned/. */
#ifndef HT_LEARNED_CONV_H
#define HT_LEARNED_CONV_H

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels that may be read beyond the end of a row, with its border: they count for nothing. */
enum { HT_CONV_BEYOND = 16 };

/* out[x][to] = bias + the sum over rows, taps along x and channels of row[x + tap][from] * weight,
 * for x of 0 to count - 1; then ReLU where `relu`. A convolution 3 x 3 x 3 has 9 rows, each from
 * voxel -1 on, and 3 taps; one of 1 x 1 x 1 has 1 row and 1 tap.
 * weight: [to / 16][rows][taps][from][16]; bias: [to]. */
typedef struct {
  const float *rows[9];
  int row_count, taps, from, to, count, relu;
  const float *weight, *bias;
  float *out;
} ht_conv_row;

typedef void (*ht_conv_fn)(const ht_conv_row *row);

void ht_conv_row_base(const ht_conv_row *row);
void ht_conv_row_avx2(const ht_conv_row *row);
void ht_conv_row_avx512(const ht_conv_row *row);

/* Returns that for this processor, and its name: "AVX-512", "AVX2", "baseline". */
ht_conv_fn ht_conv_choose(const char **name);

#ifdef __cplusplus
}
#endif
#endif
