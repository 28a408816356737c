/* The collision of one node against the published matrices, and the invariants of every model. */
#include "tests/check.h"
#include "bench/papers/plane/plane_nodes.h"
#include "solver/kernels/nodes.h"
#include "solver/solver.h"
#include <float.h>
#include <string.h>

enum { MODELS = 4, STATES = 200 }; /* of D3Q19; cumulants: test_cumulant */
static const double omegas[] = {0.4, 1.0, 1.7, 1.98};
enum { OMEGAS = sizeof(omegas) / sizeof(omegas[0]) };

/* One velocity set with its moments: everything that the two tests of a kind share. */
typedef struct {
  int q, dims;
  double c[19][3], w[19];
  double basis[19][19]; /* rows: polynomials of the paper at every direction */
  void (*equilibrium)(double rho, const double *j, double r, double *moment);
  void (*rates)(int model, double omega, double *rate);
  void (*relax64)(double *g, int model, double omega);
  void (*relax32)(float *g, int model, float omega);
  void (*equal_rates)(double *g, int model, double omega);
} velocity_set;

/* ---- D3Q19, d'Humieres et al. (2002), appendix ---- */

static void d3q19_row(const double *c, double *row) {
  double x = c[0], y = c[1], z = c[2], c2 = x * x + y * y + z * z;
  row[0] = 1, row[1] = 19 * c2 - 30, row[2] = (21 * c2 * c2 - 53 * c2 + 24) / 2;
  for (int k = 0; k < 3; k++) row[3 + 2 * k] = c[k], row[4 + 2 * k] = (5 * c2 - 9) * c[k];
  row[9] = 3 * x * x - c2, row[10] = (3 * c2 - 5) * (3 * x * x - c2);
  row[11] = y * y - z * z, row[12] = (3 * c2 - 5) * (y * y - z * z);
  row[13] = x * y, row[14] = y * z, row[15] = x * z;
  row[16] = (y * y - z * z) * x, row[17] = (z * z - x * x) * y, row[18] = (x * x - y * y) * z;
}

/* w_e = 3, w_ej = -11/2, w_xx = -1/2; r is 1 over the paper's rho_0. */
static void d3q19_equilibrium(double rho, const double *j, double r, double *m) {
  double j2 = j[0] * j[0] + j[1] * j[1] + j[2] * j[2];
  double pxx = r * (2 * j[0] * j[0] - j[1] * j[1] - j[2] * j[2]) / 3;
  double pww = r * (j[1] * j[1] - j[2] * j[2]);
  m[0] = rho, m[1] = -11 * rho + 19 * r * j2, m[2] = 3 * rho - 5.5 * r * j2;
  for (int k = 0; k < 3; k++) m[3 + 2 * k] = j[k], m[4 + 2 * k] = -2.0 / 3 * j[k];
  m[9] = 3 * pxx, m[10] = 3 * -0.5 * pxx, m[11] = pww, m[12] = -0.5 * pww;
  m[13] = r * j[0] * j[1], m[14] = r * j[1] * j[2], m[15] = r * j[0] * j[2];
  m[16] = m[17] = m[18] = 0;
}

static void d3q19_rates(int model, double omega, double *s) {
  const double mrt[19] = {0,   1.19,  1.4, 0,     1.2,   0,     1.2,  0,    1.2, omega,
                          1.9, omega, 1.9, omega, omega, omega, 1.98, 1.98, 1.98};
  for (int i = 0; i < 19; i++) s[i] = HT_MODEL_COLLISION(model) == HT_MRT ? mrt[i] : omega;
}

static void d3q19_relax64(double *g, int model, double omega) {
  relax_f64(g, model, omega);
}
static void d3q19_relax32(float *g, int model, float omega) {
  relax_f32(g, model, omega);
}
static void d3q19_equal(double *g, int model, double s) {
  mrt_rates_f64(g, HT_MODEL_COMPRESSIBILITY(model), s, s, s, s, s, s);
}

static velocity_set d3q19(void) {
  velocity_set set = {.q = 19,
                      .dims = 3,
                      .equilibrium = d3q19_equilibrium,
                      .rates = d3q19_rates,
                      .relax64 = d3q19_relax64,
                      .relax32 = d3q19_relax32,
                      .equal_rates = d3q19_equal};
  for (int q = 0; q < 19; q++) {
    double row[19];
    for (int k = 0; k < 3; k++) set.c[q][k] = ht_c[q][k];
    set.w[q] = q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
    d3q19_row(set.c[q], row);
    for (int i = 0; i < 19; i++) set.basis[i][q] = row[i];
  }
  return set;
}

/* ---- D2Q9, Lallemand & Luo (2000) ---- */

static void d2q9_row(const double *c, double *row) {
  double x = c[0], y = c[1], c2 = x * x + y * y;
  row[0] = 1, row[1] = 3 * c2 - 4, row[2] = (9 * c2 * c2 - 21 * c2 + 8) / 2;
  row[3] = x, row[4] = (3 * c2 - 5) * x, row[5] = y, row[6] = (3 * c2 - 5) * y;
  row[7] = x * x - y * y, row[8] = x * y;
}

static void d2q9_equilibrium(double rho, const double *j, double r, double *m) {
  double j2 = j[0] * j[0] + j[1] * j[1];
  m[0] = rho, m[1] = -2 * rho + 3 * r * j2, m[2] = rho - 3 * r * j2;
  m[3] = j[0], m[4] = -j[0], m[5] = j[1], m[6] = -j[1];
  m[7] = r * (j[0] * j[0] - j[1] * j[1]), m[8] = r * j[0] * j[1];
}

static void d2q9_rates(int model, double omega, double *s) {
  const double mrt[9] = {0, 1.63, 1.14, 0, 1.92, 0, 1.92, omega, omega};
  for (int i = 0; i < 9; i++) s[i] = HT_MODEL_COLLISION(model) == HT_MRT ? mrt[i] : omega;
}

static void d2q9_relax64(double *g, int model, double omega) {
  d2q9_relax_f64(g, model, omega);
}
static void d2q9_relax32(float *g, int model, float omega) {
  d2q9_relax_f32(g, model, omega);
}
static void d2q9_equal(double *g, int model, double s) {
  d2q9_mrt_rates_f64(g, HT_MODEL_COMPRESSIBILITY(model), s, s, s, s);
}

static velocity_set d2q9(void) {
  velocity_set set = {.q = 9,
                      .dims = 2,
                      .equilibrium = d2q9_equilibrium,
                      .rates = d2q9_rates,
                      .relax64 = d2q9_relax64,
                      .relax32 = d2q9_relax32,
                      .equal_rates = d2q9_equal};
  for (int q = 0; q < 9; q++) {
    double row[9];
    for (int k = 0; k < 2; k++) set.c[q][k] = ht_d2q9_c[q][k];
    set.w[q] = q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36;
    d2q9_row(set.c[q], row);
    for (int i = 0; i < 9; i++) set.basis[i][q] = row[i];
  }
  return set;
}

/* ---- comparisons ---- */

static uint64_t random_state = 1;
static double noise(void) { /* in [-1, 1) */
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int32_t)(random_state >> 32) / 2147483648.0;
}

/* Far from equilibrium: every shifted value deviates on its own by up to `amplitude` of its weight;
 * what a set has not is 0. */
static void any_state(const velocity_set *set, double amplitude, double *g) {
  for (int q = 0; q < 19; q++) g[q] = q < set->q ? amplitude * set->w[q] * noise() : 0;
}

static double worst(const velocity_set *set, const double *a, const double *b) {
  double most = 0;
  for (int q = 0; q < set->q; q++) most = fmax(most, fabs(a[q] - b[q]));
  return most;
}

/* Density deviation and momentum, [4]. */
static void sums(const velocity_set *set, const double *g, double *sum) {
  memset(sum, 0, 4 * sizeof(double));
  for (int q = 0; q < set->q; q++) {
    sum[0] += g[q];
    for (int k = 0; k < 3; k++) sum[1 + k] += set->c[q][k] * g[q];
  }
}

/* f <- f - M^-1 S (M f - m^eq) on full, not shifted, functions; M^-1 = M^T (M M^T)^-1. */
static void by_matrix(const velocity_set *set, double *g, int model, double omega) {
  double sum[4], equilibrium[19], rate[19], f[19];
  sums(set, g, sum);
  for (int q = 0; q < set->q; q++) f[q] = g[q] + set->w[q];
  double r = HT_MODEL_COMPRESSIBILITY(model) == HT_QUASI_COMPRESSIBLE ? 1 / (1 + sum[0]) : 1;
  set->equilibrium(1 + sum[0], sum + 1, r, equilibrium);
  set->rates(model, omega, rate);
  for (int i = 0; i < set->q; i++) {
    double moment = 0, norm = 0;
    for (int q = 0; q < set->q; q++) {
      moment += set->basis[i][q] * f[q];
      norm += set->basis[i][q] * set->basis[i][q];
    }
    for (int q = 0; q < set->q; q++)
      g[q] -= set->basis[i][q] / norm * rate[i] * (moment - equilibrium[i]);
  }
}

/* The usual second-order equilibrium in full functions, written as in the textbooks. */
static void by_equilibrium(const velocity_set *set, double *g, int model, double omega) {
  double sum[4];
  sums(set, g, sum);
  double rho = 1 + sum[0],
         scale = HT_MODEL_COMPRESSIBILITY(model) == HT_QUASI_COMPRESSIBLE ? rho : 1;
  double u2 = 0;
  for (int k = 0; k < 3; k++) sum[1 + k] /= scale, u2 += sum[1 + k] * sum[1 + k];
  for (int q = 0; q < set->q; q++) {
    double cu = 0;
    for (int k = 0; k < 3; k++) cu += set->c[q][k] * sum[1 + k];
    double form = 3 * cu + 4.5 * cu * cu - 1.5 * u2;
    g[q] -= omega * (g[q] + set->w[q] - set->w[q] * (rho + scale * form));
  }
}

static void check_basis(const velocity_set *set) {
  for (int i = 0; i < set->q; i++)
    for (int k = 0; k < i; k++) {
      double product = 0;
      for (int q = 0; q < set->q; q++) product += set->basis[i][q] * set->basis[k][q];
      assert_true(product == 0);
    }
  for (int q = 0; q < set->q; q++)
    for (int k = 0; k < set->dims; k++) assert_true(set->c[q][k] == -set->c[ht_opposite(q)][k]);
}

static void check_matrix(const velocity_set *set) {
  for (int model = 0; model < MODELS; model++)
    for (int o = 0; o < OMEGAS; o++)
      for (int n = 0; n < STATES; n++) {
        double g[19], expected[19];
        any_state(set, 0.3, g);
        memcpy(expected, g, sizeof(g));
        by_matrix(set, expected, model, omegas[o]);
        set->relax64(g, model, omegas[o]);
        assert_true(worst(set, g, expected) < 4 * DBL_EPSILON);
      }
}

static void check_lbgk(const velocity_set *set) {
  for (int compressibility = 0; compressibility < 2; compressibility++)
    for (int o = 0; o < OMEGAS; o++)
      for (int n = 0; n < STATES; n++) {
        double g[19], textbook[19], equal[19];
        any_state(set, 0.3, g);
        memcpy(textbook, g, sizeof(g));
        memcpy(equal, g, sizeof(g));
        by_equilibrium(set, textbook, compressibility, omegas[o]);
        set->equal_rates(equal, compressibility, omegas[o]);
        set->relax64(g, HT_MODEL(HT_LBGK, compressibility), omegas[o]);
        assert_true(worst(set, g, textbook) < 4 * DBL_EPSILON);
        assert_true(worst(set, g, equal) < DBL_EPSILON);
      }
}

static void check_conservation(const velocity_set *set) {
  for (int model = 0; model < MODELS; model++) {
    double drift[4] = {0};
    for (int n = 0; n < 4000; n++) {
      double g[19], before[4], after[4];
      float single[19];
      any_state(set, 0.3, g);
      sums(set, g, before);
      set->relax64(g, model, 1.9);
      sums(set, g, after);
      for (int k = 0; k < 4; k++) assert_near(after[k], before[k], 2 * DBL_EPSILON);
      for (int q = 0; q < set->q; q++) g[q] = single[q] = (float)g[q];
      sums(set, g, before);
      set->relax32(single, model, 1.9f);
      for (int q = 0; q < set->q; q++) g[q] = single[q];
      sums(set, g, after);
      for (int k = 0; k < 4; k++) drift[k] += (after[k] - before[k]) / 4000;
      for (int k = 0; k < 4; k++) assert_near(after[k], before[k], 2 * FLT_EPSILON);
    }
    /* rounding errors have no bias: their mean is far below that of a single node */
    for (int k = 0; k < 4; k++) assert_near(drift[k], 0, 0.02 * FLT_EPSILON);
  }
}

/* The two equilibria differ by r - 1 = -rho in terms of second order: third order in the state. */
static void check_compressibility(const velocity_set *set) {
  for (int collision = 0; collision < 2; collision++)
    for (int n = 0; n < STATES; n++) {
      double start[19], difference[2];
      any_state(set, 1, start);
      for (int halving = 0; halving < 2; halving++) {
        double a[19], b[19];
        for (int q = 0; q < set->q; q++) a[q] = b[q] = start[q] * (halving ? 0.005 : 0.01);
        set->relax64(a, HT_MODEL(collision, HT_INCOMPRESSIBLE), 1.7);
        set->relax64(b, HT_MODEL(collision, HT_QUASI_COMPRESSIBLE), 1.7);
        difference[halving] = worst(set, a, b);
      }
      assert_true(difference[0] < 1e-5);
      if (difference[1] > 1e-11) assert_float_equal(difference[0] / difference[1], 8, 0.2);
    }
}

/* Returns the direction that `q` becomes where axis k takes the place of axis order[k], with
 * sign[k]. */
static int turned(const velocity_set *set, int q, const int *order, const int *sign) {
  for (int other = 0; other < set->q; other++) {
    int same = 1;
    for (int k = 0; k < set->dims; k++) same &= set->c[other][order[k]] == sign[k] * set->c[q][k];
    if (same) return other;
  }
  fail_msg("the velocity set has not the symmetry of the lattice");
  return -1;
}

static void check_turn(const velocity_set *set, const int *order, const int *sign) {
  for (int model = 0; model < MODELS; model++)
    for (int n = 0; n < 20; n++) {
      double g[19], turned_first[19], turned_last[19];
      any_state(set, 0.3, g);
      for (int q = 0; q < set->q; q++) turned_first[turned(set, q, order, sign)] = g[q];
      set->relax64(turned_first, model, 1.9);
      set->relax64(g, model, 1.9);
      for (int q = 0; q < set->q; q++) turned_last[turned(set, q, order, sign)] = g[q];
      assert_true(worst(set, turned_first, turned_last) < DBL_EPSILON);
    }
}

/* All 48 (8 in the plane) rotations and reflections. */
static void check_symmetry(const velocity_set *set) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                   {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  int count = set->dims == 3 ? 6 : 2;
  for (int i = 0; i < count; i++)
    for (int signs = 0; signs < 1 << set->dims; signs++) {
      int sign[3];
      for (int k = 0; k < 3; k++) sign[k] = (signs >> k) & 1 ? -1 : 1;
      check_turn(set, orders[i], sign);
    }
}

static double momentum_square(const velocity_set *set, const double *g) {
  double sum[4];
  sums(set, g, sum);
  return sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3];
}

/* A periodic box of noise at rest, D3Q19: the sum of its squared momentum `STEPS` steps later, of
 * what it was. */
static double noise_left(int model, double tau) {
  enum { SIDE = 8, NODES = SIDE * SIDE * SIDE, STEPS = 4000 };
  static double all[2][NODES][19];
  double square[2] = {0};
  const velocity_set set = d3q19();
  for (int n = 0; n < NODES; n++) any_state(&set, 1e-6, all[0][n]);
  for (int step = 0; step <= STEPS; step++) {
    double(*now)[19] = all[step % 2], (*next)[19] = all[(step + 1) % 2];
    for (int n = 0; n < NODES; n++) {
      if (step % STEPS == 0) square[step / STEPS] += momentum_square(&set, now[n]);
      relax_f64(now[n], model, 1 / tau);
      for (int q = 0; q < 19; q++) {
        int x = (n % SIDE + ht_c[q][0] + SIDE) % SIDE,
            y = (n / SIDE % SIDE + ht_c[q][1] + SIDE) % SIDE;
        int z = (n / SIDE / SIDE + ht_c[q][2] + SIDE) % SIDE;
        next[(z * SIDE + y) * SIDE + x][q] = now[n][q];
      }
    }
  }
  return square[1] / square[0];
}

/* Just below the least tau of a plan, 0.502, a fluid at rest is stable: the slowest wave falls to
 * 0.085 of itself. (With MRT's s10 = 1.4 waves of four nodes grew by 0.4 % a step.) */
HT_TEST(rest_is_stable) {
  for (int model = 0; model < MODELS; model++) assert_true(noise_left(model, 0.5015) < 0.5);
}

static void check_float(const velocity_set *set) {
  for (int model = 0; model < MODELS; model++)
    for (int o = 0; o < OMEGAS; o++)
      for (int n = 0; n < STATES; n++) {
        const double size = 1e-3; /* small: only shifting keeps these */
        double g[19];
        float single[19];
        any_state(set, size, g);
        for (int q = 0; q < set->q; q++) g[q] = single[q] = (float)g[q];
        set->relax64(g, model, (float)omegas[o]);
        set->relax32(single, model, (float)omegas[o]);
        for (int q = 0; q < set->q; q++)
          assert_near(single[q], g[q], 4 * FLT_EPSILON * size * set->w[0]);
      }
}

/* Finds the flux of momentum beyond the equilibrium's, before and after the collision, [6] or
 * [3]. */
static void excess_flux(const velocity_set *set, const double *g, int model, double *out) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  static const int flat[3][2] = {{0, 0}, {1, 1}, {0, 1}};
  double sum[4];
  sums(set, g, sum);
  double r = HT_MODEL_COMPRESSIBILITY(model) == HT_QUASI_COMPRESSIBLE ? 1 / (1 + sum[0]) : 1;
  for (int i = 0; i < (set->dims == 3 ? 6 : 3); i++) {
    const int *p = set->dims == 3 ? pair[i] : flat[i];
    out[i] = -(p[0] == p[1] ? sum[0] / 3 : 0) - r * sum[1 + p[0]] * sum[1 + p[1]];
    for (int q = 0; q < set->q; q++) out[i] += set->c[q][p[0]] * set->c[q][p[1]] * g[q];
  }
}

static void check_stress(const velocity_set *set) {
  for (int model = 0; model < MODELS; model++)
    for (int n = 0; n < STATES; n++) {
      double g[19], before[6], after[6], sigma[6];
      any_state(set, 0.3, g);
      excess_flux(set, g, model, before);
      if (set->dims == 3)
        stress_of_f64(g, model, 1.8, sigma);
      else
        d2q9_stress_of_f64(g, model, 1.8, sigma);
      set->relax64(g, model, 1.8);
      excess_flux(set, g, model, after);
      for (int i = 0; i < (set->dims == 3 ? 6 : 3); i++)
        assert_near(sigma[i] + (before[i] + after[i]) / 2, 0, 4 * DBL_EPSILON);
    }
}

/* A uniform flow at equilibrium is left as it is, and has the velocity that it was given. */
static void check_rest(const velocity_set *set) {
  const double given[3] = {0.04, -0.03, set->dims == 3 ? 0.02 : 0}, density = 1.03;
  for (int model = 0; model < MODELS; model++) {
    double g[19], start[19], rho, u[3] = {0};
    double scale = HT_MODEL_COMPRESSIBILITY(model) == HT_QUASI_COMPRESSIBLE ? density : 1;
    for (int q = 0; q < set->q; q++) {
      double cu = 0, u2 = 0;
      for (int k = 0; k < 3; k++) cu += set->c[q][k] * given[k], u2 += given[k] * given[k];
      double form = 3 * cu + 4.5 * cu * cu - 1.5 * u2;
      start[q] = set->w[q] * (density + scale * form) - set->w[q];
    }
    memcpy(g, start, sizeof(g));
    set->relax64(g, model, 1.9);
    assert_true(worst(set, g, start) < DBL_EPSILON);
    if (set->dims == 3)
      velocity_f64(g, model, &rho, u);
    else
      d2q9_velocity_f64(g, HT_MODEL_COMPRESSIBILITY(model), &rho, u);
    assert_near(rho, (density - 1), DBL_EPSILON);
    for (int k = 0; k < set->dims; k++) assert_near(u[k], given[k], DBL_EPSILON);
  }
}

/* Rebuilt values have the density, momentum and deviation that they were built from; with no
 * deviation they are an equilibrium. */
HT_TEST(ports_rebuild) {
  velocity_set set = d3q19();
  for (int model = 0; model < MODELS; model++)
    for (int n = 0; n < STATES; n++) {
      double g[19], start[19], moment[6] = {0}, again[6], rho = 0.1 * noise(), sum[4];
      const double j[3] = {0.1 * noise(), 0.1 * noise(), 0.1 * noise()};
      rebuild_of_f64(g, model, rho, j, moment);
      memcpy(start, g, sizeof(g));
      set.relax64(g, model, 1.9);
      assert_true(worst(&set, g, start) < DBL_EPSILON);
      for (int k = 0; k < 6; k++) moment[k] = 0.01 * noise();
      rebuild_of_f64(g, model, rho, j, moment);
      sums(&set, g, sum);
      deviation_of_f64(g, model, rho, j, again);
      assert_near(sum[0], rho, DBL_EPSILON);
      for (int k = 0; k < 3; k++) assert_near(sum[1 + k], j[k], DBL_EPSILON);
      for (int k = 0; k < 6; k++) assert_near(again[k], moment[k], DBL_EPSILON);
    }
}

/* The momentum inside is projected at the rim of an oblique pressure port, so it never grows. */
HT_TEST(ports_project) {
  ht_port_node port = {.axis = 2, .inward = -1, .plane = {0, 0, -1}, .is_rim = 1};
  const double moment[6] = {0}, g[19] = {0};
  double j[3] = {0, 0, 0.01};               /* across the face */
  port.along[0] = port.along[2] = -1;       /* 45 degrees */
  for (int again = 0; again < 2; again++) { /* what it has along that direction stays */
    find_momentum_f64(&port, HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), g, 0, moment, j);
    assert_float_equal(j[0], 0.005, 1e-15);
    assert_float_equal(j[1], 0, 1e-15);
    assert_float_equal(j[2], 0.005, 1e-15);
  }
}

/* Zou-He finds the density of a node from what arrives from inside, on every face, edge and corner:
 * exactly, where its state is an equilibrium and a deviation of second order. */
HT_TEST(ports_density) {
  for (int kind = 0; kind < 2 * 27; kind++) {
    signed char plane[3] = {(signed char)(kind % 3 - 1), (signed char)(kind / 3 % 3 - 1),
                            (signed char)(kind / 9 % 3 - 1)};
    int compressibility = kind / 27;
    for (int n = 0; n < STATES; n++) {
      double g[19], moment[6], j[3], u[3], rho = 0.1 * noise();
      for (int k = 0; k < 6; k++) moment[k] = 0.01 * noise();
      for (int k = 0; k < 3; k++) u[k] = 0.1 * noise();
      for (int k = 0; k < 3; k++) j[k] = (compressibility ? 1 + rho : 1) * u[k];
      rebuild_of_f64(g, HT_MODEL(HT_LBGK, compressibility), rho, j, moment);
      for (int q = 1; q < 19; q++)
        if (ht_comes_in(plane, q)) g[q] = NAN; /* it must not look at these */
      double found = zou_he_density_f64(g, plane, HT_MODEL(HT_LBGK, compressibility), u, moment);
      assert_near(found, rho, 4 * DBL_EPSILON);
    }
  }
}

#define BOTH(name)                                                                                 \
  static void name##_d3q19(void **state) {                                                         \
    (void)state;                                                                                   \
    velocity_set set = d3q19();                                                                    \
    check_##name(&set);                                                                            \
  }                                                                                                \
  static void name##_d2q9(void **state) {                                                          \
    (void)state;                                                                                   \
    velocity_set set = d2q9();                                                                     \
    check_##name(&set);                                                                            \
  }
#define CHECKS(X)                                                                                  \
  X(basis)                                                                                         \
  X(matrix) X(lbgk) X(conservation) X(compressibility) X(symmetry) X(float) X(stress) X(rest)
CHECKS(BOTH)

int main(void) {
#define TESTS(name) cmocka_unit_test(name##_d3q19), cmocka_unit_test(name##_d2q9),
  const struct CMUnitTest tests[] = {
      CHECKS(TESTS) cmocka_unit_test(rest_is_stable), cmocka_unit_test(ports_project),
      cmocka_unit_test(ports_rebuild), cmocka_unit_test(ports_density)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
