/* run/openings/place_outlets: the outlets of an aorta: their model, their planned flows, their
 * Windkessels. */
#include "tests/check.h"
#include "run/process/console.h"
#include "run/openings/place_flows.h"
#include "run/openings/place_outlets.h"
#include "run/openings/place_supplies.h"
#include "core/vessel/scan_signs.h"
#include "core/numbers/units.h"
#include <string.h>

static ht_case settings;
static ht_openings openings;

/* Makes an inlet and outlets of 8, 4 and 4 mm: shares of 8, 1 and 1 tenths by Murray's law. */
static void begin(void) {
  ht_case_defaults(&settings);
  settings.patient = (ht_patient){.kind = HT_PATIENT_AORTA,
                                  .cardiac_output_l_min = 4.8,
                                  .heart_rate_per_min = 70,
                                  .blood_pressure_mmhg = {130, 80}};
  assert_int_equal(ht_case_read_waveform(&settings), HT_OK);
  openings = (ht_openings){.count = 4,
                           .item = {{.role = HT_ROLE_INLET, .radius_mm = 12, .flow_ml_s = 80},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 8},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 4},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 4}}};
}

HT_TEST(test_planned_flows) {
  double out[HT_OPENINGS_MAX];
  begin();
  ht_place_outflows(&settings, &openings, out);
  assert_near(out[0], 0, 0);
  assert_near(out[1], 64, 1e-9);
  assert_near(out[3], 8, 1e-9);
  settings.outlets = HT_OUTLETS_AREA;
  ht_place_outflows(&settings, &openings, out);
  assert_near(out[2], 80 / 6.0, 1e-9);
  const double fraction[] = {0, 0.5, 0.3, 0.2};
  for (int i = 1; i < 4; i++) openings.item[i].flow_fraction = fraction[i];
  ht_place_outflows(&settings, &openings, out);
  assert_near(out[3], 16, 1e-9);
}

/* Checks that the outlets in parallel are the whole, and that each has its time constant. */
HT_TEST(test_the_whole_is_divided) {
  ht_physiology p;
  begin();
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(p.is_all, 1);
  double conductance = 0, compliance = 0;
  for (int i = 1; i < 4; i++) {
    const double *w = openings.item[i].windkessel;
    conductance += 1 / (w[0] + w[2]);
    compliance += w[1];
    assert_near(w[1] * w[2], p.whole.compliance_m3_pa * p.whole.distal_pa_s_m3, 1e-9);
    assert_true(openings.item[i].windkessel_start_pa == p.beat.rest_start_pa);
  }
  double all = p.whole.proximal_pa_s_m3 + p.whole.distal_pa_s_m3;
  assert_near(conductance * all, 1, 1e-9);
  assert_near(compliance / p.whole.compliance_m3_pa, 1, 1e-9);
  assert_near(openings.item[2].windkessel[0] / openings.item[1].windkessel[0], 8, 1e-9);
  assert_near(p.beat.systolic_pa / HT_PA_PER_MMHG, 130, 0.02);
  assert_near(p.heart.stroke_ml, 4800 / 70.0, 1e-9);
}

/* Checks that the case's own value stays, and that nothing can then be tuned. */
HT_TEST(test_own_values_stay) {
  ht_physiology p;
  begin();
  openings.item[2].windkessel[0] = openings.item[2].windkessel[2] = 1e9;
  openings.item[2].windkessel[1] = 1e-10;
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(p.is_all, 0);
  assert_true(openings.item[2].windkessel[0] == 1e9 && openings.item[1].windkessel[0] != 0);
  begin();
  openings.item[1].flow_fraction = 0.5; /* but not the others */
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_ERR_CASE);
}

/* Under stress the mean pressure, the compliance and the proximal resistance stay. */
HT_TEST(test_stress) {
  ht_physiology rest, stress;
  begin();
  assert_int_equal(ht_place_windkessels(&settings, &openings, &rest), HT_OK);
  begin();
  settings.patient.state = HT_STATE_DOBUTAMINE;
  assert_int_equal(ht_case_read_waveform(&settings), HT_OK);
  openings.item[0].flow_ml_s = 1000 * ht_case_heart(&settings).output_l_min / 60;
  assert_int_equal(ht_place_windkessels(&settings, &openings, &stress), HT_OK);
  assert_near(stress.beat.mean_pa / rest.beat.mean_pa, 1, 1e-3);
  assert_near(stress.whole.compliance_m3_pa / rest.whole.compliance_m3_pa, 1, 1e-6);
  assert_near(stress.whole.proximal_pa_s_m3 / rest.whole.proximal_pa_s_m3, 1, 1e-6);
  assert_true(stress.whole.distal_pa_s_m3 < 0.65 * rest.whole.distal_pa_s_m3);
}

HT_TEST(test_the_model) {
  ht_physiology p;
  begin();
  assert_int_equal(ht_place_outlet_model(&settings, &openings), HT_OUTLETS_WINDKESSEL);
  settings.outlets = HT_OUTLETS_PRESSURE; /* as the case prescribes */
  assert_int_equal(ht_place_outlet_model(&settings, &openings), HT_OUTLETS_PRESSURE);
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_true(p.heart.heart_rate_per_min == 0 && openings.item[1].windkessel[0] == 0);
  begin();
  memset(&settings.patient, 0, sizeof settings.patient); /* the waveform alone */
  assert_int_equal(ht_place_outlet_model(&settings, &openings), HT_OUTLETS_WINDKESSEL);
  openings.count = 2;
  assert_int_equal(ht_place_outlet_model(&settings, &openings), HT_OUTLETS_PRESSURE);
  ht_case_defaults(&settings);
  assert_int_equal(ht_place_outlet_model(&settings, &openings), HT_OUTLETS_PRESSURE);
}

/* Two outlets of 45 mmHg s/mL: 90 mmHg with 4 mL/s. Resistances in dyn s/cm5 are 1333 times these
 * numbers. */
HT_TEST(test_the_mean_pressure) {
  ht_physiology p;
  const double unit = HT_PA_PER_MMHG * 1e6; /* mmHg s/mL in Pa s/m3 */
  ht_case_defaults(&settings);
  settings.outlets = HT_OUTLETS_WINDKESSEL;
  openings = (ht_openings){.count = 3,
                           .item = {{.role = HT_ROLE_INLET, .flow_ml_s = 4},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 2},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 2}}};
  assert_true(isnan(ht_place_mean_pressure_mmhg(&openings)));
  for (int i = 1; i < 3; i++) {
    openings.item[i].windkessel[0] = 5 * unit;
    openings.item[i].windkessel[2] = 40 * unit;
  }
  assert_near(ht_place_mean_pressure_mmhg(&openings), 90, 1e-9);
  int before = ht_console_warnings();
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(ht_console_warnings(), before);
  for (int i = 1; i < 3; i++) openings.item[i].windkessel[2] *= 1333;
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(ht_console_warnings(), before + 1);
}

static int said(const char *words) {
  int count = 0;
  for (int i = 0; i < ht_console_warnings(); i++)
    count += strstr(ht_console_warning(i), words) != NULL;
  return count;
}

/* Checks keys that the openings show to have no effect. */
HT_TEST(test_in_vain) {
  ht_physiology p;
  ht_console_next();
  ht_case_defaults(&settings);
  settings.outlets = HT_OUTLETS_WINDKESSEL;
  settings.mean_pressure_mmhg = 90;
  openings = (ht_openings){.count = 3,
                           .item = {{.role = HT_ROLE_INLET, .flow_ml_s = 4},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 3, .name = "wide"},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 2, .name = "side"}}};
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(ht_console_warnings(), 0);
  for (int i = 1; i < 3; i++)
    for (int k = 0; k < 3; k++) openings.item[i].windkessel[k] = 1;
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(said("have no effect: every outlet has a Windkessel of its own"), 1);
  ht_console_next();
  settings.outlets = HT_OUTLETS_AREA;
  settings.mean_pressure_mmhg = 0;
  openings.item[1].pressure_pa = openings.item[2].pressure_pa = 500;
  assert_int_equal(ht_place_windkessels(&settings, &openings, &p), HT_OK);
  assert_int_equal(said("'pressure_pa' of the outlet 'side' has no effect"), 1);
  assert_int_equal(said("'wide'"), 0);
}

/* Checks the own mean of a waveform's file next to a flow of the case; the sum of the inlets
 * counts. */
HT_TEST(test_only_the_shape) {
  ht_console_next();
  ht_case_defaults(&settings);
  strcpy(settings.waveform, "flow.csv");
  ht_waveform_constant(4, &settings.inflow);
  openings = (ht_openings){.count = 3,
                           .item = {{.role = HT_ROLE_INLET, .radius_mm = 2, .flow_ml_s = 3},
                                    {.role = HT_ROLE_INLET, .radius_mm = 2, .flow_ml_s = 1.01},
                                    {.role = HT_ROLE_OUTLET, .radius_mm = 3}}};
  assert_int_equal(ht_place_flows(&settings, &openings), HT_OK);
  assert_int_equal(said("waveform's own mean"), 0);
  openings.item[1].flow_ml_s = 2;
  assert_int_equal(ht_place_flows(&settings, &openings), HT_OK);
  assert_int_equal(said("own mean flow, 4 mL/s, is not used: the case gives 5 mL/s"), 1);
}

/* Places an inlet that leaves the scan askew: 12 mm2 across the vessel beyond it. */
static ht_status place_usual(int kind, unsigned signs, double even_mm2) {
  ht_console_next();
  ht_case_defaults(&settings);
  settings.patient.kind = kind;
  settings.scan_signs = signs;
  openings = (ht_openings){
      .count = 2,
      .item = {{.role = HT_ROLE_INLET, .name = "in", .radius_mm = 4, .even_mm2 = even_mm2},
               {.role = HT_ROLE_OUTLET, .radius_mm = 1}}};
  return ht_place_flows(&settings, &openings);
}

/* Checks the flow that is used where none is given: in head and neck alone, in the widths of the
 * relation's arteries, by the section beyond the inlet. */
HT_TEST(test_usual_flows) {
  assert_int_equal(place_usual(HT_PATIENT_HEAD, 0, 12), HT_OK);
  assert_near(openings.item[0].flow_ml_s, 48.21 * pow(0.12, 1.84), 1e-6);
  assert_int_equal(said("3.91 mm wide"), 1);
  assert_int_equal(said("up to 2.5 times as large"), 1);
  assert_int_equal(place_usual(HT_PATIENT_NONE, HT_SIGN_HEAD, 12), HT_OK);
  assert_int_equal(place_usual(HT_PATIENT_NONE, HT_SIGN_NECK | HT_SIGN_TOF, 12), HT_OK);
  assert_int_equal(place_usual(HT_PATIENT_NONE, HT_SIGN_NECK | HT_SIGN_CHEST, 12), HT_ERR_CASE);
  assert_int_equal(place_usual(HT_PATIENT_NONE, HT_SIGN_OTHER, 12), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "fistula of an arm 10 to 25"));
  assert_null(strstr(ht_error_message(), "patient.kind=head"));
  assert_int_equal(place_usual(HT_PATIENT_NONE, 0, 12), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "nothing says that this is one"));
  assert_non_null(strstr(ht_error_message(), "patient.kind=head) does, and takes 0.97 mL/s"));
  assert_int_equal(place_usual(HT_PATIENT_HEAD, 0, 3), HT_ERR_CASE);
  assert_int_equal(place_usual(HT_PATIENT_HEAD, 0, 60), HT_ERR_CASE);
  assert_int_equal(place_usual(HT_PATIENT_HEAD, 0, 0), HT_ERR_CASE); /* 8 mm at the inlet */
  settings.segment.preset = HT_PRESET_TOF_MRA;
  settings.patient.kind = HT_PATIENT_NONE;
  openings.item[0].even_mm2 = 12;
  assert_int_equal(ht_place_flows(&settings, &openings), HT_OK);
  settings.segment.preset = HT_PRESET_AUTO;
  settings.scan_signs = HT_SIGN_OTHER;
  openings.item[0].flow_ml_s = 3; /* a given flow is used anywhere */
  assert_int_equal(ht_place_flows(&settings, &openings), HT_OK);
  assert_true(openings.item[0].flow_ml_s == 3);
}

/* A circle of Willis: two carotids and a basilar artery from below, a wide cerebral artery aside,
 * and a thin branch down. */
HT_TEST(test_supplies_of_a_head) {
  static const struct {
    double radius_mm, direction[3];
    ht_role role;
  } ends[] = {{2.4, {0, 0, -1}, HT_ROLE_INLET},
              {2.2, {0.3, 0, -0.95}, HT_ROLE_INLET},
              {1.5, {0, 0.6, -0.8}, HT_ROLE_INLET},
              {1.4, {1, 0, 0}, HT_ROLE_NONE},
              {0.8, {0, 0, -1}, HT_ROLE_NONE}};
  for (int head = 0; head < 2; head++) {
    ht_case_defaults(&settings);
    settings.patient.kind = head ? HT_PATIENT_HEAD : HT_PATIENT_NONE;
    openings.count = 5;
    for (int i = 0; i < 5; i++) {
      openings.item[i] = (ht_opening){.radius_mm = ends[i].radius_mm};
      memcpy(openings.item[i].direction, ends[i].direction, sizeof ends[i].direction);
    }
    assert_int_equal(ht_place_guess_supplies(&settings, &openings), head ? 3 : 0);
    for (int i = 0; i < 5; i++)
      assert_int_equal(openings.item[i].role, head ? ends[i].role : HT_ROLE_NONE);
  }
  openings.item[1].role = HT_ROLE_NONE; /* one that is named stays the only one */
  assert_int_equal(ht_place_guess_supplies(&settings, &openings), 0);
}

/* A carotid's 5 mL/s pass; ten times as much, and a stress of 141 Pa, do not. */
HT_TEST(test_usual_bands) {
  ht_usual_band carotid = ht_usual_band_of(4.9), aorta = ht_usual_band_of(25);
  assert_true(4.3 / 18.9 > carotid.velocity_m_s[0] && 4.3 / 18.9 < carotid.velocity_m_s[1]);
  assert_true(2.33 > carotid.velocity_m_s[1]);
  assert_true(1.2 > carotid.wss_pa[0] && 1.2 < carotid.wss_pa[1] && 16.9 > carotid.wss_pa[1]);
  assert_true(90 / 491. > aorta.velocity_m_s[0] && 90 / 491. < aorta.velocity_m_s[1]);
  for (double mm = HT_USUAL_FLOW_LEAST_MM; mm < HT_USUAL_FLOW_MOST_MM; mm += 0.1) {
    double area = HT_PI * mm * mm / 4, speed = ht_usual_flow_ml_s(area) / area;
    assert_true(speed >= ht_usual_band_of(mm).velocity_m_s[0]);
    assert_true(HT_USUAL_FLOW_SPREAD * speed <= ht_usual_band_of(mm).velocity_m_s[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planned_flows),
      cmocka_unit_test(test_the_whole_is_divided),
      cmocka_unit_test(test_own_values_stay),
      cmocka_unit_test(test_stress),
      cmocka_unit_test(test_the_model),
      cmocka_unit_test(test_the_mean_pressure),
      cmocka_unit_test(test_in_vain),
      cmocka_unit_test(test_only_the_shape),
      cmocka_unit_test(test_supplies_of_a_head),
      cmocka_unit_test(test_usual_flows),
      cmocka_unit_test(test_usual_bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
