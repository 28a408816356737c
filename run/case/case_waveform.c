/* Waveform of a case's inflow: constant, published, or a file. */
#include "run/case/case.h"
#include "run/folder/folder.h"
#include "solver/inflow/published_waveforms.h"
#include "run/case/usual_heart.h"
#include "run/case/waveform_file.h"
#include "core/text/words.h"
#include <string.h>

static int word(const ht_case *settings) {
  return ht_word_find(ht_waveform_words, settings->waveform, strlen(settings->waveform));
}

int ht_case_flow_is_constant(const ht_case *settings) {
  return word(settings) == HT_WAVEFORM_CONSTANT && !settings->measured[0];
}

int ht_case_is_aorta(const ht_case *settings) {
  return settings->patient.kind == HT_PATIENT_AORTA || word(settings) == HT_WAVEFORM_AORTA;
}

int ht_case_waveform_is_file(const ht_case *settings) {
  return word(settings) < 0;
}

const char *ht_case_waveform_name(const ht_case *settings) {
  return ht_case_waveform_is_file(settings) ? HT_FILE_WAVEFORM : settings->waveform;
}

int ht_case_has_flow(const ht_case *settings) {
  if (settings->inlet_flow_ml_s > 0 || settings->inlet_reynolds > 0) return 1;
  for (int i = 0; i < settings->openings; i++)
    if (settings->opening[i].flow_ml_s > 0) return 1;
  return ht_case_waveform_is_file(settings) || settings->measured[0];
}

ht_patient ht_case_patient(const ht_case *settings) {
  ht_patient patient = settings->patient;
  if (patient.kind != HT_PATIENT_AORTA || !(patient.age_years >= HT_USUAL_LEAST_YEARS))
    return patient;
  ht_usual_heart usual = ht_usual_heart_at(patient.age_years);
  int has_rate = patient.heart_rate_per_min > 0 || settings->period_s > 0 || settings->measured[0];
  if (!has_rate && !ht_case_waveform_is_file(settings))
    patient.heart_rate_per_min = usual.heart_rate_per_min;
  if (!(patient.cardiac_output_l_min > 0) && !ht_case_has_flow(settings))
    patient.cardiac_output_l_min = usual.cardiac_output_l_min;
  if (!(patient.blood_pressure_mmhg[0] > 0))
    memcpy(patient.blood_pressure_mmhg, usual.blood_pressure_mmhg,
           sizeof patient.blood_pressure_mmhg);
  return patient;
}

ht_heart ht_case_heart(const ht_case *settings) {
  ht_patient patient = ht_case_patient(settings);
  double period_s = settings->inflow.period_s;
  return ht_patient_heart(&patient, period_s > 0 ? 60 / period_s : 0);
}

/* Returns the period given by flow.period_s or by the patient's heart; 0: the waveform's own. */
static double period_of(const ht_case *settings) {
  ht_patient patient = ht_case_patient(settings);
  if (!(patient.heart_rate_per_min > 0)) return settings->period_s;
  return 60 / ht_patient_heart(&patient, 0).heart_rate_per_min;
}

static ht_status take_published(ht_case *settings) {
  HT_TRY(ht_waveform_published((ht_waveform_name)word(settings), &settings->inflow));
  double period_s = period_of(settings);
  if (!(period_s > 0)) return HT_OK;
  return ht_waveform_stretch(&settings->inflow, period_s);
}

static ht_status read_file(ht_case *settings) {
  if (!ht_file_exists(settings->waveform))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: flow.waveform: there is no file %s; without a file it is constant, carotid "
                   "or aorta",
                   ht_case_file(settings), settings->waveform);
  return ht_waveform_file_read(settings->waveform, settings->waveform_period_s, period_of(settings),
                               &settings->inflow, &settings->inflow_facts);
}

ht_status ht_case_read_waveform(ht_case *settings) {
  memset(&settings->inflow_facts, 0, sizeof settings->inflow_facts);
  if (settings->patient.kind == HT_PATIENT_AORTA && ht_case_flow_is_constant(settings))
    strcpy(settings->waveform, ht_waveform_words[HT_WAVEFORM_AORTA]);
  return ht_case_waveform_is_file(settings) ? read_file(settings) : take_published(settings);
}
