/* The collision of one node: on D3Q19 LBGK or MRT with either equilibrium of moments.h, on D3Q27
 * the cumulants of cumulant.h; in the part of C that CUDA C++ also takes. Included by node.h after
 * cumulant.h; no include guard on purpose.
 *
 * The viscosity is nu = (1/omega - 1/2) / 3, omega = 1/tau. relax() takes a model of model.h; a
 * constant model leaves only its own code. */
#ifndef HT_COLLIDE_ONCE
#define HT_COLLIDE_ONCE

/* Relaxation rates that do not set the viscosity: energy, energy squared, heat flux, third-order
 * ghosts, fourth order (pi_xx, pi_ww). The first four are the values for D3Q19 of d'Humieres,
 * Ginzburg, Krafczyk, Lallemand & Luo, Phil. Trans. R. Soc. A 360 (2002) 437: s1, s2, s4, s16.
 * Their s10 is 1.4: see below. */
#define HT_MRT_ENERGY  1.19
#define HT_MRT_ENERGY2 1.4
#define HT_MRT_HEAT    1.2
#define HT_MRT_GHOST   1.98
#define HT_MRT_FOURTH  1.9

/* LBGK for one opposite pair: the even part, `many` (w / w_diagonal, a power of two) times (base +
 * steep cj^2), and the odd part, push cj. */
#define HT_RELAX_PAIR(i, many, push, cj)                                                           \
  {                                                                                                \
    HT_REAL cj_ = (cj);                                                                            \
    HT_REAL even_ = (many) * (base + steep * cj_ * cj_);                                           \
    HT_REAL odd_ = (push)*cj_;                                                                     \
    g[i] = keep * g[i] + (even_ + odd_);                                                           \
    g[(i) + 1] = keep * g[(i) + 1] + (even_ - odd_);                                               \
  }

#endif

/* LBGK: g <- g - omega (g - g^eq), omega = 1/tau (Bhatnagar, Gross & Krook 1954).
 *
 * 1/18 and 1/36 have no exact float. With every weight rounded on its own, each collision changes
 * the mass by a few 1e-8 of the density's deviation and of j.j, always with the same sign. So the
 * directions of a class get integer multiples of one number (base, steep, push), and the remainder,
 * the rest and the axes' share of the momentum, is computed from these. The rounding of the
 * constants then cancels exactly, and the remaining rounding has no preferred sign. */
HT_ALWAYS_INLINE void HT_NODE(lbgk)(HT_REAL *g, int compressibility, HT_REAL omega) {
  HT_REAL rho, jx, jy, jz;
  HT_NODE(moments)(g, HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), &rho, &jx, &jy, &jz);
  HT_REAL keep = 1 - omega, all = omega * rho;
  HT_REAL steep = (HT_REAL)0.125 * omega * HT_NODE(inverse_density)(rho, compressibility);
  HT_REAL flux = steep * (jx * jx + jy * jy + jz * jz);
  HT_REAL base = (HT_REAL)(1.0 / 36) * all - (HT_REAL)(1.0 / 3) * flux;
  HT_REAL push = (HT_REAL)(1.0 / 12) * omega, push_axis = (HT_REAL)0.5 * omega - 4 * push;
  g[0] = keep * g[0] + (all - 24 * base - 12 * flux);
  HT_RELAX_PAIR(1, 2, push_axis, jx)
  HT_RELAX_PAIR(3, 2, push_axis, jy)
  HT_RELAX_PAIR(5, 2, push_axis, jz)
  HT_RELAX_PAIR(7, 1, push, jx + jy)
  HT_RELAX_PAIR(9, 1, push, jx - jy)
  HT_RELAX_PAIR(11, 1, push, jx + jz)
  HT_RELAX_PAIR(13, 1, push, jx - jz)
  HT_RELAX_PAIR(15, 1, push, jy + jz)
  HT_RELAX_PAIR(17, 1, push, jy - jz)
}

/* ---- MRT ---- The moments of d'Humieres et al. (2002) are sums over directions of g_i times
 * polynomials in c_i that are even or odd in c_i and products of one polynomial an axis. So the
 * transform is done as sums and differences, in place, of opposite directions, then of the two
 * diagonals of a plane:
 *   g[1] g[3] g[5]     sum of the pair along x, y, z          g[2] g[4] g[6]  its difference
 *   g[7] .. g[10]      plane xy: sum of its four, flux along x, xy moment, flux along y
 *   g[11] .. g[14]     plane xz, too, g[15] .. g[18] plane yz
 * In these the relaxation is sparse: three axes that do the same, no matrix. The way back is the
 * same sums and differences; the 1/2 and 1/4 that it needs are folded into the relaxation.
 *
 * The free parameters of the paper's equilibrium (w_e, w_ej, w_xx) are 3, -11/2, -1/2: with these
 * the equilibrium is that of LBGK exactly, so that one formula gives pressure, velocity and stress
 * for all models, and equal rates give LBGK back. (The set that the paper found best by linear
 * analysis is 0, -475/63, 0.) The paper's s10 = 1.4 lets short shear waves grow below tau = 0.5035
 * even in a fluid at rest, where the free parameters have no effect; at 1.9 none grows down to
 * 0.501 (docs/notes/solver/mrt-rates.md has the analysis; test_collide). The factors by which a
 * moment's change is spread over the directions are integers that add up to 0, not rounded
 * constants, so that rounding changes mass and momentum with no preferred sign. */

/* (a, b) <- (a + b, a - b) */
HT_ALWAYS_INLINE void HT_NODE(fold)(HT_REAL *a, HT_REAL *b) {
  HT_REAL sum = *a + *b;
  *b = *a - *b;
  *a = sum;
}

/* Four diagonals of a plane <-> sum, flux along the first axis, product moment, second flux. */
HT_ALWAYS_INLINE void HT_NODE(fold_plane)(HT_REAL *g) {
  HT_NODE(fold)(&g[0], &g[1]);
  HT_NODE(fold)(&g[2], &g[3]);
  HT_NODE(fold)(&g[0], &g[2]);
  HT_NODE(fold)(&g[1], &g[3]);
}
HT_ALWAYS_INLINE void HT_NODE(unfold_plane)(HT_REAL *g) {
  HT_NODE(fold)(&g[0], &g[2]);
  HT_NODE(fold)(&g[1], &g[3]);
  HT_NODE(fold)(&g[0], &g[1]);
  HT_NODE(fold)(&g[2], &g[3]);
}

/* Odd moments of one axis: momentum (returned, kept), heat flux q = 5 c^2 c_x - 9 c_x with q^eq =
 * -2/3 j, and ghost m = (c_y^2 - c_z^2) c_x with m^eq = 0. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(relax_flux)(HT_REAL *along, HT_REAL *first, HT_REAL *second,
                                             HT_REAL heat, HT_REAL ghost) {
  HT_REAL diagonal = *first + *second, momentum = *along + diagonal;
  HT_REAL q = (HT_REAL)(-1.0 / 24) * heat * (diagonal - 2 * *along);
  HT_REAL m = (HT_REAL)(-1.0 / 8) * ghost * (*first - *second);
  *along = (HT_REAL)0.5 * *along - 4 * q;
  *first = (HT_REAL)0.25 * *first + (q + m);
  *second = (HT_REAL)0.25 * *second + (q - m);
  return momentum;
}

/* Even moments that have an axis: the second-order p (3 p_xx, p_ww) with p^eq = r (j_x^2 - j.j/3),
 * and the fourth-order pi with pi^eq = -p^eq/2, of which this is the part along one axis: `axis` is
 * the pair along it, `plane` the diagonals of the plane across it, `flux` is r j_x^2. The sums over
 * the three axes make p and pi traceless, for a threefold of each: 1/3 has no exact float, and its
 * rounding would change the mass. on_axis, on_plane are the contributions of the scalars. */
HT_ALWAYS_INLINE void HT_NODE(relax_axis)(HT_REAL *axis, HT_REAL *plane, HT_REAL flux,
                                          HT_REAL viscous, HT_REAL fourth, const HT_REAL *minus,
                                          HT_REAL on_axis, HT_REAL on_plane) {
  HT_REAL p = (HT_REAL)(1.0 / 18) * viscous * (3 * ((*axis - *plane) - flux) + minus[0]);
  HT_REAL pi =
      (HT_REAL)(1.0 / 36) * fourth * (3 * ((2 * *axis + *plane) - (HT_REAL)0.5 * flux) + minus[1]);
  *axis = (HT_REAL)0.5 * *axis + (on_axis - p - 2 * pi);
  *plane = (HT_REAL)0.25 * *plane + (on_plane + p - pi);
}

/* Even moments: energy, energy squared, the two above; flux[] is r j_x^2, r j_y^2, r j_z^2. */
HT_ALWAYS_INLINE void HT_NODE(relax_even)(HT_REAL *g, const HT_REAL *flux, HT_REAL axes,
                                          HT_REAL planes, HT_REAL viscous, HT_REAL energy,
                                          HT_REAL energy2, HT_REAL fourth) {
  HT_REAL total = flux[0] + flux[1] + flux[2];
  /* e - e^eq = 19 (...), e2 - e2^eq = (...) */
  HT_REAL e = (HT_REAL)(-1.0 / 126) * energy * (planes - g[0] - total);
  HT_REAL e2 =
      (HT_REAL)(-1.0 / 252) * energy2 * (9 * g[0] - 7 * axes - 2 * planes + (HT_REAL)5.5 * total);
  HT_REAL minus[2] = {planes + total - axes, (HT_REAL)0.5 * total - (2 * axes + planes)};
  HT_REAL on_axis = -11 * e - 4 * e2, on_plane = 8 * e + e2;
  g[0] = g[0] - 30 * e + 12 * e2;
  HT_NODE(relax_axis)(&g[1], &g[15], flux[0], viscous, fourth, minus, on_axis, on_plane);
  HT_NODE(relax_axis)(&g[3], &g[11], flux[1], viscous, fourth, minus, on_axis, on_plane);
  HT_NODE(relax_axis)(&g[5], &g[7], flux[2], viscous, fourth, minus, on_axis, on_plane);
}

/* MRT with any rates. `viscous` is s9 = s13 = omega. */
HT_ALWAYS_INLINE void HT_NODE(mrt_rates)(HT_REAL *g, int compressibility, HT_REAL viscous,
                                         HT_REAL energy, HT_REAL energy2, HT_REAL heat,
                                         HT_REAL ghost, HT_REAL fourth) {
  HT_NODE(fold)(&g[1], &g[2]);
  HT_NODE(fold)(&g[3], &g[4]);
  HT_NODE(fold)(&g[5], &g[6]);
  HT_NODE(fold_plane)(g + 7);
  HT_NODE(fold_plane)(g + 11);
  HT_NODE(fold_plane)(g + 15);

  HT_REAL axes = g[1] + g[3] + g[5], planes = g[7] + g[11] + g[15];
  HT_REAL r = HT_NODE(inverse_density)(g[0] + (axes + planes), compressibility);
  HT_REAL jx = HT_NODE(relax_flux)(&g[2], &g[8], &g[12], heat, ghost);
  HT_REAL jy = HT_NODE(relax_flux)(&g[4], &g[16], &g[10], heat, ghost);
  HT_REAL jz = HT_NODE(relax_flux)(&g[6], &g[14], &g[18], heat, ghost);
  HT_REAL ux = r * jx, uy = r * jy, uz = r * jz;
  const HT_REAL flux[3] = {ux * jx, uy * jy, uz * jz}, quarter = (HT_REAL)0.25;
  g[9] = quarter * g[9] + quarter * viscous * (ux * jy - g[9]);
  g[13] = quarter * g[13] + quarter * viscous * (ux * jz - g[13]);
  g[17] = quarter * g[17] + quarter * viscous * (uy * jz - g[17]);
  HT_NODE(relax_even)(g, flux, axes, planes, viscous, energy, energy2, fourth);

  HT_NODE(fold)(&g[1], &g[2]);
  HT_NODE(fold)(&g[3], &g[4]);
  HT_NODE(fold)(&g[5], &g[6]);
  HT_NODE(unfold_plane)(g + 7);
  HT_NODE(unfold_plane)(g + 11);
  HT_NODE(unfold_plane)(g + 15);
}

HT_ALWAYS_INLINE void HT_NODE(mrt)(HT_REAL *g, int compressibility, HT_REAL omega) {
  HT_NODE(mrt_rates)
  (g, compressibility, omega, (HT_REAL)HT_MRT_ENERGY, (HT_REAL)HT_MRT_ENERGY2, (HT_REAL)HT_MRT_HEAT,
   (HT_REAL)HT_MRT_GHOST, (HT_REAL)HT_MRT_FOURTH);
}

/* ---- any model ---- */

/* One collision with rates found before (of LBGK and MRT omega alone counts). In place: slot i of g
 * then holds the value that leaves along direction i. */
HT_ALWAYS_INLINE void HT_NODE(relax_at)(HT_REAL *g, int model,
                                        const HT_NODE(cumulant_rates) * rates) {
  if (HT_MODEL_COLLISION(model) == HT_CUMULANT)
    HT_NODE(cumulant)(g, rates);
  else if (HT_MODEL_COLLISION(model) == HT_MRT)
    HT_NODE(mrt)(g, HT_MODEL_COMPRESSIBILITY(model), rates->omega);
  else
    HT_NODE(lbgk)(g, HT_MODEL_COMPRESSIBILITY(model), rates->omega);
}

/* Relaxes the node of a port. Where its values have been rebuilt from their moments up to second
 * order, the third-order cumulants go to 0 at once: with the slow rates of K17 they would carry
 * what the port left out from node to node, as a zigzag across the section. */
HT_ALWAYS_INLINE void HT_NODE(relax_port)(HT_REAL *g, int model, int is_rebuilt, HT_REAL omega) {
  HT_NODE(cumulant_rates) rates = {omega, 0, 0, 0, 0, 0};
  if (HT_MODEL_COLLISION(model) == HT_CUMULANT && !is_rebuilt)
    rates = HT_NODE(cumulant_rates_of)(omega);
  HT_NODE(relax_at)(g, model, &rates);
}

/* The rates of a collision; omega = 1/tau. */
HT_ALWAYS_INLINE HT_NODE(cumulant_rates) HT_NODE(rates_of)(int model, HT_REAL omega) {
  HT_NODE(cumulant_rates) rates = {omega, 0, 0, 0, 0, 0};
  return HT_MODEL_COLLISION(model) == HT_CUMULANT ? HT_NODE(cumulant_rates_of)(omega) : rates;
}

/* One collision. */
HT_ALWAYS_INLINE void HT_NODE(relax)(HT_REAL *g, int model, HT_REAL omega) {
  HT_NODE(cumulant_rates) rates = HT_NODE(rates_of)(model, omega);
  HT_NODE(relax_at)(g, model, &rates);
}
