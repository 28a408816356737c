/* The relaxation rate of one node whose viscosity depends on the shear rate, from the table
 * of relax_table.h; in the part of C that CUDA C++ also takes. Included by node.h after moments.h;
 * no include guard on purpose. */
#ifndef HT_LOCAL_RATE_ONCE
#define HT_LOCAL_RATE_ONCE

#include "solver/kernels/relax_table.h"
#include <string.h>

/* Row of the relaxation table (relax_table.h) for x, from the exponent and the first bits of the
 * fraction, and the place t in that row, from the other bits. An x outside the table, or NaN, gets
 * the first or last value. (Integer comparisons: float comparisons would compile to branches.) */
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

#endif

/* x of relax_table.h: the square of the second-order moments beyond the equilibrium's, without
 * their trace (which has its own rate in MRT and is not shear). The sums are those of the collision
 * that follows, in its order, so that the compiler does them once. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(shear_square)(const HT_REAL *g, int model) {
  HT_REAL rho, jx, jy, jz;
  HT_NODE(moments)(g, model, &rho, &jx, &jy, &jz);
  HT_REAL r = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  HT_REAL ux = r * jx, uy = r * jy, uz = r * jz;
  HT_REAL xy = g[7] + g[8], yx = g[9] + g[10], xz = g[11] + g[12], zx = g[13] + g[14],
          yz = g[15] + g[16], zy = g[17] + g[18];
  HT_REAL x = ((g[1] + g[2]) - (yz + zy)) - ux * jx;
  HT_REAL y = ((g[3] + g[4]) - (xz + zx)) - uy * jy;
  HT_REAL z = ((g[5] + g[6]) - (xy + yx)) - uz * jz;
  HT_REAL mean = (HT_REAL)(1.0 / 3) * (x + y + z);
  HT_REAL pxy = (xy - yx) - ux * jy, pxz = (xz - zx) - ux * jz, pyz = (yz - zy) - uy * jz;
  if (HT_MODEL_DIRECTIONS(model) == HT_Q27) { /* the corners add alike to xx, yy and zz */
    HT_REAL ppp = g[19] + g[20], ppm = g[21] + g[22], pmp = g[23] + g[24], pmm = g[25] + g[26];
    pxy += (ppp + ppm) - (pmp + pmm);
    pxz += (ppp - ppm) + (pmp - pmm);
    pyz += (ppp - ppm) - (pmp - pmm);
  }
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
HT_ALWAYS_INLINE HT_REAL HT_NODE(local_rate)(const HT_REAL *g, int model, const HT_REAL *table) {
  return HT_NODE(look_up_rate)(HT_NODE(shear_square)(g, model), table);
}
