#include "run/openings/place_outlets.h"
#include "run/process/console.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double usual_mmhg[2] = {120, 80};
static const double fraction_tolerance = 1e-3;

static int count_outlets(const ht_openings *openings) {
  int count = 0;
  for (int i = 0; i < openings->count; i++) count += openings->item[i].role == HT_ROLE_OUTLET;
  return count;
}

ht_outlet_model ht_place_outlet_model(const ht_case *settings, const ht_openings *openings) {
  int values = 0;
  if (settings->outlets >= 0) return (ht_outlet_model)settings->outlets;
  if (!ht_case_is_aorta(settings)) return HT_OUTLETS_PRESSURE;
  for (int i = 0; i < settings->openings; i++) values |= settings->opening[i].has_windkessel;
  int several = count_outlets(openings) > 1 || values;
  return settings->patient.kind == HT_PATIENT_AORTA || several ? HT_OUTLETS_WINDKESSEL
                                                               : HT_OUTLETS_PRESSURE;
}

/* ---- shares ---- */

static int all_have_fractions(const ht_openings *openings) {
  int outlets = 0, given = 0;
  for (int i = 0; i < openings->count; i++) {
    outlets += openings->item[i].role == HT_ROLE_OUTLET;
    given += openings->item[i].role == HT_ROLE_OUTLET && openings->item[i].flow_fraction > 0;
  }
  return outlets > 0 && given == outlets;
}

static double weight(const ht_case *settings, const ht_opening *outlet, int by_fraction) {
  if (outlet->role != HT_ROLE_OUTLET) return 0;
  if (by_fraction) return outlet->flow_fraction;
  double exponent = settings->outlets == HT_OUTLETS_AREA ? 2 : settings->solver.murray_exponent;
  return pow(outlet->radius_mm, exponent);
}

double ht_place_inflow_ml_s(const ht_openings *openings) {
  double sum = 0;
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET) sum += openings->item[i].flow_ml_s;
  return sum;
}

void ht_place_outflows(const ht_case *settings, const ht_openings *openings, double *outflow_ml_s) {
  int by_fraction = all_have_fractions(openings);
  double sum = 0, flow = ht_place_inflow_ml_s(openings);
  for (int i = 0; i < openings->count; i++)
    sum += weight(settings, &openings->item[i], by_fraction);
  for (int i = 0; i < openings->count; i++)
    outflow_ml_s[i] = sum > 0 ? flow * weight(settings, &openings->item[i], by_fraction) / sum : 0;
}

/* ---- Windkessels of an aorta ---- */

static ht_status check_fractions(const ht_openings *openings) {
  double sum = 0;
  int given = 0, outlets = count_outlets(openings);
  for (int i = 0; i < openings->count; i++) {
    if (openings->item[i].role != HT_ROLE_OUTLET) continue;
    sum += openings->item[i].flow_fraction;
    given += openings->item[i].flow_fraction > 0;
  }
  if (given == 0) return HT_OK;
  if (given == outlets && fabs(sum - 1) <= fraction_tolerance) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%d of %d outlets have a flow_fraction, and they add up to %g: give each outlet "
                 "one, with a sum of 1 (within %g), or none (the flow then divides by Murray's "
                 "law)",
                 given, outlets, sum, fraction_tolerance);
}

static void blood_pressure(const ht_case *settings, double mmhg[2]) {
  ht_patient patient = ht_case_patient(settings);
  const double *known = patient.blood_pressure_mmhg;
  char whose[100] = ", usual in an aorta; in a pulmonary artery it is some 20 over 10";
  memcpy(mmhg, known[0] > 0 ? known : usual_mmhg, 2 * sizeof *mmhg);
  if (known[0] > 0)
    snprintf(whose, sizeof whose, ", usual at the age of %g years", patient.age_years);
  if (!(settings->patient.blood_pressure_mmhg[0] > 0))
    ht_console_warn("no blood pressure was given: the outlets get Windkessels for %g over %g "
                    "mmHg%s; set it with --blood-pressure",
                    mmhg[0], mmhg[1], whose);
}

/* Makes the inflow at rest, mL/s: of the same shape, with the rate and the output at rest. */
static ht_status rest_inflow(const ht_case *settings, double flow_ml_s, ht_waveform *inflow) {
  const ht_patient *patient = &settings->patient;
  *inflow = settings->inflow;
  if (patient->state == HT_STATE_REST) return ht_waveform_scale(inflow, flow_ml_s);
  HT_TRY(ht_waveform_stretch(inflow, 60 / patient->heart_rate_per_min));
  return ht_waveform_scale(inflow, 1000 * patient->cardiac_output_l_min / 60);
}

/* Derives the state of the case from the Windkessel at rest, with the mean pressure at rest. */
static ht_status go_to_state(const ht_case *settings, double flow_ml_s, ht_waveform *inflow,
                             ht_physiology *p) {
  if (settings->patient.state == HT_STATE_REST) return HT_OK;
  double all = p->beat.mean_pa / (1e-6 * flow_ml_s);
  if (all <= p->whole.proximal_pa_s_m3)
    return ht_fail(
        HT_ERR_CASE,
        "patient: dobutamine raises the flow to %.3g mL/s, more than the Windkessels at rest "
        "let through at %.3g mmHg: check cardiac_output_l_min and heart_rate_per_min",
        flow_ml_s, p->beat.mean_pa / HT_PA_PER_MMHG);
  p->whole.distal_pa_s_m3 = all - p->whole.proximal_pa_s_m3;
  *inflow = settings->inflow;
  HT_TRY(ht_waveform_scale(inflow, flow_ml_s));
  ht_windkessel_periodic(inflow, &p->whole, &p->beat);
  return HT_OK;
}

static ht_status fit(const ht_case *settings, double flow_ml_s, ht_physiology *p) {
  ht_waveform *inflow;
  HT_TRY(ht_alloc((void **)&inflow, 1, sizeof *inflow, "the waveform"));
  ht_status status = rest_inflow(settings, flow_ml_s, inflow);
  if (status == HT_OK)
    status = ht_windkessel_fit(inflow, p->asked_mmhg[0] * HT_PA_PER_MMHG,
                               p->asked_mmhg[1] * HT_PA_PER_MMHG, &p->whole, &p->beat);
  if (status == HT_OK) status = go_to_state(settings, flow_ml_s, inflow, p);
  free(inflow);
  return status;
}

/* Checks that the pressure at the far end of the Windkessel is 0, as the fit and its tuning
 * require. */
static ht_status check_back_pressure(const ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *outlet = &openings->item[i];
    if (outlet->role == HT_ROLE_OUTLET && outlet->pressure_pa != 0)
      return ht_fail(
          HT_ERR_CASE,
          "outlet '%s' has 'pressure_pa: %g', and its Windkessel is fitted to the blood "
          "pressure: leave pressure_pa out, or give windkessel_mmhg_ml_s for the outlets",
          outlet->name, outlet->pressure_pa);
  }
  return HT_OK;
}

static int has_windkessel(const ht_opening *opening) {
  return opening->windkessel[0] != 0 || opening->windkessel[1] != 0 || opening->windkessel[2] != 0;
}

/* Divides the whole: every outlet has the whole's impedance over its share of the flow, so they
 * divide it by these shares at every moment. */
static void divide(const ht_physiology *p, const double *outflow_ml_s, double flow_ml_s,
                   ht_openings *openings) {
  for (int i = 0; i < openings->count; i++) {
    ht_opening *outlet = &openings->item[i];
    if (outlet->role != HT_ROLE_OUTLET || has_windkessel(outlet)) continue;
    double share = outflow_ml_s[i] / flow_ml_s;
    outlet->windkessel[0] = p->whole.proximal_pa_s_m3 / share;
    outlet->windkessel[1] = p->whole.compliance_m3_pa * share;
    outlet->windkessel[2] = p->whole.distal_pa_s_m3 / share;
    outlet->windkessel_start_pa = p->beat.rest_start_pa;
  }
}

static void tell(const ht_case *settings, const ht_physiology *p) {
  ht_patient patient = ht_case_patient(settings);
  const char *unusual = ht_patient_unusual(&patient);
  double per_mmhg_ml = 1e-6 / HT_PA_PER_MMHG;
  if (unusual) ht_console_warn("patient: %s", unusual);
  ht_console_note("outlets: Windkessels for %g over %g mmHg%s: %.3g beats a minute, %.3g L/min; "
                  "resistance %.3g + %.3g mmHg s/mL, compliance %.3g mL/mmHg; without the vessel "
                  "between they give %.1f over %.1f mmHg",
                  p->asked_mmhg[0], p->asked_mmhg[1],
                  settings->patient.state == HT_STATE_REST ? "" : " at rest, under dobutamine",
                  p->heart.heart_rate_per_min, p->heart.output_l_min,
                  p->whole.proximal_pa_s_m3 * per_mmhg_ml, p->whole.distal_pa_s_m3 * per_mmhg_ml,
                  p->whole.compliance_m3_pa / per_mmhg_ml, p->beat.systolic_pa / HT_PA_PER_MMHG,
                  p->beat.diastolic_pa / HT_PA_PER_MMHG);
}

double ht_place_mean_pressure_mmhg(const ht_openings *openings) {
  double flow = 1e-6 * ht_place_inflow_ml_s(openings), conductance = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *outlet = &openings->item[i];
    double resistance = outlet->windkessel[0] + outlet->windkessel[2];
    if (outlet->role != HT_ROLE_OUTLET) continue;
    if (!(resistance > 0)) return NAN; /* fitted, or none */
    conductance += 1 / resistance;
    flow += outlet->pressure_pa / resistance;
  }
  return flow / conductance / HT_PA_PER_MMHG;
}

/* Warns of a mean pressure: resistances in another unit divide the flow rightly, and nothing else
 * shows it. */
static void warn_of_pressure(const ht_case *settings, const ht_openings *openings) {
  static const double most_mmhg = 250;
  double mmhg = ht_place_mean_pressure_mmhg(openings);
  if (ht_place_outlet_model(settings, openings) != HT_OUTLETS_WINDKESSEL || !(mmhg > most_mmhg))
    return;
  ht_console_warn("the Windkessels of the outlets give a mean pressure of %.0f mmHg with %.3g "
                  "mL/s: check their unit: windkessel_mmhg_ml_s are mmHg s/mL and mL/mmHg (1000 "
                  "dyn s/cm5 are 0.75 mmHg s/mL)",
                  mmhg, ht_place_inflow_ml_s(openings));
}

static int widest_outlet(const ht_openings *openings) {
  int widest = -1;
  for (int i = 0; i < openings->count; i++) {
    if (openings->item[i].role != HT_ROLE_OUTLET) continue;
    if (widest < 0 || openings->item[i].radius_mm > openings->item[widest].radius_mm) widest = i;
  }
  return widest;
}

/* Warns of keys without effect that only the openings show; the others: idle_rules.h. */
static void warn_of_idle(const ht_case *settings, const ht_openings *openings, int missing) {
  ht_outlet_model model = ht_place_outlet_model(settings, openings);
  int fits = settings->mean_pressure_mmhg > 0 || settings->compliance_ml_mmhg > 0 ||
             settings->solver.wave_speed_m_s > 0;
  if (fits && (model != HT_OUTLETS_WINDKESSEL || missing == 0))
    ht_console_warn("outlets.mean_pressure_mmhg, compliance_ml_mmhg and wave_speed_m_s have no "
                    "effect: %s",
                    model == HT_OUTLETS_WINDKESSEL
                        ? "every outlet has a Windkessel of its own"
                        : "the model of the outlets is pressure (outlets.model)");
  if (model == HT_OUTLETS_PRESSURE || model == HT_OUTLETS_WINDKESSEL) return;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *outlet = &openings->item[i];
    if (outlet->role != HT_ROLE_OUTLET || outlet->pressure_pa == 0 || i == widest_outlet(openings))
      continue;
    ht_console_warn("'pressure_pa' of the outlet '%s' has no effect: outlets.model prescribes its "
                    "flow, and only the widest outlet keeps its pressure",
                    outlet->name);
  }
}

ht_status ht_place_windkessels(const ht_case *settings, ht_openings *openings,
                               ht_physiology *physiology) {
  double outflow_ml_s[HT_OPENINGS_MAX], flow_ml_s = ht_place_inflow_ml_s(openings);
  int missing = 0;
  memset(physiology, 0, sizeof *physiology);
  warn_of_pressure(settings, openings);
  for (int i = 0; i < openings->count; i++)
    missing += openings->item[i].role == HT_ROLE_OUTLET && !has_windkessel(&openings->item[i]);
  warn_of_idle(settings, openings, missing);
  if (ht_place_outlet_model(settings, openings) != HT_OUTLETS_WINDKESSEL || missing == 0 ||
      settings->mean_pressure_mmhg > 0 || settings->compliance_ml_mmhg > 0 ||
      settings->solver.wave_speed_m_s > 0 || !ht_case_is_aorta(settings) ||
      !(settings->inflow.period_s > 0))
    return HT_OK;
  HT_TRY(check_fractions(openings));
  HT_TRY(check_back_pressure(openings));
  ht_place_outflows(settings, openings, outflow_ml_s);
  physiology->is_all = missing == count_outlets(openings);
  physiology->heart = ht_case_heart(settings);
  physiology->heart.output_l_min = 60e-3 * flow_ml_s;
  physiology->heart.stroke_ml =
      1e3 * physiology->heart.output_l_min / physiology->heart.heart_rate_per_min;
  blood_pressure(settings, physiology->asked_mmhg);
  HT_TRY(fit(settings, flow_ml_s, physiology));
  divide(physiology, outflow_ml_s, flow_ml_s, openings);
  tell(settings, physiology);
  return HT_OK;
}
