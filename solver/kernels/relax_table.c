#include "solver/kernels/relax_table.h"
#include <math.h>

double ht_relax_strength(double x) {
  return 1.5 * sqrt(2 * x);
}

/* g/2 + 3 nu(g) g = C, between 0 and 2 C; bisected to rounding. */
double ht_relax_tau(const ht_viscosity_law *law, double strength) {
  double low = 0, high = 2 * strength;
  for (int i = 0; i < 64; i++) {
    double rate = 0.5 * (low + high);
    if (rate * (0.5 + 3 * ht_viscosity(law, rate)) < strength)
      low = rate;
    else
      high = rate;
  }
  return 0.5 + 3 * ht_viscosity(law, 0.5 * (low + high));
}

static double rate_at(const ht_viscosity_law *law, double x) {
  return 1 / ht_relax_tau(law, ht_relax_strength(x));
}

/* The cubic through the values at 0, 1/3, 2/3, 1. From differences, which are exactly 0 for a
 * constant rate. */
static void fit(const double value[4], double row[4]) {
  double first = value[1] - value[0];
  double second = value[2] - 2 * value[1] + value[0];
  double third = (value[3] - value[2]) - 2 * (value[2] - value[1]) + first;
  row[0] = value[0];
  row[1] = 3 * (first - second / 2 + third / 3);
  row[2] = 9 * (second - third) / 2;
  row[3] = 9 * third / 2;
}

void ht_relax_table(const ht_viscosity_law *law, double *rows, float *single) {
  double value[4] = {0, 0, 0, rate_at(law, ldexp(1, -HT_RELAX_OCTAVES))};
  for (int i = 0; i < HT_RELAX_ROWS; i++) {
    double octave = ldexp(1, i / HT_RELAX_STEPS - HT_RELAX_OCTAVES);
    value[0] = value[3];
    for (int k = 1; k < 4; k++)
      value[k] =
          rate_at(law, octave * (1 + (i % HT_RELAX_STEPS + k / 3.0) / (double)HT_RELAX_STEPS));
    fit(value, rows + 4 * i);
    for (int k = 0; k < 4; k++) single[4 * i + k] = (float)rows[4 * i + k];
  }
}
