/* The viscous stress of one node; in the part of C that CUDA C++ also takes. Included by
 * node.h after collide.h; no include guard on purpose. */

/* The rate of the trace of the second-order moments. */
HT_INLINE HT_REAL HT_NODE(energy_rate)(int model, HT_REAL omega) {
  switch (HT_MODEL_COLLISION(model)) {
  case HT_MRT:
    return (HT_REAL)HT_MRT_ENERGY;
  case HT_CUMULANT:
    return 1;
  default:
    return omega;
  }
}

/* Viscous stress (lattice units) of a node before its collision, xx yy zz xy xz yz, for any model:
 * the momentum flux beyond the equilibrium's rho/3 + r j j, as the mean of before and after the
 * collision (e.g. Kruger et al., The Lattice Boltzmann Method (2017), section 4.1.4). Every moment
 * of second order relaxes with omega, except in MRT and cumulants the trace (the energy), which has
 * its own rate: a separate bulk viscosity, without effect where div u = 0. */
HT_INLINE void HT_NODE(stress_of)(const HT_REAL *g, int model, HT_REAL omega, HT_REAL *sigma) {
  HT_REAL rho, j[3];
  HT_NODE(moments)(g, model, &rho, &j[0], &j[1], &j[2]);
  HT_NODE(deviation_of)(g, model, rho, j, sigma);
  HT_REAL energy = HT_NODE(energy_rate)(model, omega);
  HT_REAL bulk = (energy - omega) / 2 * ((sigma[0] + sigma[1] + sigma[2]) / 3);
  for (int k = 0; k < 6; k++) sigma[k] = (omega / 2 - 1) * sigma[k] + (k < 3 ? bulk : 0);
}

/* omega of a node in a sponge, see damp() of cumulant.h. */
HT_INLINE HT_REAL HT_NODE(damped_rate)(HT_REAL omega, HT_REAL keep) {
  return 1 - keep * (1 - omega);
}

/* The inverse of stress_of(): the second-order moments beyond the equilibrium's that have this
 * stress, for rebuild_of(). */
HT_INLINE void HT_NODE(moment_of)(const HT_REAL *sigma, int model, HT_REAL omega, HT_REAL *moment) {
  HT_REAL energy = HT_NODE(energy_rate)(model, omega);
  HT_REAL mean = (sigma[0] + sigma[1] + sigma[2]) / 3;
  HT_REAL trace = mean / (energy / 2 - 1) - mean / (omega / 2 - 1);
  for (int k = 0; k < 6; k++) moment[k] = sigma[k] / (omega / 2 - 1) + (k < 3 ? trace : 0);
}
