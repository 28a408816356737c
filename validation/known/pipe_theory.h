/* Theory of the flow in a long round pipe: Womersley's oscillating flow, and the steady flow
 * of a fluid whose viscosity depends on the shear rate. Any consistent units. */
#ifndef HT_PIPE_THEORY_H
#define HT_PIPE_THEORY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flow `mean + amplitude cos(2 pi t / period)` through a pipe: J. R. Womersley, J. Physiol. 127
 * (1955) 553. With L = alpha i^(3/2), alpha^2 = radius^2 2 pi / (period nu), s = r / radius: u =
 * Re[ amplitude / (pi radius^2) (1 - J0(L s) / J0(L)) / (1 - 2 J1(L) / (L J0(L))) e^(iwt) ] and
 * Poiseuille's flow for the mean. alpha up to 30. */
typedef struct {
  double radius, alpha, period, mean, amplitude; /* of the flow */
} ht_womersley;

/* The period at which the Womersley number is alpha. */
double ht_womersley_period(double radius, double viscosity_over_density, double alpha);

/* Velocity along the pipe at r, 0 to radius. */
double ht_womersley_velocity(const ht_womersley *flow, double r, double time);

/* Shear rate at the wall, -du/dr: the wall shear stress over the viscosity. */
double ht_womersley_wall(const ht_womersley *flow, double time);

/* Viscosity at a shear rate. */
typedef double (*ht_shear_viscosity)(const void *context, double shear_rate);

/* The shear rate at this shear stress, by bisection; 0 if there is none. */
double ht_shear_rate(double stress, ht_shear_viscosity viscosity, const void *context);

/* Steady flow of such a fluid: the shear stress is G r / 2 at a pressure gradient -G. G is found by
 * bisection for the prescribed flow, and so is the shear rate at each radius. */
enum { HT_PIPE_RADII = 400 };
typedef struct {
  double radius, gradient, wall_stress;
  double velocity[HT_PIPE_RADII + 1]; /* at r = i radius / HT_PIPE_RADII */
} ht_pipe_flow;

/* `viscosity` times the shear rate has to rise with the shear rate. */
void ht_pipe_flow_solve(double radius, double flow, ht_shear_viscosity viscosity,
                        const void *context, ht_pipe_flow *found);
double ht_pipe_flow_velocity(const ht_pipe_flow *flow, double r);

#ifdef __cplusplus
}
#endif
#endif
