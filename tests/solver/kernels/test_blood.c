/* Shear-thinning blood: the laws, the relaxation rate that a node finds with them, and the
 * collision. */
#include "tests/check.h"
#include "solver/kernels/nodes.h"
#include <stdlib.h>
#include <string.h>

static const ht_viscosity_law carreau = {.model = HT_CARREAU_YASUDA,
                                         .high = 0.0125,
                                         .rest = 0.2,
                                         .time = 3e4,
                                         .index = 0.3568,
                                         .yasuda = 2};
static const ht_viscosity_law casson = {
    .model = HT_CASSON, .high = 0.003, .rest = 0.16, .yield = 2e-6};
static const ht_viscosity_law eddies = {.high = 0.002, .rest = 0.002, .eddies = 0.17};
static const ht_viscosity_law both = {.model = HT_CARREAU_YASUDA,
                                      .high = 0.002,
                                      .rest = 0.1,
                                      .time = 1e5,
                                      .index = 0.22,
                                      .yasuda = 1.25,
                                      .eddies = 0.1};
static const ht_viscosity_law *const laws[] = {&carreau, &casson, &eddies, &both};
static const char *const law_name[] = {"Carreau-Yasuda", "Casson", "eddies", "both"};
enum { LAWS = sizeof(laws) / sizeof(laws[0]) };

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static void near(double value, double expected, double relative) {
  if (fabs(value - expected) <= relative * fabs(expected)) return;
  fail_msg("%.17g is not %.17g (relative difference %.2e, allowed %.0e)", value, expected,
           fabs(value / expected - 1), relative);
}

/* The published laws in SI units: lattice units with a spacing of 1 m, a step of 1 s. */
static void test_laws(void **unused) {
  (void)unused;
  const ht_units units = {1, 1, HT_BLOOD_DENSITY_KG_M3};
  ht_blood blood;
  ht_blood_defaults(&blood);
  assert_int_equal(ht_blood_check(&blood), HT_OK);
  ht_viscosity_law law = ht_blood_law(&blood, 0.0035, &units);
  near(ht_viscosity(&law, 123) * 1060, 0.0035, 1e-14);
  assert_true(ht_viscosity_is_constant(&law));
  blood.model = HT_CARREAU_YASUDA;
  law = ht_blood_law(&blood, 0.0035, &units);
  near(ht_viscosity(&law, 0) * 1060, 0.056, 1e-14);
  near(ht_viscosity(&law, 1e12) * 1060, 0.00345, 1e-6);
  double thinned = 0.00345 + (0.056 - 0.00345) * exp(-0.3216 * log(1 + 331.3 * 331.3));
  near(ht_viscosity(&law, 100) * 1060, thinned, 1e-12);
  blood.model = HT_CASSON;
  law = ht_blood_law(&blood, 0.0035, &units);
  near(ht_viscosity(&law, 0) * 1060, 0.16, 1e-14);
  double plain = (0.1937 + 0.055 * sqrt(1000)) * (0.1937 + 0.055 * sqrt(1000)) / 1000;
  near(ht_viscosity(&law, 1000) * 1060, plain, 1e-12);
  blood.carreau_rest_pa_s = 0.001;
  assert_int_equal(ht_blood_check(&blood), HT_ERR_CASE);
}

/* The shear stress in lattice units is the same as in SI units. */
static void test_units(void **unused) {
  (void)unused;
  const ht_units units = {.dx_m = 2e-4, .dt_s = 1.7e-5, .density_kg_m3 = 1060};
  ht_blood blood;
  ht_blood_defaults(&blood);
  for (int model = HT_CARREAU_YASUDA; model <= HT_CASSON; model++) {
    blood.model = (ht_blood_model)model;
    ht_viscosity_law si = ht_blood_law(&blood, 0, &(ht_units){1, 1, 1060});
    ht_viscosity_law law = ht_blood_law(&blood, 0, &units);
    for (double rate = 0.01; rate < 1e5; rate *= 10) {
      double stress_lu = ht_viscosity(&law, rate * units.dt_s) * rate * units.dt_s;
      near(ht_units_stress_pa(&units, stress_lu), ht_viscosity(&si, rate) * 1060 * rate, 1e-12);
    }
  }
}

/* tau = 1/2 + 3 nu(C / tau), and the closed form for eddies: none up to the threshold. */
static void test_root(void **unused) {
  (void)unused;
  for (int l = 0; l < LAWS; l++) {
    for (double strength = 1e-14; strength < 2; strength *= 1.3) {
      double tau = ht_relax_tau(laws[l], strength);
      near(0.5 + 3 * ht_viscosity(laws[l], strength / tau), tau, 1e-12);
    }
  }
  for (double x = 1e-20; x < 1; x *= 1.7) {
    double start = 0.5 + 3 * eddies.high, square = eddies.eddies * eddies.eddies;
    double a = start - 15 * square * eddies.high, strength = ht_relax_strength(x);
    double turbulent = (a + sqrt(a * a + 12 * square * strength)) / 2;
    int laminar = strength / start <= 5 * eddies.high;
    near(ht_relax_tau(&eddies, strength), laminar ? start : turbulent, 1e-12);
  }
}

typedef struct {
  double rows[4 * HT_RELAX_ROWS];
  float single[4 * HT_RELAX_ROWS];
} table;

/* The table that a node reads gives the root: to 1e-6 of the viscosity wherever blood is
 * shear-thinning. */
static void test_table(void **unused) {
  (void)unused;
  static table t;
  for (int l = 0; l < LAWS; l++) {
    double worst = 0, worst_single = 0;
    uint64_t random = 7;
    ht_relax_table(laws[l], t.rows, t.single);
    for (int i = 0; i < 20000; i++) {
      double x = exp2(-HT_RELAX_OCTAVES * random_number(&random));
      double root = ht_relax_tau(laws[l], ht_relax_strength(x));
      worst = fmax(worst, fabs(look_up_rate_f64(x, t.rows) * root - 1) * root / (root - 0.5));
      worst_single =
          fmax(worst_single, fabs((double)look_up_rate_f32((float)x, t.single) * root - 1));
    }
    print_message("%s: viscosity of the table to %.1e, omega in single precision to %.1e\n",
                  law_name[l], worst, worst_single);
    /* the bend where eddies begin lies within a row */
    assert_true(worst < (laws[l]->eddies > 0 ? 2e-4 : 1e-6));
    assert_true(worst_single < (laws[l]->eddies > 0 ? 3e-6 : 3e-7));
  }
}

static void test_ends(void **unused) {
  (void)unused;
  static table t;
  ht_relax_table(&carreau, t.rows, t.single);
  double rest = 1 / (0.5 + 3 * carreau.rest);
  double fast = 1 / ht_relax_tau(&carreau, ht_relax_strength(1));
  const double none[] = {0, -1, 1e-300, -NAN}, much[] = {1, 1e30, INFINITY};
  for (int i = 0; i < 4; i++) near(look_up_rate_f64(none[i], t.rows), rest, 1e-9);
  for (int i = 0; i < 3; i++) near(look_up_rate_f64(much[i], t.rows), fast, 1e-9);
  for (int i = 0; i < 4; i++) near((double)look_up_rate_f32((float)none[i], t.single), rest, 1e-7);
  for (int i = 0; i < 3; i++) near((double)look_up_rate_f32((float)much[i], t.single), fast, 1e-7);
  double any = look_up_rate_f64(NAN, t.rows); /* of either sign: within the table */
  assert_true(any >= rest * (1 - 1e-9) && any <= fast * (1 + 1e-9));
}

/* Values that a model has not stay 0. */
static void fill(double g[HT_Q_MOST], int model, uint64_t *random) {
  memset(g, 0, HT_Q_MOST * sizeof *g);
  for (int q = 0; q < HT_MODEL_DIRECTIONS(model); q++) g[q] = 0.02 * (random_number(random) - 0.5);
}

/* A law without shear thinning gives the Newtonian collision, bit for bit. */
static void test_no_thinning(void **unused) {
  (void)unused;
  static table t;
  uint64_t random = 3;
  ht_viscosity_law same = carreau, straight = carreau;
  same.high = same.rest = 0.04;
  straight.index = 1;
  const ht_viscosity_law *const flat[] = {&same, &straight};
  for (int l = 0; l < 2; l++) {
    double omega = 1 / (0.5 + 3 * flat[l]->rest);
    ht_relax_table(flat[l], t.rows, t.single);
    for (int i = 0; i < 4000; i++) {
      int model = i % HT_MODELS;
      double g[HT_Q_MOST], newtonian[HT_Q_MOST];
      fill(g, model, &random);
      memcpy(newtonian, g, sizeof g);
      relax_f64(newtonian, model, omega);
      relax_f64(g, model, local_rate_f64(g, model, t.rows));
      assert_memory_equal(g, newtonian, sizeof g);
    }
  }
}

/* Compares the shear rate with the moments that the stress is found from: sigma = 2 nu S, so with
 * tau and x of any node |sigma| = (1 + rho) nu sqrt(2) g, g the shear rate. Without the trace,
 * which has a viscosity of its own. */
static void test_shear_rate(void **unused) {
  (void)unused;
  uint64_t random = 11;
  for (int i = 0; i < 4000; i++) {
    int model = i % HT_MODELS;
    double g[HT_Q_MOST], sigma[6], square = 0, omega = 0.6 + 1.3 * random_number(&random);
    fill(g, model, &random);
    double rho = 0, density;
    for (int q = 0; q < HT_Q_MOST; q++) rho += g[q];
    density = HT_MODEL_COMPRESSIBILITY(model) == HT_QUASI_COMPRESSIBLE ? 1 + rho : 1;
    stress_of_f64(g, model, omega, sigma);
    double mean = (sigma[0] + sigma[1] + sigma[2]) / 3;
    for (int k = 0; k < 3; k++)
      square += (sigma[k] - mean) * (sigma[k] - mean) + 2 * sigma[3 + k] * sigma[3 + k];
    double rate = ht_relax_strength(shear_square_f64(g, model)) * omega;
    double viscosity = (1 / omega - 0.5) / 3;
    near(sqrt(2 * square), 2 * density * viscosity * rate, 1e-11);
    float single[HT_Q_MOST];
    for (int q = 0; q < HT_Q_MOST; q++) single[q] = (float)g[q];
    near((double)shear_square_f32(single, model), shear_square_f64(g, model), 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_laws),       cmocka_unit_test(test_units),
      cmocka_unit_test(test_root),       cmocka_unit_test(test_table),
      cmocka_unit_test(test_ends),       cmocka_unit_test(test_no_thinning),
      cmocka_unit_test(test_shear_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
