#include "tests/check.h"
#include "tests/solver/cpu/stored_values.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/kernels/half.h"
#include <stdlib.h>
#include <string.h>

int64_t ht_stored_place(int directions, int64_t tiles, int64_t i) {
  const int a_tile = HT_TILE_VALUES(directions);
  return ht_cpu_place(directions, tiles, i / a_tile, (int)(i % a_tile / 64), (int)(i % 64));
}

void *ht_stored_values(int directions, int64_t tiles, const double *values,
                       ht_precision precision) {
  const int64_t count = tiles * HT_TILE_VALUES(directions);
  void *copy = aligned_alloc(64, (size_t)count * sizeof(double));
  assert_non_null(copy);
  memset(copy, 0, (size_t)count * sizeof(double));
  for (int64_t i = 0; i < count; i++) {
    int64_t at = ht_stored_place(directions, tiles, i);
    if (precision == HT_FP16) ((ht_half *)copy)[at] = ht_half_store((float)values[i]);
    if (precision == HT_FP32) ((float *)copy)[at] = (float)values[i];
    if (precision == HT_FP64) ((double *)copy)[at] = values[i];
  }
  return copy;
}

double ht_stored_value(const void *copy, int64_t place, ht_precision precision) {
  return precision == HT_FP16   ? (double)ht_half_load(((const ht_half *)copy)[place])
         : precision == HT_FP32 ? (double)((const float *)copy)[place]
                                : ((const double *)copy)[place];
}
