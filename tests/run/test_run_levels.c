/* run/lattice/run_levels: whether a flow may have levels, and why not. */
#include "tests/check.h"
#include "run/lattice/run_levels.h"
#include <string.h>

static ht_case settings;
static ht_solver_options options;
static ht_levels_plan plan;
static char why[HT_LEVELS_WHY];

/* A flow through a throat of 3 mm on a lattice of 0.1 mm. */
static void begin(void) {
  ht_case_defaults(&settings);
  options = ht_case_solver(&settings);
  options.throat_mm = 3;
  plan = (ht_levels_plan){&options, 0.1, 0.52, 5};
}

static void expect(int most, const char *reason) {
  const ht_refine_rules rules = ht_run_refine_rules(&settings, &plan, why);
  assert_int_equal(rules.most, most);
  assert_string_equal(why, reason);
}

HT_TEST(test_rules) {
  begin();
  expect(2, "");
  const ht_refine_rules rules = ht_run_refine_rules(&settings, &plan, why);
  assert_near(rules.across, 24, 1e-12); /* 30 nodes in the throat: half as many again as 20 */
  assert_near(rules.kinematic_m2_s, 0.0035 / 1060, 1e-12);
  assert_near(rules.cell_reynolds_max, 25, 0);
  assert_near(rules.dx_plus_max, 5, 0);
}

HT_TEST(test_refused_flows) {
  begin();
  options.precision = HT_FP16;
  expect(0, "flow.precision is fp16");
  begin();
  options.blood.model = HT_CASSON;
  expect(0, "the viscosity depends on the shear");
  begin();
  options.blood.eddies = 0.1;
  expect(0, "flow.eddies is above 0");
  settings.refine = HT_REFINE_NO;
  expect(0, "lattice.refine is no");
}

HT_TEST(test_limits) {
  begin();
  plan.spacing_mm = 0.3;
  plan.inlet_cell_reynolds = 15;
  expect(2, ""); /* ports have levels of their own */
  assert_near(ht_run_refine_rules(&settings, &plan, why).inlet_cell_reynolds, 15, 0);
  begin();
  plan.tau = 0.506; /* 0.503, 0.5015 */
  expect(1, "tau would be 0.501500; with lbgk it is at least 0.5020, and not within 0.02 of 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_refused_flows),
      cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
