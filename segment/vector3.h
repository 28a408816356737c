/* Vectors of three. Private to segment/. */
#ifndef HT_VECTOR3_H
#define HT_VECTOR3_H

#include <math.h>

static inline double ht_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void ht_cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* To length 1; 0 where it has none. */
static inline int ht_normalise(double v[3]) {
  double length = sqrt(ht_dot(v, v));
  if (!(length > 0 && isfinite(length))) return 0;
  for (int k = 0; k < 3; k++) v[k] /= length;
  return 1;
}

#endif
