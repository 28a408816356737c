/* Times of a scan in a computed beat: weights, interpolation across the end of the beat, and the
 * delay between two curves. */
#include "tests/check.h"
#include "app/compare/measured/judge_times.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

enum { TIMES = 5, SAMPLES = 40 };
static const double scan_s = 1, run_s = 0.8;

/* A scan whose times are not evenly spread, and a case with samples over its beat. */
static ht_judged *make(void) {
  static const double time_s[TIMES] = {0.05, 0.2, 0.3, 0.6, 0.9};
  ht_judged *made = calloc(1, sizeof *made);
  made->measured.times = TIMES;
  made->measured.period_s = scan_s;
  made->measured.time_s = malloc(sizeof time_s);
  memcpy(made->measured.time_s, time_s, sizeof time_s);
  made->results.stats.period_s = run_s;
  assert_int_equal(ht_judge_times(made), HT_OK);
  return made;
}

static void drop(ht_judged *made) {
  free(made->weight);
  free(made->measured.time_s);
  free(made);
}

/* Each time stands for the part of the beat that is nearest to it, across its end too. */
HT_TEST(weights_are_parts_of_the_beat) {
  static const double wanted[TIMES] = {0.15, 0.125, 0.2, 0.3, 0.225};
  ht_judged *made = make();
  for (int t = 0; t < TIMES; t++) assert_near(made->weight[t], wanted[t], 1e-12);
  assert_int_equal(made->times, 0); /* without samples */
  drop(made);
}

static double wave(double part) {
  return 1 + 0.8 * sin(2 * HT_PI * part);
}

/* Samples are interpolated at the scan's times, as parts of both beats, with the delay. */
HT_TEST(samples_are_interpolated) {
  ht_judged *made = make();
  double time_s[SAMPLES];
  for (int s = 0; s < SAMPLES; s++) time_s[s] = (s + 0.5) / SAMPLES * run_s;
  for (int d = -2; d < 3; d++) {
    made->delay_s = 0.4 * d;
    for (int t = 0; t < TIMES; t++) {
      double value = 0, all = 0;
      for (int s = 0; s < SAMPLES; s++) {
        const double part = ht_judge_sample_part(made, t, time_s, SAMPLES, s);
        value += part * wave(time_s[s] / run_s);
        all += part;
      }
      assert_near(all, 1, 1e-12);
      assert_near(value, wave((made->measured.time_s[t] - made->delay_s) / scan_s), 0.005);
    }
  }
  drop(made);
}

/* The delay between two curves is found, to a hundredth of the beat. */
HT_TEST(the_delay_is_found) {
  ht_judged *made = make();
  double curve[2][TIMES];
  for (int t = 0; t < TIMES; t++) {
    made->measured.time_s[t] = t * scan_s / TIMES;
    curve[0][t] = wave((double)t / TIMES);
    curve[1][t] = 1.5 * wave((double)(t - 1) / TIMES);
  }
  made->sections = 1;
  made->section[0].computed_at_ml_s = curve[0];
  made->section[0].measured_at_ml_s = curve[1];
  made->delay_s = 0.1;
  assert_int_equal(ht_judge_delay(made), HT_OK);
  assert_near(made->best_delay_s, 0.1 + scan_s / TIMES, 1e-9);
  assert_near(made->best_correlation, 1, 1e-9);
  made->delay_s = -4.9; /* beats ago: the same delay */
  assert_int_equal(ht_judge_delay(made), HT_OK);
  assert_near(made->best_delay_s, 0.1 + scan_s / TIMES, 1e-9);
  assert_near(ht_judge_curve(made->measured.time_s, curve[0], TIMES, scan_s, -0.1),
              (curve[0][0] + curve[0][4]) / 2, 1e-12);
  made->section[0].computed_at_ml_s = NULL;
  assert_int_equal(ht_judge_delay(made), HT_OK);
  assert_true(isnan(made->best_delay_s));
  drop(made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_parts_of_the_beat),
      cmocka_unit_test(samples_are_interpolated),
      cmocka_unit_test(the_delay_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
