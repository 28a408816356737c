/* A patient's heart and blood pressure: what drives an aorta. */
#ifndef HT_PATIENT_H
#define HT_PATIENT_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_PATIENT_NONE = 0, HT_PATIENT_AORTA, HT_PATIENT_HEAD } ht_patient_kind;
/* Dobutamine: the stress test of the heart with that drug. */
typedef enum { HT_STATE_REST = 0, HT_STATE_DOBUTAMINE } ht_patient_state;

/* Names in case files, in the order of the values; NULL at the end. */
extern const char *const ht_patient_words[], *const ht_patient_state_words[];

/* Values at rest, also for the stress test. 0: not given. */
typedef struct {
  int kind;  /* ht_patient_kind */
  int state; /* ht_patient_state */
  double cardiac_output_l_min, heart_rate_per_min;
  double blood_pressure_mmhg[2]; /* systolic, diastolic, measured with a cuff on the arm */
  double age_years;
} ht_patient;

/* Ranges in which the unit is not in doubt; the case file's table has the same. */
typedef struct {
  ht_range cardiac_output_l_min, heart_rate_per_min;
  ht_range blood_pressure_mmhg; /* range of both */
  ht_range age_years;
} ht_patient_ranges;
extern const ht_patient_ranges ht_patient_allowed;

/* Checks that each number is in its range, that the systolic pressure is above the diastolic, and
 * that values that need each other are complete. HT_ERR_CASE. */
ht_status ht_patient_check(const ht_patient *patient);

/* The heart in the state of the case. */
typedef struct {
  double heart_rate_per_min;
  double output_l_min; /* 0: not given */
  double stroke_ml;    /* output / rate; 0: not given */
} ht_heart;

/* Returns the heart; `usual_rate_per_min` stands for a heart rate that is not given. With
 * dobutamine the rate rises by 42.8 a minute and the stroke volume by 6.3 mL, the means of healthy
 * adults at moderate stress (pooled from MRI and echocardiography: Runte et al., Front. Cardiovasc.
 * Med. 6 (2019) 43). The rate does not exceed the usual target of the test where the age is
 * given: 0.85 * (220 - age). */
ht_heart ht_patient_heart(const ht_patient *patient, double usual_rate_per_min);

/* Returns a sentence about a value that is possible but unusual for an adult, for a warning; NULL:
 * none. */
const char *ht_patient_unusual(const ht_patient *patient);

#ifdef __cplusplus
}
#endif
#endif
