/* What a node tells a node of another level of the lattice, and the values made of it; in the part
 * of C that CUDA C++ also takes. Included after node.h with HT_REAL (float or double) and
 * HT_NODE(name) defined, once for each; no include guard on purpose.
 *
 * Levels differ by 2 in spacing and step, so velocity and density are the same on both in lattice
 * units, and the strain rate, per step, of the fine one is half of the coarse one's. A state is
 *   [0] density's deviation from 1   [1..3] velocity
 *   [4..9] strain rate without its trace, xx yy zz xy xz yz, per step of the level
 * It is read from the values after a collision, which has kept density and momentum and left the
 * share 1 - omega of the deviation Pi from equilibrium (moments.h):
 *   S = -3 / 2 r omega Pi = -3 / 2 r omega / (1 - omega) Pi'
 * and the values after the collision of a node that has a state are made from
 *   Pi' = -2 / 3 rho (1 - omega) / omega S
 * each with the omega of its level: every collision shares this rescaling. Moments of third order
 * relax slowly at a low viscosity (K17, cumulant.h), and without them the flow would slip at an
 * interface, as it does at a half-way wall. In a step they gain
 *   T_aab = -2 / 3 d_a sigma_ab - 1 / 3 d_b sigma_aa,   T_xyz = -1 / 3 (d_x sigma_yz + ...)
 * with sigma = -2 rho nu S, the mean of Pi and Pi' (on D3Q27; D3Q19 has no moments xxyz: its T_aab
 * is -2 / 3 d_a sigma_ab - 1 / 2 d_b sigma_aa - 1 / 6 d_b sigma_bb + 1 / 3 d_c sigma_bc); where the
 * share s stays of them, s / (1 - s) T are left after a collision. Of higher orders the values have
 * what the collision gives to these.
 *
 * Interpolation in a cube of eight nodes, by the velocities and strain rates at its corners, of
 * second order in both (compact: Geier, Greiner & Krafczyk, Eur. Phys. J. Special Topics 171 (2009)
 * 173). All points that are asked for are at the same distance from the cube's middle planes, 1/4
 * of its side or 0, where a trilinear interpolation is off by 3/32 or 1/8 of the Laplacian (in
 * units of the side). That of the velocity follows from differences along the cube's sides,
 *   d^2 u_a = 3/2 d_a S_aa + sum over b not a of (2 d_b S_ab - 1/2 d_a d_b u_b)
 * (with d_b d_b u_a = 2 d_b S_ab - d_a d_b u_b, and d_a d_a u_a from S without its trace and the
 * mixed derivatives), that of the pressure p = rho / 3 from the velocities,
 *   d^2 p = - sum over a, b of d_a u_b d_b u_a. */
#ifndef HT_LEVEL_NODE_ONCE
#define HT_LEVEL_NODE_ONCE
enum { HT_LEVEL_STRAIN = 4, HT_CUBE = 8 };
/* The kind of a value of a state (interface.h). */
#define HT_KIND_OF(v)                                                                              \
  ((v) == 0 ? HT_OF_DENSITY : (v) < HT_LEVEL_STRAIN ? HT_OF_VELOCITY : HT_OF_STRAIN)
/* What a cube adds to a state, from differences of its corners, in its own units: Laplacians of
 * density and velocity; the trace of the strain rate; T over the density, xyy xzz xxy yzz xxz yyz
 * xyz. */
enum { HT_CUBE_TRACE = 4, HT_CUBE_THIRD = 5, HT_CUBE_VALUES = 12 };
/* Shares of the Laplacian that a trilinear value has too much, and units of what goes with the
 * step, from a coarse cube to fine nodes and from a fine cube to its middle. */
#define HT_REFINE_BENT   (3.0 / 32)
#define HT_REFINE_TIMES  0.5
#define HT_COARSEN_BENT  0.125
#define HT_COARSEN_TIMES 2
#endif

/* Second-order moments of the deviation from equilibrium, with the momentum j: deviation_of() of
 * moments.h, whose loops compilers do not turn into vectors. */
HT_ALWAYS_INLINE void HT_NODE(level_deviation)(const HT_REAL *g, int model, HT_REAL rho, HT_REAL r,
                                               const HT_REAL *j, HT_REAL *moment) {
  HT_REAL xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
#define HT_ADD(q, x, y, z)                                                                         \
  {                                                                                                \
    if (x) xx += g[q];                                                                             \
    if (y) yy += g[q];                                                                             \
    if (z) zz += g[q];                                                                             \
    if ((x) * (y)) xy += (x) * (y) > 0 ? g[q] : -g[q];                                             \
    if ((x) * (z)) xz += (x) * (z) > 0 ? g[q] : -g[q];                                             \
    if ((y) * (z)) yz += (y) * (z) > 0 ? g[q] : -g[q];                                             \
  }
  HT_D3Q19_MOVING(HT_ADD)
  if (HT_MODEL_DIRECTIONS(model) == HT_Q27) {
    HT_D3Q27_CORNERS(HT_ADD)
  }
#undef HT_ADD
  const HT_REAL third = rho * (HT_REAL)(1.0 / 3);
  moment[0] = xx - third - r * j[0] * j[0], moment[3] = xy - r * j[0] * j[1];
  moment[1] = yy - third - r * j[1] * j[1], moment[4] = xz - r * j[0] * j[2];
  moment[2] = zz - third - r * j[2] * j[2], moment[5] = yz - r * j[1] * j[2];
}

/* Reads the state from the values after the collision. half_force: half of the acceleration that
 * they contain, [3]; value v of the state goes to state[v * stride]. */
HT_ALWAYS_INLINE void HT_NODE(level_read)(const HT_REAL *g, int model, HT_REAL omega,
                                          const HT_REAL *half_force, HT_REAL *state, int stride) {
  HT_REAL rho, j[3], moment[6];
  HT_NODE(moments)(g, model, &rho, &j[0], &j[1], &j[2]);
  const HT_REAL r = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  HT_NODE(level_deviation)(g, model, rho, r, j, moment);
  const HT_REAL factor = (HT_REAL)-1.5 * r * omega / (1 - omega);
  const HT_REAL mean = (moment[0] + moment[1] + moment[2]) * (HT_REAL)(1.0 / 3);
  state[0] = rho;
  HT_UNROLL_27 for (int a = 0; a < 3; a++) state[(1 + a) * stride] = r * j[a] - half_force[a];
  HT_UNROLL_27 for (int k = 0; k < 6; k++) state[(HT_LEVEL_STRAIN + k) * stride] =
      factor * (k < 3 ? moment[k] - mean : moment[k]);
}

/* A third-order cumulant and that with which it is relaxed, after the collision, halved. */
HT_ALWAYS_INLINE void HT_NODE(level_pair)(HT_REAL *a, HT_REAL *b, HT_REAL of_a, HT_REAL of_b,
                                          HT_REAL density, const HT_NODE(cumulant_rates) * rates) {
  const HT_REAL eighth = (HT_REAL)0.125 * density;
  const HT_REAL sum = eighth * (rates->sum_stays / (1 - rates->sum_stays)) * (of_a + of_b);
  const HT_REAL difference =
      eighth * (rates->difference_stays / (1 - rates->difference_stays)) * (of_a - of_b);
  *a = sum + difference;
  *b = sum - difference;
}

/* Cumulants: the collision of a node with these moments up to second order. added: [12] of a cube,
 * in the node's units. */
HT_ALWAYS_INLINE void HT_NODE(level_cumulant)(HT_REAL *g, const HT_NODE(cumulant_rates) * rates,
                                              const HT_REAL *state, const HT_REAL *u,
                                              const HT_REAL *added) {
  const HT_REAL *strain = state + HT_LEVEL_STRAIN, *driven = added + HT_CUBE_THIRD;
  const HT_REAL density = 1 + state[0], third = (HT_REAL)(1.0 / 3);
  const HT_REAL quarter = (HT_REAL)0.25 * density;
  const HT_REAL sheared[3] = {quarter * strain[3], quarter * strain[4], quarter * strain[5]};
  const HT_REAL of_strain = (HT_REAL)(-2.0 / 3) / rates->omega * density;
  const HT_REAL even = third * state[0] - (HT_REAL)(2.0 / 9) * density * added[HT_CUBE_TRACE];
  HT_REAL normal[3];
  g[HT_M000] = state[0];
  g[HT_M100] = g[HT_M010] = g[HT_M001] = 0;
  g[HT_M200] = even + of_strain * strain[0];
  g[HT_M020] = even + of_strain * strain[1];
  g[HT_M002] = even + of_strain * strain[2];
  g[HT_M110] = of_strain * strain[3];
  g[HT_M101] = of_strain * strain[4];
  g[HT_M011] = of_strain * strain[5];
  HT_NODE(relax_second)(g, u, rates->omega, normal);
  HT_NODE(level_pair)(&g[HT_M120], &g[HT_M102], driven[0], driven[1], density, rates);
  HT_NODE(level_pair)(&g[HT_M210], &g[HT_M012], driven[2], driven[3], density, rates);
  HT_NODE(level_pair)(&g[HT_M201], &g[HT_M021], driven[4], driven[5], density, rates);
  g[HT_M111] =
      (HT_REAL)0.125 * density * (rates->triple_stays / (1 - rates->triple_stays)) * driven[6];
  const HT_REAL r = ht_reciprocal(density);
  HT_NODE(set_fourth)(g, r, normal, sheared, rates);
  HT_NODE(set_fifth)(g, r);
  HT_NODE(set_sixth)(g, r);
  HT_NODE(from_moments)(g, u);
}

/* MRT: the moments of fourth order that belong to those of the stress deviate from equilibrium as
 * these do, over their own rate. moment: traceless, as it is before a collision with omega = 1. */
HT_ALWAYS_INLINE void HT_NODE(level_fourth)(HT_REAL *g, HT_REAL omega, const HT_REAL *moment) {
  const HT_REAL rate = (HT_REAL)HT_MRT_FOURTH;
  const HT_REAL factor = (HT_REAL)(1.0 / 24) * ((1 - rate) / rate - (1 - omega) / omega);
  const HT_REAL x = factor * moment[0], y = factor * moment[1], z = factor * moment[2];
  HT_UNROLL_27 for (int k = 1; k < 3; k++) g[k] += 2 * x, g[k + 2] += 2 * y, g[k + 4] += 2 * z;
  HT_UNROLL_27 for (int k = 7; k < 11; k++) g[k] += z, g[k + 4] += y, g[k + 8] += x;
}

/* LBGK and MRT: equilibrium and second-order moments, rebuild_of() of moments.h. density: what the
 * momentum is a multiple of. */
HT_ALWAYS_INLINE void HT_NODE(level_rebuild)(HT_REAL *g, HT_REAL rho, HT_REAL density,
                                             const HT_REAL *u, const HT_REAL *moment) {
  const HT_REAL x = density * u[0], y = density * u[1], z = density * u[2];
  const HT_REAL xx = u[0] * x + moment[0], yy = u[1] * y + moment[1], zz = u[2] * z + moment[2];
  const HT_REAL xy = 2 * (u[0] * y + moment[3]), xz = 2 * (u[0] * z + moment[4]);
  const HT_REAL yz = 2 * (u[1] * z + moment[5]), base = rho - (HT_REAL)1.5 * (xx + yy + zz);
  g[0] = (HT_REAL)(1.0 / 3) * base;
#define HT_SIGNED(c, value) ((c) > 0 ? (value) : -(value))
#define HT_SET(q, a, b, c)                                                                         \
  {                                                                                                \
    HT_REAL odd = 0, even = 0;                                                                     \
    if (a) odd += HT_SIGNED(a, x), even += xx;                                                     \
    if (b) odd += HT_SIGNED(b, y), even += yy;                                                     \
    if (c) odd += HT_SIGNED(c, z), even += zz;                                                     \
    if ((a) * (b)) even += HT_SIGNED((a) * (b), xy);                                               \
    if ((a) * (c)) even += HT_SIGNED((a) * (c), xz);                                               \
    if ((b) * (c)) even += HT_SIGNED((b) * (c), yz);                                               \
    g[q] = (HT_REAL)((q) < 7 ? 1.0 / 18 : 1.0 / 36) * (base + 3 * odd + (HT_REAL)4.5 * even);      \
  }
  HT_D3Q19_MOVING(HT_SET)
#undef HT_SET
#undef HT_SIGNED
}

/* D3Q19: two moments of third order along axis `a`, abb and acc, of which the sum and the
 * difference have a rate each (of LBGK the same, of MRT those of heat flux and ghost). left: what
 * is left of them after a collision, over what drives them. along, first, second: the first
 * direction of the axis' pair, and of the diagonals in the planes ab and ac, to the plus side. */
HT_ALWAYS_INLINE void HT_NODE(level_third)(HT_REAL *g, int along, const int *first,
                                           const int *second, HT_REAL of_first, HT_REAL of_second,
                                           HT_REAL left_sum, HT_REAL left_difference) {
  const HT_REAL sum = (HT_REAL)0.5 * left_sum * (of_first + of_second);
  const HT_REAL difference = (HT_REAL)0.5 * left_difference * (of_first - of_second);
  const HT_REAL a = (HT_REAL)0.25 * (sum + difference), b = (HT_REAL)0.25 * (sum - difference);
  g[along] -= sum, g[along + 1] += sum;
  g[first[0]] += a, g[first[1]] += a, g[first[2]] -= a, g[first[3]] -= a;
  g[second[0]] += b, g[second[1]] += b, g[second[2]] -= b, g[second[3]] -= b;
}

/* All of them. third: T of a cube over the density. */
HT_ALWAYS_INLINE void HT_NODE(level_odd)(HT_REAL *g, int model, HT_REAL omega, HT_REAL density,
                                         const HT_REAL *third) {
  const int is_mrt = HT_MODEL_COLLISION(model) == HT_MRT;
  const HT_REAL heat = is_mrt ? (HT_REAL)HT_MRT_HEAT : omega;
  const HT_REAL ghost = is_mrt ? (HT_REAL)HT_MRT_GHOST : omega;
  const HT_REAL s = density * ((1 - heat) / heat), d = density * ((1 - ghost) / ghost);
  const int xy[4] = {7, 9, 8, 10}, xz[4] = {11, 13, 12, 14};
  const int yx[4] = {7, 10, 8, 9}, yz[4] = {15, 17, 16, 18};
  const int zx[4] = {11, 14, 12, 13}, zy[4] = {15, 18, 16, 17};
  HT_NODE(level_third)(g, 1, xy, xz, third[0], third[1], s, d);
  HT_NODE(level_third)(g, 3, yx, yz, third[2], third[3], s, d);
  HT_NODE(level_third)(g, 5, zx, zy, third[4], third[5], s, d);
}

/* Makes the values after the collision of a node that has a state. added: of the cube, in the
 * node's units; half_force as above; the caller adds the force afterwards. */
HT_ALWAYS_INLINE void HT_NODE(level_make)(HT_REAL *g, int model,
                                          const HT_NODE(cumulant_rates) * rates,
                                          const HT_REAL *state, const HT_REAL *added,
                                          const HT_REAL *half_force) {
  const HT_REAL density = HT_MODEL_COMPRESSIBILITY(model) == HT_INCOMPRESSIBLE ? 1 : 1 + state[0];
  HT_REAL u[3], moment[6], all[6];
  HT_UNROLL_27 for (int a = 0; a < 3; a++) u[a] = state[1 + a] - half_force[a];
  if (HT_MODEL_COLLISION(model) == HT_CUMULANT) {
    HT_NODE(level_cumulant)(g, rates, state, u, added);
    return;
  }
  const HT_REAL energy = HT_NODE(energy_rate)(model, rates->omega);
  const HT_REAL viscous = (1 - rates->omega) / rates->omega;
  const HT_REAL even =
      (HT_REAL)(-2.0 / 9) * ((1 - energy) / energy) * density * added[HT_CUBE_TRACE];
  HT_UNROLL_27 for (int k = 0; k < 6; k++) {
    moment[k] = (HT_REAL)(-2.0 / 3) * density * state[HT_LEVEL_STRAIN + k];
    all[k] = viscous * moment[k] + (k < 3 ? even : 0);
  }
  HT_NODE(level_rebuild)(g, state[0], density, u, all);
  if (HT_MODEL_COLLISION(model) == HT_MRT) HT_NODE(level_fourth)(g, rates->omega, moment);
  HT_NODE(level_odd)(g, model, rates->omega, density, added + HT_CUBE_THIRD);
}

/* ---- cubes ---- Corners are (x, y, z) at x + 2 y + 4 z; value v of corner i is
 * corner[(HT_LEVEL_VALUES i + v) stride], that of a cube cube[v stride]. */

/* The mean difference of value `v` along an axis. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(cube_slope)(const HT_REAL *corner, int stride, int axis, int v) {
  HT_REAL sum = 0;
  HT_UNROLL_27 for (int i = 0; i < HT_CUBE; i++) {
    const HT_REAL value = corner[(HT_LEVEL_VALUES * i + v) * stride];
    sum += (i >> axis) & 1 ? value : -value;
  }
  return (HT_REAL)0.25 * sum;
}

/* The mean difference along two axes. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(cube_twist)(const HT_REAL *corner, int stride, int a, int b,
                                             int v) {
  HT_REAL sum = 0;
  HT_UNROLL_27 for (int i = 0; i < HT_CUBE; i++) {
    const HT_REAL value = corner[(HT_LEVEL_VALUES * i + v) * stride];
    sum += ((i >> a) ^ (i >> b)) & 1 ? -value : value;
  }
  return (HT_REAL)0.5 * sum;
}

/* T_aab over the density from the gradient of the strain rate; nu: the cube's viscosity. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(find_third)(int directions, HT_REAL nu, HT_REAL a_of_ab,
                                             HT_REAL b_of_aa, HT_REAL b_of_bb, HT_REAL c_of_bc) {
  const HT_REAL twice = (HT_REAL)(4.0 / 3) * nu, once = (HT_REAL)(2.0 / 3) * nu;
  if (directions == HT_Q27) return twice * a_of_ab + once * b_of_aa;
  return twice * a_of_ab + once * ((HT_REAL)1.5 * b_of_aa + (HT_REAL)0.5 * b_of_bb - c_of_bc);
}

HT_ALWAYS_INLINE void HT_NODE(cube_find)(const HT_REAL *corner, int stride, int directions,
                                         HT_REAL nu, HT_REAL *cube) {
  HT_REAL of_velocity[3][3], of_strain[3][6]; /* [axis along which][component] */
  HT_UNROLL_27 for (int a = 0; a < 3; a++) {
    HT_UNROLL_27 for (int b = 0; b < 3; b++) of_velocity[a][b] =
        HT_NODE(cube_slope)(corner, stride, a, 1 + b);
    HT_UNROLL_27 for (int k = 0; k < 6; k++) of_strain[a][k] =
        HT_NODE(cube_slope)(corner, stride, a, HT_LEVEL_STRAIN + k);
  }
#define HT_TWIST(a, b) (HT_REAL)0.5 * HT_NODE(cube_twist)(corner, stride, a, b, 1 + (b))
  const HT_REAL *x = of_velocity[0], *y = of_velocity[1], *z = of_velocity[2];
  cube[0] = -3 * (x[0] * x[0] + y[1] * y[1] + z[2] * z[2] +
                  2 * (x[1] * y[0] + x[2] * z[0] + y[2] * z[1]));
  cube[stride] = (HT_REAL)1.5 * of_strain[0][0] + 2 * (of_strain[1][3] + of_strain[2][4]) -
                 HT_TWIST(0, 1) - HT_TWIST(0, 2);
  cube[2 * stride] = (HT_REAL)1.5 * of_strain[1][1] + 2 * (of_strain[0][3] + of_strain[2][5]) -
                     HT_TWIST(1, 0) - HT_TWIST(1, 2);
  cube[3 * stride] = (HT_REAL)1.5 * of_strain[2][2] + 2 * (of_strain[0][4] + of_strain[1][5]) -
                     HT_TWIST(2, 0) - HT_TWIST(2, 1);
#undef HT_TWIST
  cube[HT_CUBE_TRACE * stride] = x[0] + y[1] + z[2];
  const HT_REAL *sx = of_strain[0], *sy = of_strain[1], *sz = of_strain[2];
  HT_REAL *third = cube + HT_CUBE_THIRD * stride;
#define HT_T(i, a, ab, aa, b, bb, c, bc)                                                           \
  third[(i)*stride] = HT_NODE(find_third)(directions, nu, a[ab], b[aa], b[bb], c[bc]);
  HT_T(0, sy, 3, 1, sx, 0, sz, 4)
  HT_T(1, sz, 4, 2, sx, 0, sy, 3)
  HT_T(2, sx, 3, 0, sy, 1, sz, 5)
  HT_T(3, sz, 5, 2, sy, 1, sx, 3)
  HT_T(4, sx, 4, 0, sz, 2, sy, 5)
  HT_T(5, sy, 5, 1, sz, 2, sx, 4)
#undef HT_T
  third[6 * stride] = (HT_REAL)(2.0 / 3) * nu * (sx[5] + sy[4] + sz[3]);
}

/* The weighted mean of the corners, less `bent` of the Laplacian, and what the cube adds, both in
 * the units of the other level: strain rates and what is added go with the step. */
HT_ALWAYS_INLINE void HT_NODE(cube_mean)(const HT_REAL *corner, const HT_REAL *cube, int stride,
                                         const HT_REAL *weight, HT_REAL bent, HT_REAL times,
                                         HT_REAL *state, HT_REAL *added) {
  HT_UNROLL_27 for (int v = 0; v < HT_LEVEL_VALUES; v++) {
    HT_REAL sum = 0;
    HT_UNROLL_27 for (int i = 0; i < HT_CUBE; i++) sum +=
        weight[i] * corner[(HT_LEVEL_VALUES * i + v) * stride];
    state[v] = v < HT_LEVEL_STRAIN ? sum - bent * cube[v * stride] : times * sum;
  }
  HT_UNROLL_27 for (int v = HT_CUBE_TRACE; v < HT_CUBE_VALUES; v++) added[v] =
      times * cube[v * stride];
}

/* Weights of the corners at the fine node nearest to corner `at` of a coarse cube. */
HT_ALWAYS_INLINE void HT_NODE(cube_weights)(int at, HT_REAL *weight) {
  HT_UNROLL_27 for (int i = 0; i < HT_CUBE; i++) {
    const int far = i ^ at; /* bit a: on the other side along a */
    weight[i] = (HT_REAL)(((far & 1 ? 1 : 3) * (far & 2 ? 1 : 3) * (far & 4 ? 1 : 3)) / 64.0);
  }
}
