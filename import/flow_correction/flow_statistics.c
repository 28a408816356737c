#include "import/flow_correction/flow_statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

ht_status ht_value_at_part(const float *value, int64_t count, double part, double *at) {
  float *sorted;
  *at = 0;
  if (count < 1) return HT_OK;
  HT_TRY(ht_alloc((void **)&sorted, (size_t)count, sizeof *sorted, "sorted values"));
  memcpy(sorted, value, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  *at = sorted[(int64_t)(part * (double)(count - 1))];
  free(sorted);
  return HT_OK;
}

/* Adds the variance over the beat of one direction, of venc squared. */
static void add_variance(const ht_measured_flow *flow, int encoding, float *sum) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  const double venc = flow->encoding[encoding].venc_m_s;
  for (int64_t v = 0; v < voxels; v++) {
    double first = 0, second = 0;
    for (int t = 0; t < flow->times; t++) {
      const double value = ht_measured_part(flow, t, encoding)[v] / venc;
      first += value;
      second += value * value;
    }
    first /= flow->times;
    sum[v] += (float)(fmax(0, second / flow->times - first * first) / flow->encodings);
  }
}

static void mean_magnitude(const ht_measured_flow *flow, float *mean) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  for (int t = 0; t < flow->times; t++)
    for (int64_t v = 0; v < voxels; v++)
      mean[v] += flow->magnitude[t * voxels + v] / (float)flow->times;
}

ht_status ht_flow_statistics_make(const ht_measured_flow *flow, ht_flow_statistics *made) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  memset(made, 0, sizeof *made);
  ht_status status =
      ht_alloc((void **)&made->scatter, (size_t)voxels, sizeof(float), "the scatter");
  if (status == HT_OK && flow->magnitude)
    status = ht_alloc((void **)&made->magnitude, (size_t)voxels, sizeof(float), "the magnitudes");
  for (int e = 0; status == HT_OK && e < flow->encodings; e++) add_variance(flow, e, made->scatter);
  for (int64_t v = 0; status == HT_OK && v < voxels; v++)
    made->scatter[v] = sqrtf(made->scatter[v]);
  if (status == HT_OK && flow->magnitude) {
    mean_magnitude(flow, made->magnitude);
    status = ht_value_at_part(made->magnitude, voxels, 0.99, &made->bright);
  }
  if (status != HT_OK) ht_flow_statistics_free(made);
  return status;
}

void ht_flow_statistics_free(ht_flow_statistics *made) {
  if (!made) return;
  free(made->scatter);
  free(made->magnitude);
  memset(made, 0, sizeof *made);
}
