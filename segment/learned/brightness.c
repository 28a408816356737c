#include "segment/learned/brightness.h"
#include "segment/voxels/quantile.h"
#include <math.h>
#include <stdlib.h>

/* Marks the finite values; `where` stays NULL if all are. */
static ht_status mark_finite(const ht_volume *scan, int64_t voxels, uint8_t **where,
                             int64_t *finite) {
  int64_t count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int64_t v = 0; v < voxels; v++) count += isfinite(scan->values[v]) != 0;
  *finite = count;
  if (count == 0) return ht_fail(HT_ERR_FORMAT, "no value of the scan is a finite number");
  if (count == voxels) return HT_OK;
  HT_TRY(ht_alloc((void **)where, (size_t)voxels, 1, "the voxels that have a value"));
  for (int64_t v = 0; v < voxels; v++) (*where)[v] = isfinite(scan->values[v]) != 0;
  return HT_OK;
}

ht_status ht_learned_find_brightness(const ht_volume *scan, const ht_learned_weights *weights,
                                     ht_learned_brightness *brightness) {
  const int64_t voxels = ht_grid_voxels(&scan->grid);
  const double *quantile = weights->quantile;
  ht_status status = HT_OK;
  uint8_t *where = NULL;
  int64_t finite = 0, low_count = 0;
  float low = 0, high = 0;
  HT_TRY_DONE(mark_finite(scan, voxels, &where, &finite));
  HT_TRY_DONE(
      ht_select(scan->values, where, voxels, (int64_t)(quantile[0] * (double)(finite - 1)), &low));
#pragma omp parallel for reduction(+ : low_count)
  for (int64_t v = 0; v < voxels; v++)
    low_count += scan->values[v] <= low && isfinite(scan->values[v]);
  int64_t rank = low_count + (int64_t)floor(quantile[1] * (double)(finite - low_count - 1));
  if (rank > finite - 1) rank = finite - 1; /* no value is above */
  HT_TRY_DONE(ht_select(scan->values, where, voxels, rank, &high));
  *brightness = (ht_learned_brightness){.low = low,
                                        .span = fmaxf(high - low, 1e-6f),
                                        .least = weights->range[0],
                                        .most = weights->range[1]};
done:
  free(where);
  return status;
}

void ht_learned_brighten(const ht_learned_brightness *brightness, const float *values, int count,
                         float *out) {
  const float least = brightness->least, most = brightness->most;
  for (int n = 0; n < count; n++) {
    const float value = (values[n] - brightness->low) / brightness->span;
    const float within = value < least ? least : value > most ? most : value;
    out[n] = isfinite(values[n]) && !isnan(value) ? within : 0;
  }
}
