/* The cumulant collision of one D3Q27 node: Geier, Pasquali & Schonherr, J. Comput. Phys. 348
 * (2017) 862 ("K17": rates of third order that make the diffusion fourth-order accurate, with a
 * limiter); cumulants: Geier, Schonherr, Pasquali & Krafczyk, Comput. Math. Appl. 70 (2015) 507
 * ("K15"). In the part of C that CUDA C++ also takes. Included by node.h after moments.h; no
 * include guard on purpose.
 *
 * A node goes to central moments kappa_abc = sum (c_x - u_x)^a (c_y - u_y)^b (c_z - u_z)^c f, one
 * axis after the other, in place. The stored values are shifted by their weights, so the moments
 * are shifted by those of the weights, k_a k_b k_c, k = (1, 0, 1/3): no digits are lost. Up to
 * third order cumulants are central moments (times the density). The moments of fourth to sixth
 * order get the values that make their cumulants 0, or in fourth order those of K17.
 *
 * After the collision the moments are halved: divided by 2 for each axis in which their order is
 * not 0 (kappa_200 / 2, kappa_110 / 4, kappa_111 / 8). A line goes back without factors then. */
#ifndef HT_CUMULANT_ONCE
#define HT_CUMULANT_ONCE

/* The lines of three nodes of the velocity set along an axis, from -1 to 1, and what the shift adds
 * to their sum. The axes are done in the order z, y, x; a slot then has, for each axis done, the
 * order of the moment in place of the direction's component. The shift's part of a line of halved
 * moments is last. */
#define HT_LINES_Z(X)                                                                              \
  X(20, 8, 22, 1.0 / 36, 1.0 / 36)                                                                 \
  X(12, 2, 14, 1.0 / 9, 1.0 / 9)                                                                   \
  X(24, 10, 26, 1.0 / 36, 1.0 / 36)                                                                \
  X(16, 4, 18, 1.0 / 9, 1.0 / 9)                                                                   \
  X(6, 0, 5, 4.0 / 9, 4.0 / 9)                                                                     \
  X(17, 3, 15, 1.0 / 9, 1.0 / 9)                                                                   \
  X(25, 9, 23, 1.0 / 36, 1.0 / 36)                                                                 \
  X(13, 1, 11, 1.0 / 9, 1.0 / 9)                                                                   \
  X(21, 7, 19, 1.0 / 36, 1.0 / 36)
#define HT_LINES_Y(X)                                                                              \
  X(20, 12, 24, 1.0 / 6, 1.0 / 6)                                                                  \
  X(8, 2, 10, 0.0, 0.0)                                                                            \
  X(22, 14, 26, 1.0 / 18, 1.0 / 36)                                                                \
  X(16, 6, 17, 2.0 / 3, 2.0 / 3)                                                                   \
  X(4, 0, 3, 0.0, 0.0)                                                                             \
  X(18, 5, 15, 2.0 / 9, 1.0 / 9)                                                                   \
  X(25, 13, 21, 1.0 / 6, 1.0 / 6)                                                                  \
  X(9, 1, 7, 0.0, 0.0)                                                                             \
  X(23, 11, 19, 1.0 / 18, 1.0 / 36)
#define HT_LINES_X(X)                                                                              \
  X(20, 16, 25, 1.0, 1.0)                                                                          \
  X(8, 4, 9, 0.0, 0.0)                                                                             \
  X(22, 18, 23, 1.0 / 3, 1.0 / 6)                                                                  \
  X(12, 6, 13, 0.0, 0.0)                                                                           \
  X(2, 0, 1, 0.0, 0.0)                                                                             \
  X(14, 5, 11, 0.0, 0.0)                                                                           \
  X(24, 17, 21, 1.0 / 3, 1.0 / 6)                                                                  \
  X(10, 3, 7, 0.0, 0.0)                                                                            \
  X(26, 15, 19, 1.0 / 9, 1.0 / 36)
/* Slot of the moment of order (a, b, c). */
enum {
  HT_M000 = 20,
  HT_M001 = 8,
  HT_M002 = 22,
  HT_M010 = 12,
  HT_M011 = 2,
  HT_M012 = 14,
  HT_M020 = 24,
  HT_M021 = 10,
  HT_M022 = 26,
  HT_M100 = 16,
  HT_M101 = 4,
  HT_M102 = 18,
  HT_M110 = 6,
  HT_M111 = 0,
  HT_M112 = 5,
  HT_M120 = 17,
  HT_M121 = 3,
  HT_M122 = 15,
  HT_M200 = 25,
  HT_M201 = 9,
  HT_M202 = 23,
  HT_M210 = 13,
  HT_M211 = 1,
  HT_M212 = 11,
  HT_M220 = 21,
  HT_M221 = 7,
  HT_M222 = 19
};

/* A third-order cumulant that is larger than this goes to 0 at once (K17's limiter). */
#define HT_CUMULANT_LIMITER 0.01
/* Below this omega (nu > 1/54) every rate is 1. The formulas have a pole at 14/9; from there to 7/4
 * the rate of the differences is negative, so that these grow; and up to 9/5 it is so small that a
 * wall between nodes is off by several times its distance (Lambda of wall_links.h). */
#define HT_CUMULANT_LEAST_OMEGA (9.0 / 5)

#endif

/* The rates of a node. Third order: of the sums (120 + 102 and the like), the differences (120 -
 * 102) and 111, as the share that stays; K17, eq. 111 to 113, with the rate 1 for the trace. The
 * last two are the factors of the velocity's derivatives in fourth order, eq. 114 and 115. */
typedef struct {
  HT_REAL omega, sum_stays, difference_stays, triple_stays, normal_fourth, shear_fourth;
} HT_NODE(cumulant_rates);

HT_ALWAYS_INLINE HT_NODE(cumulant_rates) HT_NODE(cumulant_rates_of)(HT_REAL omega) {
  const int all_one = omega < (HT_REAL)HT_CUMULANT_LEAST_OMEGA;
  HT_REAL w = all_one ? (HT_REAL)HT_CUMULANT_LEAST_OMEGA : omega;
  HT_REAL from_two = w - 2, fourth = (1 / w - (HT_REAL)0.5) / (7 * w - 5 * w * w - 2);
  HT_REAL sum = 8 * from_two * (1 + 2 * w) / (7 * w * w - 14 * w - 8);
  HT_REAL difference = 8 * from_two * (4 * w - 7) / (9 * w * w - 50 * w + 56);
  HT_REAL triple = 24 * from_two * (3 * w * w - 7 * w - 2) / (48 + w * (152 + w * (29 * w - 130)));
  HT_REAL normal = (HT_REAL)(2.0 / 3) * fourth * (4 + 2 * w - 3 * w * w);
  HT_REAL shear = (HT_REAL)(1.0 / 9) * fourth * (4 + 28 * w - 14 * w * w);
  HT_NODE(cumulant_rates)
  rates = {omega,
           all_one ? 0 : 1 - sum,
           all_one ? 0 : 1 - difference,
           all_one ? 0 : 1 - triple,
           all_one ? 0 : normal,
           all_one ? 0 : shear};
  return rates;
}

/* (f_-1, f_0, f_1) of a line as its sum, difference and sum of the outer two; these to its moments
 * of order 0, 1, 2 about the velocity v; and the halved moments back to the line, half_v = v / 2.
 * Written for few instructions: the collision takes hardly less time than the memory access. */
HT_ALWAYS_INLINE void HT_NODE(add_line)(HT_REAL *low, HT_REAL *middle, HT_REAL *high) {
  HT_REAL pair = *low + *high, difference = *high - *low;
  *low = pair + *middle;
  *middle = difference;
  *high = pair;
}
HT_ALWAYS_INLINE void HT_NODE(to_central)(HT_REAL *sum, HT_REAL *difference, HT_REAL *pair,
                                          HT_REAL v, HT_REAL shift) {
  HT_REAL mass = shift == 0 ? *sum : *sum + shift, first = *difference - mass * v;
  *pair = *pair - v * (*difference + first);
  *difference = first;
}
HT_ALWAYS_INLINE void HT_NODE(from_central)(HT_REAL *low, HT_REAL *middle, HT_REAL *high, HT_REAL v,
                                            HT_REAL half_v, HT_REAL shift) {
  HT_REAL mass = shift == 0 ? *low : *low + shift;
  HT_REAL odd = *middle + half_v * mass, even = *high + v * (*middle + odd);
  *middle = ht_less_twice(*low, even);
  *low = even - odd;
  *high = even + odd;
}

/* The sums of the lines along z to density and momentum. */
HT_ALWAYS_INLINE void HT_NODE(moments_of_lines)(const HT_REAL *g, HT_REAL *rho, HT_REAL *j) {
  /* Sums by x, then y: g[20] g[12] g[24] | g[16] g[6] g[17] | g[25] g[13] g[21]. */
  HT_REAL back = g[20] + g[25] + g[16], front = g[24] + g[21] + g[17];
  HT_REAL left = g[20] + g[12] + g[24], right = g[25] + g[13] + g[21];
  j[0] = right - left;
  j[1] = front - back;
  j[2] = ((g[8] + g[2]) + (g[10] + g[4])) + ((g[0] + g[3]) + (g[9] + g[1])) + g[7];
  *rho = (left + right) + (g[16] + g[6] + g[17]);
}

/* An eighth of what stays of a third-order cumulant, slowed where it is large. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(limited)(HT_REAL cumulant, HT_REAL stays) {
  HT_REAL limiter = (HT_REAL)HT_CUMULANT_LIMITER, size = ht_magnitude(cumulant) + limiter;
  return cumulant * (stays * (limiter / 8) * ht_rough_reciprocal(size));
}

/* A sum and a difference of two third-order cumulants, each with its own rate; halved. */
HT_ALWAYS_INLINE void HT_NODE(relax_third)(HT_REAL *a, HT_REAL *b,
                                           const HT_NODE(cumulant_rates) * rates) {
  HT_REAL sum = HT_NODE(limited)(*a + *b, rates->sum_stays);
  HT_REAL difference = HT_NODE(limited)(*a - *b, rates->difference_stays);
  *a = sum + difference;
  *b = sum - difference;
}

/* Second order (K15 with the rate 1 for the trace): the trace goes to its equilibrium, the rest
 * relaxes with omega, corrected for Galilean invariance with the velocity's derivatives; halved.
 * normal[]: on return density * du_a/dx_a. */
HT_ALWAYS_INLINE void HT_NODE(relax_second)(HT_REAL *g, const HT_REAL *u, HT_REAL w,
                                            HT_REAL *normal) {
  HT_REAL mean = g[HT_M000] * (HT_REAL)(1.0 / 3);
  HT_REAL xx = g[HT_M200] - mean, yy = g[HT_M020] - mean, zz = g[HT_M002] - mean;
  HT_REAL trace = xx + yy + zz, less_y = xx - yy, less_z = xx - zz;
  normal[0] = (HT_REAL)-0.5 * (w * (less_y + less_z) + trace);
  normal[1] = normal[0] + (HT_REAL)1.5 * w * less_y;
  normal[2] = normal[0] + (HT_REAL)1.5 * w * less_z;
  HT_REAL x = u[0] * u[0] * normal[0], y = u[1] * u[1] * normal[1], z = u[2] * u[2] * normal[2];
  HT_REAL correction = 3 - (HT_REAL)1.5 * w;
  trace = (HT_REAL)-1.5 * (x + y + z);
  less_y = (1 - w) * less_y - correction * (x - y);
  less_z = (1 - w) * less_z - correction * (x - z);
  xx = (HT_REAL)(1.0 / 6) * (trace + less_y + less_z);
  mean *= (HT_REAL)0.5;
  g[HT_M200] = xx + mean;
  g[HT_M020] = (xx - (HT_REAL)0.5 * less_y) + mean;
  g[HT_M002] = (xx - (HT_REAL)0.5 * less_z) + mean;
  w = (HT_REAL)0.25 - (HT_REAL)0.25 * w;
  g[HT_M110] *= w;
  g[HT_M101] *= w;
  g[HT_M011] *= w;
}

/* Halved moments of fourth order from those below; strain[]: -3/8 omega times the moments 110, 101,
 * 011 before the collision (density times the sums of the velocity's derivatives). r: 1 / density.
 */
HT_ALWAYS_INLINE void HT_NODE(set_fourth)(HT_REAL *g, HT_REAL r, const HT_REAL *normal,
                                          const HT_REAL *strain,
                                          const HT_NODE(cumulant_rates) * rates) {
  const HT_REAL sixth = (HT_REAL)(1.0 / 6), b = rates->shear_fourth;
  const HT_REAL a = (HT_REAL)0.25 * rates->normal_fourth;
  HT_REAL xx = g[HT_M200], yy = g[HT_M020], zz = g[HT_M002];
  HT_REAL xy = g[HT_M110], xz = g[HT_M101], yz = g[HT_M011];
  HT_REAL less = (HT_REAL)(-1.0 / 36) * g[HT_M000] * r; /* (1/density - 1) / 36 */
  g[HT_M220] = (xx * yy + 8 * xy * xy + sixth * (xx + yy)) * r + less + a * (normal[0] + normal[1]);
  g[HT_M202] = (xx * zz + 8 * xz * xz + sixth * (xx + zz)) * r + less + a * (normal[0] + normal[2]);
  g[HT_M022] = (yy * zz + 8 * yz * yz + sixth * (yy + zz)) * r + less + a * (normal[1] + normal[2]);
  g[HT_M112] = ((zz + sixth) * xy + 4 * xz * yz) * r + b * strain[0];
  g[HT_M121] = ((yy + sixth) * xz + 4 * xy * yz) * r + b * strain[1];
  g[HT_M211] = ((xx + sixth) * yz + 4 * xy * xz) * r + b * strain[2];
}

/* Halved moments of fifth order whose cumulants are 0 (K15, appendix J). */
HT_ALWAYS_INLINE void HT_NODE(set_fifth)(HT_REAL *g, HT_REAL r) {
  const HT_REAL sixth = (HT_REAL)(1.0 / 6);
  HT_REAL xx = g[HT_M200] + sixth, yy = g[HT_M020] + sixth, zz = g[HT_M002] + sixth;
  HT_REAL xy = g[HT_M110], xz = g[HT_M101], yz = g[HT_M011], xyz = g[HT_M111];
  g[HT_M122] = (zz * g[HT_M120] + yy * g[HT_M102] + 16 * yz * xyz +
                4 * (xz * g[HT_M021] + xy * g[HT_M012])) *
               r;
  g[HT_M212] = (zz * g[HT_M210] + xx * g[HT_M012] + 16 * xz * xyz +
                4 * (yz * g[HT_M201] + xy * g[HT_M102])) *
               r;
  g[HT_M221] = (xx * g[HT_M021] + yy * g[HT_M201] + 16 * xy * xyz +
                4 * (xz * g[HT_M120] + yz * g[HT_M210])) *
               r;
}

/* The halved moment of sixth order whose cumulant is 0 (K15, appendix J), less that of the weights:
 * with the shifted moments 2 a = kappa_200 - 1/3 and the like, so that 1/27 cancels exactly and not
 * to rounding. */
HT_ALWAYS_INLINE void HT_NODE(set_sixth)(HT_REAL *g, HT_REAL r) {
  const HT_REAL third = (HT_REAL)(1.0 / 3), sixth = (HT_REAL)(1.0 / 6);
  HT_REAL a = g[HT_M200], b = g[HT_M020], c = g[HT_M002], less = g[HT_M000] * r;
  HT_REAL xy = g[HT_M110], xz = g[HT_M101], yz = g[HT_M011], xyz = g[HT_M111], trace = a + b + c;
  HT_REAL odd = 32 * xyz * xyz +
                4 * (g[HT_M120] * g[HT_M102] + g[HT_M210] * g[HT_M012] + g[HT_M201] * g[HT_M021]);
  HT_REAL even = sixth * (g[HT_M022] + g[HT_M202] + g[HT_M220]) + (HT_REAL)(1.0 / 36) * trace +
                 (a * g[HT_M022] + b * g[HT_M202] + c * g[HT_M220]) +
                 16 * (yz * g[HT_M211] + xz * g[HT_M121] + xy * g[HT_M112]);
  HT_REAL twice = 128 * xy * xz * yz +
                  16 * (xz * xz * (b + sixth) + yz * yz * (a + sixth) + xy * xy * (c + sixth)) +
                  ((HT_REAL)(1.0 / 18) * trace + third * (a * b + b * c + c * a) + 2 * a * b * c);
  g[HT_M222] = (odd + even) * r - twice * r * r + (HT_REAL)(1.0 / 216) * less * (1 - 2 * less);
}

/* Replaces the values by their central moments, each less that of the weights, in place. u:
 * velocity. Returns 1 / density. */
HT_ALWAYS_INLINE HT_REAL HT_NODE(to_moments)(HT_REAL *g, HT_REAL *u) {
  HT_REAL rho;
#define HT_LINE(a, b, c, shift, halved) HT_NODE(add_line)(&g[a], &g[b], &g[c]);
  HT_LINES_Z(HT_LINE)
#undef HT_LINE
  HT_NODE(moments_of_lines)(g, &rho, u);
  HT_REAL r = ht_reciprocal(1 + rho);
  u[0] *= r, u[1] *= r, u[2] *= r;
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(to_central)(&g[a], &g[b], &g[c], u[2], (HT_REAL)(shift));
  HT_LINES_Z(HT_LINE)
#undef HT_LINE
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(add_line)(&g[a], &g[b], &g[c]);                                                          \
  HT_NODE(to_central)(&g[a], &g[b], &g[c], u[1], (HT_REAL)(shift));
  HT_LINES_Y(HT_LINE)
#undef HT_LINE
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(add_line)(&g[a], &g[b], &g[c]);                                                          \
  HT_NODE(to_central)(&g[a], &g[b], &g[c], u[0], (HT_REAL)(shift));
  HT_LINES_X(HT_LINE)
#undef HT_LINE
  return r;
}

/* Replaces halved central moments by the values, in place. */
HT_ALWAYS_INLINE void HT_NODE(from_moments)(HT_REAL *g, const HT_REAL *u) {
  const HT_REAL half[3] = {(HT_REAL)0.5 * u[0], (HT_REAL)0.5 * u[1], (HT_REAL)0.5 * u[2]};
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(from_central)(&g[a], &g[b], &g[c], u[0], half[0], (HT_REAL)(halved));
  HT_LINES_X(HT_LINE)
#undef HT_LINE
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(from_central)(&g[a], &g[b], &g[c], u[1], half[1], (HT_REAL)(halved));
  HT_LINES_Y(HT_LINE)
#undef HT_LINE
#define HT_LINE(a, b, c, shift, halved)                                                            \
  HT_NODE(from_central)(&g[a], &g[b], &g[c], u[2], half[2], (HT_REAL)(halved));
  HT_LINES_Z(HT_LINE)
#undef HT_LINE
}

/* One collision, in place, of a node whose velocity rises before it by `force` (diagonal.h); the
 * squares of the components that it had go to `square`. Both [3], `apart` values apart; NULL: none.
 */
HT_ALWAYS_INLINE void HT_NODE(cumulant_pushed)(HT_REAL *g, const HT_NODE(cumulant_rates) * rates,
                                               const HT_REAL *force, HT_REAL *square, int apart) {
  HT_REAL u[3], normal[3], r = HT_NODE(to_moments)(g, u);
  if (force) {
    square[0] = u[0] * u[0], square[apart] = u[1] * u[1], square[2 * apart] = u[2] * u[2];
    u[0] += force[0], u[1] += force[apart], u[2] += force[2 * apart];
  }
  const HT_REAL rate = (HT_REAL)(-3.0 / 8) * rates->omega, half = (HT_REAL)0.5;
  const HT_REAL strain[3] = {rate * g[HT_M110], rate * g[HT_M101], rate * g[HT_M011]};
  HT_NODE(relax_second)(g, u, rates->omega, normal);
  g[HT_M100] *= half, g[HT_M010] *= half, g[HT_M001] *= half;
  g[HT_M111] = HT_NODE(limited)(g[HT_M111], rates->triple_stays);
  HT_NODE(relax_third)(&g[HT_M120], &g[HT_M102], rates);
  HT_NODE(relax_third)(&g[HT_M210], &g[HT_M012], rates);
  HT_NODE(relax_third)(&g[HT_M201], &g[HT_M021], rates);
  HT_NODE(set_fourth)(g, r, normal, strain, rates);
  HT_NODE(set_fifth)(g, r);
  HT_NODE(set_sixth)(g, r);
  HT_NODE(from_moments)(g, u);
}

/* One collision, in place. */
HT_ALWAYS_INLINE void HT_NODE(cumulant)(HT_REAL *g, const HT_NODE(cumulant_rates) * rates) {
  HT_NODE(cumulant_pushed)(g, rates, NULL, NULL, 0);
}

/* All moments of a node. */
HT_ALWAYS_INLINE void HT_NODE(halve)(HT_REAL *g) {
  const HT_REAL half = (HT_REAL)0.5;
#define HT_LINE(a, b, c, shift, halved) g[b] *= half, g[c] *= half;
  HT_LINES_Z(HT_LINE)
  HT_LINES_Y(HT_LINE)
  HT_LINES_X(HT_LINE)
#undef HT_LINE
}

/* The node of a sponge, after its collision: of what deviates from the equilibrium, in every
 * moment, `keep` remains. A collision leaves 1 - omega of the second-order deviation, which sets
 * the viscosity; with keep = (1 - omega') / (1 - omega) the viscosity is that of omega'. */
HT_ALWAYS_INLINE void HT_NODE(damp)(HT_REAL *g, HT_REAL keep) {
  HT_REAL u[3];
  HT_NODE(to_moments)(g, u);
  const HT_REAL rho = g[HT_M000], go = 1 - keep;
  const HT_REAL second = (HT_REAL)(1.0 / 3) * rho, fourth = (HT_REAL)(1.0 / 9) * rho;
  HT_UNROLL_27 for (int q = 0; q < HT_Q27; q++) g[q] *= keep;
  g[HT_M000] = rho;
  g[HT_M200] += go * second, g[HT_M020] += go * second, g[HT_M002] += go * second;
  g[HT_M220] += go * fourth, g[HT_M202] += go * fourth, g[HT_M022] += go * fourth;
  g[HT_M222] += go * (HT_REAL)(1.0 / 27) * rho;
  HT_NODE(halve)(g);
  HT_NODE(from_moments)(g, u);
}
