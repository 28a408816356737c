#include "core/numbers/symmetric.h"
#include <math.h>

enum { SWEEPS = 8 };

static void rotate(int n, int p, int q, double *m, double *turn) {
  const double theta = (m[q * n + q] - m[p * n + p]) / (2 * m[p * n + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    const double a = m[k * n + p], b = m[k * n + q];
    m[k * n + p] = c * a - s * b, m[k * n + q] = s * a + c * b;
  }
  for (int k = 0; k < n; k++) {
    const double a = m[p * n + k], b = m[q * n + k], x = turn[k * n + p], y = turn[k * n + q];
    m[p * n + k] = c * a - s * b, m[q * n + k] = s * a + c * b;
    turn[k * n + p] = c * x - s * y, turn[k * n + q] = s * x + c * y;
  }
}

void ht_diagonalise(int n, double *m, double *turn) {
  for (int i = 0; i < n * n; i++) turn[i] = i % n == i / n;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (m[p * n + q] != 0) rotate(n, p, q, m, turn);
}
