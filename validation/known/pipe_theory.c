#include "validation/known/pipe_theory.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <math.h>

/* ---- Womersley ---- */

/* J0 and J1 by their power series: sum (-z^2/4)^k / (k! (k + order)!) (z/2)^order. The terms grow
 * to about e^|z| first, which doubles carry up to |z| = 30 at the arguments met here, where the sum
 * itself grows as e^(|z| / sqrt 2). */
static double complex bessel(int order, double complex z) {
  double complex quarter = -z * z / 4, term = order ? z / 2 : 1, sum = term;
  for (int k = 1; k < 200; k++) {
    term *= quarter / ((double)k * (k + order));
    sum += term;
    if (cabs(term) < 1e-17 * cabs(sum)) break;
  }
  return sum;
}

/* i^(3/2) alpha */
static double complex argument(const ht_womersley *flow) {
  return flow->alpha * (-1 + I) / sqrt(2);
}

/* Amplitude of the pressure gradient's part of the velocity, times e^(iwt). */
static double complex driving(const ht_womersley *flow, double time) {
  double complex z = argument(flow);
  double complex part = 1 - 2 * bessel(1, z) / (z * bessel(0, z));
  double angle = 2 * HT_PI * time / flow->period;
  return flow->amplitude / (HT_PI * flow->radius * flow->radius) / part * cexp(I * angle);
}

double ht_womersley_period(double radius, double viscosity_over_density, double alpha) {
  return 2 * HT_PI * radius * radius / (viscosity_over_density * alpha * alpha);
}

double ht_womersley_velocity(const ht_womersley *flow, double r, double time) {
  double s = r / flow->radius, steady = 2 * flow->mean / (HT_PI * flow->radius * flow->radius);
  double complex z = argument(flow);
  return steady * (1 - s * s) + creal(driving(flow, time) * (1 - bessel(0, z * s) / bessel(0, z)));
}

double ht_womersley_wall(const ht_womersley *flow, double time) {
  double steady = 4 * flow->mean / (HT_PI * pow(flow->radius, 3));
  double complex z = argument(flow);
  return steady - creal(driving(flow, time) * z / flow->radius * bessel(1, z) / bessel(0, z));
}

/* ---- a viscosity that depends on the shear rate ---- */

double ht_shear_rate(double stress, ht_shear_viscosity viscosity, const void *context) {
  double low = 0, high = 1;
  if (stress <= 0) return 0;
  while (viscosity(context, high) * high < stress) high *= 2;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    *(viscosity(context, middle) * middle < stress ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

/* Flow at a pressure gradient: integrates the shear rate inwards from the wall, where the velocity
 * is 0 (trapezoids), then the velocity over the section. */
static double flow_at(double gradient, ht_shear_viscosity viscosity, const void *context,
                      ht_pipe_flow *found) {
  double step = found->radius / HT_PIPE_RADII, flow = 0;
  double outer = ht_shear_rate(0.5 * gradient * found->radius, viscosity, context);
  found->gradient = gradient;
  found->wall_stress = 0.5 * gradient * found->radius;
  found->velocity[HT_PIPE_RADII] = 0;
  for (int i = HT_PIPE_RADII - 1; i >= 0; i--) {
    double inner = ht_shear_rate(0.5 * gradient * i * step, viscosity, context);
    found->velocity[i] = found->velocity[i + 1] + 0.5 * (inner + outer) * step;
    flow += HT_PI * step * step * (i * found->velocity[i] + (i + 1) * found->velocity[i + 1]);
    outer = inner;
  }
  return flow;
}

void ht_pipe_flow_solve(double radius, double flow, ht_shear_viscosity viscosity,
                        const void *context, ht_pipe_flow *found) {
  double low = 0, high = 1;
  found->radius = radius;
  while (flow_at(high, viscosity, context, found) < flow) high *= 2;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    *(flow_at(middle, viscosity, context, found) < flow ? &low : &high) = middle;
  }
}

double ht_pipe_flow_velocity(const ht_pipe_flow *flow, double r) {
  double at = r / flow->radius * HT_PIPE_RADII;
  int i = (int)at;
  if (i >= HT_PIPE_RADII) return 0;
  return flow->velocity[i] + (at - i) * (flow->velocity[i + 1] - flow->velocity[i]);
}
