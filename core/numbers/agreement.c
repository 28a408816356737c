#include "core/numbers/agreement.h"
#include <math.h>

static const double LIMIT = 1.96; /* standard deviations: 95 % of a normal distribution */

ht_agreement ht_agreement_of(const double *x, const double *y, int64_t count) {
  ht_agreement of = {.mean_x = 0};
  double xx = 0, xy = 0, yy = 0, dd = 0, squares = 0;
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    of.count++;
    of.mean_x += x[i];
    of.mean_y += y[i];
  }
  const double n = (double)of.count;
  of.mean_x = n > 0 ? of.mean_x / n : NAN;
  of.mean_y = n > 0 ? of.mean_y / n : NAN;
  of.bias = of.mean_y - of.mean_x;
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    const double dx = x[i] - of.mean_x, dy = y[i] - of.mean_y, off = y[i] - x[i];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
    dd += (off - of.bias) * (off - of.bias);
    squares += off * off;
  }
  of.correlation = xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
  of.slope = xx > 0 ? xy / xx : NAN;
  of.intercept = of.mean_y - of.slope * of.mean_x;
  of.rms = n > 0 ? sqrt(squares / n) : NAN;
  of.scatter = n > 1 ? sqrt(dd / (n - 1)) : NAN;
  of.low = of.bias - LIMIT * of.scatter;
  of.high = of.bias + LIMIT * of.scatter;
  return of;
}
