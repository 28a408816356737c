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
 * with sigma = -2 rho nu S, the mean of Pi and Pi'; where the share s stays of them, s / (1 - s) T
 * are left after a collision (LBGK and MRT: none). Of higher orders the values have what the
 * collision gives to these.
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
enum { HT_LEVEL_VALUES = 10, HT_LEVEL_STRAIN = 4, HT_LEVEL_THIRD = 7, HT_CUBE = 8 };
/* Place of component (a, b) of a symmetric tensor. */
HT_TABLE signed char ht_symmetric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
#endif

/* Reads the state from the values after the collision. half_force: half of the acceleration that
 * they contain, [3]. */
HT_INLINE void HT_NODE(level_read)(const HT_REAL *g, int model, HT_REAL omega,
                                   const HT_REAL *half_force, HT_REAL *state) {
  HT_REAL rho, j[3], moment[6];
  HT_NODE(moments)(g, model, &rho, &j[0], &j[1], &j[2]);
  HT_NODE(deviation_of)(g, model, rho, j, moment);
  const HT_REAL r = HT_NODE(inverse_density)(rho, HT_MODEL_COMPRESSIBILITY(model));
  const HT_REAL factor = (HT_REAL)-1.5 * r * omega / (1 - omega);
  const HT_REAL mean = (moment[0] + moment[1] + moment[2]) / 3;
  state[0] = rho;
  for (int a = 0; a < 3; a++) state[1 + a] = r * j[a] - half_force[a];
  for (int k = 0; k < 6; k++)
    state[HT_LEVEL_STRAIN + k] = factor * (moment[k] - (k < 3 ? mean : 0));
}

/* What a state leaves out, from the differences around it: the trace of the strain rate, and T over
 * the density, xyy xzz xxy yzz xxz yyz xyz. */
typedef struct {
  HT_REAL trace, third[HT_LEVEL_THIRD];
} HT_NODE(level_rest);

/* A third-order cumulant and that with which it is relaxed, after the collision, halved. */
HT_INLINE void HT_NODE(level_pair)(HT_REAL *a, HT_REAL *b, HT_REAL of_a, HT_REAL of_b,
                                   HT_REAL density, const HT_NODE(cumulant_rates) * rates) {
  const HT_REAL eighth = (HT_REAL)0.125 * density;
  const HT_REAL sum = eighth * rates->sum_stays / (1 - rates->sum_stays) * (of_a + of_b);
  const HT_REAL difference =
      eighth * rates->difference_stays / (1 - rates->difference_stays) * (of_a - of_b);
  *a = sum + difference;
  *b = sum - difference;
}

/* Cumulants: the collision of a node with these moments up to second order. */
HT_INLINE void HT_NODE(level_cumulant)(HT_REAL *g, const HT_NODE(cumulant_rates) * rates,
                                       const HT_REAL *state, const HT_REAL *u,
                                       const HT_NODE(level_rest) * rest) {
  const HT_REAL *strain = state + HT_LEVEL_STRAIN;
  const HT_REAL density = 1 + state[0], third = (HT_REAL)(1.0 / 3);
  const HT_REAL quarter = (HT_REAL)0.25 * density;
  const HT_REAL sheared[3] = {quarter * strain[3], quarter * strain[4], quarter * strain[5]};
  const HT_REAL of_strain = (HT_REAL)(-2.0 / 3) * density / rates->omega;
  const HT_REAL even = third * state[0] - (HT_REAL)(2.0 / 9) * density * rest->trace;
  HT_REAL normal[3];
  for (int q = 0; q < HT_Q27; q++) g[q] = 0;
  g[HT_M000] = state[0];
  g[HT_M200] = even + of_strain * strain[0];
  g[HT_M020] = even + of_strain * strain[1];
  g[HT_M002] = even + of_strain * strain[2];
  g[HT_M110] = of_strain * strain[3];
  g[HT_M101] = of_strain * strain[4];
  g[HT_M011] = of_strain * strain[5];
  HT_NODE(relax_second)(g, u, rates->omega, normal);
  const HT_REAL *driven = rest->third;
  HT_NODE(level_pair)(&g[HT_M120], &g[HT_M102], driven[0], driven[1], density, rates);
  HT_NODE(level_pair)(&g[HT_M210], &g[HT_M012], driven[2], driven[3], density, rates);
  HT_NODE(level_pair)(&g[HT_M201], &g[HT_M021], driven[4], driven[5], density, rates);
  g[HT_M111] =
      (HT_REAL)0.125 * density * rates->triple_stays / (1 - rates->triple_stays) * driven[6];
  const HT_REAL r = ht_reciprocal(density);
  HT_NODE(set_fourth)(g, r, normal, sheared, rates);
  HT_NODE(set_fifth)(g, r);
  HT_NODE(set_sixth)(g, r);
  HT_NODE(from_moments)(g, u);
}

/* MRT: the moments of fourth order that belong to those of the stress deviate from equilibrium as
 * these do, over their own rate. moment: traceless, as it is before a collision with omega = 1. */
HT_INLINE void HT_NODE(level_fourth)(HT_REAL *g, HT_REAL omega, const HT_REAL *moment) {
  const HT_REAL rate = (HT_REAL)HT_MRT_FOURTH;
  const HT_REAL factor = (HT_REAL)(1.0 / 24) * ((1 - rate) / rate - (1 - omega) / omega);
  const HT_REAL x = factor * moment[0], y = factor * moment[1], z = factor * moment[2];
  for (int k = 1; k < 3; k++) g[k] += 2 * x, g[k + 2] += 2 * y, g[k + 4] += 2 * z;
  for (int k = 7; k < 11; k++) g[k] += z, g[k + 4] += y, g[k + 8] += x;
}

/* Makes the values after the collision of a node that has a state. half_force as above; the caller
 * adds the force afterwards. */
HT_INLINE void HT_NODE(level_make)(HT_REAL *g, int model, const HT_NODE(cumulant_rates) * rates,
                                   const HT_REAL *state, const HT_NODE(level_rest) * rest,
                                   const HT_REAL *half_force) {
  const HT_REAL density = HT_MODEL_COMPRESSIBILITY(model) == HT_INCOMPRESSIBLE ? 1 : 1 + state[0];
  HT_REAL u[3], moment[6], all[6];
  for (int a = 0; a < 3; a++) u[a] = state[1 + a] - half_force[a];
  if (HT_MODEL_COLLISION(model) == HT_CUMULANT) {
    HT_NODE(level_cumulant)(g, rates, state, u, rest);
    return;
  }
  const HT_REAL energy = HT_NODE(energy_rate)(model, rates->omega);
  const HT_REAL viscous = (1 - rates->omega) / rates->omega;
  const HT_REAL even = (HT_REAL)(-2.0 / 9) * density * (1 - energy) / energy * rest->trace;
  for (int k = 0; k < 6; k++) {
    moment[k] = (HT_REAL)(-2.0 / 3) * density * state[HT_LEVEL_STRAIN + k];
    all[k] = viscous * moment[k] + (k < 3 ? even : 0);
  }
  for (int a = 0; a < 3; a++) u[a] *= density;
  HT_NODE(rebuild_of)(g, model, state[0], u, all);
  if (HT_MODEL_COLLISION(model) == HT_MRT) HT_NODE(level_fourth)(g, rates->omega, moment);
}

/* The differences of a cube whose corners, (x, y, z) at x + 2 y + 4 z, have these states; in the
 * cube's own units. */
typedef struct {
  HT_REAL laplacian[4]; /* of density and velocity */
  HT_NODE(level_rest) rest;
} HT_NODE(level_cube);

/* The mean difference of value `v` along an axis. */
HT_INLINE HT_REAL HT_NODE(cube_slope)(const HT_REAL *const *corner, int axis, int v) {
  HT_REAL sum = 0;
  for (int i = 0; i < HT_CUBE; i++) sum += (i >> axis) & 1 ? corner[i][v] : -corner[i][v];
  return (HT_REAL)0.25 * sum;
}

/* The mean difference along two axes. */
HT_INLINE HT_REAL HT_NODE(cube_twist)(const HT_REAL *const *corner, int a, int b, int v) {
  HT_REAL sum = 0;
  for (int i = 0; i < HT_CUBE; i++) sum += ((i >> a) ^ (i >> b)) & 1 ? -corner[i][v] : corner[i][v];
  return (HT_REAL)0.5 * sum;
}

/* The gradient of the strain rate to T. slope: [axis][component]; nu: the cube's viscosity. */
HT_INLINE void HT_NODE(find_third)(HT_REAL slope[3][6], HT_REAL nu, HT_REAL *third) {
  const HT_REAL twice = (HT_REAL)(4.0 / 3) * nu, once = (HT_REAL)(2.0 / 3) * nu;
  int k = 0;
  for (int b = 0; b < 3; b++)
    for (int a = 0; a < 3; a++)
      if (a != b) third[k++] = twice * slope[a][ht_symmetric[a][b]] + once * slope[b][a];
  third[6] = once * (slope[0][5] + slope[1][4] + slope[2][3]);
}

HT_INLINE void HT_NODE(cube_find)(const HT_REAL *const *corner, HT_REAL nu,
                                  HT_NODE(level_cube) * cube) {
  HT_REAL of_velocity[3][3], of_strain[3][6], square = 0; /* [axis along which][component] */
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) of_velocity[a][b] = HT_NODE(cube_slope)(corner, a, 1 + b);
    for (int k = 0; k < 6; k++)
      of_strain[a][k] = HT_NODE(cube_slope)(corner, a, HT_LEVEL_STRAIN + k);
  }
  for (int a = 0; a < 3; a++) {
    HT_REAL sum = (HT_REAL)1.5 * of_strain[a][a];
    for (int b = 0; b < 3; b++) {
      square += of_velocity[a][b] * of_velocity[b][a];
      if (b == a) continue;
      sum += 2 * of_strain[b][ht_symmetric[a][b]] -
             (HT_REAL)0.5 * HT_NODE(cube_twist)(corner, a, b, 1 + b);
    }
    cube->laplacian[1 + a] = sum;
  }
  cube->laplacian[0] = -3 * square;
  cube->rest.trace = of_velocity[0][0] + of_velocity[1][1] + of_velocity[2][2];
  HT_NODE(find_third)(of_strain, nu, cube->rest.third);
}

/* The rest of a state in the units of the other level: the trace of the strain rate and T both go
 * with the step. times: 1/2 to the fine level, 2 to the coarse one. */
HT_INLINE void HT_NODE(cube_rest)(const HT_NODE(level_cube) * cube, HT_REAL times,
                                  HT_NODE(level_rest) * rest) {
  rest->trace = times * cube->rest.trace;
  for (int k = 0; k < HT_LEVEL_THIRD; k++) rest->third[k] = times * cube->rest.third[k];
}

/* The state, in the units of the fine level, at the node of the fine level that is nearest to
 * corner `at`; the cube is of the coarse level. */
HT_INLINE void HT_NODE(cube_refine)(const HT_REAL *const *corner, const HT_NODE(level_cube) * cube,
                                    int at, HT_REAL *state) {
  for (int v = 0; v < HT_LEVEL_VALUES; v++) state[v] = 0;
  for (int i = 0; i < HT_CUBE; i++) {
    const int far = i ^ at; /* bit a: on the other side along a */
    const HT_REAL weight =
        (HT_REAL)(((far & 1 ? 1 : 3) * (far & 2 ? 1 : 3) * (far & 4 ? 1 : 3)) / 64.0);
    for (int v = 0; v < HT_LEVEL_VALUES; v++) state[v] += weight * corner[i][v];
  }
  for (int v = 0; v < HT_LEVEL_STRAIN; v++) state[v] -= (HT_REAL)(3.0 / 32) * cube->laplacian[v];
  for (int v = HT_LEVEL_STRAIN; v < HT_LEVEL_VALUES; v++) state[v] *= (HT_REAL)0.5;
}

/* The state, in the units of the coarse level, in the middle of a cube of the fine level. */
HT_INLINE void HT_NODE(cube_coarsen)(const HT_REAL *const *corner, const HT_NODE(level_cube) * cube,
                                     HT_REAL *state) {
  for (int v = 0; v < HT_LEVEL_VALUES; v++) {
    HT_REAL sum = 0;
    for (int i = 0; i < HT_CUBE; i++) sum += corner[i][v];
    state[v] = (HT_REAL)0.125 * sum;
  }
  for (int v = 0; v < HT_LEVEL_STRAIN; v++) state[v] -= (HT_REAL)0.125 * cube->laplacian[v];
  for (int v = HT_LEVEL_STRAIN; v < HT_LEVEL_VALUES; v++) state[v] *= 2;
}
