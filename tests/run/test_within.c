/* run/lattice/within_choice: the lattice that a time allows, and what it costs. */
#include "tests/check.h"
#include "run/case/override.h"
#include "run/case/time_span.h"
#include "run/lattice/expected_error.h"
#include "run/lattice/kept_rate.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/within_text.h"
#include "tests/export/expected_file.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 22, LENGTH = 60 };
static const double middle = 10.5, radius = 8, throat_radius = 3;
static ht_case settings;
static ht_run_vessel vessel;
static ht_run_measures of;
static ht_within_table table;
static ht_domain domain;

/* A pipe 16 mm wide that narrows to 6 mm in its middle. */
static void make_pipe(void) {
  const ht_grid grid = {.dim = {SIDE, SIDE, LENGTH},
                        .spacing_mm = {1, 1, 1},
                        .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  ht_openings *openings = &vessel.placed.openings;
  assert_int_equal(ht_mask_alloc(&grid, &vessel.mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % SIDE), y = (double)(v / SIDE % SIDE), z = (double)(v / (SIDE * SIDE));
    double r = radius - (radius - throat_radius) * exp(-(z - 30) * (z - 30) / 40);
    vessel.mask.inside[v] = (uint8_t)(hypot(x - middle, y - middle) < r);
  }
  openings->count = 2;
  for (int i = 0; i < 2; i++)
    openings->item[i] = (ht_opening){.role = i ? HT_ROLE_OUTLET : HT_ROLE_INLET,
                                     .normal = {0, 0, i ? 1 : -1},
                                     .direction = {0, 0, i ? 1 : -1},
                                     .centre_mm = {middle, middle, i ? LENGTH - 1 : 0},
                                     .area_mm2 = 201,
                                     .radius_mm = radius};
  openings->item[0].flow_ml_s = 2;
  strcpy(openings->item[0].name, "inlet");
  strcpy(openings->item[1].name, "outlet");
}

/* Measures the pipe with a flow of 2 mL/s, and makes its domain, which the caller frees. */
static void measure(const char *waveform) {
  ht_case_defaults(&settings);
  settings.solver.device = HT_DEVICE_CPU;
  settings.solver.threads = 1;
  settings.inlet_flow_ml_s = 2;
  strcpy(settings.waveform, waveform);
  assert_int_equal(ht_case_read_waveform(&settings), HT_OK);
  ht_run_measure(&settings, &vessel, ht_mask_ml(&vessel.mask), &of);
  assert_int_equal(ht_run_build_domain(&settings, &vessel, NULL, 1, &domain), HT_OK);
}

HT_TEST(test_the_finest_that_fits) {
  char nodes[HT_WITHIN_TEXT], errors[HT_WITHIN_TEXT];
  double before = 0;
  make_pipe();
  measure("constant");
  assert_int_equal(ht_within_table_make(&of, &domain, 40, &table), HT_OK);
  assert_int_equal(table.ways, 1);
  for (double limit_s = 30; limit_s < 1e6; limit_s *= 2) {
    const ht_within chosen = ht_within_choose(&of, &table, limit_s);
    if (!chosen.fits) continue;
    assert_true(chosen.offer->longest_s <= limit_s && chosen.offer->nodes_across >= before);
    assert_true(chosen.is_wanted == (chosen.offer->nodes_across == 40));
    before = chosen.offer->nodes_across;
  }
  assert_near(before, 40, 0);
  /* 4 nodes across the throat of 6 mm take 11 across the opening of 16. */
  const ht_within none = ht_within_choose(&of, &table, 1e-3);
  assert_int_equal(none.fits, 0);
  assert_true(none.offer->nodes_across >= 10 && none.offer->nodes_across <= 12);
  const ht_within coarse = {.offer = &table.offers[0].offer[16 - 8]};
  ht_within_nodes_text(&of, &table, &coarse, nodes);
  ht_within_errors_text(&of, &table, &coarse, errors);
  assert_non_null(strstr(nodes, "16 nodes across the widest opening instead of 40, "));
  assert_non_null(strstr(errors, "of the pressure drop some 25 % (as in a stenosis of 75 %)"));
  ht_domain_free(&domain);
  ht_mask_free(&vessel.mask);
}

/* Fewer beats are taken where the case leaves them open. */
HT_TEST(test_beats) {
  char nodes[HT_WITHIN_TEXT];
  make_pipe();
  measure("carotid");
  assert_int_equal(ht_within_table_make(&of, &domain, 40, &table), HT_OK);
  assert_int_equal(table.ways, 2);
  assert_int_equal(table.beats[HT_BEATS_FEWER], 3);
  const ht_within fewer = {.way = HT_BEATS_FEWER, .offer = &table.offers[1].offer[16 - 8]};
  ht_within_nodes_text(&of, &table, &fewer, nodes);
  assert_non_null(strstr(nodes, ", 3 to 5 beats instead of 5 to 10"));
  assert_int_equal(ht_case_override(&settings, "flow.cycles", "5", "flow.cycles", HT_ERR_USAGE),
                   HT_OK);
  assert_int_equal(ht_within_table_make(&of, &domain, 40, &table), HT_OK);
  assert_int_equal(table.ways, 1);
  ht_domain_free(&domain);
  ht_mask_free(&vessel.mask);
}

HT_TEST(test_a_choice_counts_for_its_time) {
  static const char name[] = "lattice.within", choice[] = "lattice.within_choice";
  ht_case_defaults(&settings);
  assert_int_equal(ht_case_within_chooses(&settings), 0);
  assert_int_equal(ht_case_override(&settings, name, "15min", name, HT_ERR_USAGE), HT_OK);
  assert_near(settings.within_s, 900, 0);
  assert_int_equal(ht_case_within_chooses(&settings), 1);
  assert_int_equal(ht_case_override(&settings, choice, "[900, 14, 3]", choice, HT_ERR_USAGE),
                   HT_OK);
  assert_int_equal(ht_case_within_chooses(&settings), 0);
  assert_near(ht_case_within_across(&settings), 14, 0);
  assert_int_equal(ht_case_solver(&settings).cycles, 3);
  assert_int_equal(ht_case_solver(&settings).max_cycles, 5);
  /* A page and a script repeat all settings: the same value again is no change. */
  for (int again = 0; again < 2; again++) {
    assert_int_equal(ht_case_override(&settings, "flow.cycles", "4", name, HT_ERR_USAGE), HT_OK);
    assert_int_equal(ht_case_within_chooses(&settings), !again);
    assert_int_equal(ht_case_override(&settings, name, "15min", name, HT_ERR_USAGE), HT_OK);
    assert_int_equal(ht_case_override(&settings, choice, "[900, 14, 3]", choice, HT_ERR_USAGE),
                     HT_OK);
  }
  assert_int_equal(ht_case_override(&settings, name, "1h", name, HT_ERR_USAGE), HT_OK);
  assert_int_equal(ht_case_within_chooses(&settings), 1);
  assert_near(ht_case_within_across(&settings), 0, 0);
  assert_int_equal(ht_case_solver(&settings).cycles, settings.solver.cycles);
  assert_int_equal(ht_case_override(&settings, name, "no", name, HT_ERR_USAGE), HT_OK);
  assert_near(settings.within_s, HT_WITHIN_NO, 0);
  static const char *const wrong[] = {"15", "1 h",  "h",  "-1h", "1.5.5h",
                                      "3s", "1h30", "0h", "1e3s"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(ht_case_override(&settings, name, wrong[i], name, HT_ERR_USAGE), HT_ERR_USAGE);
  assert_near(settings.within_s, HT_WITHIN_NO, 0);
}

HT_TEST(test_spans) {
  static const struct {
    const char *text, *put;
    double seconds;
  } spans[] = {{"90s", "90s", 90},     {"15min", "15min", 900}, {"1.5h", "90min", 5400},
               {"2d", "2d", 172800},   {"36h", "36h", 129600},  {"10.5s", "10.5s", 10.5},
               {"1.1h", "66min", 3960}};
  char text[HT_TIME_SPAN_TEXT];
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    double seconds;
    assert_int_equal(ht_time_span_read(spans[i].text, &seconds), 1);
    assert_near(seconds, spans[i].seconds, 0);
    ht_time_span_put(seconds, text);
    assert_string_equal(text, spans[i].put);
  }
  ht_time_span_put(HT_WITHIN_AUTO, text);
  assert_string_equal(text, "auto");
}

/* Nothing is said of fewer nodes than were measured, nor of the wall behind a jet. */
HT_TEST(test_errors) {
  assert_near(ht_expected_drop_error(HT_FLOW_JET, 4.4).percent, 0, 0);
  assert_null(ht_expected_drop_error(HT_FLOW_JET, 4.4).source);
  assert_near(ht_expected_drop_error(HT_FLOW_JET, 16).percent, 10, 0);
  assert_near(ht_expected_drop_error(HT_FLOW_EVEN, 100).percent, 1, 0);
  assert_near(ht_expected_wss_error(HT_FLOW_NARROW, 8).percent, 9, 0);
  assert_near(ht_expected_wss_error(HT_FLOW_JET, 20).percent, 0, 0);
}

/* A machine's rate is measured once. */
HT_TEST(test_the_rate_is_kept) {
  const double rate = ht_kept_copy_rate(1, 1);
  assert_true(rate > 0);
  assert_near(ht_kept_copy_rate(1, 1), rate, 1e-5 * rate);
  const double again = ht_kept_copy_rate(1, 1);
  assert_true(again == ht_kept_copy_rate(1, 1));
}

int main(void) {
  setenv("XDG_CONFIG_HOME", ht_test_path("config"), 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_finest_that_fits),
      cmocka_unit_test(test_beats),
      cmocka_unit_test(test_a_choice_counts_for_its_time),
      cmocka_unit_test(test_spans),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_the_rate_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
