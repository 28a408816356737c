/* The relaxation rate of a node whose viscosity depends on the shear rate, as a table over the
 * node's own moments. Private to solver/.
 *
 * The deviation from equilibrium gives the strain rate, S = -3 / (2 tau (1 + rho)) Pi (in which Pi
 * is the second-order moment beyond the equilibrium's, without its trace; e.g. Kruger et al., The
 * Lattice Boltzmann Method (2017), section 4.1). So the shear rate is g = sqrt(2 S:S) = C / tau
 * with C = 3/2 sqrt(2 x),   x = Pi:Pi / (1 + rho)^2 known before the collision, and tau is the root
 * of tau = 1/2 + 3 nu(C / tau). It is the only one: C = g/2 + 3 nu(g) g rises with g, since the
 * stress nu(g) g does. With eddies over a constant viscosity, tau0 = 1/2 + 3 nu, where C / tau0
 * > 5 nu, it is tau = (a + sqrt(a^2 + 12 Cs^2 C)) / 2, a = tau0 - 15 Cs^2 nu (without the threshold
 * that of Hou, Sterling, Chen & Doolen, Fields Inst. Commun. 6 (1996) 151).
 *
 * The root is computed here, once, to rounding, for every possible x; a node looks up omega(x) = 1
 * / tau. So one kernel serves every law, a node's cost does not depend on the law, and both
 * backends find the same. HT_RELAX_STEPS rows an octave of x, from 2^-HT_RELAX_OCTAVES (no shear:
 * nothing that a float could hold is below) to 1 (velocities differ by more than the speed of sound
 * from node to node); in a row a cubic in t, 0 <= t < 1, through omega at 0, 1/3, 2/3 and 1. */
#ifndef HT_RELAX_TABLE_H
#define HT_RELAX_TABLE_H

#include "solver/kernels/blood.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_RELAX_LOG2_STEPS = 4, HT_RELAX_STEPS = 1 << HT_RELAX_LOG2_STEPS, HT_RELAX_OCTAVES = 96 };
enum { HT_RELAX_ROWS = HT_RELAX_STEPS * HT_RELAX_OCTAVES };

/* C = 3/2 sqrt(2 x). */
double ht_relax_strength(double x);

/* The root. */
double ht_relax_tau(const ht_viscosity_law *law, double strength);

/* Fills the table. rows: [HT_RELAX_ROWS][4], the coefficients of 1, t, t^2, t^3; the same rounded:
 * `single`. */
void ht_relax_table(const ht_viscosity_law *law, double *rows, float *single);

#ifdef __cplusplus
}
#endif
#endif
