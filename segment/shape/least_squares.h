/* Lines and parabolas through points. Private to segment/. */
#ifndef HT_LEAST_SQUARES_H
#define HT_LEAST_SQUARES_H

/* Fits value = c[0] + c[1] t + c[2] t^2 by least squares, `terms` 2 (c[2] is 0) or 3; value n is at
 * value[n * stride]. Returns 0 where the points do not determine them. */
int ht_fit_powers(const double *t, const double *value, int stride, int count, int terms,
                  double c[3]);

#endif
