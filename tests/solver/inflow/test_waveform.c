/* Flow waveforms: interpolation, Fourier series, scaling, what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "published_waveforms.h"
#include "units.h"
#include <math.h>
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
  assert_int_equal(ht_waveform_samples(sample(count, 0.1), times, flows, NULL, &w), HT_OK);
  assert_true(fabs(w.period_s - 0.8) < 1e-14);
  for (int i = 0; i < 1000; i++)
    error = fmax(error, fabs(ht_waveform_value(&w, 0.0017 * i - 0.4) - known(0.0017 * i - 0.4)));
  return error;
}

static void test_spline(void **state) {
  (void)state;
  double coarse = spline_error(20), fine = spline_error(80);
  assert_true(fine < 1e-4);
  assert_true(log2(coarse / fine) / 2 > 3.5);
}

/* Q, Q' and Q'' are continuous over the end of the period. */
static void test_smooth(void **state) {
  (void)state;
  ht_waveform w;
  double d = 1e-4;
  assert_int_equal(ht_waveform_samples(sample(7, 0), times, flows, NULL, &w), HT_OK);
  for (int i = 0; i < w.samples; i++) {
    double at = w.time_s[i], middle = ht_waveform_value(&w, at);
    double before = ht_waveform_value(&w, at - d), after = ht_waveform_value(&w, at + d);
    assert_true(fabs(middle - w.flow_ml_s[i]) < 1e-12);
    double bend = (before - 2 * middle + after) / (d * d);
    assert_true(fabs(bend - w.bend_ml_s3[i]) < 0.02 * 300);
  }
  assert_true(ht_waveform_value(&w, 0.8) == ht_waveform_value(&w, 0));
  assert_true(fabs(ht_waveform_value(&w, -0.3) - ht_waveform_value(&w, 0.5)) < 1e-12);
}

static void test_harmonics(void **state) {
  (void)state;
  ht_waveform w;
  ht_harmonics series;
  assert_int_equal(ht_waveform_samples(sample(200, 0.2), times, flows, NULL, &w), HT_OK);
  double left = ht_waveform_harmonics(&w, 1e-4, 20, &series);
  assert_int_equal(series.harmonics, 2);
  assert_true(left < 1e-4);
  assert_true(fabs(series.mean_ml_s - 3) < 1e-6);
  assert_true(fabs(series.cosine_ml_s[0] - 2) < 1e-5 && fabs(series.sine_ml_s[0]) < 1e-5);
  assert_true(fabs(series.cosine_ml_s[1] + sin(0.3)) < 1e-5);
  assert_true(fabs(series.sine_ml_s[1] + cos(0.3)) < 1e-5);
  left = ht_waveform_harmonics(&w, 1e-4, 1, &series);
  assert_int_equal(series.harmonics, 1);
  assert_true(fabs(left - sqrt(1 / 5.0)) < 1e-4); /* amplitudes 2 and 1 */
}

/* The coefficients of few samples are those of their spline, by the trapezium rule. */
static void test_harmonics_of_spline(void **state) {
  (void)state;
  ht_waveform w;
  ht_harmonics series;
  const int moments = 4096;
  double left = 0, all = 0;
  assert_int_equal(ht_waveform_samples(sample(5, 0), times, flows, NULL, &w), HT_OK);
  double share = ht_waveform_harmonics(&w, 0, 6, &series), mean = ht_waveform_mean(&w);
  assert_int_equal(series.harmonics, 6);
  for (int k = 1; k <= 6; k++) {
    double cosine = 0, sine = 0;
    for (int i = 0; i < moments; i++) {
      double value = ht_waveform_value(&w, 0.8 * i / moments);
      cosine += 2 * value * cos(2 * HT_PI * k * i / moments) / moments;
      sine += 2 * value * sin(2 * HT_PI * k * i / moments) / moments;
    }
    assert_true(fabs(series.cosine_ml_s[k - 1] - cosine) < 1e-6);
    assert_true(fabs(series.sine_ml_s[k - 1] - sine) < 1e-6);
  }
  ht_waveform sum;
  assert_int_equal(ht_waveform_series(&series, &sum), HT_OK);
  for (int i = 0; i < moments; i++) {
    double value = ht_waveform_value(&w, 0.8 * i / moments);
    left += pow(value - ht_waveform_value(&sum, 0.8 * i / moments), 2);
    all += pow(value - mean, 2);
  }
  assert_true(fabs(sqrt(left / all) - share) < 1e-6);
}

static void test_series(void **state) {
  (void)state;
  ht_waveform w;
  ht_harmonics given = {.period_s = 0.8, .mean_ml_s = 3, .harmonics = 2}, found;
  given.cosine_ml_s[0] = 2;
  given.cosine_ml_s[1] = -sin(0.3);
  given.sine_ml_s[1] = -cos(0.3);
  assert_int_equal(ht_waveform_series(&given, &w), HT_OK);
  for (int i = 0; i < 50; i++)
    assert_true(fabs(ht_waveform_value(&w, 0.05 * i) - known(0.05 * i)) < 1e-12);
  assert_true(ht_waveform_harmonics(&w, 0, 20, &found) < 1e-7);
  assert_int_equal(found.harmonics, 2);
  assert_memory_equal(found.sine_ml_s, given.sine_ml_s, sizeof found.sine_ml_s);
  given.period_s = 0;
  assert_int_equal(ht_waveform_series(&given, &w), HT_ERR_CASE);
  given.period_s = 1;
  given.harmonics = HT_HARMONICS_MAX + 1;
  assert_int_equal(ht_waveform_series(&given, &w), HT_ERR_CASE);
}

static void test_constant(void **state) {
  (void)state;
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

static void test_scale_and_stretch(void **state) {
  (void)state;
  ht_waveform w;
  assert_int_equal(ht_waveform_samples(sample(60, 0), times, flows, NULL, &w), HT_OK);
  double highest = 0;
  for (int i = 0; i < 8000; i++) highest = fmax(highest, known(1e-4 * i));
  assert_true(fabs(ht_waveform_peak(&w) - highest) < 1e-3);
  assert_int_equal(ht_waveform_scale(&w, 6), HT_OK);
  assert_int_equal(ht_waveform_stretch(&w, 1.6), HT_OK);
  assert_true(fabs(ht_waveform_mean(&w) - 6) < 1e-12);
  assert_true(w.period_s == 1.6);
  for (int i = 0; i < 100; i++)
    assert_true(fabs(ht_waveform_value(&w, 0.02 * i) - 2 * known(0.01 * i)) < 1e-3);
  assert_int_equal(ht_waveform_stretch(&w, 0), HT_ERR_CASE);
  ht_waveform_constant(-1, &w);
  assert_int_equal(ht_waveform_scale(&w, 6), HT_ERR_CASE);
}

static void refused(int count, const char *word, int at) {
  ht_waveform w;
  int row = -2;
  assert_int_equal(ht_waveform_samples(count, times, flows, &row, &w), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), word));
  assert_int_equal(row, at);
}

static void test_refused(void **state) {
  (void)state;
  ht_waveform w;
  sample(4, 0);
  assert_int_equal(ht_waveform_samples(5, times, flows, NULL, &w), HT_OK);
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

/* Even samples without a repeated one: the period ends one spacing after the last. */
static void test_even(void **state) {
  (void)state;
  ht_waveform w;
  for (int i = 0; i < 16; i++) {
    times[i] = 0.05 * i;
    flows[i] = known(times[i]);
  }
  assert_int_equal(ht_waveform_samples(16, times, flows, NULL, &w), HT_OK);
  assert_int_equal(w.samples, 16);
  assert_true(fabs(w.period_s - 0.8) < 1e-12);
}

static void test_reynolds(void **state) {
  (void)state;
  double flow = ht_flow_of_reynolds(500, 0.012, 0.0035, 1056);
  assert_true(fabs(flow - 500 * HT_PI * 12 * 0.0035 / 1056 * 1e3 / 4) < 1e-9);
}

/* Against values of the sources that are not in the tables. */
static void test_published(void **state) {
  (void)state;
  ht_waveform w;
  ht_harmonics series;
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_CAROTID, &w), HT_OK);
  assert_true(w.period_s == 0.951 && fabs(ht_waveform_mean(&w) - 1) < 1e-12);
  static const double carotid[][2] = {{0.0285586, 0.698144}, {0.1085225, 2.189279},
                                      {0.1427928, 1.864489}, {0.3903003, 0.913491},
                                      {0.6006817, 0.651001}, {0.9424324, 0.405900}};
  for (int i = 0; i < 6; i++)
    assert_true(fabs(ht_waveform_value(&w, carotid[i][0]) - carotid[i][1]) < 0.005);
  assert_true(ht_waveform_harmonics(&w, 0.01, 32, &series) < 0.01 && series.harmonics < 16);
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_AORTA, &w), HT_OK);
  assert_true(fabs(w.period_s - 0.822) < 1e-12 && fabs(ht_waveform_mean(&w) - 1) < 1e-12);
  double mean = 419.8904 / ht_waveform_peak(&w); /* mL/s of the source, whose peak is this */
  assert_true(fabs(mean * 0.822 - 66.1) < 0.1);
  static const double aorta[][2] = {{0.0303846, 282.3157},
                                    {0.2068904, 148.7230},
                                    {0.2556101, 78.4286},
                                    {0.3006926, -48.4541},
                                    {0.318, 0},
                                    {0.45, 0},
                                    {0.65, 0},
                                    {0.8, 0}};
  for (int i = 0; i < 8; i++)
    assert_true(fabs(mean * ht_waveform_value(&w, aorta[i][0]) - aorta[i][1]) < 0.002 * 419.9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spline),    cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_harmonics), cmocka_unit_test(test_harmonics_of_spline),
      cmocka_unit_test(test_series),    cmocka_unit_test(test_constant),
      cmocka_unit_test(test_refused),   cmocka_unit_test(test_scale_and_stretch),
      cmocka_unit_test(test_even),      cmocka_unit_test(test_reynolds),
      cmocka_unit_test(test_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
