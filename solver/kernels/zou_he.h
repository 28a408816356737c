/* The density at a port by Zou & He; in the part of C that CUDA C++ also takes. Included by node.h
 * after moments.h; no include guard on purpose. */

/* The density's deviation of a node on one, two or three planes (face, edge, corner) before its
 * collision, which has the velocity u, from the values that arrive from inside: Zou & He, Phys.
 * Fluids 9 (1997) 1591. The deviation from equilibrium is the same in opposite directions: an
 * incoming value equals the one that leaves opposite to it plus 6 w c.j. At edges and corners some
 * directions come in together with their opposites (the buried links of Hecht & Harting, J. Stat.
 * Mech. (2010) P01018): these have the equilibrium, which depends on the unknown density, and the
 * deviation `moment` (as in rebuild()). The sum of all values is then linear in it:
 *   rho = known + buried rho + m across,   j = m u,   m = 1 or 1 + rho (quasi-compressible)
 * With u = 0 and one plane this is sum + 2 leaving, the known part alone. The transverse correction
 * of Hecht & Harting has no effect: its terms add up to 0. */
HT_INLINE HT_REAL HT_NODE(zou_he_density)(const HT_REAL *g, const signed char *inward, int model,
                                          const HT_REAL *u, const HT_REAL *moment) {
  HT_REAL known = 0, buried = 0, across = 0;
  HT_REAL trace = (moment[0] + moment[1] + moment[2]) / 3;
  HT_REAL square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const int directions = HT_MODEL_DIRECTIONS(model);
  for (int q = 0; q < directions; q++) {
    HT_REAL x = ht_c[q][0], y = ht_c[q][1], z = ht_c[q][2];
    HT_REAL w = (HT_REAL)ht_weight(q, directions);
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
  return (known + across) / (1 - buried - (HT_MODEL_COMPRESSIBILITY(model) ? across : 0));
}
