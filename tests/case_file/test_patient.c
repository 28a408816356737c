/* A patient's heart: at rest, under stress, and what is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "patient.h"
#include <math.h>
#include <string.h>

static const ht_patient adult = {.kind = HT_PATIENT_AORTA,
                                 .cardiac_output_l_min = 4.9,
                                 .heart_rate_per_min = 70,
                                 .blood_pressure_mmhg = {120, 80}};

static void assert_near(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance))
    fail_msg("got %.9g, expected %.9g within %g", got, expected, tolerance);
}

static void test_at_rest(void **state) {
  (void)state;
  ht_heart heart = ht_patient_heart(&adult, 60);
  assert_near(heart.stroke_ml, 70, 1e-9);
  assert_near(heart.heart_rate_per_min, 70, 0);
  ht_patient without = adult;
  without.heart_rate_per_min = 0;
  assert_near(ht_patient_heart(&without, 98).stroke_ml, 50, 1e-9); /* the waveform's rate */
}

/* 112.83 beats of 76.29 mL. */
static void test_under_dobutamine(void **state) {
  (void)state;
  ht_patient patient = adult;
  patient.state = HT_STATE_DOBUTAMINE;
  ht_heart heart = ht_patient_heart(&patient, 60);
  assert_near(heart.heart_rate_per_min, 112.83, 1e-9);
  assert_near(heart.output_l_min, 112.83 * 76.29e-3, 1e-9);
  patient.age_years = 100; /* 0.85 * 120 */
  assert_near(ht_patient_heart(&patient, 60).heart_rate_per_min, 102, 1e-9);
  patient.heart_rate_per_min = 110; /* never below the rate at rest */
  assert_near(ht_patient_heart(&patient, 60).heart_rate_per_min, 110, 1e-9);
}

static void test_refused(void **state) {
  (void)state;
  ht_patient patient = adult;
  assert_int_equal(ht_patient_check(&patient), HT_OK);
  patient.kind = HT_PATIENT_NONE;
  assert_int_equal(ht_patient_check(&patient), HT_ERR_CASE);
  patient = adult;
  patient.blood_pressure_mmhg[1] = 120;
  assert_int_equal(ht_patient_check(&patient), HT_ERR_CASE);
  patient = adult;
  patient.cardiac_output_l_min = 83; /* mL/s for L/min */
  assert_int_equal(ht_patient_check(&patient), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "cardiac_output_l_min"));
  patient = (ht_patient){.kind = HT_PATIENT_AORTA, .state = HT_STATE_DOBUTAMINE};
  assert_int_equal(ht_patient_check(&patient), HT_ERR_CASE);
}

static void test_unusual(void **state) {
  (void)state;
  ht_patient patient = adult;
  assert_null(ht_patient_unusual(&patient));
  patient.cardiac_output_l_min = 0.4;
  assert_non_null(ht_patient_unusual(&patient));
  patient = adult;
  patient.blood_pressure_mmhg[1] = 110;
  assert_non_null(ht_patient_unusual(&patient));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_under_dobutamine),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_unusual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
