#include "segment/voxels/quantile.h"
#include <stdlib.h>
#include <string.h>

enum { HALF = 1 << 16 };

/* Bits that ascend as the numbers do: the sign bit turned, and all bits of a negative number. */
static uint32_t key_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float value_of(uint32_t key) {
  float value;
  key = key & 0x80000000u ? key & 0x7fffffffu : ~key;
  memcpy(&value, &key, sizeof value);
  return value;
}

/* The bin that holds place `rank`, which becomes the place within it. */
static uint32_t bin_at(const int64_t *bins, int64_t *rank) {
  uint32_t bin = 0;
  while (bin + 1 < HALF && *rank >= bins[bin]) *rank -= bins[bin++];
  return bin;
}

ht_status ht_select(const float *values, const uint8_t *where, int64_t count, int64_t rank,
                    float *value) {
  int64_t *bins;
  HT_TRY(ht_alloc((void **)&bins, HALF, sizeof *bins, "a histogram"));
  for (int64_t v = 0; v < count; v++)
    if (!where || where[v]) bins[key_of(values[v]) >> 16]++;
  uint32_t upper = bin_at(bins, &rank);
  memset(bins, 0, HALF * sizeof *bins);
  for (int64_t v = 0; v < count; v++) {
    uint32_t key = key_of(values[v]);
    if (key >> 16 == upper && (!where || where[v])) bins[key & 0xffff]++;
  }
  *value = value_of(upper << 16 | bin_at(bins, &rank));
  free(bins);
  return HT_OK;
}

ht_status ht_quantile(const float *values, const uint8_t *where, int64_t count, int64_t counted,
                      double share, double *value) {
  float found = 0;
  HT_TRY(ht_select(values, where, count, (int64_t)(share * (double)(counted - 1)), &found));
  *value = found;
  return HT_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void ht_sort_values(double *value, int count) {
  qsort(value, (size_t)count, sizeof *value, by_value);
}
