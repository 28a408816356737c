/* The physics of one node, written once in the part of C that CUDA C++ also takes.
 *
 * Included with HT_REAL (float or double) and HT_NODE(name) defined; no include guard on purpose.
 * Distribution functions are stored shifted by their weights, g_i = f_i - w_i, so that single
 * precision keeps the small deviations (Skordos, Phys. Rev. E 48 (1993) 4823). `rho` is then the
 * density's deviation from 1. Incompressible model (He & Luo, J. Stat. Phys. 88 (1997) 927):
 *   rho = sum g_i,  u = sum c_i g_i,  g_i^eq = w_i (rho + 3 c_i.u + 9/2 (c_i.u)^2 - 3/2 u.u)
 */

/* Density deviation and velocity (lattice units). */
HT_INLINE void HT_NODE(moments)(const HT_REAL *g, HT_REAL *rho, HT_REAL *ux, HT_REAL *uy,
                                HT_REAL *uz) {
  HT_REAL xy = g[7] - g[8], yx = g[9] - g[10], xz = g[11] - g[12], zx = g[13] - g[14],
          yz = g[15] - g[16], zy = g[17] - g[18];
  *ux = (g[1] - g[2]) + ((xy + yx) + (xz + zx));
  *uy = (g[3] - g[4]) + ((xy - yx) + (yz + zy));
  *uz = (g[5] - g[6]) + ((xz - zx) + (yz - zy));
  *rho = g[0] + (((g[1] + g[2]) + (g[3] + g[4])) + (g[5] + g[6])) +
         (((g[7] + g[8]) + (g[9] + g[10])) + ((g[11] + g[12]) + (g[13] + g[14]))) +
         ((g[15] + g[16]) + (g[17] + g[18]));
}

/* Weight of direction q. */
HT_INLINE HT_REAL HT_NODE(weight)(int q) {
  return (HT_REAL)(q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36);
}

/* The density's deviation of a node on one, two or three planes (face, edge, corner) before its
 * collision, which has the velocity u, from the values that arrive from inside: Zou & He, Phys.
 * Fluids 9 (1997) 1591. What deviates from equilibrium is the same in opposite directions: a value
 * that comes in is what leaves opposite to it and 6 w c.j more. At edges and corners there are
 * directions that come in and whose opposites do so, too (the buried links of Hecht & Harting, J.
 * Stat. Mech. (2010) P01018): these have the equilibrium, which hangs on the density that is looked
 * for, and the deviation `moment` (as in rebuild()). The sum of all values is then linear in it:
 *   rho = known + buried rho + m across,   j = m u,   m = 1 or 1 + rho (quasi-compressible)
 * With u = 0 and one plane this is sum + 2 leaving, the known part alone. The transverse correction
 * of Hecht & Harting has no part in it: its terms add up to 0. */
HT_INLINE HT_REAL HT_NODE(zou_he_density)(const HT_REAL *g, const signed char *inward,
                                          int compressibility, const HT_REAL *u,
                                          const HT_REAL *moment) {
  HT_REAL known = 0, buried = 0, across = 0;
  HT_REAL trace = (moment[0] + moment[1] + moment[2]) / 3;
  HT_REAL square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (int q = 0; q < HT_Q; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2], w = HT_NODE(weight)(q);
    HT_REAL cu = x * u[0] + y * u[1] + z * u[2];
    if (!ht_comes_in(inward, q)) {
      known += g[q];
    } else if (!ht_comes_in(inward, ht_opposite(q))) {
      known += g[ht_opposite(q)];
      across += 6 * w * cu;
    } else {
      HT_REAL stress = x * x * moment[0] + y * y * moment[1] + z * z * moment[2] +
                       2 * (x * y * moment[3] + x * z * moment[4] + y * z * moment[5]);
      known += (HT_REAL)4.5 * w * (stress - trace);
      buried += w;
      across += w * ((HT_REAL)4.5 * cu * cu - (HT_REAL)1.5 * square);
    }
  }
  return (known + across) / (1 - buried - (compressibility ? across : 0));
}

/* All values from density, velocity and second-order non-equilibrium moment (xx yy zz xy xz yz):
 * the regularised form of Latt & Chopard, Math. Comput. Simul. 72 (2006) 165, for boundaries Latt
 * et al., Phys. Rev. E 77 (2008) 056703. */
HT_INLINE void HT_NODE(rebuild)(HT_REAL *g, HT_REAL rho, const HT_REAL *u, const HT_REAL *moment) {
  HT_REAL base = rho - (HT_REAL)1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  HT_REAL third = (moment[0] + moment[1] + moment[2]) / 3;
  for (int q = 0; q < HT_Q; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2];
    HT_REAL w = HT_NODE(weight)(q);
    HT_REAL cu = x * u[0] + y * u[1] + z * u[2];
    HT_REAL stress = x * x * moment[0] + y * y * moment[1] + z * z * moment[2] +
                     2 * (x * y * moment[3] + x * z * moment[4] + y * z * moment[5]) - third;
    g[q] = w * (base + 3 * cu + (HT_REAL)4.5 * (cu * cu + stress));
  }
}

/* Second-order moment of what deviates from equilibrium. */
HT_INLINE void HT_NODE(deviation)(const HT_REAL *g, HT_REAL rho, const HT_REAL *u,
                                  HT_REAL *moment) {
  for (int k = 0; k < 6; k++) moment[k] = 0;
  for (int q = 1; q < HT_Q; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2];
    moment[0] += x * x * g[q], moment[1] += y * y * g[q], moment[2] += z * z * g[q];
    moment[3] += x * y * g[q], moment[4] += x * z * g[q], moment[5] += y * z * g[q];
  }
  moment[0] -= rho / 3 + u[0] * u[0], moment[3] -= u[0] * u[1];
  moment[1] -= rho / 3 + u[1] * u[1], moment[4] -= u[0] * u[2];
  moment[2] -= rho / 3 + u[2] * u[2], moment[5] -= u[1] * u[2];
}

#include "collide.h"
