/* Vectors of three, in any unit and axes. */
#ifndef HT_VECTOR3_H
#define HT_VECTOR3_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline double ht_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ht_distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

static inline void ht_cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline double ht_length(const double v[3]) {
  return sqrt(ht_dot(v, v));
}

/* Scales v to length 1. Returns 0, and leaves v, where its length is 0 or not finite. */
static inline int ht_normalise(double v[3]) {
  double length = ht_length(v);
  if (!(length > 0 && isfinite(length))) return 0;
  for (int k = 0; k < 3; k++) v[k] /= length;
  return 1;
}

/* Returns the determinant: < 0 where the columns are left-handed. */
static inline double ht_determinant(const double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Finds two unit vectors perpendicular to a unit normal and to each other. */
static inline void ht_span_across(const double normal[3], double across[2][3]) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(normal[k]) < fabs(normal[least])) least = k;
  const double unit[3] = {(double)(least == 0), (double)(least == 1), (double)(least == 2)};
  ht_cross(normal, unit, across[0]);
  ht_normalise(across[0]);
  ht_cross(normal, across[0], across[1]);
}

#ifdef __cplusplus
}
#endif
#endif
