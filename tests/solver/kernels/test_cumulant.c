/* The cumulant collision of one D3Q27 node against its definition, and its invariants. */
#include "tests/check.h"
#include "solver/kernels/nodes.h"
#include <float.h>
#include <string.h>

enum { Q = HT_Q27, STATES = 200, MODEL = HT_MODEL_CUMULANT };
/* Every rate 1; just above the bound; as in vessels. */
static const double omegas[] = {0.4, 1.7, 1.79, 1.81, 1.9, 1.996};
enum { OMEGAS = sizeof omegas / sizeof *omegas };

/* Returns noise in [-1, 1), the same in every run. */
static double noise(void) {
  static uint64_t state = 12345;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

/* A flow of up to 0.1 with deviations of `size` of each weight. */
static void any_state(double size, double g[Q]) {
  const double rho = 0.03 * noise(), j[3] = {0.1 * noise(), 0.1 * noise(), 0.1 * noise()};
  const double moment[6] = {0};
  rebuild_of_f64(g, MODEL, rho, j, moment);
  for (int q = 0; q < Q; q++) g[q] += size * ht_weight(q, Q) * noise();
}

static double worst(const double *a, const double *b) {
  double most = 0;
  for (int q = 0; q < Q; q++) most = fmax(most, fabs(a[q] - b[q]));
  return most;
}

/* ---- the definition, without shifted values and without transforms along axes ---- */

static double power(double x, int n) {
  return n == 0 ? 1 : n == 1 ? x : x * x;
}

/* row[abc][q] = (c_x - u_x)^a (c_y - u_y)^b (c_z - u_z)^c, abc = 9 a + 3 b + c. */
static void powers(const double u[3], double row[Q][Q]) {
  for (int m = 0; m < Q; m++)
    for (int q = 0; q < Q; q++)
      row[m][q] = power(ht_c[q][0] - u[0], m / 9) * power(ht_c[q][1] - u[1], m / 3 % 3) *
                  power(ht_c[q][2] - u[2], m % 3);
}

/* Solves row x = right by elimination with pivots. */
static void solve(double row[Q][Q], double right[Q]) {
  for (int k = 0; k < Q; k++) {
    int best = k;
    for (int i = k; i < Q; i++)
      if (fabs(row[i][k]) > fabs(row[best][k])) best = i;
    for (int j = 0; j < Q; j++) {
      double swapped = row[k][j];
      row[k][j] = row[best][j], row[best][j] = swapped;
    }
    double swapped = right[k];
    right[k] = right[best], right[best] = swapped;
    for (int i = 0; i < Q; i++) {
      if (i == k) continue;
      double factor = row[i][k] / row[k][k];
      for (int j = k; j < Q; j++) row[i][j] -= factor * row[k][j];
      right[i] -= factor * right[k];
    }
  }
  for (int k = 0; k < Q; k++) right[k] /= row[k][k];
}

#define K(a, b, c) k[9 * (a) + 3 * (b) + (c)]

static double relaxed(double cumulant, double rate) {
  double slowed = rate + (1 - rate) * fabs(cumulant) / (fabs(cumulant) + 0.01);
  return (1 - slowed) * cumulant;
}

/* The moments after the collision of those before; K17, with the rate 1 for the trace. */
static void collide_moments(double k[Q], const double u[3], double w) {
  int one = w < 9.0 / 5;
  double w3 = one ? 1 : 8 * (w - 2) * (1 + 2 * w) / (7 * w * w - 14 * w - 8);
  double w4 = one ? 1 : 8 * (w - 2) * (4 * w - 7) / (9 * w * w - 50 * w + 56);
  double w5 =
      one ? 1
          : 24 * (w - 2) * (3 * w * w - 7 * w - 2) / (29 * w * w * w - 130 * w * w + 152 * w + 48);
  double A = one ? 0 : (4 + 2 * w - 3 * w * w) / (2 - 7 * w + 5 * w * w);
  double B = one ? 0 : (4 + 28 * w - 14 * w * w) / (6 - 21 * w + 15 * w * w);
  double rho = K(0, 0, 0), xx = K(2, 0, 0), yy = K(0, 2, 0), zz = K(0, 0, 2);
  double Dx = -w / 2 * (2 * xx - yy - zz) - (xx + yy + zz - rho) / 2;
  double Dy = Dx + 1.5 * w * (xx - yy), Dz = Dx + 1.5 * w * (xx - zz);
  double Dxy = -3 * w * K(1, 1, 0), Dxz = -3 * w * K(1, 0, 1), Dyz = -3 * w * K(0, 1, 1);
  double x2 = u[0] * u[0], y2 = u[1] * u[1], z2 = u[2] * u[2];
  double first = (1 - w) * (xx - yy) - 3 * (1 - w / 2) * (x2 * Dx - y2 * Dy);
  double second = (1 - w) * (xx - zz) - 3 * (1 - w / 2) * (x2 * Dx - z2 * Dz);
  double trace = rho - 1.5 * (x2 * Dx + y2 * Dy + z2 * Dz);
  K(2, 0, 0) = (trace + first + second) / 3;
  K(0, 2, 0) = K(2, 0, 0) - first, K(0, 0, 2) = K(2, 0, 0) - second;
  K(1, 1, 0) *= 1 - w, K(1, 0, 1) *= 1 - w, K(0, 1, 1) *= 1 - w;
  xx = K(2, 0, 0), yy = K(0, 2, 0), zz = K(0, 0, 2);
  double xy = K(1, 1, 0), xz = K(1, 0, 1), yz = K(0, 1, 1);

  K(1, 1, 1) = relaxed(K(1, 1, 1), w5);
  double *pair[3][2] = {
      {&K(1, 2, 0), &K(1, 0, 2)}, {&K(2, 1, 0), &K(0, 1, 2)}, {&K(2, 0, 1), &K(0, 2, 1)}};
  for (int i = 0; i < 3; i++) {
    double sum = relaxed(*pair[i][0] + *pair[i][1], w3);
    double difference = relaxed(*pair[i][0] - *pair[i][1], w4);
    *pair[i][0] = (sum + difference) / 2, *pair[i][1] = (sum - difference) / 2;
  }
  /* fourth-order cumulants (times the density) after the collision */
  double t = -(1 / w - 0.5);
  K(2, 2, 0) = (xx * yy + 2 * xy * xy) / rho + t * 2 / 3 * A * (Dx + Dy);
  K(2, 0, 2) = (xx * zz + 2 * xz * xz) / rho + t * 2 / 3 * A * (Dx + Dz);
  K(0, 2, 2) = (yy * zz + 2 * yz * yz) / rho + t * 2 / 3 * A * (Dy + Dz);
  K(1, 1, 2) = (zz * xy + 2 * xz * yz) / rho + t / 3 * B * Dxy;
  K(1, 2, 1) = (yy * xz + 2 * xy * yz) / rho + t / 3 * B * Dxz;
  K(2, 1, 1) = (xx * yz + 2 * xy * xz) / rho + t / 3 * B * Dyz;
  K(1, 2, 2) = (zz * K(1, 2, 0) + yy * K(1, 0, 2) + 4 * yz * K(1, 1, 1) +
                2 * (xz * K(0, 2, 1) + xy * K(0, 1, 2))) /
               rho;
  K(2, 1, 2) = (zz * K(2, 1, 0) + xx * K(0, 1, 2) + 4 * xz * K(1, 1, 1) +
                2 * (yz * K(2, 0, 1) + xy * K(1, 0, 2))) /
               rho;
  K(2, 2, 1) = (xx * K(0, 2, 1) + yy * K(2, 0, 1) + 4 * xy * K(1, 1, 1) +
                2 * (xz * K(1, 2, 0) + yz * K(2, 1, 0))) /
               rho;
  K(2, 2, 2) =
      (4 * K(1, 1, 1) * K(1, 1, 1) + xx * K(0, 2, 2) + yy * K(2, 0, 2) + zz * K(2, 2, 0) +
       4 * (yz * K(2, 1, 1) + xz * K(1, 2, 1) + xy * K(1, 1, 2)) +
       2 * (K(1, 2, 0) * K(1, 0, 2) + K(2, 1, 0) * K(0, 1, 2) + K(2, 0, 1) * K(0, 2, 1))) /
          rho -
      (16 * xy * xz * yz + 4 * (xz * xz * yy + yz * yz * xx + xy * xy * zz) + 2 * xx * yy * zz) /
          (rho * rho);
}

static void by_definition(double g[Q], double omega) {
  double row[Q][Q], k[Q] = {0}, rho, u[3];
  velocity_f64(g, MODEL, &rho, u);
  powers(u, row);
  for (int m = 0; m < Q; m++)
    for (int q = 0; q < Q; q++) k[m] += row[m][q] * (g[q] + ht_weight(q, Q));
  collide_moments(k, u, omega);
  solve(row, k);
  for (int q = 0; q < Q; q++) g[q] = k[q] - ht_weight(q, Q);
}

HT_TEST(follows_its_definition) {
  for (int o = 0; o < OMEGAS; o++)
    for (int n = 0; n < STATES; n++) {
      double g[Q], expected[Q];
      any_state(0.2, g);
      memcpy(expected, g, sizeof g);
      by_definition(expected, omegas[o]);
      relax_f64(g, MODEL, omegas[o]);
      assert_true(worst(g, expected) < 60 * DBL_EPSILON);
    }
}

/* ---- invariants ---- */

static void sums(const double g[Q], double sum[4]) {
  moments_f64(g, MODEL, &sum[0], &sum[1], &sum[2], &sum[3]);
}

HT_TEST(conserves) {
  double drift[4] = {0};
  for (int n = 0; n < 4000; n++) {
    double g[Q], before[4], after[4];
    float single[Q];
    any_state(0.2, g);
    sums(g, before);
    relax_f64(g, MODEL, 1.9);
    sums(g, after);
    for (int k = 0; k < 4; k++) assert_near(after[k], before[k], 4 * DBL_EPSILON);
    for (int q = 0; q < Q; q++) g[q] = single[q] = (float)g[q];
    sums(g, before);
    relax_f32(single, MODEL, 1.9f);
    for (int q = 0; q < Q; q++) g[q] = single[q];
    sums(g, after);
    for (int k = 0; k < 4; k++) drift[k] += (after[k] - before[k]) / 4000;
    for (int k = 0; k < 4; k++) assert_near(after[k], before[k], 4 * FLT_EPSILON);
  }
  for (int k = 0; k < 4; k++) assert_near(drift[k], 0, 0.02 * FLT_EPSILON);
}

/* An equilibrium stays as it is, at any velocity. */
HT_TEST(keeps_equilibrium) {
  const double moment[6] = {0};
  for (int n = 0; n < STATES; n++) {
    double g[Q], start[Q], rho = 0.1 * noise();
    const double j[3] = {0.2 * noise(), 0.2 * noise(), 0.2 * noise()};
    rebuild_of_f64(g, MODEL, rho, j, moment);
    memcpy(start, g, sizeof g);
    relax_f64(g, MODEL, 1.9);
    assert_true(worst(g, start) < 4 * DBL_EPSILON);
  }
}

/* Rebuilt values have the density, momentum and deviation that they were built from. */
HT_TEST(ports_rebuild) {
  for (int n = 0; n < STATES; n++) {
    double g[Q], moment[6], again[6], rho = 0.1 * noise(), sum[4];
    const double j[3] = {0.1 * noise(), 0.1 * noise(), 0.1 * noise()};
    for (int k = 0; k < 6; k++) moment[k] = 0.01 * noise();
    rebuild_of_f64(g, MODEL, rho, j, moment);
    sums(g, sum);
    deviation_of_f64(g, MODEL, rho, j, again);
    assert_near(sum[0], rho, 2 * DBL_EPSILON);
    for (int k = 0; k < 3; k++) assert_near(sum[1 + k], j[k], 2 * DBL_EPSILON);
    for (int k = 0; k < 6; k++) assert_near(again[k], moment[k], 2 * DBL_EPSILON);
  }
}

/* Zou-He finds the density on a face exactly; on edges and corners up to the third order of the
 * velocity, at which the equilibrium there is cut. */
HT_TEST(ports_density) {
  for (int kind = 0; kind < 27; kind++) {
    const signed char plane[3] = {(signed char)(kind % 3 - 1), (signed char)(kind / 3 % 3 - 1),
                                  (signed char)(kind / 9 - 1)};
    int faces = (plane[0] != 0) + (plane[1] != 0) + (plane[2] != 0);
    for (int n = 0; n < 20; n++) {
      double g[Q], moment[6], j[3], u[3], rho = 0.1 * noise();
      for (int k = 0; k < 6; k++) moment[k] = 0.01 * noise();
      for (int k = 0; k < 3; k++) u[k] = 0.1 * noise(), j[k] = (1 + rho) * u[k];
      rebuild_of_f64(g, MODEL, rho, j, moment);
      for (int q = 1; q < Q; q++)
        if (ht_comes_in(plane, q)) g[q] = NAN; /* it must not look at these */
      double found = zou_he_density_f64(g, plane, MODEL, u, moment);
      double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
      assert_true(fabs(found - rho) < (faces > 1 ? pow(speed, 3) : 0) + 8 * DBL_EPSILON);
    }
  }
}

/* The stress without a velocity is the mean of the excess momentum flux before and after. */
HT_TEST(stress_is_the_mean) {
  const double j[3] = {0};
  for (int n = 0; n < STATES; n++) {
    double g[Q], moment[6], after[6], sigma[6], again[6];
    for (int k = 0; k < 6; k++) moment[k] = 0.01 * noise();
    rebuild_of_f64(g, MODEL, 0.01, j, moment);
    stress_of_f64(g, MODEL, 1.8, sigma);
    moment_of_f64(sigma, MODEL, 1.8, again);
    relax_f64(g, MODEL, 1.8);
    deviation_of_f64(g, MODEL, 0.01, j, after);
    for (int k = 0; k < 6; k++) {
      assert_near(sigma[k] + (moment[k] + after[k]) / 2, 0, 4 * DBL_EPSILON);
      assert_near(again[k], moment[k], 16 * DBL_EPSILON);
    }
  }
}

/* Returns the direction that `q` becomes where axis k takes the place of axis order[k], with
 * sign[k]. */
static int turned(int q, const int *order, const int *sign) {
  for (int other = 0; other < Q; other++) {
    int same = 1;
    for (int k = 0; k < 3; k++) same &= ht_c[other][order[k]] == sign[k] * ht_c[q][k];
    if (same) return other;
  }
  fail_msg("the velocity set has not the symmetry of the lattice");
  return -1;
}

static void check_turn(const int *order, const int *sign) {
  for (int n = 0; n < 20; n++) {
    double g[Q], first[Q], last[Q];
    any_state(0.2, g);
    for (int q = 0; q < Q; q++) first[turned(q, order, sign)] = g[q];
    relax_f64(first, MODEL, 1.9);
    relax_f64(g, MODEL, 1.9);
    for (int q = 0; q < Q; q++) last[turned(q, order, sign)] = g[q];
    assert_true(worst(first, last) < 8 * DBL_EPSILON);
  }
}

HT_TEST(is_symmetric) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                   {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (int i = 0; i < 6; i++)
    for (int signs = 0; signs < 8; signs++) {
      int sign[3];
      for (int k = 0; k < 3; k++) sign[k] = (signs >> k) & 1 ? -1 : 1;
      check_turn(orders[i], sign);
    }
}

HT_TEST(is_float_of_double) {
  for (int o = 0; o < OMEGAS; o++)
    for (int n = 0; n < STATES; n++) {
      double g[Q];
      float single[Q];
      any_state(0.2, g);
      for (int q = 0; q < Q; q++) g[q] = single[q] = (float)g[q];
      relax_f64(g, MODEL, (double)(float)omegas[o]);
      relax_f32(single, MODEL, (float)omegas[o]);
      for (int q = 0; q < Q; q++) assert_near((double)single[q], g[q], 4 * FLT_EPSILON);
    }
}

/* Rates that are not 1 lie between 0 and 1, so that no moment grows; and those of the sums and
 * differences give walls a Lambda (wall_links.h) below 1/2. */
static void rates_damp(void **unused) {
  (void)unused;
  for (double tau = 0.5001; tau < 2; tau += 0.0001) {
    cumulant_rates_f64 rates = cumulant_rates_of_f64(1 / tau);
    const double stays[3] = {rates.sum_stays, rates.difference_stays, rates.triple_stays};
    for (int k = 0; k < 3; k++) assert_true(stays[k] >= 0 && stays[k] < 1);
    double odd = (1 / (1 - stays[0]) + 1 / (1 - stays[1])) / 2 - 0.5;
    if (stays[0] > 0) assert_true((tau - 0.5) * odd < 0.5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_its_definition),
      cmocka_unit_test(rates_damp),
      cmocka_unit_test(conserves),
      cmocka_unit_test(keeps_equilibrium),
      cmocka_unit_test(ports_rebuild),
      cmocka_unit_test(ports_density),
      cmocka_unit_test(stress_is_the_mean),
      cmocka_unit_test(is_symmetric),
      cmocka_unit_test(is_float_of_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
