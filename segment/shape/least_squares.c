#include "segment/shape/least_squares.h"
#include <math.h>

int ht_fit_powers(const double *t, const double *value, int stride, int count, int terms,
                  double c[3]) {
  double m[3][4] = {{0}};
  for (int n = 0; n < count; n++) {
    const double power[3] = {1, t[n], t[n] * t[n]};
    for (int i = 0; i < terms; i++) {
      for (int j = 0; j < terms; j++) m[i][j] += power[i] * power[j];
      m[i][3] += power[i] * value[n * stride];
    }
  }
  for (int i = 0; i < terms; i++) { /* the matrix is positive definite: no pivoting */
    if (!(fabs(m[i][i]) > 1e-12)) return 0;
    for (int k = 0; k < terms; k++) {
      double share = k == i ? 0 : m[k][i] / m[i][i];
      for (int j = i; share != 0 && j < 4; j++) m[k][j] -= share * m[i][j];
    }
  }
  c[2] = 0;
  for (int i = 0; i < terms; i++) c[i] = m[i][3] / m[i][i];
  return 1;
}
