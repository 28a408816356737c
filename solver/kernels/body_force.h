/* A body force on one node; in the part of C that CUDA C++ also takes. Included by node.h after
 * moments.h; no include guard on purpose.
 *
 * After the collision, which keeps the momentum j, every value gains what the equilibrium gains
 * when the velocity rises by the acceleration a of a step (exact difference method: Kupershtokh,
 * Medvedev & Karpov, Comput. Math. Appl. 58 (2009) 965):
 *
 *     F = rho a (He & Luo: a),   g_i += w_i (3 c_i.F + r (9/2 c_i.F c_i.(2 j + F) - 3/2 F.(2 j +
 * F)))
 *
 * with r of moments.h. The fluid's velocity is then r (j + F/2), j before the collision. Up to a
 * term of F^2 this is the scheme of Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308, for every
 * collision (Li, Zhou & Yan, Phys. Rev. E 94 (2016) 043313): second order, and the moments of the
 * deviation from the equilibrium at j, so the viscous stress and the local viscosity too, need no
 * correction. Orders of the velocity above the second, which the equilibrium of the cumulants also
 * has, are left out: they are a part (u^2) of the force and have no momentum. */

/* a: acceleration, lattice units. The node is after its collision. */
HT_ALWAYS_INLINE void HT_NODE(accelerate)(HT_REAL *g, int model, const HT_REAL *a) {
  HT_REAL rho, jx, jy, jz;
  const int directions = HT_MODEL_DIRECTIONS(model);
  HT_NODE(moments)(g, model, &rho, &jx, &jy, &jz);
  HT_REAL r = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  HT_REAL mass =
      HT_MODEL_COMPRESSIBILITY(model) == HT_INCOMPRESSIBLE ? (HT_REAL)1 : (HT_REAL)1 + rho;
  HT_REAL fx = mass * a[0], fy = mass * a[1], fz = mass * a[2];
  HT_REAL mx = 2 * jx + fx, my = 2 * jy + fy, mz = 2 * jz + fz;
  HT_REAL bend = (HT_REAL)4.5 * r, flat = (HT_REAL)-1.5 * r * (fx * mx + fy * my + fz * mz);
#define ADD(q, cx, cy, cz)                                                                         \
  {                                                                                                \
    HT_REAL cf = (cx)*fx + (cy)*fy + (cz)*fz, cm = (cx)*mx + (cy)*my + (cz)*mz;                    \
    g[q] += (HT_REAL)ht_weight(q, directions) * (flat + cf * (3 + bend * cm));                     \
  }
  ADD(0, 0, 0, 0)
  HT_D3Q19_MOVING(ADD)
  if (directions == HT_Q27) {
    HT_D3Q27_CORNERS(ADD)
  }
#undef ADD
}
