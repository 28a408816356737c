#include "run/case/idle_rules.h"
#include <string.h>
#include <strings.h>

/* ---- the source ---- */

const char *ht_idle_without_phantom(const ht_case *settings) {
  return settings->phantom[0] ? NULL : "the case has no phantom";
}

const char *ht_idle_with_phantom(const ht_case *settings) {
  return settings->phantom[0] ? "the case has a phantom, no scan" : NULL;
}

/* Returns 1 for formats of one image; the names of other files say less. */
static int is_image(const char *path) {
  static const char *const ends[] = {".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (length > end && strcasecmp(path + length - end, ends[i]) == 0) return 1;
  }
  return 0;
}

const char *ht_idle_without_dicom(const ht_case *settings) {
  if (settings->phantom[0]) return "the case has a phantom, no DICOM files";
  return is_image(settings->scan) ? "the scan is an image file, no DICOM files" : NULL;
}

const char *ht_idle_without_surface(const ht_case *settings) {
  if (settings->phantom[0]) return "the case has a phantom, no surface";
  return is_image(settings->scan) ? "the scan is an image, no surface" : NULL;
}

/* ---- the vessel ---- */

static int is_between_points(const ht_case *settings) {
  return settings->segment.points > 0 && !settings->mask[0];
}

static const char between_points[] =
    "between points (vessel.points) the vessel is found by its own brightness along the way";

const char *ht_idle_region(const ht_case *settings) {
  return is_between_points(settings) ? between_points : NULL;
}

const char *ht_idle_segment(const ht_case *settings) {
  return settings->mask[0] ? "the mask is a ready vessel, which is not segmented" : NULL;
}

const char *ht_idle_segment_between(const ht_case *settings) {
  return is_between_points(settings) ? between_points : ht_idle_segment(settings);
}

const char *ht_idle_radius(const ht_case *settings) {
  if (settings->segment.method == HT_SEGMENT_THRESHOLD) return "segment.method is threshold";
  return ht_idle_segment_between(settings);
}

const char *ht_idle_sac_find(const ht_case *settings) {
  const ht_case_sac *sac = &settings->sac;
  return sac->has_neck && !sac->find ? "the sac's neck is given, so the sac is measured" : NULL;
}

/* ---- the blood ---- */

/* Returns the reason under another blood model, which has keys of its own. */
static const char *unless_blood(const ht_case *settings, ht_blood_model model) {
  static const char *const is[] = {[HT_NEWTONIAN] = "blood.model is newtonian",
                                   [HT_CARREAU_YASUDA] = "blood.model is carreau-yasuda",
                                   [HT_CASSON] = "blood.model is casson"};
  return settings->solver.blood.model == model ? NULL : is[settings->solver.blood.model];
}

const char *ht_idle_viscosity(const ht_case *settings) {
  return unless_blood(settings, HT_NEWTONIAN);
}

const char *ht_idle_carreau(const ht_case *settings) {
  return unless_blood(settings, HT_CARREAU_YASUDA);
}

const char *ht_idle_casson(const ht_case *settings) {
  return unless_blood(settings, HT_CASSON);
}

/* ---- the inflow ---- */

static int is_pulsatile(const ht_case *settings) {
  return !ht_case_flow_is_constant(settings) || ht_case_is_aorta(settings);
}

const char *ht_idle_measured_frame(const ht_case *settings) {
  return settings->measured[0] ? NULL : "no measured flow is to be read (flow.measured)";
}

const char *ht_idle_beat_length(const ht_case *settings) {
  if (!ht_case_waveform_is_file(settings)) return "flow.waveform is no file";
  int is_series = settings->inflow_facts.sha256[0] && settings->inflow.samples == 0;
  return is_series ? "the waveform's file is a Fourier series" : NULL;
}

const char *ht_idle_steady(const ht_case *settings) {
  return is_pulsatile(settings) ? NULL : "the flow is steady (flow.waveform is constant)";
}

const char *ht_idle_pulse(const ht_case *settings) {
  return is_pulsatile(settings) ? "the flow is pulsatile, and runs over flow.cycles" : NULL;
}

const char *ht_idle_noise(const ht_case *settings) {
  return settings->solver.inlet_noise > 0 ? NULL : "flow.inlet_noise is 0";
}

const char *ht_idle_levels(const ht_case *settings) {
  if (settings->solver.precision == HT_FP16) return "flow.precision is fp16";
  if (settings->solver.blood.model != HT_NEWTONIAN) return "blood.model is not newtonian";
  return settings->solver.blood.eddies > 0 ? "flow.eddies is above 0" : NULL;
}

const char *ht_idle_refined(const ht_case *settings) {
  return settings->refine == HT_REFINE_NO ? "lattice.refine is no" : ht_idle_levels(settings);
}

const char *ht_idle_diagonals(const ht_case *settings) {
  if (settings->solver.precision == HT_FP16) return "flow.precision is fp16";
  return settings->collision >= 0 && settings->collision != HT_CUMULANT
             ? "flow.collision is not cumulant"
             : NULL;
}

/* ---- the outlets ---- */

/* Finds the model, as far as the case says it: an aorta's is known when its outlets are. */
static const char *model_of(const ht_case *settings, int *model) {
  static const char *const is[] = {[HT_OUTLETS_PRESSURE] = "outlets.model is pressure",
                                   [HT_OUTLETS_AREA] = "outlets.model is area",
                                   [HT_OUTLETS_MURRAY] = "outlets.model is murray",
                                   [HT_OUTLETS_FRACTIONS] = "outlets.model is fractions",
                                   [HT_OUTLETS_WINDKESSEL] = "outlets.model is windkessel"};
  *model = settings->outlets;
  if (*model >= 0) return is[*model];
  *model = ht_case_is_aorta(settings) ? HT_OUTLETS_WINDKESSEL : HT_OUTLETS_PRESSURE;
  return "outlets.model is auto, which is pressure for all vessels but an aorta";
}

const char *ht_idle_murray(const ht_case *settings) {
  int model;
  const char *is = model_of(settings, &model);
  return model == HT_OUTLETS_MURRAY || model == HT_OUTLETS_WINDKESSEL ? NULL : is;
}

const char *ht_idle_windkessel(const ht_case *settings) {
  int model;
  const char *is = model_of(settings, &model);
  return model == HT_OUTLETS_WINDKESSEL ? NULL : is;
}

const char *ht_idle_blood_pressure(const ht_case *settings) {
  if (settings->mean_pressure_mmhg > 0 || settings->compliance_ml_mmhg > 0 ||
      settings->solver.wave_speed_m_s > 0)
    return "the Windkessels are fitted to outlets.mean_pressure_mmhg, compliance_ml_mmhg and "
           "wave_speed_m_s";
  return ht_idle_windkessel(settings);
}
