/* The collision of one D2Q9 node: the four models of collide.h in the plane, same conventions, same
 * equilibrium with the weights of d2q9.h. Included after node.h with the same HT_REAL and
 * HT_NODE(name); no include guard on purpose. */
#ifndef HT_COLLIDE_D2Q9_ONCE
#define HT_COLLIDE_D2Q9_ONCE

#include "bench/papers/plane/d2q9.h"

/* Rates that do not set the viscosity: energy, energy squared, energy flux: s2, s3, s5 = s7 of
 * Lallemand & Luo, Phys. Rev. E 61 (2000) 6546. */
#define HT_D2Q9_ENERGY  1.63
#define HT_D2Q9_ENERGY2 1.14
#define HT_D2Q9_HEAT    1.92

#endif

/* Density deviation and momentum. */
HT_ALWAYS_INLINE void HT_NODE(d2q9_moments)(const HT_REAL *g, HT_REAL *rho, HT_REAL *jx,
                                            HT_REAL *jy) {
  HT_REAL rising = g[5] - g[6], falling = g[7] - g[8];
  *jx = (g[1] - g[2]) + (rising + falling);
  *jy = (g[3] - g[4]) + (rising - falling);
  *rho = g[0] + ((g[1] + g[2]) + (g[3] + g[4])) + ((g[5] + g[6]) + (g[7] + g[8]));
}

/* LBGK, as in collide.h. */
HT_ALWAYS_INLINE void HT_NODE(d2q9_lbgk)(HT_REAL *g, int compressibility, HT_REAL omega) {
  HT_REAL rho, jx, jy;
  HT_NODE(d2q9_moments)(g, &rho, &jx, &jy);
  HT_REAL keep = 1 - omega, all = omega * rho;
  HT_REAL steep = (HT_REAL)0.125 * omega * HT_NODE(inverse_density)(rho, compressibility);
  HT_REAL flux = steep * (jx * jx + jy * jy);
  HT_REAL base = (HT_REAL)(1.0 / 36) * all - (HT_REAL)(1.0 / 3) * flux;
  HT_REAL push = (HT_REAL)(1.0 / 12) * omega, push_axis = (HT_REAL)0.5 * omega - 2 * push;
  g[0] = keep * g[0] + (all - 20 * base - 12 * flux);
  HT_RELAX_PAIR(1, 4, push_axis, jx)
  HT_RELAX_PAIR(3, 4, push_axis, jy)
  HT_RELAX_PAIR(5, 1, push, jx + jy)
  HT_RELAX_PAIR(7, 1, push, jx - jy)
}

/* Odd moments of one axis: momentum (returned, kept) and energy flux q = 3 c^2 c_x - 5 c_x with
 * q^eq = -j. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(d2q9_relax_flux)(HT_REAL *along, HT_REAL *diagonal, HT_REAL heat) {
  HT_REAL momentum = *along + *diagonal;
  HT_REAL q = (HT_REAL)(-1.0 / 12) * heat * (2 * *diagonal - *along);
  *along = (HT_REAL)0.5 * *along - 2 * q;
  *diagonal = (HT_REAL)0.25 * *diagonal + q;
  return momentum;
}

/* Even moments of folded values; xx, yy, xy are r j_x^2, ... The free parameters of Lallemand & Luo
 * (alpha_2 = -8, alpha_3 = 4, gamma_2 = 18, gamma_4 = -18, c_1 = -2, gamma_1 = gamma_3 = 2/3) are
 * those that give the equilibrium of LBGK: e^eq = -2 rho + 3 j.j, e2^eq = rho - 3 j.j. */
HT_ALWAYS_INLINE void HT_NODE(d2q9_relax_even)(HT_REAL *g, HT_REAL xx, HT_REAL yy, HT_REAL xy,
                                               HT_REAL viscous, HT_REAL energy, HT_REAL energy2) {
  const HT_REAL half = (HT_REAL)0.5, quarter = (HT_REAL)0.25;
  HT_REAL axes = g[1] + g[3], total = xx + yy;
  HT_REAL e = (HT_REAL)(-1.0 / 36) * energy * (axes + 4 * g[5] - 2 * g[0] - 3 * total);
  HT_REAL e2 = (HT_REAL)(-1.0 / 12) * energy2 * (g[0] - axes + total);
  HT_REAL p = quarter * viscous * ((xx - yy) - (g[1] - g[3]));
  HT_REAL on_axis = -e - 2 * e2;
  g[0] = g[0] - 4 * e + 4 * e2;
  g[1] = half * g[1] + (on_axis + p);
  g[3] = half * g[3] + (on_axis - p);
  g[5] = quarter * g[5] + (2 * e + e2);
  g[7] = quarter * g[7] + quarter * viscous * (xy - g[7]);
}

/* MRT with any rates (see collide.h for how); `viscous` is s8 = s9 = omega. */
HT_ALWAYS_INLINE void HT_NODE(d2q9_mrt_rates)(HT_REAL *g, int compressibility, HT_REAL viscous,
                                              HT_REAL energy, HT_REAL energy2, HT_REAL heat) {
  HT_NODE(fold)(&g[1], &g[2]);
  HT_NODE(fold)(&g[3], &g[4]);
  HT_NODE(fold_plane)(g + 5);
  HT_REAL r = HT_NODE(inverse_density)(g[0] + (g[1] + g[3]) + g[5], compressibility);
  HT_REAL jx = HT_NODE(d2q9_relax_flux)(&g[2], &g[6], heat);
  HT_REAL jy = HT_NODE(d2q9_relax_flux)(&g[4], &g[8], heat);
  HT_REAL ux = r * jx, uy = r * jy;
  HT_NODE(d2q9_relax_even)(g, ux * jx, uy * jy, ux * jy, viscous, energy, energy2);
  HT_NODE(fold)(&g[1], &g[2]);
  HT_NODE(fold)(&g[3], &g[4]);
  HT_NODE(unfold_plane)(g + 5);
}

HT_ALWAYS_INLINE void HT_NODE(d2q9_mrt)(HT_REAL *g, int compressibility, HT_REAL omega) {
  HT_NODE(d2q9_mrt_rates)
  (g, compressibility, omega, (HT_REAL)HT_D2Q9_ENERGY, (HT_REAL)HT_D2Q9_ENERGY2,
   (HT_REAL)HT_D2Q9_HEAT);
}

/* One collision of any model, as relax(). */
HT_ALWAYS_INLINE void HT_NODE(d2q9_relax)(HT_REAL *g, int model, HT_REAL omega) {
  if (HT_MODEL_COLLISION(model) == HT_MRT)
    HT_NODE(d2q9_mrt)(g, HT_MODEL_COMPRESSIBILITY(model), omega);
  else
    HT_NODE(d2q9_lbgk)(g, HT_MODEL_COMPRESSIBILITY(model), omega);
}

/* Density deviation and velocity of either equilibrium. */
HT_INLINE void HT_NODE(d2q9_velocity)(const HT_REAL *g, int compressibility, HT_REAL *rho,
                                      HT_REAL *u) {
  HT_NODE(d2q9_moments)(g, rho, &u[0], &u[1]);
  HT_REAL r = HT_NODE(inverse_density)(*rho, compressibility);
  u[0] *= r, u[1] *= r;
}

/* Viscous stress xx yy xy of a node before its collision; see stress_of(). */
HT_INLINE void HT_NODE(d2q9_stress_of)(const HT_REAL *g, int model, HT_REAL omega, HT_REAL *sigma) {
  HT_REAL rho, jx, jy, diagonal = (g[5] + g[6]) + (g[7] + g[8]);
  HT_NODE(d2q9_moments)(g, &rho, &jx, &jy);
  HT_REAL r = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  HT_REAL xx = (g[1] + g[2]) + diagonal - rho / 3 - r * jx * jx;
  HT_REAL yy = (g[3] + g[4]) + diagonal - rho / 3 - r * jy * jy;
  HT_REAL xy = (g[5] + g[6]) - (g[7] + g[8]) - r * jx * jy;
  HT_REAL energy = HT_MODEL_COLLISION(model) == HT_MRT ? (HT_REAL)HT_D2Q9_ENERGY : omega;
  HT_REAL bulk = (energy - omega) / 2 * ((xx + yy) / 2);
  sigma[0] = (omega / 2 - 1) * xx + bulk;
  sigma[1] = (omega / 2 - 1) * yy + bulk;
  sigma[2] = (omega / 2 - 1) * xy;
}
