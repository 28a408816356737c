/* Agreement of two sets of numbers: correlation, regression, and the limits of agreement (Bland &
 * Altman, Lancet 327 (1986) 307). */
#ifndef HT_AGREEMENT_H
#define HT_AGREEMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that cannot be computed are NAN. Differences are y - x. */
typedef struct {
  int64_t count;
  double mean_x, mean_y;
  double correlation;      /* Pearson's */
  double slope, intercept; /* of the least-squares line y = slope * x + intercept */
  double rms;              /* root mean square of the differences */
  double bias, scatter;    /* mean and standard deviation (n - 1) of the differences */
  double low, high;        /* limits of agreement: bias -+ 1.96 * scatter */
} ht_agreement;

/* Compares y[i] with x[i]; pairs with a number that is not finite are left out. */
ht_agreement ht_agreement_of(const double *x, const double *y, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
