/* The collision of one D3Q19 node, four models, written once in the part of C that CUDA C++ also
 * takes. Included by node.h (which gives moments() and deviation()) with HT_REAL (float or double)
 * and HT_NODE(name) defined; no include guard on purpose.
 *
 * Distribution functions are shifted by their weights, g_i = f_i - w_i; rho = sum g_i is the
 * density's deviation from 1, j = sum c_i g_i the momentum. Both equilibria are
 *   g_i^eq = w_i (rho + 3 c_i.j + r (9/2 (c_i.j)^2 - 3/2 j.j)),   nu = (1/omega - 1/2) / 3
 * HT_INCOMPRESSIBLE (He & Luo, J. Stat. Phys. 88 (1997) 927): r = 1, velocity j.
 * HT_QUASI_COMPRESSIBLE (Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479): r =
 * 1/(1 + rho), velocity u = j r; with f and the full density this is the usual w_i (1 + rho) (1 + 3
 * c_i.u + 9/2 (c_i.u)^2 - 3/2 u.u). Only products of second order carry r, so nothing cancels and
 * the small deviations that shifting keeps are kept here too.
 *
 * relax() takes the model as 2 * ht_collision + ht_compressibility; a constant there leaves the
 * code of that model alone. */
#ifndef HT_COLLIDE_ONCE
#define HT_COLLIDE_ONCE

#include "relax_table.h"
#include "solver.h"
#include <string.h>

/* What is inlined whatever its size: the model has to become a constant, and the CPU's loop over
 * nodes is made of vectors only where nothing is called. */
#if defined(__CUDACC__) || !defined(__GNUC__)
#define HT_ALWAYS_INLINE HT_INLINE
#else
#define HT_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* Relaxation rates that do not set the viscosity: energy, energy squared, heat flux, third-order
 * ghosts, fourth order (pi_xx, pi_ww). The first four are the values for D3Q19 of d'Humieres,
 * Ginzburg, Krafczyk, Lallemand & Luo, Phil. Trans. R. Soc. A 360 (2002) 437: s1, s2, s4, s16.
 * Their s10 is 1.4: see below. */
#define HT_MRT_ENERGY  1.19
#define HT_MRT_ENERGY2 1.4
#define HT_MRT_HEAT    1.2
#define HT_MRT_GHOST   1.98
#define HT_MRT_FOURTH  1.9

/* 1/x for a density. On the CPU the division of IEEE 754. On the GPU that is a branch and a call
 * for what no density can be (subnormal, huge), so there the hardware's estimate is refined by
 * Newton steps, y <- y + y (1 - x y): from 23 bits by one in single, from 20 by two in double
 * precision, the last bit aside the same value; 0 and infinity give NaN, which a flow that diverged
 * has anyway. */
#ifdef __CUDACC__
HT_INLINE float ht_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fmaf(y, fmaf(-x, y, 1.0f), y);
}
HT_INLINE double ht_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(y, fma(-x, y, 1.0), y);
  return fma(y, fma(-x, y, 1.0), y);
}
#else
#define ht_reciprocal(x) (1 / (x))
#endif

/* Row of the relaxation table (relax_table.h) for x, and the place t in it: the exponent and the
 * first bits of the fraction, and its other bits. What lies outside the table, or is no number, has
 * its first or last value. (Compared as integers: floats would become branches.) */
HT_ALWAYS_INLINE int relax_row_f32(float x, float *t) {
  const int32_t least = (127 - HT_RELAX_OCTAVES) * 0x800000, most = 127 * 0x800000 - 1;
  int32_t bits, rest;
  memcpy(&bits, &x, sizeof bits);
  bits = bits > least ? bits : least;
  bits = bits < most ? bits : most;
  rest = ((bits & (0x7fffff / HT_RELAX_STEPS)) * HT_RELAX_STEPS) | 0x3f800000;
  memcpy(t, &rest, sizeof rest);
  *t -= 1;
  return (bits - least) >> (23 - HT_RELAX_LOG2_STEPS);
}
HT_ALWAYS_INLINE int relax_row_f64(double x, double *t) {
  const int64_t one = 0x10000000000000, least = (1023 - HT_RELAX_OCTAVES) * one;
  const int64_t most = 1023 * one - 1;
  int64_t bits, rest;
  memcpy(&bits, &x, sizeof bits);
  bits = bits > least ? bits : least;
  bits = bits < most ? bits : most;
  rest = ((bits & ((one - 1) / HT_RELAX_STEPS)) * HT_RELAX_STEPS) | 0x3ff0000000000000;
  memcpy(t, &rest, sizeof rest);
  *t -= 1;
  return (int)((bits - least) >> (52 - HT_RELAX_LOG2_STEPS));
}

/* The four coefficients of row / 4. (On the CPU `|`, not `+`: GCC makes gathers of it.) */
#ifdef __CUDACC__
HT_INLINE void ht_load_row(const float *table, int row, float c[4]) {
  float4 all = __ldg((const float4 *)(table + row));
  c[0] = all.x, c[1] = all.y, c[2] = all.z, c[3] = all.w;
}
HT_INLINE void ht_load_row(const double *table, int row, double c[4]) {
  const double2 *at = (const double2 *)(table + row);
  double2 low = __ldg(at), high = __ldg(at + 1);
  c[0] = low.x, c[1] = low.y, c[2] = high.x, c[3] = high.y;
}
#else
#define ht_load_row(table, row, c)                                                                 \
  ((c)[0] = (table)[(row)], (c)[1] = (table)[(row) | 1], (c)[2] = (table)[(row) | 2],              \
   (c)[3] = (table)[(row) | 3])
#endif

/* LBGK for one opposite pair: what is even in the direction, `many` (w / w_diagonal, a power of
 * two) times (base + steep cj^2), and what is odd, push cj. */
#define HT_RELAX_PAIR(i, many, push, cj)                                                           \
  {                                                                                                \
    HT_REAL cj_ = (cj);                                                                            \
    HT_REAL even_ = (many) * (base + steep * cj_ * cj_);                                           \
    HT_REAL odd_ = (push)*cj_;                                                                     \
    g[i] = keep * g[i] + (even_ + odd_);                                                           \
    g[(i) + 1] = keep * g[(i) + 1] + (even_ - odd_);                                               \
  }

#endif

/* r of the equilibrium. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(inverse_density)(HT_REAL rho, int compressibility) {
  return compressibility == HT_INCOMPRESSIBLE ? (HT_REAL)1 : ht_reciprocal(1 + rho);
}

/* LBGK: g <- g - omega (g - g^eq), omega = 1/tau (Bhatnagar, Gross & Krook 1954).
 *
 * 1/18 and 1/36 are no floats. With every weight rounded on its own, each collision changes the
 * mass by a few 1e-8 of the density's deviation and of j.j, always with the same sign. So the
 * directions of a class get integer multiples of one number (base, steep, push), and what is left
 * over, the rest and the axes' share of the momentum, is worked out from these: the constants'
 * rounding cancels exactly, and what remains of it has no side that it prefers. */
HT_ALWAYS_INLINE void HT_NODE(lbgk)(HT_REAL *g, int compressibility, HT_REAL omega) {
  HT_REAL rho, jx, jy, jz;
  HT_NODE(moments)(g, &rho, &jx, &jy, &jz);
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

/* ---- MRT ----
 * The moments of d'Humieres et al. (2002) are sums over directions of g_i times polynomials in c_i
 * that are even or odd in c_i and products of one polynomial an axis. So the transform is done as
 * sums and differences, in place, of opposite directions, then of the two diagonals of a plane:
 *   g[1] g[3] g[5]     sum of the pair along x, y, z          g[2] g[4] g[6]  its difference
 *   g[7] .. g[10]      plane xy: sum of its four, flux along x, xy moment, flux along y
 *   g[11] .. g[14]     plane xz likewise, g[15] .. g[18] plane yz
 * In these the relaxation is sparse: three axes that do the same, no matrix. The way back is the
 * same sums and differences; the 1/2 and 1/4 that it needs are folded into the relaxation.
 *
 * What is free in the paper's equilibrium (w_e, w_ej, w_xx) is 3, -11/2, -1/2: with these the
 * equilibrium is that of LBGK exactly, so that one formula gives pressure, velocity and stress for
 * all models, and equal rates give LBGK back. (The set that the paper found best by linear analysis
 * is 0, -475/63, 0.) The paper's s10 = 1.4 lets short shear waves grow below tau =
 * 0.5035 even in a fluid at rest, where the free parameters have no part in it; at 1.9 none grows
 * down to 0.501 (solver/README.md has the analysis; test_collide). The factors by which a moment's
 * change is spread over the directions are integers that add up to 0, not rounded constants, so
 * that rounding has no side that it prefers for mass and momentum. */

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
 * and the fourth-order pi with pi^eq = -p^eq/2, of which this is the part along one axis: `axis`
 * is the pair along it, `plane` the diagonals of the plane across it, `flux` is r j_x^2. The sums
 * over the three axes make p and pi traceless, for a threefold of each: 1/3 is no float, and its
 * rounding would leave mass behind. on_axis, on_plane are what the scalars add. */
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

/* ---- a viscosity that hangs on the shear rate ---- */

/* x of relax_table.h: the square of the second-order moments beyond the equilibrium's, without
 * their trace (which has its own rate in MRT, and is no shear). The sums are those of the collision
 * that follows, in its order, so that the compiler does them once. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(shear_square)(const HT_REAL *g, int compressibility) {
  HT_REAL rho, jx, jy, jz;
  HT_NODE(moments)(g, &rho, &jx, &jy, &jz);
  HT_REAL r = HT_NODE(inverse_density)(rho, compressibility);
  HT_REAL ux = r * jx, uy = r * jy, uz = r * jz;
  HT_REAL xy = g[7] + g[8], yx = g[9] + g[10], xz = g[11] + g[12], zx = g[13] + g[14],
          yz = g[15] + g[16], zy = g[17] + g[18];
  HT_REAL x = ((g[1] + g[2]) - (yz + zy)) - ux * jx;
  HT_REAL y = ((g[3] + g[4]) - (xz + zx)) - uy * jy;
  HT_REAL z = ((g[5] + g[6]) - (xy + yx)) - uz * jz;
  HT_REAL mean = (HT_REAL)(1.0 / 3) * (x + y + z);
  HT_REAL pxy = (xy - yx) - ux * jy, pxz = (xz - zx) - ux * jz, pyz = (yz - zy) - uy * jz;
  x -= mean, y -= mean, z -= mean;
  return r * r * ((x * x + y * y + z * z) + 2 * (pxy * pxy + pxz * pxz + pyz * pyz));
}

/* omega at x by the table, [HT_RELAX_ROWS][4]. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(look_up_rate)(HT_REAL x, const HT_REAL *table) {
  HT_REAL t, c[4];
  int row = 4 * HT_NODE(relax_row)(x, &t);
  ht_load_row(table, row, c);
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* omega of a node before its collision. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(local_rate)(const HT_REAL *g, int compressibility,
                                             const HT_REAL *table) {
  return HT_NODE(look_up_rate)(HT_NODE(shear_square)(g, compressibility), table);
}

/* ---- any model ---- */

/* One collision; omega = 1/tau. In place: slot i of g holds what leaves along direction i. */
HT_ALWAYS_INLINE void HT_NODE(relax)(HT_REAL *g, int model, HT_REAL omega) {
  if (model / 2 == HT_MRT)
    HT_NODE(mrt)(g, model % 2, omega);
  else
    HT_NODE(lbgk)(g, model % 2, omega);
}

/* Density deviation and velocity of either equilibrium. */
HT_INLINE void HT_NODE(velocity)(const HT_REAL *g, int compressibility, HT_REAL *rho, HT_REAL *u) {
  HT_NODE(moments)(g, rho, &u[0], &u[1], &u[2]);
  HT_REAL r = HT_NODE(inverse_density)(*rho, compressibility);
  for (int k = 0; k < 3; k++) u[k] *= r;
}

/* deviation() and rebuild() of node.h for either equilibrium, with the momentum j in place of the
 * velocity: what the equilibria differ in is a second-order moment, (1 - r) j j. */
HT_INLINE void HT_NODE(deviation_of)(const HT_REAL *g, int compressibility, HT_REAL rho,
                                     const HT_REAL *j, HT_REAL *moment) {
  HT_REAL extra = 1 - HT_NODE(inverse_density)(rho, compressibility);
  HT_NODE(deviation)(g, rho, j, moment);
  moment[0] += extra * j[0] * j[0], moment[3] += extra * j[0] * j[1];
  moment[1] += extra * j[1] * j[1], moment[4] += extra * j[0] * j[2];
  moment[2] += extra * j[2] * j[2], moment[5] += extra * j[1] * j[2];
}

HT_INLINE void HT_NODE(rebuild_of)(HT_REAL *g, int compressibility, HT_REAL rho, const HT_REAL *j,
                                   const HT_REAL *moment) {
  HT_REAL extra = HT_NODE(inverse_density)(rho, compressibility) - 1;
  const HT_REAL all[6] = {moment[0] + extra * j[0] * j[0], moment[1] + extra * j[1] * j[1],
                          moment[2] + extra * j[2] * j[2], moment[3] + extra * j[0] * j[1],
                          moment[4] + extra * j[0] * j[2], moment[5] + extra * j[1] * j[2]};
  HT_NODE(rebuild)(g, rho, j, all);
}

/* Viscous stress (lattice units) of a node before its collision, xx yy zz xy xz yz, for any model:
 * what momentum flows beyond the equilibrium's rho/3 + r j j, the mean of before and after the
 * collision (e.g. Kruger et al., The Lattice Boltzmann Method (2017), section 4.1.4). Every moment
 * of second order relaxes with omega, save that in MRT the trace (the energy) has its own rate: a
 * bulk viscosity of its own, nothing where div u = 0. */
HT_INLINE void HT_NODE(stress_of)(const HT_REAL *g, int model, HT_REAL omega, HT_REAL *sigma) {
  HT_REAL rho, j[3];
  HT_NODE(moments)(g, &rho, &j[0], &j[1], &j[2]);
  HT_NODE(deviation_of)(g, model % 2, rho, j, sigma);
  HT_REAL energy = model / 2 == HT_MRT ? (HT_REAL)HT_MRT_ENERGY : omega;
  HT_REAL bulk = (energy - omega) / 2 * ((sigma[0] + sigma[1] + sigma[2]) / 3);
  for (int k = 0; k < 6; k++) sigma[k] = (omega / 2 - 1) * sigma[k] + (k < 3 ? bulk : 0);
}

/* The other way: the second-order moments beyond the equilibrium's that stress_of() finds a stress
 * from, for rebuild_of(). */
HT_INLINE void HT_NODE(moment_of)(const HT_REAL *sigma, int model, HT_REAL omega, HT_REAL *moment) {
  HT_REAL energy = model / 2 == HT_MRT ? (HT_REAL)HT_MRT_ENERGY : omega;
  HT_REAL mean = (sigma[0] + sigma[1] + sigma[2]) / 3;
  HT_REAL trace = mean / (energy / 2 - 1) - mean / (omega / 2 - 1);
  for (int k = 0; k < 6; k++) moment[k] = sigma[k] / (omega / 2 - 1) + (k < 3 ? trace : 0);
}
