/* run/case/patient: a patient's heart at rest and under stress, and values that are refused. */
#include "tests/check.h"
#include "run/case/case.h"
#include "run/case/patient.h"
#include "run/case/usual_heart.h"
#include <string.h>

static const ht_patient adult = {.kind = HT_PATIENT_AORTA,
                                 .cardiac_output_l_min = 4.9,
                                 .heart_rate_per_min = 70,
                                 .blood_pressure_mmhg = {120, 80}};

HT_TEST(test_at_rest) {
  ht_heart heart = ht_patient_heart(&adult, 60);
  assert_near(heart.stroke_ml, 70, 1e-9);
  assert_near(heart.heart_rate_per_min, 70, 0);
  ht_patient without = adult;
  without.heart_rate_per_min = 0;
  assert_near(ht_patient_heart(&without, 98).stroke_ml, 50, 1e-9); /* the waveform's rate */
}

/* 112.83 beats of 76.29 mL. */
HT_TEST(test_under_dobutamine) {
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

HT_TEST(test_refused) {
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

HT_TEST(test_unusual) {
  ht_patient patient = adult;
  assert_null(ht_patient_unusual(&patient));
  patient.cardiac_output_l_min = 0.4;
  assert_non_null(ht_patient_unusual(&patient));
  patient = adult;
  patient.blood_pressure_mmhg[1] = 110;
  assert_non_null(ht_patient_unusual(&patient));
}

/* Checks rows of the tables, the linear way between two, and the ends. */
HT_TEST(test_usual_at_an_age) {
  ht_usual_heart ten = ht_usual_heart_at(10);
  assert_near(ten.cardiac_output_l_min, 3.8, 1e-9); /* 3.38 * 1.12 */
  assert_near(ten.heart_rate_per_min, 85, 0);       /* 96 - 5 / 8.5 * 18 */
  assert_near(ten.blood_pressure_mmhg[0], 102, 0);
  assert_near(ht_usual_heart_at(5).heart_rate_per_min, 96, 0);
  ht_usual_heart old = ht_usual_heart_at(90);
  assert_near(old.cardiac_output_l_min, 5.3, 1e-9); /* 3.0 * 1.78 */
  assert_near(old.blood_pressure_mmhg[1], 69, 0);
  assert_near(ht_usual_heart_at(1).heart_rate_per_min, 124, 0);
  for (double age = 1; age < 17; age += 0.5) { /* a child's heart slows down and grows */
    ht_usual_heart now = ht_usual_heart_at(age), later = ht_usual_heart_at(age + 1);
    assert_true(now.heart_rate_per_min > later.heart_rate_per_min);
    assert_true(now.cardiac_output_l_min < later.cardiac_output_l_min);
    assert_true(now.blood_pressure_mmhg[0] < later.blood_pressure_mmhg[0]);
  }
}

/* Checks that the age gives what the case does not say, and nothing else. */
HT_TEST(test_what_the_age_gives) {
  static ht_case settings;
  ht_case_defaults(&settings);
  settings.patient = (ht_patient){.kind = HT_PATIENT_AORTA, .age_years = 5};
  assert_int_equal(ht_case_read_waveform(&settings), HT_OK);
  assert_near(settings.inflow.period_s, 60.0 / 96, 1e-9);
  ht_patient all = ht_case_patient(&settings);
  assert_near(all.cardiac_output_l_min, 2.6, 1e-9);
  assert_near(all.blood_pressure_mmhg[0], 94, 0);
  settings.inlet_flow_ml_s = 30;
  settings.period_s = 0.7;
  settings.patient.blood_pressure_mmhg[0] = 130;
  settings.patient.blood_pressure_mmhg[1] = 70;
  ht_patient none = ht_case_patient(&settings);
  assert_memory_equal(&none, &settings.patient, sizeof none);
  settings = (ht_case){.waveform = "aorta", .patient = {.age_years = 5}}; /* not an aorta's */
  assert_true(ht_case_patient(&settings).heart_rate_per_min == 0);
}

HT_TEST(test_an_infant_needs_its_own_values) {
  static ht_case settings;
  ht_case_defaults(&settings);
  strcpy(settings.phantom, "coarctation");
  settings.patient = (ht_patient){.kind = HT_PATIENT_AORTA, .age_years = 0.5};
  assert_int_equal(ht_case_check(&settings), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "age_years is 0.5"));
  settings.patient = adult;
  settings.patient.age_years = 0.5;
  assert_int_equal(ht_case_check(&settings), HT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_under_dobutamine),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_unusual),
      cmocka_unit_test(test_usual_at_an_age),
      cmocka_unit_test(test_what_the_age_gives),
      cmocka_unit_test(test_an_infant_needs_its_own_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
