/* run/studies/convergence: published examples, and values whose order is known. */
#include "tests/check.h"
#include "run/studies/convergence_report.h"
#include <string.h>

/* The example of NASA's tutorial "Examining Spatial (Grid) Convergence" (J. W. Slater), as its
 * program `verify` prints it (it computes in single precision). */
HT_TEST(the_example_of_the_tutorial) {
  const double spacing[3] = {1, 2, 4}, value[3] = {0.97050, 0.96854, 0.96178};
  ht_convergence c = ht_convergence_of(spacing, value);
  assert_int_equal(c.kind, HT_CONVERGES);
  assert_near(c.order, 1.78618479, 2e-5);
  assert_near(c.used, c.order, 0);
  assert_near(c.estimate, 0.971300304, 1e-6);
  assert_near(100 * c.index[HT_FINE], 0.103080, 1e-5);
  assert_near(100 * c.index[HT_MIDDLE], 0.356244, 1e-5);
  assert_near(1 / c.range, 0.997980, 1e-5);
}

/* The values of the example of Celik et al. (2008), ratios 1.5 and 4/3, and their equations 3, 6
 * and 7. */
HT_TEST(two_different_ratios) {
  const double value[3] = {6.063, 5.972, 5.863}, r21 = 1.5, r32 = 4.0 / 3;
  ht_convergence c = ht_convergence_of((double[3]){1, r21, r21 * r32}, value);
  double p = c.order, ratio = (value[2] - value[1]) / (value[1] - value[0]);
  assert_int_equal(c.kind, HT_CONVERGES);
  double q = log((pow(r21, p) - 1) / (pow(r32, p) - 1));
  assert_near(p, fabs(log(fabs(ratio)) + q) / log(r21), 1e-9);
  assert_near(c.estimate, (pow(r21, p) * value[0] - value[1]) / (pow(r21, p) - 1), 1e-9);
  assert_near(c.index[HT_FINE], 1.25 * (value[0] - value[1]) / value[0] / (pow(r21, p) - 1), 1e-12);
}

/* value = 3 + spacing^p / 10 */
HT_TEST(an_order_that_is_known) {
  const double spacing[3] = {0.2, 0.28, 0.42};
  for (double p = 0.5; p < 2; p += 0.25)
    for (int sign = -1; sign <= 1; sign += 2) {
      double value[3];
      for (int k = 0; k < 3; k++) value[k] = 3 + sign * 0.1 * pow(spacing[k], p);
      ht_convergence c = ht_convergence_of(spacing, value);
      assert_int_equal(c.kind, HT_CONVERGES);
      assert_near(c.order, p, 1e-8);
      assert_near(c.estimate, 3, 1e-9);
      assert_near(c.range, value[0] / value[1], 1e-8); /* from relative errors: 1 but for that */
      assert_near(ht_convergence_off(&c, value[1]), value[1] / 3 - 1, 1e-9);
      double finer = ht_convergence_spacing(&c, spacing[0], c.index[HT_FINE] / 4);
      assert_near(finer, spacing[0] * pow(0.25, 1 / p), 1e-9);
    }
}

/* An order above that of the method is reported, but not used. */
HT_TEST(a_higher_order_than_the_method_has) {
  const double spacing[3] = {1, 2, 4}, value[3] = {1.01, 1.08, 1.64};
  ht_convergence c = ht_convergence_of(spacing, value);
  assert_int_equal(c.kind, HT_CONVERGES);
  assert_near(c.order, 3, 1e-9);
  assert_near(c.used, 2, 0);
  assert_near(c.estimate, 1.01 - 0.07 / 3, 1e-12);
}

static void check_kind(double fine, double middle, double coarse, ht_convergence_kind expected) {
  const double spacing[3] = {1, 1.4, 1.96}, value[3] = {fine, middle, coarse};
  ht_convergence c = ht_convergence_of(spacing, value);
  assert_int_equal(c.kind, expected);
  int none = isnan(c.order) && isnan(c.estimate) && isnan(c.index[0]) && isnan(c.range);
  assert_int_equal(none, expected != HT_CONVERGES);
}

HT_TEST(what_does_not_converge) {
  check_kind(1, 1.02, 0.99, HT_OSCILLATES);
  check_kind(1, 1, 1.1, HT_CONVERGES); /* the finer two agree: infinite order */
  check_kind(1, 1.1, 1.1, HT_DIVERGES);
  check_kind(1, 1.1, 1.15, HT_DIVERGES);
  check_kind(-1, -1.1, -1.15, HT_DIVERGES);
  check_kind(1, 1.1, 1.2, HT_DIVERGES); /* as much again: order 0 */
  check_kind(1, 1.1, 1.25, HT_CONVERGES);
  check_kind(1, 1.00001, 1.00003, HT_SETTLED);
  check_kind(1, 1, 1, HT_SETTLED);
  ht_convergence c = ht_convergence_of((double[3]){1, 2, 4}, (double[3]){1, 1.02, 0.99});
  assert_near(c.spread, 0.03, 1e-12);
}

HT_TEST(what_agrees_has_converged) {
  check_kind(1, 1.004, 1.001, HT_SETTLED);  /* up and down, by 0.4 % */
  check_kind(1, 1.003, 1.0045, HT_SETTLED); /* farther apart on the finer lattices */
  check_kind(1, 1.001, 1.0045, HT_CONVERGES);
  check_kind(1, 1.006, 1.001, HT_OSCILLATES);
  check_kind(1, 1.004, 1.0055, HT_DIVERGES);
  check_kind(0, 0, 0, HT_SETTLED);
}

/* Prints the figures. Outlets go by their names; the text describes each figure. */
static void tell(const double drop[HT_LATTICES], const double volume[HT_LATTICES], int fine_levels,
                 char *text, size_t size) {
  static ht_convergence_study study;
  memset(&study, 0, sizeof study);
  for (int k = 0; k < HT_LATTICES; k++) {
    ht_lattice_result *one = &study.lattice[k];
    *one = (ht_lattice_result){
        .steady = 1, .spacing_mm = 0.3 * pow(1.3, k), .outlets = 2, .volume_ml = volume[k]};
    for (int i = 0; i < 2; i++) {
      int at = k == HT_COARSE ? 1 - i : i;
      snprintf(one->outlet[at].name, sizeof one->outlet[at].name, "outlet-%d", i + 1);
      one->outlet[at].drop_pa = drop[k] * (i + 1);
      one->outlet[at].flow_percent = 50;
    }
  }
  study.lattice[HT_FINE].levels = fine_levels;
  assert_int_equal(ht_convergence_compare(&study), HT_OK);
  for (int f = 0; f < study.figures; f++)
    for (int k = 0; k < HT_LATTICES && strstr(study.figure[f].name, "drop to outlet-2"); k++)
      assert_near(study.figure[f].value[k], 2 * drop[k], 1e-12);
  FILE *stream = fmemopen(text, size, "w");
  ht_convergence_print(stream, "here", &study);
  fclose(stream);
}

HT_TEST(what_is_told) {
  static char text[8192];
  const double even[] = {1, 1, 1}, jagged[] = {0.2, 0.19, 0.2};
  tell((double[]){8, 8.02, 7.99}, even, 0, text, sizeof text);
  assert_non_null(strstr(text, "pressure drop to outlet-2: converged within 0.37 %"));
  assert_null(strstr(text, "NOT "));
  assert_null(strstr(text, "spacing"));
  tell((double[]){8, 8.02, 7.99}, even, 3, text, sizeof text);
  assert_non_null(strstr(text, "up to 4 times that, not the same on each lattice"));
  tell((double[]){8, 9, 8.1}, even, 0, text, sizeof text);
  assert_non_null(strstr(text, "pressure drop to outlet-2: NOT MONOTONE"));
  assert_null(strstr(text, "NO ORDER"));
  tell((double[]){8, 8.5, 8.6}, even, 0, text, sizeof text);
  assert_non_null(strstr(text, "pressure drop to outlet-2: NOT CONVERGING"));
  tell((double[]){8, 8.8, 8.1}, jagged, 0, text, sizeof text);
  assert_non_null(strstr(text, "pressure drop to outlet-2: NO ORDER, because the walls differ: it "
                               "differs by 10 %, and the volume inside by 5 %, which alone"));
  assert_null(strstr(text, "NOT "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_tutorial),
      cmocka_unit_test(two_different_ratios),
      cmocka_unit_test(an_order_that_is_known),
      cmocka_unit_test(a_higher_order_than_the_method_has),
      cmocka_unit_test(what_does_not_converge),
      cmocka_unit_test(what_agrees_has_converged),
      cmocka_unit_test(what_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
