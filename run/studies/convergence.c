#include "run/studies/convergence.h"
#include <math.h>

static const double settled = 1e-4, agrees = 5e-3, method_order = 2, highest_order = 20,
                    safety = 1.25;

/* Returns (coarse - middle) / (middle - fine) of a value with an error ~ spacing^p. It grows with
 * p, from log(r32) / log(r21) at p = 0. */
static double ratio_of_changes(double p, double r21, double r32) {
  return pow(r21, p) * (pow(r32, p) - 1) / (pow(r21, p) - 1);
}

/* Solves Celik et al., eq. 3, by bisection: their fixed point need not converge. */
static double observed_order(double ratio, double r21, double r32) {
  double low = 0, high = highest_order;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (ratio_of_changes(middle, r21, r32) < ratio)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

static double spread_of(const double value[HT_LATTICES]) {
  double low = fmin(value[0], fmin(value[1], value[2]));
  double high = fmax(value[0], fmax(value[1], value[2]));
  return high > low ? (high - low) / fabs(value[HT_FINE]) : high - low;
}

static ht_convergence_kind kind_of(const ht_convergence *c, double ratio, double r21, double r32) {
  if (c->spread <= settled) return HT_SETTLED;
  if (ratio > log(r32) / log(r21)) return HT_CONVERGES;
  if (c->spread <= agrees) return HT_SETTLED;
  return ratio < 0 ? HT_OSCILLATES : HT_DIVERGES;
}

static void extrapolate(const double value[HT_LATTICES], double r21, double r32,
                        ht_convergence *c) {
  double fine = pow(r21, c->used) - 1, middle = pow(r32, c->used) - 1;
  c->estimate = value[HT_FINE] + (value[HT_FINE] - value[HT_MIDDLE]) / fine;
  c->index[HT_FINE] = safety * c->change[HT_FINE] / fine;
  c->index[HT_MIDDLE] = safety * c->change[HT_MIDDLE] / middle;
  c->range = c->index[HT_MIDDLE] / ((fine + 1) * c->index[HT_FINE]);
}

ht_convergence ht_convergence_of(const double spacing[HT_LATTICES],
                                 const double value[HT_LATTICES]) {
  double r21 = spacing[HT_MIDDLE] / spacing[HT_FINE];
  double r32 = spacing[HT_COARSE] / spacing[HT_MIDDLE];
  double fine = value[HT_MIDDLE] - value[HT_FINE], coarse = value[HT_COARSE] - value[HT_MIDDLE];
  ht_convergence c = {.change = {fabs(fine / value[HT_FINE]), fabs(coarse / value[HT_MIDDLE])},
                      .spread = spread_of(value),
                      .order = NAN,
                      .used = NAN,
                      .estimate = NAN,
                      .index = {NAN, NAN},
                      .range = NAN};
  c.kind = kind_of(&c, coarse / fine, r21, r32);
  if (c.kind != HT_CONVERGES) return c;
  c.order = observed_order(coarse / fine, r21, r32);
  c.used = fmin(c.order, method_order);
  extrapolate(value, r21, r32, &c);
  return c;
}

double ht_convergence_off(const ht_convergence *convergence, double value) {
  return value / convergence->estimate - 1;
}

double ht_convergence_spacing(const ht_convergence *convergence, double fine_spacing,
                              double wanted) {
  return fine_spacing * pow(wanted / convergence->index[HT_FINE], 1 / convergence->used);
}
