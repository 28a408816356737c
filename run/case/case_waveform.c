/* Waveform of a case's inflow: constant, published, or a file. */
#include "run/case/case.h"
#include "core/formats/json.h"
#include "core/numbers/vector3.h"
#include "run/folder/folder.h"
#include "run/folder/yaml_file.h"
#include "solver/inflow/published_waveforms.h"
#include "run/case/usual_heart.h"
#include "run/case/waveform_file.h"
#include "core/text/words.h"
#include <stdio.h>
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

ht_status ht_case_profile_path(const ht_case *settings, char path[HT_PATH_MAX]) {
  return ht_path_beside(path, settings->waveform, HT_FILE_PROFILE);
}

static int numbers(const ht_measured_profile *profile) {
  return (1 + 2 * profile->harmonics) * HT_MEASURED_TERMS;
}

ht_status ht_case_profile_write(const char *path, const ht_measured_profile *profile,
                                const char *waveform_sha256) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "waveform_sha256", waveform_sha256);
  ht_json_numbers(&json, "normal", profile->normal, 3);
  ht_json_numbers(&json, "across", profile->across, 3);
  ht_json_integer(&json, "harmonics", profile->harmonics);
  ht_json_numbers(&json, "coefficients_m_s", profile->coefficient[0], numbers(profile));
  return ht_json_commit(&json, &output);
}

static int read_members(struct fy_node *root, ht_measured_profile *profile) {
  return ht_yaml_numbers(root, "normal", profile->normal, 3) &&
         ht_yaml_numbers(root, "across", profile->across, 3) && ht_normalise(profile->normal) &&
         ht_normalise(profile->across) && fabs(ht_dot(profile->normal, profile->across)) < 1e-3 &&
         ht_yaml_int(root, "harmonics", &profile->harmonics) && profile->harmonics >= 0 &&
         profile->harmonics <= HT_MEASURED_HARMONICS_MAX &&
         ht_yaml_numbers(root, "coefficients_m_s", profile->coefficient[0], numbers(profile));
}

static ht_status read_profile_file(const char *path, ht_measured_profile *profile,
                                   char waveform_sha256[HT_HASH_TEXT]) {
  ht_yaml yaml;
  memset(profile, 0, sizeof *profile);
  waveform_sha256[0] = 0;
  ht_status status = ht_yaml_read(path, HT_ERR_FORMAT, &yaml);
  if (status == HT_OK && !read_members(yaml.root, profile))
    status = ht_fail(HT_ERR_FORMAT, "%s: this is no measured profile", path);
  if (status == HT_OK)
    ht_yaml_text(yaml.root, "waveform_sha256", waveform_sha256, HT_HASH_TEXT);
  else
    profile->harmonics = -1;
  ht_yaml_free(&yaml);
  return status;
}

/* Reads the measured profile, which belongs to the waveform that was measured with it. */
static ht_status read_profile(ht_case *settings) {
  char path[HT_PATH_MAX], of[HT_HASH_TEXT] = "";
  settings->measured_profile.harmonics = -1;
  settings->profile_sha256[0] = 0;
  if (settings->profile != HT_PROFILE_MEASURED || !ht_case_waveform_is_file(settings)) return HT_OK;
  HT_TRY(ht_case_profile_path(settings, path));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: flow.profile is measured, and there is no file %s: set flow.profile to "
                   "auto, or give flow.measured again",
                   ht_case_file(settings), path);
  HT_TRY(read_profile_file(path, &settings->measured_profile, of));
  if (strcmp(of, settings->inflow_facts.sha256) != 0)
    return ht_fail(HT_ERR_CASE,
                   "%s: flow.profile is measured, but %s was measured with another waveform than "
                   "%s: set flow.profile to auto",
                   ht_case_file(settings), path, settings->waveform);
  return ht_hash_file(path, settings->profile_sha256);
}

ht_status ht_case_read_waveform(ht_case *settings) {
  memset(&settings->inflow_facts, 0, sizeof settings->inflow_facts);
  if (settings->patient.kind == HT_PATIENT_AORTA && ht_case_flow_is_constant(settings))
    strcpy(settings->waveform, ht_waveform_words[HT_WAVEFORM_AORTA]);
  HT_TRY(ht_case_waveform_is_file(settings) ? read_file(settings) : take_published(settings));
  return read_profile(settings);
}
