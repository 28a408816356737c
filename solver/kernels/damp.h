/* The added viscosity of a sponge's node, after its collision. In the part of C that CUDA C++ also
 * takes. Included by node.h after moments.h; no include guard on purpose. */

/* Takes the values that leave a node towards their equilibrium: of what deviates, `keep` remains.
 * A collision leaves 1 - omega of the second-order deviation, which sets the viscosity; with keep =
 * (1 - omega') / (1 - omega) the viscosity is that of omega'. Mass and momentum stay. */
HT_INLINE void HT_NODE(damp)(HT_REAL *g, int model, HT_REAL keep) {
  HT_REAL rho, j[3], rest[HT_Q_MOST];
  const HT_REAL none[6] = {0, 0, 0, 0, 0, 0};
  HT_NODE(moments)(g, model, &rho, &j[0], &j[1], &j[2]);
  HT_NODE(rebuild_of)(rest, model, rho, j, none);
  for (int q = 0; q < HT_MODEL_DIRECTIONS(model); q++) g[q] = rest[q] + keep * (g[q] - rest[q]);
}
