/* The table of a validation, and its shortest flow. The others run as CTests of the command. */
#include "tests/check.h"
#include "validation/validation.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static ht_validation_result *make(void) {
  ht_validation_result *result = calloc(1, sizeof *result);
  assert_non_null(result);
  return result;
}

static void drop(ht_validation_result *result) {
  ht_validation_free(result);
  free(result);
}

static void test_bars(void **unused) {
  (void)unused;
  ht_validation_result *result = make();
  ht_validation_compare(result, 1.02, 1, 0.03, "inside %d", 1);
  ht_validation_compare(result, 1.04, 1, 0.03, "outside");
  ht_validation_compare(result, NAN, 1, 0.03, "not a number");
  ht_validation_band(result, 5.58, 5.57, 5.59, 0, "in the band");
  ht_validation_band(result, 5.60, 5.57, 5.59, 0, "above it");
  ht_validation_band(result, 5.60, 5.57, 5.59, 0.01, "above it, near");
  ht_validation_band(result, 1.9, 1.8, INFINITY, 0, "at least");
  ht_validation_band(result, 1.7, 1.8, INFINITY, 0, "less");
  ht_validation_error(result, 0.2, NAN, "shown");
  ht_validation_show(result, 7, "shown, too");
  static const int missed[] = {0, 1, 1, 0, 1, 0, 0, 1, 0, 0};
  assert_int_equal(result->rows, 10);
  for (int i = 0; i < result->rows; i++)
    assert_int_equal(ht_validation_missed(&result->row[i]), missed[i]);
  assert_int_equal(ht_validation_misses(result), 4);
  assert_string_equal(result->row[0].quantity, "inside 1");
  assert_near(result->row[5].error, (5.60 - 5.59) / 5.59, 1e-12);
  drop(result);
}

static void test_curves_are_copied(void **unused) {
  (void)unused;
  ht_validation_result *result = make();
  double x[2] = {0, 1}, y[2] = {2, 3};
  ht_validation_figure *figure = ht_validation_plot(result, "u", "title", "x", "y");
  assert_int_equal(ht_validation_draw(figure, 1, 2, x, y, "Re %d", 100), HT_OK);
  x[1] = y[1] = 9;
  assert_string_equal(figure->curve[0].label, "Re 100");
  assert_true(figure->curve[0].x[1] == 1 && figure->curve[0].y[1] == 3);
  assert_ptr_equal(ht_validation_plot(result, "u", "title", "x", "y"), figure);
  for (int i = 0; i < HT_VALIDATION_FIGURES; i++) {
    char name[8];
    snprintf(name, sizeof name, "v%d", i);
    figure = ht_validation_plot(result, name, "", "", "");
  }
  assert_null(figure);
  assert_int_equal(ht_validation_draw(figure, 1, 2, x, y, "dropped"), HT_OK);
  drop(result);
}

static void test_every_flow_is_found(void **unused) {
  (void)unused;
  int flows = 0;
  for (; ht_validation_number(flows); flows++) {
    const ht_validation_flow *flow = ht_validation_number(flows);
    assert_ptr_equal(ht_validation_find(flow->name), flow);
    assert_true(strlen(flow->name) <= 14); /* the list has that much room */
  }
  assert_true(flows >= 5);
  assert_null(ht_validation_find("all"));
}

static void test_channel(void **unused) {
  (void)unused;
  ht_validation_result *result = make();
  const ht_validation_options options = {.nodes_across = 24, .device = HT_DEVICE_CPU, .threads = 1};
  if (ht_validation_find("channel")->run(&options, result) != HT_OK)
    fail_msg("%s", ht_error_message());
  assert_int_equal(result->rows, 8);
  for (int i = 0; i < result->rows; i++)
    if (ht_validation_missed(&result->row[i]))
      fail_msg("%s: %g, bar %g", result->row[i].quantity, result->row[i].error, result->row[i].bar);
  assert_int_equal(result->figure[0].curves, 3);
  drop(result);
}

/* The flow's own collision, or the requested one, in the run and in its words. */
static void test_the_collision(void **unused) {
  (void)unused;
  ht_validation_options options = {.device = HT_DEVICE_CPU};
  assert_int_equal(ht_validation_solver(&options, HT_MRT).collision, HT_MRT);
  assert_string_equal(ht_validation_model(&options, HT_LBGK), "D3Q19, lbgk");
  options.collision = 1 + HT_CUMULANT;
  assert_int_equal(ht_validation_solver(&options, HT_MRT).collision, HT_CUMULANT);
  assert_string_equal(ht_validation_model(&options, HT_MRT), "D3Q27, cumulant");
  assert_true(ht_validation_find("womersley")->takes_collision);
  assert_false(ht_validation_find("channel")->takes_collision);
}

static void test_refuses_sizes(void **unused) {
  (void)unused;
  for (int i = 0; ht_validation_number(i); i++) {
    ht_validation_result *result = make();
    const ht_validation_options options = {
        .nodes_across = 3, .device = HT_DEVICE_CPU, .threads = 1};
    assert_int_equal(ht_validation_number(i)->run(&options, result), HT_ERR_USAGE);
    drop(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bars),
                                     cmocka_unit_test(test_curves_are_copied),
                                     cmocka_unit_test(test_every_flow_is_found),
                                     cmocka_unit_test(test_channel),
                                     cmocka_unit_test(test_the_collision),
                                     cmocka_unit_test(test_refuses_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
