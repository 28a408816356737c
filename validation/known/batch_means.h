/* Mean of a correlated series, as a flow that never comes to rest gives it, and its standard error.
 */
#ifndef HT_BATCH_MEANS_H
#define HT_BATCH_MEANS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Least values that a standard error can be told from. */
enum { HT_BATCHES = 10 };

typedef struct {
  double mean;
  double error; /* standard error of the mean; NAN with fewer than HT_BATCHES values */
} ht_batch_mean;

/* The standard error from the scatter of the means of HT_BATCHES batches in order, the last values
 * left over: valid where a batch is longer than the correlation (P. Glynn & D. Iglehart, Math.
 * Oper. Res. 15 (1990) 1). */
ht_batch_mean ht_batch_mean_of(int count, const double *value);

#ifdef __cplusplus
}
#endif
#endif
