/* A fit y = a u + b v by least squares, of which a alone is wanted: b v is what lags, or inertia.
 * Private to solver/. */
#ifndef HT_TWO_VARIABLE_FIT_H
#define HT_TWO_VARIABLE_FIT_H

/* Finds a from the sums of u^2, u v, v^2, y u and y v. 1: *a is found; 0: the two variables cannot
 * be told apart. */
static inline int ht_two_variable_fit(double uu, double uv, double vv, double yu, double yv,
                                      double *a) {
  const double least = 1e-3; /* of the determinant */
  const double both = uu * vv, det = both - uv * uv;
  if (!(det > least * both)) return 0;
  *a = (yu * vv - yv * uv) / det;
  return 1;
}

#endif
