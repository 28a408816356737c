/* The theory of pipes against its known cases: limits, fluxes, power laws. */
#include "tests/check.h"
#include "validation/known/pipe_theory.h"
#include "core/numbers/units.h"

/* The velocity over the section adds up to the flow at every moment, is 0 at the wall, and its
 * slope there is the wall's shear rate. */
static void test_womersley_carries_its_flow(void **unused) {
  (void)unused;
  static const double alphas[] = {0.5, 4, 8, 12, 20};
  for (int a = 0; a < 5; a++) {
    const ht_womersley flow = {
        .radius = 2, .alpha = alphas[a], .period = 3, .mean = 5, .amplitude = 4};
    for (int i = 0; i < 7; i++) {
      enum { PARTS = 4000 };
      double time = 3 * i / 7.0, sum = 0, step = 2.0 / PARTS;
      for (int k = 0; k < PARTS; k++) {
        double r = (k + 0.5) * step;
        sum += 2 * HT_PI * r * step * ht_womersley_velocity(&flow, r, time);
      }
      assert_near(sum, (5 + 4 * cos(2 * HT_PI * time / 3)), 1e-4);
      assert_near(ht_womersley_velocity(&flow, 2, time), 0, 1e-12);
      double slope = ht_womersley_velocity(&flow, 2 - 1e-5, time) / 1e-5;
      assert_near(slope, ht_womersley_wall(&flow, time), 1e-3 * (1 + fabs(slope)));
    }
  }
}

/* Slow oscillation: Poiseuille's flow at every moment. Fast: the middle moves as a plug. */
static void test_womersley_limits(void **unused) {
  (void)unused;
  const ht_womersley slow = {.radius = 1, .alpha = 0.05, .period = 1, .amplitude = HT_PI};
  const ht_womersley fast = {.radius = 1, .alpha = 25, .period = 1, .amplitude = HT_PI};
  assert_near(ht_womersley_velocity(&slow, 0, 0), 2, 1e-3);
  assert_near(ht_womersley_wall(&slow, 0), 4, 1e-3);
  double middle = ht_womersley_velocity(&fast, 0, 0);
  assert_near(ht_womersley_velocity(&fast, 0.5, 0), middle, 1e-3);
  assert_near(ht_womersley_period(2, 3, 4), 2 * HT_PI * 4 / 48, 1e-12);
}

static double newtonian(const void *context, double rate) {
  (void)rate;
  return *(const double *)context;
}

/* viscosity = rate^(n - 1) */
static double power_law(const void *context, double rate) {
  return pow(fmax(rate, 1e-9), *(const double *)context - 1);
}

static void test_fluids(void **unused) {
  (void)unused;
  ht_pipe_flow found;
  const double mu = 0.5, n = 0.6, radius = 2, flow = 7;
  ht_pipe_flow_solve(radius, flow, newtonian, &mu, &found);
  assert_near(found.gradient / (8 * mu * flow / (HT_PI * 16)), 1, 1e-4);
  assert_near(ht_pipe_flow_velocity(&found, 1) / (2 * flow / (4 * HT_PI) * 0.75), 1, 1e-4);
  /* Power law: Q = pi R^3 n / (3n + 1) (G R / 2)^(1/n). */
  ht_pipe_flow_solve(radius, flow, power_law, &n, &found);
  double stress = pow(flow * (3 * n + 1) / (n * HT_PI * 8), n);
  assert_near(found.wall_stress / stress, 1, 1e-4);
  double top = flow / (4 * HT_PI) * (3 * n + 1) / (n + 1);
  assert_near(ht_pipe_flow_velocity(&found, 0) / top, 1, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_womersley_carries_its_flow),
                                     cmocka_unit_test(test_womersley_limits),
                                     cmocka_unit_test(test_fluids)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
