/* The Windkessel after an aorta: its beat against theory, and the fit to a cuff's pressures. */
#include "tests/check.h"
#include "solver/inflow/published_waveforms.h"
#include "core/numbers/units.h"
#include "solver/inflow/windkessel_fit.h"
#include <string.h>

/* A wave of one harmonic: its pressure has the amplitude |Z| of the impedance. */
HT_TEST(test_the_beat_against_theory) {
  ht_waveform inflow;
  ht_windkessel_beat beat;
  const ht_windkessel w = {2e7, 1e-8, 1.3e8, 0}; /* of an adult: Pa s/m3, m3/Pa */
  ht_harmonics wave = {.period_s = 0.8, .mean_ml_s = 80, .harmonics = 1};
  wave.cosine_ml_s[0] = 60;
  assert_int_equal(ht_waveform_series(&wave, &inflow), HT_OK);
  ht_windkessel_periodic(&inflow, &w, &beat);
  double turns = 2 * HT_PI / 0.8 * w.distal_pa_s_m3 * w.compliance_m3_pa;
  double real = w.proximal_pa_s_m3 + w.distal_pa_s_m3 / (1 + turns * turns);
  double imaginary = w.distal_pa_s_m3 * turns / (1 + turns * turns);
  double mean = 80e-6 * (w.proximal_pa_s_m3 + w.distal_pa_s_m3),
         amplitude = 60e-6 * hypot(real, imaginary);
  assert_near(beat.mean_pa, mean, 1e-6 * mean);
  /* The trapezoidal rule with 1000 steps, and the peak between two of them. */
  assert_near(beat.systolic_pa, mean + amplitude, 1e-4 * amplitude);
  assert_near(beat.diastolic_pa, mean - amplitude, 1e-4 * amplitude);
}

/* [output L/min, rate 1/min, systolic, diastolic mmHg]: rest, exercise, high pressure, a child. */
HT_TEST(test_the_cuff_is_met) {
  static const double patient[][4] = {{5, 73, 120, 80},
                                      {12, 140, 160, 75},
                                      {4.2, 65, 190, 110},
                                      {3, 100, 95, 55},
                                      {5, 60, 150, 60}};
  for (size_t i = 0; i < sizeof patient / sizeof *patient; i++) {
    const double *of = patient[i];
    ht_waveform inflow;
    ht_windkessel w;
    ht_windkessel_beat beat, again;
    assert_int_equal(ht_waveform_published(HT_WAVEFORM_AORTA, &inflow), HT_OK);
    assert_int_equal(ht_waveform_stretch(&inflow, 60 / of[1]), HT_OK);
    assert_int_equal(ht_waveform_scale(&inflow, of[0] * 1000 / 60), HT_OK);
    assert_int_equal(
        ht_windkessel_fit(&inflow, of[2] * HT_PA_PER_MMHG, of[3] * HT_PA_PER_MMHG, &w, &beat),
        HT_OK);
    ht_windkessel_periodic(&inflow, &w, &again);
    assert_near(again.systolic_pa / HT_PA_PER_MMHG, of[2], 0.02);
    assert_near(again.diastolic_pa / HT_PA_PER_MMHG, of[3], 0.02);
    /* The mean is flow times resistance, and between a quarter and a half of the pulse. */
    double mean = of[0] / 6e4 * (w.proximal_pa_s_m3 + w.distal_pa_s_m3) / HT_PA_PER_MMHG;
    assert_near(again.mean_pa / HT_PA_PER_MMHG, mean, 0.05);
    double share = (mean - of[3]) / (of[2] - of[3]);
    print_message("%g/%g: mean %.1f mmHg, R %.3f + %.3f mmHg s/mL, C %.3f mL/mmHg\n", of[2], of[3],
                  mean, w.proximal_pa_s_m3 * 1e-6 / HT_PA_PER_MMHG,
                  w.distal_pa_s_m3 * 1e-6 / HT_PA_PER_MMHG,
                  w.compliance_m3_pa * 1e6 * HT_PA_PER_MMHG);
    assert_true(share > 0.25 && share < 0.55);
  }
}

/* The solver's own step of the ODE leads to the same beat. */
HT_TEST(test_the_solvers_steps_agree) {
  enum { STEPS = 20000 };
  ht_waveform inflow;
  ht_windkessel w;
  ht_windkessel_beat beat;
  double most = 0, least = INFINITY;
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_AORTA, &inflow), HT_OK);
  assert_int_equal(ht_waveform_scale(&inflow, 80), HT_OK);
  assert_int_equal(ht_windkessel_fit(&inflow, 120 * HT_PA_PER_MMHG, 80 * HT_PA_PER_MMHG, &w, &beat),
                   HT_OK);
  double dt_s = inflow.period_s / STEPS;
  w.stored_pa = beat.start_pa;
  for (int n = 0; n < STEPS; n++) {
    double flow = 1e-6 * ht_waveform_value(&inflow, (n + 1) * dt_s);
    ht_windkessel_step(&w, flow, dt_s);
    most = fmax(most, ht_windkessel_pressure(&w, flow));
    least = fmin(least, ht_windkessel_pressure(&w, flow));
  }
  assert_near(w.stored_pa, beat.start_pa, 2e-3 * beat.start_pa); /* it repeats at once */
  w.stored_pa = beat.rest_start_pa; /* from rest, with the solver's ramp */
  for (int n = 0; n < STEPS; n++) {
    double rise = n < STEPS / 4 ? 0.5 * (1 - cos(HT_PI * 4 * n / STEPS)) : 1;
    ht_windkessel_step(&w, 1e-6 * rise * ht_waveform_value(&inflow, (n + 1) * dt_s), dt_s);
  }
  assert_near(w.stored_pa, beat.start_pa, 2e-3 * beat.start_pa);
  assert_near(most / HT_PA_PER_MMHG, 120, 0.1);
  assert_near(least / HT_PA_PER_MMHG, 80, 0.1);
}

HT_TEST(test_what_is_no_blood_pressure) {
  ht_waveform inflow;
  ht_windkessel w;
  ht_windkessel_beat beat;
  assert_int_equal(ht_waveform_published(HT_WAVEFORM_AORTA, &inflow), HT_OK);
  assert_int_equal(ht_windkessel_fit(&inflow, 1e4, 1.2e4, &w, &beat), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "the first, the systolic one, above the second"));
  assert_int_equal(ht_windkessel_fit(&inflow, 1e4, 0, &w, &beat), HT_ERR_CASE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_beat_against_theory),
      cmocka_unit_test(test_the_cuff_is_met),
      cmocka_unit_test(test_the_solvers_steps_agree),
      cmocka_unit_test(test_what_is_no_blood_pressure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
