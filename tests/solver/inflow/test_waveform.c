/* Flow waveforms: interpolation, Fourier series, scaling, what is refused. */
#include "tests/check.h"
#include "solver/inflow/published_waveforms.h"
#include "core/numbers/units.h"
#include <string.h>

static double times[512], flows[512];

/* A series of two harmonics, period 0.8 s. */
static double known(double t) {
  return 3 + 2 * cos(2 * HT_PI * t / 0.8) - sin(4 * HT_PI * t / 0.8 + 0.3);
}

/* `count` unequal steps from `first` on; the last sample repeats the first. */
static int sample(int count, double first) {
  for (int i = 0; i <= count; i++) {
    times[i] = first + 0.8 * (i + 0.3 * sin(2 * HT_PI * i / count)) / count;
    flows[i] = known(times[i]);
  }
  flows[count] = flows[0];
  return count + 1;
}

static double spline_error(int count) {
  ht_waveform w;
  double error = 0;
  assert_int_equal(ht_waveform_spline(sample(count, 0.1), times, flows, NULL, &w), HT_OK);
  assert_near(w.period_s, 0.8, 1e-14);
  for (int i = 0; i < 1000; i++)
    error = fmax(error, fabs(ht_waveform_value(&w, 0.0017 * i - 0.4) - known(0.0017 * i - 0.4)));
  return error;
}

HT_TEST(test_spline) {
  double coarse = spline_error(20), fine = spline_error(80);
  assert_true(fine < 1e-4);
  assert_true(log2(coarse / fine) / 2 > 3.5);
}

/* Q, Q' and Q'' are continuous over the end of the period. */
HT_TEST(test_smooth) {
  ht_waveform w;
  double d = 1e-4;
  assert_int_equal(ht_waveform_spline(sample(7, 0), times, flows, NULL, &w), HT_OK);
  for (int i = 0; i < w.samples; i++) {
    double at = w.time_s[i], middle = ht_waveform_value(&w, at);
    double before = ht_waveform_value(&w, at - d), after = ht_waveform_value(&w, at + d);
    assert_near(middle, w.flow_ml_s[i], 1e-12);
    double bend = (before - 2 * middle + after) / (d * d);
    assert_near(bend, w.bend_after[i], 0.02 * 300);
    assert_true(w.bend_before[i] == w.bend_after[i]);
  }
  assert_true(ht_waveform_value(&w, 0.8) == ht_waveform_value(&w, 0));
  assert_near(ht_waveform_value(&w, -0.3), ht_waveform_value(&w, 0.5), 1e-12);
}

static int fill(int count, const double table[][2]) {
  for (int i = 0; i < count; i++) {
    times[i] = table[i][0];
    flows[i] = table[i][1];
  }
  return count;
}

/* Dense in systole, diastole as one segment: a spline makes backflow of that. By hand: the slope at
 * 0.05 s is 2 / (1 / 12 + 1 / 8) mL/s^2, that at 0.25 s the mean of 6 and 0.2 / 0.55 by lengths. */
HT_TEST(test_monotone) {
  static const double table[][2] = {{0, 1},     {0.05, 1.6}, {0.1, 2}, {0.15, 1.8},
                                    {0.2, 1.5}, {0.25, 1.2}, {0.8, 1}};
  ht_waveform w;
  double least, most;
  assert_int_equal(ht_waveform_samples(fill(7, table), times, flows, 0, 0, NULL, &w), HT_OK);
  ht_waveform_range(&w, &least, &most);
  if (fabs(least - 1) > 1e-12 || fabs(most - 2) > 1e-12) fail_msg("from %g to %g", least, most);
  double late = -1.8 / (1.15 / 6 + 0.65 * 0.55 / 0.2);
  assert_near(ht_waveform_value(&w, 0.025), (1.3 - 0.05 * 9.6 / 8), 1e-12);
  assert_near(ht_waveform_value(&w, 0.525), (1.1 + 0.55 * late / 8), 1e-12);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 20; k++) {
      double at = times[i] + (times[i + 1] - times[i]) * k / 20;
      double step =
          ht_waveform_value(&w, at + (times[i + 1] - times[i]) / 20) - ht_waveform_value(&w, at);
      assert_true(step * (flows[i + 1] - flows[i]) >= -1e-15);
    }
  double mean = ht_waveform_mean(&w);
  if (fabs(mean - 1.256) > 0.03 * 1.256)
    fail_msg("the mean is %g", mean); /* the trapezium rule's */
  assert_int_equal(ht_waveform_scale(&w, 2), HT_OK);
  assert_near(ht_waveform_peak(&w), 2 * 2 / mean, 1e-12);
}

/* Random tables with gaps of every length: never outside of two neighbours, never a mean below 0.
 */
HT_TEST(test_never_outside) {
  ht_waveform w;
  uint32_t random = 1;
  for (int round = 0; round < 300; round++) {
    int count = 5 + round % 20;
    for (int i = 0; i < count; i++) {
      random = random * 1664525u + 1013904223u;
      times[i] = i ? times[i - 1] + pow(10, -3 + 3 * (random >> 8) / 16777216.0) : 0;
      random = random * 1664525u + 1013904223u;
      flows[i] = (random >> 28) ? (random >> 8) / 16777216.0 : 0;
    }
    flows[count - 1] = flows[0];
    double span = times[count - 1];
    assert_int_equal(ht_waveform_samples(count, times, flows, span, 0, NULL, &w), HT_OK);
    for (int i = 0; i + 1 < count; i++)
      for (int k = 0; k <= 8; k++) {
        double at = ht_waveform_value(&w, times[i] + (times[i + 1] - times[i]) * k / 8);
        assert_true(at >= fmin(flows[i], flows[i + 1]) - 1e-9);
        assert_true(at <= fmax(flows[i], flows[i + 1]) + 1e-9);
      }
    assert_true(ht_waveform_mean(&w) > 0);
  }
}

HT_TEST(test_harmonics) {
  ht_waveform w;
  ht_harmonics series;
  assert_int_equal(ht_waveform_spline(sample(200, 0.2), times, flows, NULL, &w), HT_OK);
  double left = ht_waveform_harmonics(&w, 1e-4, 20, &series);
  assert_int_equal(series.harmonics, 2);
  assert_true(left < 1e-4);
  assert_near(series.mean_ml_s, 3, 1e-6);
  assert_true(fabs(series.cosine_ml_s[0] - 2) < 1e-5 && fabs(series.sine_ml_s[0]) < 1e-5);
  assert_near(series.cosine_ml_s[1] + sin(0.3), 0, 1e-5);
  assert_near(series.sine_ml_s[1] + cos(0.3), 0, 1e-5);
  left = ht_waveform_harmonics(&w, 1e-4, 1, &series);
  assert_int_equal(series.harmonics, 1);
  assert_near(left, sqrt(1 / 5.0), 1e-4); /* amplitudes 2 and 1 */
}

/* The coefficients of few samples are those of their curve, by the trapezium rule. */
static void check_harmonics(int is_spline) {
  ht_waveform w;
  ht_harmonics series;
  const int moments = 4096;
  double left = 0, all = 0;
  int count = sample(5, 0);
  assert_int_equal(is_spline ? ht_waveform_spline(count, times, flows, NULL, &w)
                             : ht_waveform_samples(count, times, flows, 0, 0, NULL, &w),
                   HT_OK);
  double share = ht_waveform_harmonics(&w, 0, 6, &series), mean = ht_waveform_mean(&w);
  assert_int_equal(series.harmonics, 6);
  for (int k = 1; k <= 6; k++) {
    double cosine = 0, sine = 0;
    for (int i = 0; i < moments; i++) {
      double value = ht_waveform_value(&w, 0.8 * i / moments);
      cosine += 2 * value * cos(2 * HT_PI * k * i / moments) / moments;
      sine += 2 * value * sin(2 * HT_PI * k * i / moments) / moments;
    }
    assert_near(series.cosine_ml_s[k - 1], cosine, 1e-6);
    assert_near(series.sine_ml_s[k - 1], sine, 1e-6);
  }
  ht_waveform sum;
  assert_int_equal(ht_waveform_series(&series, &sum), HT_OK);
  for (int i = 0; i < moments; i++) {
    double value = ht_waveform_value(&w, 0.8 * i / moments);
    left += pow(value - ht_waveform_value(&sum, 0.8 * i / moments), 2);
    all += pow(value - mean, 2);
  }
  assert_near(sqrt(left / all), share, 1e-6);
}

HT_TEST(test_harmonics_of_cubics) {
  check_harmonics(0);
  check_harmonics(1);
}

HT_TEST(test_series) {
  ht_waveform w;
  ht_harmonics given = {.period_s = 0.8, .mean_ml_s = 3, .harmonics = 2}, found;
  given.cosine_ml_s[0] = 2;
  given.cosine_ml_s[1] = -sin(0.3);
  given.sine_ml_s[1] = -cos(0.3);
  assert_int_equal(ht_waveform_series(&given, &w), HT_OK);
  for (int i = 0; i < 50; i++) assert_near(ht_waveform_value(&w, 0.05 * i), known(0.05 * i), 1e-12);
  assert_true(ht_waveform_harmonics(&w, 0, 20, &found) < 1e-7);
  assert_int_equal(found.harmonics, 2);
  assert_memory_equal(found.sine_ml_s, given.sine_ml_s, sizeof found.sine_ml_s);
  given.period_s = 0;
  assert_int_equal(ht_waveform_series(&given, &w), HT_ERR_CASE);
  given.period_s = 1;
  given.harmonics = HT_HARMONICS_MAX + 1;
  assert_int_equal(ht_waveform_series(&given, &w), HT_ERR_CASE);
}

HT_TEST(test_constant) {
  ht_waveform w;
  ht_harmonics series;
  ht_waveform_constant(4.5, &w);
  assert_true(ht_waveform_value(&w, 17) == 4.5);
  assert_true(ht_waveform_mean(&w) == 4.5 && ht_waveform_peak(&w) == 4.5);
  assert_true(ht_waveform_harmonics(&w, 0.01, 20, &series) == 0);
  assert_true(series.harmonics == 0 && series.mean_ml_s == 4.5);
  assert_int_equal(ht_waveform_stretch(&w, 2), HT_OK);
  assert_true(w.period_s == 0);
}

HT_TEST(test_scale_and_stretch) {
  ht_waveform w;
  assert_int_equal(ht_waveform_spline(sample(60, 0), times, flows, NULL, &w), HT_OK);
  double highest = 0;
  for (int i = 0; i < 8000; i++) highest = fmax(highest, known(1e-4 * i));
  assert_near(ht_waveform_peak(&w), highest, 1e-3);
  assert_int_equal(ht_waveform_scale(&w, 6), HT_OK);
  assert_int_equal(ht_waveform_stretch(&w, 1.6), HT_OK);
  assert_near(ht_waveform_mean(&w), 6, 1e-12);
  assert_true(w.period_s == 1.6);
  for (int i = 0; i < 100; i++)
    assert_near(ht_waveform_value(&w, 0.02 * i), 2 * known(0.01 * i), 1e-3);
  assert_int_equal(ht_waveform_stretch(&w, 0), HT_ERR_CASE);
  ht_waveform_constant(-1, &w);
  assert_int_equal(ht_waveform_scale(&w, 6), HT_ERR_CASE);
}

static void refused(int count, const char *word, int at) {
  ht_waveform w;
  int row = -2;
  assert_int_equal(ht_waveform_samples(count, times, flows, 0, 0, &row, &w), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), word));
  assert_int_equal(row, at);
}

HT_TEST(test_refused) {
  ht_waveform w;
  sample(4, 0);
  assert_int_equal(ht_waveform_samples(5, times, flows, 0, 0, NULL, &w), HT_OK);
  sample(3, 0);
  refused(4, "at least 4", -1); /* the last repeats the first */
  refused(0, "at least 4", -1);
  sample(8, 0);
  times[4] = times[3];
  refused(9, "times have to rise", 4);
  sample(8, 0);
  flows[6] = NAN;
  refused(9, "finite", 6);
  sample(8, 0);
  flows[8] += 1;
  refused(9, "repeat the first flow", -1);
  refused(HT_WAVEFORM_SAMPLES_MAX + 1, "thin it out", -1);
}

/* Samples at even times without a repeated one: the period ends one spacing after the last. */
HT_TEST(test_even) {
  ht_waveform w;
  for (int i = 0; i < 16; i++) {
    times[i] = 0.05 * i;
    flows[i] = known(times[i]);
  }
  assert_int_equal(ht_waveform_samples(16, times, flows, 0, 0, NULL, &w), HT_OK);
  assert_int_equal(w.samples, 16);
  assert_near(w.period_s, 0.8, 1e-12);
}

/* Sum of sines, period 0.9 s, as an outside test draws it. */
static double beat_of(double t) {
  double phase = 2 * HT_PI * t / 0.9;
  return 4 + 3 * sin(phase - 0.6) + 1.2 * sin(2 * phase + 0.4);
}

static int even(int count, double spacing) {
  for (int i = 0; i < count; i++) {
    times[i] = spacing * i;
    flows[i] = beat_of(times[i]);
  }
  return count;
}

static void ends(int count, double given, double wanted, double period, ht_period_reason reason) {
  ht_period found;
  ht_status status = ht_period_find(count, times, flows, given, wanted, &found);
  if (status != HT_OK) fail_msg("%s", ht_error_message());
  if (fabs(found.period_s - period) > 1e-9 || found.reason != reason)
    fail_msg("%g s for reason %d, not %g for %d", found.period_s, found.reason, period, reason);
}

static void asks(int count, double given, const char *words) {
  ht_period found;
  assert_int_equal(ht_period_find(count, times, flows, given, 0, &found), HT_ERR_CASE);
  if (!strstr(ht_error_message(), words)) fail_msg("'%s': %s", words, ht_error_message());
}

/* The last row may be the first of the next beat, or not. */
HT_TEST(test_end_of_beat) {
  ends(even(18, 0.05), 0, 0, 0.9, HT_PERIOD_SPACING);
  ends(even(19, 0.05), 0, 0, 0.9, HT_PERIOD_REPEATS);
  even(19, 0.05);
  flows[18] += 0.03; /* 0.4 % of the range, on a slope */
  ends(19, 0, 0, 0.9, HT_PERIOD_NEARLY);
  ends(19, 1, 0, 1, HT_PERIOD_GIVEN);
  flows[18] += 0.4; /* it fits neither */
  asks(19, 0, "waveform_period_s: 0.9 in the first case, 0.95 in the second");
  even(18, 0.05);
  times[7] += 0.004; /* times that were rounded */
  ends(18, 0, 0, 0.9, HT_PERIOD_SPACING);
  times[7] += 0.02;
  asks(18, 0, "repeat the first flow");
  ends(18, 0.9, 0, 0.9, HT_PERIOD_GIVEN);
  asks(18, 0.5, "the rows of the waveform take 0.85 s");
  asks(18, 75, "flow.period_s");
  asks(18, 0.85, "the last 1.2");
}

HT_TEST(test_two_beats) {
  ht_waveform w;
  even(37, 0.05);
  assert_int_equal(ht_waveform_samples(37, times, flows, 0, 0, NULL, &w), HT_OK);
  assert_near(w.period_s, 1.8, 1e-9);
  assert_int_equal(ht_waveform_repeats(&w), 2);
  even(19, 0.05);
  assert_int_equal(ht_waveform_samples(19, times, flows, 0, 0, NULL, &w), HT_OK);
  assert_int_equal(ht_waveform_repeats(&w), 1);
  for (ht_waveform_name name = HT_WAVEFORM_CONSTANT; name <= HT_WAVEFORM_AORTA; name++) {
    assert_int_equal(ht_waveform_published(name, &w), HT_OK);
    assert_int_equal(ht_waveform_repeats(&w), 1);
  }
}

/* A plateau over the end of the beat: the last row may be of the next beat, or of this. */
HT_TEST(test_plateau) {
  for (int i = 0; i < 20; i++) {
    times[i] = 0.05 * i;
    flows[i] = i > 2 && i < 10 ? 2 + 8 * pow(sin(HT_PI * (i - 2) / 8), 2) : 2;
  }
  asks(20, 0, "waveform_period_s: 0.95 in the first case, 1 in the second");
  ends(20, 1, 0, 1, HT_PERIOD_GIVEN);
  ends(20, 0.95, 0, 0.95, HT_PERIOD_GIVEN);
  ends(20, 0, 1, 1, HT_PERIOD_GIVEN); /* what it is stretched to */
  for (int i = 0; i < 400; i++) {
    times[i] = 0.9 * i / 399; /* so dense that it does not matter; rounded flows repeat by chance */
    flows[i] = round(10 * beat_of(times[i])) / 10;
  }
  ends(400, 0, 0, 0.9, HT_PERIOD_REPEATS);
  even(20, 0.05);
  for (int i = 0; i < 20; i++)
    flows[i] = i > 2 && i < 10 ? 2 + 8 * pow(sin(HT_PI * (i - 2) / 8), 2) : 2;
  times[19] = 1.3; /* uneven: only a repeat is left */
  ends(20, 0, 0, 1.3, HT_PERIOD_REPEATS);
}

HT_TEST(test_reynolds) {
  double flow = ht_flow_of_reynolds(500, 0.012, 0.0035, 1056);
  assert_near(flow, 500 * HT_PI * 12 * 0.0035 / 1056 * 1e3 / 4, 1e-9);
}

/* Compares with values of the sources that are not in the tables. */
HT_TEST(test_published) {
  ht_waveform w;
  ht_harmonics series;
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_CAROTID, &w), HT_OK);
  assert_true(w.period_s == 0.951 && fabs(ht_waveform_mean(&w) - 1) < 1e-12);
  static const double carotid[][2] = {{0.0285586, 0.698144}, {0.1085225, 2.189279},
                                      {0.1427928, 1.864489}, {0.3903003, 0.913491},
                                      {0.6006817, 0.651001}, {0.9424324, 0.405900}};
  for (int i = 0; i < 6; i++)
    assert_near(ht_waveform_value(&w, carotid[i][0]), carotid[i][1], 0.005);
  assert_true(ht_waveform_harmonics(&w, 0.01, 32, &series) < 0.01 && series.harmonics < 16);
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_AORTA, &w), HT_OK);
  assert_true(fabs(w.period_s - 0.822) < 1e-12 && fabs(ht_waveform_mean(&w) - 1) < 1e-12);
  double mean = 419.8904 / ht_waveform_peak(&w); /* mL/s of the source, whose peak is this */
  assert_near(mean * 0.822, 66.1, 0.1);
  static const double aorta[][2] = {{0.0303846, 282.3157},
                                    {0.2068904, 148.7230},
                                    {0.2556101, 78.4286},
                                    {0.3006926, -48.4541},
                                    {0.318, 0},
                                    {0.45, 0},
                                    {0.65, 0},
                                    {0.8, 0}};
  for (int i = 0; i < 8; i++)
    assert_near(mean * ht_waveform_value(&w, aorta[i][0]), aorta[i][1], 0.002 * 419.9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spline),        cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_harmonics),     cmocka_unit_test(test_harmonics_of_cubics),
      cmocka_unit_test(test_series),        cmocka_unit_test(test_constant),
      cmocka_unit_test(test_refused),       cmocka_unit_test(test_scale_and_stretch),
      cmocka_unit_test(test_even),          cmocka_unit_test(test_reynolds),
      cmocka_unit_test(test_published),     cmocka_unit_test(test_monotone),
      cmocka_unit_test(test_never_outside), cmocka_unit_test(test_end_of_beat),
      cmocka_unit_test(test_plateau),       cmocka_unit_test(test_two_beats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
