/* The force that corrects a flow along a diagonal of the lattice; in the part of C that CUDA C++
 * also takes. Included by node.h; no include guard on purpose.
 *
 * The velocity set cannot tell c^3 from c: its moments of fourth order along an axis a have u_a^2
 * where those of a gas have 2 u_a^2. Where tau is near 1/2 that leaves the force
 * -d^3(u_a^2)/dx_a^3 / 12 (lattice units), which is 0 in a flow along an axis that varies across
 * it. The stress that cancels it is that of Geier & Pasquali, Comput. Fluids 166 (2018) 139:
 * (tau'^2 - 1/12) d^2(u_a^2)/dx_a^2, tau' = tau - 1/2. Here it acts as the force
 *
 *     F_a = (1/6 - 2 tau'^2) (h(+1) - h(-1)) / 2,   h = (w(+1) - 2 w(0) + w(-1)) / 2
 *
 * per unit of mass, by which the velocity of a node rises before its collision. w is u_a^2 of the
 * three steps before, carried on to the present one; 0 at a solid node. Where the node at +1 is
 * solid the difference is h(0) - h(-1), where that at -1 is solid h(+1) - h(0), between two solid
 * nodes 0. docs/notes/solver/cumulants.md says why these steps and these differences. */

/* The share in w of u_a^2 two and three steps before, which is known a step before. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(carry_earlier)(HT_REAL second, HT_REAL third) {
  return (HT_REAL)0.5 * second - (HT_REAL)0.75 * third;
}

/* w, from u_a^2 of the step before and this share: no delay, and nothing of what changes its sign
 * each step. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(carry_on)(HT_REAL first, HT_REAL earlier) {
  return (HT_REAL)1.25 * first + earlier;
}

/* 1/6 - 2 tau'^2. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(diagonal_factor)(HT_REAL omega) {
  HT_REAL beyond = 1 / omega - (HT_REAL)0.5;
  return (HT_REAL)(1.0 / 6) - 2 * beyond * beyond;
}

/* F_a from w at -2 to +2; solid_low, solid_high: 1: the node at -1, at +1 is solid. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(diagonal_force)(const HT_REAL w[5], int solid_low, int solid_high,
                                                 HT_REAL factor) {
  const HT_REAL half = (HT_REAL)0.5;
  HT_REAL low = half * (w[2] + w[0]) - w[1], here = half * (w[3] + w[1]) - w[2];
  HT_REAL high = half * (w[4] + w[2]) - w[3];
  HT_REAL after = solid_high ? here : high, before = solid_low ? here : low;
  HT_REAL distance = solid_low || solid_high ? (HT_REAL)1 : half;
  return factor * distance * (after - before);
}
