/* Quantiles of many values without sorting or copying them. Private to segment/. */
#ifndef HT_QUANTILE_H
#define HT_QUANTILE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the value at place `rank` (0 .. counted - 1) in ascending order. Only values whose byte in
 * `where` is not 0 count; NULL: all. None may be NaN. Exact: two passes over the values count the
 * upper, then the lower half of their bits (a radix selection). HT_ERR_MEMORY. */
ht_status ht_select(const float *values, const uint8_t *where, int64_t count, int64_t rank,
                    float *value);

/* Finds the quantile at the share `share` of `counted` values: 0 the smallest, 1 the largest. */
ht_status ht_quantile(const float *values, const uint8_t *where, int64_t count, int64_t counted,
                      double share, double *value);

/* Sorts few values in place, ascending. */
void ht_sort_values(double *value, int count);

#ifdef __cplusplus
}
#endif
#endif
