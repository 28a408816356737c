#include "run/measured/flow_course.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <math.h>

static const double STANDS_OUT = 3; /* amplitudes of the noise */

/* Coefficient of harmonic k: its part of the flow is 2 Re(c exp(2 pi i k t / times)). */
static double complex harmonic(int times, const double *flow, int k) {
  double complex sum = 0;
  for (int t = 0; t < times; t++) sum += flow[t] * cexp(-2 * HT_PI * I * k * t / times);
  return sum / times;
}

double ht_flow_course_clean(int times, double *flow) {
  const int most = (times - 1) / 2, first = times / 3 + 1;
  double square = 0;
  if (times < HT_COURSE_TIMES_LEAST) return 0;
  for (int k = first; k <= most; k++)
    square += pow(cabs(harmonic(times, flow, k)), 2) / (most - first + 1);
  if (!(square > 0)) return 0;
  double mean = creal(harmonic(times, flow, 0));
  double complex kept[times / 3 + 1];
  for (int k = 1; k < first; k++) {
    kept[k - 1] = harmonic(times, flow, k);
    if (cabs(kept[k - 1]) < STANDS_OUT * sqrt(square)) kept[k - 1] = 0;
  }
  for (int t = 0; t < times; t++) {
    flow[t] = mean;
    for (int k = 1; k < first; k++)
      flow[t] += 2 * creal(kept[k - 1] * cexp(2 * HT_PI * I * k * t / times));
  }
  return sqrt(square * times);
}
