/* Moments of one node, and the values that have given moments; in the part of C that CUDA C++ also
 * takes. Included by node.h with HT_REAL (float or double) and HT_NODE(name) defined; no
 * include guard on purpose.
 *
 * Distribution functions are stored shifted by their weights, g_i = f_i - w_i, so that single
 * precision keeps the small deviations (Skordos, Phys. Rev. E 48 (1993) 4823). rho = sum g_i is the
 * density's deviation from 1, j = sum c_i g_i the momentum. Both equilibria are
 *   g_i^eq = w_i (rho + 3 c_i.j + r (9/2 (c_i.j)^2 - 3/2 j.j))
 * HT_INCOMPRESSIBLE (He & Luo, J. Stat. Phys. 88 (1997) 927): r = 1, velocity j.
 * HT_QUASI_COMPRESSIBLE (Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479): r =
 * 1/(1 + rho), velocity u = j r; with f and the full density this is the usual w_i (1 + rho) (1 + 3
 * c_i.u + 9/2 (c_i.u)^2 - 3/2 u.u). Only products of second order contain r: no large terms cancel,
 * and the equilibrium keeps the small deviations too.
 *
 * `model`: see model.h; constant in every caller that counts, so that it leaves no branch. */
#ifndef HT_MOMENTS_ONCE
#define HT_MOMENTS_ONCE

#include "solver/kernels/directions.h"
#include "solver/kernels/model.h"

/* Inlined whatever its size: the model has to become a constant, and compilers vectorise the CPU's
 * loop over nodes only where it calls nothing. */
#if defined(__CUDACC__) || !defined(__GNUC__)
#define HT_ALWAYS_INLINE HT_INLINE
#define HT_UNROLL_27     _Pragma("unroll")
#else
#define HT_UNROLL_27     _Pragma("GCC unroll 27")
#define HT_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* 1/x for a density. On the CPU the division of IEEE 754. On the GPU that has a branch and a call
 * for values that no density takes (subnormal, huge). So there Newton steps refine the hardware's
 * estimate, y <- y + y (1 - x y): one step from 23 bits in single, two steps from 20 bits in double
 * precision. The result is the same except for the last bit. 0 and infinity give NaN, which a
 * diverged flow contains anyway. */
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
/* Returns 1 / x, in single precision without the refinement: to the last two bits. */
HT_INLINE float ht_rough_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
HT_INLINE double ht_rough_reciprocal(double x) {
  return ht_reciprocal(x);
}
/* a - 2 b and |x|, in one instruction: the compiler takes two for the formulas below. */
HT_INLINE float ht_less_twice(float a, float b) {
  return fmaf(-2.0f, b, a);
}
HT_INLINE double ht_less_twice(double a, double b) {
  return fma(-2.0, b, a);
}
HT_INLINE float ht_magnitude(float x) {
  return fabsf(x);
}
HT_INLINE double ht_magnitude(double x) {
  return fabs(x);
}
#else
#define ht_reciprocal(x)       (1 / (x))
#define ht_rough_reciprocal(x) (1 / (x))
#define ht_less_twice(a, b)    ((a)-2 * (b))
#define ht_magnitude(x)        ((x) < 0 ? -(x) : (x))
#endif

#endif

/* Density deviation and momentum (lattice units). */
HT_INLINE void HT_NODE(moments)(const HT_REAL *g, int model, HT_REAL *rho, HT_REAL *ux, HT_REAL *uy,
                                HT_REAL *uz) {
  HT_REAL xy = g[7] - g[8], yx = g[9] - g[10], xz = g[11] - g[12], zx = g[13] - g[14],
          yz = g[15] - g[16], zy = g[17] - g[18];
  *ux = (g[1] - g[2]) + ((xy + yx) + (xz + zx));
  *uy = (g[3] - g[4]) + ((xy - yx) + (yz + zy));
  *uz = (g[5] - g[6]) + ((xz - zx) + (yz - zy));
  *rho = g[0] + (((g[1] + g[2]) + (g[3] + g[4])) + (g[5] + g[6])) +
         (((g[7] + g[8]) + (g[9] + g[10])) + ((g[11] + g[12]) + (g[13] + g[14]))) +
         ((g[15] + g[16]) + (g[17] + g[18]));
  if (HT_MODEL_DIRECTIONS(model) == HT_Q19) return;
  HT_REAL ppp = g[19] - g[20], ppm = g[21] - g[22], pmp = g[23] - g[24], pmm = g[25] - g[26];
  *ux += (ppp + ppm) + (pmp + pmm);
  *uy += (ppp + ppm) - (pmp + pmm);
  *uz += (ppp - ppm) + (pmp - pmm);
  *rho += ((g[19] + g[20]) + (g[21] + g[22])) + ((g[23] + g[24]) + (g[25] + g[26]));
}

/* r of the equilibrium. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(inverse_density)(HT_REAL rho, int compressibility) {
  return compressibility == HT_INCOMPRESSIBLE ? (HT_REAL)1 : ht_reciprocal(1 + rho);
}

/* Density deviation and velocity of either equilibrium. */
HT_INLINE void HT_NODE(velocity)(const HT_REAL *g, int model, HT_REAL *rho, HT_REAL *u) {
  HT_NODE(moments)(g, model, rho, &u[0], &u[1], &u[2]);
  HT_REAL r = HT_NODE(inverse_density)(*rho, HT_MODEL_COMPRESSIBILITY(model));
  for (int k = 0; k < 3; k++) u[k] *= r;
}

/* All values from density, velocity and second-order non-equilibrium moment (xx yy zz xy xz yz):
 * the regularised form of Latt & Chopard, Math. Comput. Simul. 72 (2006) 165, for boundaries Latt
 * et al., Phys. Rev. E 77 (2008) 056703. */
HT_INLINE void HT_NODE(rebuild)(HT_REAL *g, int directions, HT_REAL rho, const HT_REAL *u,
                                const HT_REAL *moment) {
  HT_REAL base = rho - (HT_REAL)1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  HT_REAL third = (moment[0] + moment[1] + moment[2]) / 3;
  for (int q = 0; q < directions; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2];
    HT_REAL w = (HT_REAL)ht_weight(q, directions);
    HT_REAL cu = x * u[0] + y * u[1] + z * u[2];
    HT_REAL stress = x * x * moment[0] + y * y * moment[1] + z * z * moment[2] +
                     2 * (x * y * moment[3] + x * z * moment[4] + y * z * moment[5]) - third;
    g[q] = w * (base + 3 * cu + (HT_REAL)4.5 * (cu * cu + stress));
  }
}

/* Second-order moment of the deviation from equilibrium. */
HT_INLINE void HT_NODE(deviation)(const HT_REAL *g, int directions, HT_REAL rho, const HT_REAL *u,
                                  HT_REAL *moment) {
  for (int k = 0; k < 6; k++) moment[k] = 0;
  for (int q = 1; q < directions; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2];
    moment[0] += x * x * g[q], moment[1] += y * y * g[q], moment[2] += z * z * g[q];
    moment[3] += x * y * g[q], moment[4] += x * z * g[q], moment[5] += y * z * g[q];
  }
  moment[0] -= rho / 3 + u[0] * u[0], moment[3] -= u[0] * u[1];
  moment[1] -= rho / 3 + u[1] * u[1], moment[4] -= u[0] * u[2];
  moment[2] -= rho / 3 + u[2] * u[2], moment[5] -= u[1] * u[2];
}

/* The factor of one axis in the equilibrium of the cumulants less its weight; c: -1, 0 or 1. */
HT_INLINE HT_REAL HT_NODE(axis_deviation)(HT_REAL u, int c) {
  return c == 0 ? -u * u : (c * u + u * u) / 2;
}

/* The equilibrium of the cumulants is the product over the axes of w_c + axis_deviation(u, c),
 * times the density (Geier, Schonherr, Pasquali & Krafczyk, Comput. Math. Appl. 70 (2015) 507).
 * Adds its orders of the velocity from the third on to the values of rebuild(), which has the first
 * two. */
HT_INLINE void HT_NODE(add_high_orders)(HT_REAL *g, HT_REAL rho, const HT_REAL *j) {
  HT_REAL r = HT_NODE(inverse_density)(rho, HT_QUASI_COMPRESSIBLE), u[3];
  for (int a = 0; a < 3; a++) u[a] = r * j[a];
  for (int q = 0; q < HT_Q27; q++) {
    HT_REAL w[3], d[3], second = 0;
    for (int a = 0; a < 3; a++) {
      w[a] = (HT_REAL)(ht_c[q][a] ? 1.0 / 6 : 2.0 / 3);
      d[a] = HT_NODE(axis_deviation)(u[a], ht_c[q][a]);
    }
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3, c = (a + 2) % 3;
      HT_REAL linear = (HT_REAL)0.25 * ht_c[q][a] * ht_c[q][b] * u[a] * u[b];
      second += w[c] * (d[a] * d[b] - linear);
    }
    g[q] += (1 + rho) * (second + d[0] * d[1] * d[2]);
  }
}

/* deviation() and rebuild() for either equilibrium, with the momentum j in place of the velocity:
 * the equilibria differ by a second-order moment, (1 - r) j j. */
HT_INLINE void HT_NODE(deviation_of)(const HT_REAL *g, int model, HT_REAL rho, const HT_REAL *j,
                                     HT_REAL *moment) {
  HT_REAL extra = 1 - HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  HT_NODE(deviation)(g, HT_MODEL_DIRECTIONS(model), rho, j, moment);
  moment[0] += extra * j[0] * j[0], moment[3] += extra * j[0] * j[1];
  moment[1] += extra * j[1] * j[1], moment[4] += extra * j[0] * j[2];
  moment[2] += extra * j[2] * j[2], moment[5] += extra * j[1] * j[2];
}

HT_INLINE void HT_NODE(rebuild_of)(HT_REAL *g, int model, HT_REAL rho, const HT_REAL *j,
                                   const HT_REAL *moment) {
  HT_REAL extra = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model)) - 1;
  const HT_REAL all[6] = {moment[0] + extra * j[0] * j[0], moment[1] + extra * j[1] * j[1],
                          moment[2] + extra * j[2] * j[2], moment[3] + extra * j[0] * j[1],
                          moment[4] + extra * j[0] * j[2], moment[5] + extra * j[1] * j[2]};
  HT_NODE(rebuild)(g, HT_MODEL_DIRECTIONS(model), rho, j, all);
  if (HT_MODEL_COLLISION(model) == HT_CUMULANT) HT_NODE(add_high_orders)(g, rho, j);
}
