#include "run/case/patient.h"
#include <math.h>
#include <stddef.h>

const char *const ht_patient_words[] = {"none", "aorta", "head", NULL};
const char *const ht_patient_state_words[] = {"rest", "dobutamine", NULL};

const ht_patient_ranges ht_patient_allowed = {.cardiac_output_l_min = {0.1, 40, 0},
                                              .heart_rate_per_min = {20, 250, 0},
                                              .blood_pressure_mmhg = {15, 300, 0},
                                              .age_years = {0, 120, 1}};

/* Changes in the stress test, against rest (patient.h). */
static const double more_beats_per_min = 42.83, more_stroke_ml = 6.29;
static const double target_share = 0.85, highest_rate_at_birth = 220;

ht_heart ht_patient_heart(const ht_patient *patient, double usual_rate_per_min) {
  ht_heart heart = {patient->heart_rate_per_min, patient->cardiac_output_l_min, 0};
  if (!(heart.heart_rate_per_min > 0)) heart.heart_rate_per_min = usual_rate_per_min;
  heart.stroke_ml = 1000 * heart.output_l_min / heart.heart_rate_per_min;
  if (patient->state != HT_STATE_DOBUTAMINE || !(heart.output_l_min > 0)) return heart;
  double rate = heart.heart_rate_per_min + more_beats_per_min;
  if (patient->age_years > 0)
    rate = fmin(rate, fmax(heart.heart_rate_per_min,
                           target_share * (highest_rate_at_birth - patient->age_years)));
  heart.heart_rate_per_min = rate;
  heart.stroke_ml += more_stroke_ml;
  heart.output_l_min = heart.stroke_ml * rate / 1000;
  return heart;
}

static int is_given(const ht_patient *p) {
  return p->cardiac_output_l_min > 0 || p->heart_rate_per_min > 0 ||
         p->blood_pressure_mmhg[0] > 0 || p->age_years > 0 || p->state != HT_STATE_REST;
}

static ht_status check_ranges(const ht_patient *p) {
  const ht_patient_ranges *allowed = &ht_patient_allowed;
  if (p->cardiac_output_l_min > 0)
    HT_TRY(ht_check_range("cardiac_output_l_min", p->cardiac_output_l_min,
                          &allowed->cardiac_output_l_min));
  if (p->heart_rate_per_min > 0)
    HT_TRY(
        ht_check_range("heart_rate_per_min", p->heart_rate_per_min, &allowed->heart_rate_per_min));
  for (int k = 0; k < 2 && p->blood_pressure_mmhg[0] != 0; k++)
    HT_TRY(ht_check_range("blood_pressure_mmhg", p->blood_pressure_mmhg[k],
                          &allowed->blood_pressure_mmhg));
  return p->age_years > 0 ? ht_check_range("age_years", p->age_years, &allowed->age_years) : HT_OK;
}

ht_status ht_patient_check(const ht_patient *p) {
  HT_TRY(check_ranges(p));
  if (p->kind != HT_PATIENT_AORTA && is_given(p))
    return ht_fail(HT_ERR_CASE, "patient: its values need `kind: aorta`, so that the program knows "
                                "what they belong to");
  if (p->blood_pressure_mmhg[0] > 0 && !(p->blood_pressure_mmhg[0] > p->blood_pressure_mmhg[1]))
    return ht_fail(HT_ERR_CASE,
                   "patient: blood_pressure_mmhg is [%g, %g]: the systolic pressure comes first, "
                   "and is above the diastolic one, as in [120, 80]",
                   p->blood_pressure_mmhg[0], p->blood_pressure_mmhg[1]);
  if (p->state == HT_STATE_DOBUTAMINE &&
      !(p->cardiac_output_l_min > 0 && p->heart_rate_per_min > 0))
    return ht_fail(HT_ERR_CASE, "patient: the state dobutamine needs cardiac_output_l_min and "
                                "heart_rate_per_min, those at rest, to compute those under stress");
  return HT_OK;
}

/* Uses limits far outside of what is usual for adults at rest: most such values are typing
 * mistakes. */
const char *ht_patient_unusual(const ht_patient *p) {
  double stroke_ml = ht_patient_heart(p, 0).stroke_ml;
  double pulse = p->blood_pressure_mmhg[0] - p->blood_pressure_mmhg[1];
  if (p->state == HT_STATE_DOBUTAMINE && p->age_years > 0 && p->age_years < 18)
    return "the changes with dobutamine are means of adults, and the patient is a child: measured "
           "values under stress are better (with state: rest)";
  if (p->heart_rate_per_min > 0 && p->cardiac_output_l_min > 0 &&
      (stroke_ml < 10 || stroke_ml > 200))
    return "output / rate, the volume of a stroke, is not in 10 to 200 mL: check the units";
  if (p->blood_pressure_mmhg[0] > 0 && (pulse < 15 || pulse > 120))
    return "systolic less diastolic pressure is not in 15 to 120 mmHg: check the units";
  return NULL;
}
