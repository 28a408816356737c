#include "run/openings/place_flows.h"
#include "run/process/console.h"
#include "core/numbers/units.h"
#include "run/openings/usual_flow.h"
#include <math.h>
#include <stdio.h>

static const double same_flow = 0.01; /* two flows that differ by less count as one, rounded */

static double area_mm2(const ht_opening *opening) {
  return HT_PI * opening->radius_mm * opening->radius_mm; /* 1 m/s through 1 mm2 is 1 mL/s */
}

/* Usual mean velocities over a section and over time, in arteries and large veins, at rest and
 * under load. In small arteries the usual flow is slower than the least. */
static const double least_usual_m_s = 0.03, most_usual_m_s = 1;

int ht_flow_is_unusual(double flow_ml_s, double area_mm2) {
  double speed_m_s = flow_ml_s / area_mm2;
  double usual_m_s = ht_usual_flow_ml_s(area_mm2) / area_mm2;
  return speed_m_s > most_usual_m_s || speed_m_s < fmin(least_usual_m_s, usual_m_s / 2);
}

/* Warns of a speed: most often the flow has another unit. */
static void warn_of_speed(const ht_opening *inlet) {
  double area = area_mm2(inlet), speed_m_s = inlet->flow_ml_s / area;
  if (!ht_flow_is_unusual(inlet->flow_ml_s, area)) return;
  ht_console_warn("the flow into '%s', %.3g mL/s, is a mean velocity of %.2g m/s over its section "
                  "of %.4g mm2; in arteries and large veins it is %g to %g m/s: check the flow's "
                  "unit (1 L/min is 16.7 mL/s, 60 mL/min are 1 mL/s) and the size of the vessel",
                  inlet->name, inlet->flow_ml_s, speed_m_s, area, least_usual_m_s, most_usual_m_s);
}

/* Warns of an inlet too narrow for an aorta. Options such as --blood-pressure, which suit other
 * arteries, too, make the case an aorta. */
static void warn_of_aorta(const ht_case *settings, const ht_opening *inlet) {
  static const double narrowest_mm = 5; /* below a newborn's */
  if (settings->patient.kind != HT_PATIENT_AORTA || 2 * inlet->radius_mm >= narrowest_mm) return;
  ht_console_warn("the case is an aorta ('patient', --cardiac-output, --heart-rate or "
                  "--blood-pressure), and '%s' is %.2f mm wide, which is too narrow for one: the "
                  "waveform and the Windkessels are those of an aorta; for another artery leave "
                  "them out and give --flow and 'waveform'",
                  inlet->name, 2 * inlet->radius_mm);
}

/* Returns the inlet's mean flow by the waveform's file; 0: there is no file. */
static double flow_of_file(const ht_case *settings, const ht_opening *inlet) {
  if (!ht_case_waveform_is_file(settings)) return 0;
  double mean = ht_waveform_mean(&settings->inflow);
  return settings->inflow_facts.is_velocity ? mean * area_mm2(inlet) : mean;
}

static void warn_of_velocity(const ht_case *settings, const ht_opening *inlet) {
  if (!settings->inflow_facts.is_velocity) return;
  ht_console_warn(
      "the waveform is a velocity: its mean, %.4g m/s, times the area of '%s', %.4g mm2, is %.4g "
      "mL/s; it has to be the mean over the section (the velocity on the axis is up to twice that)",
      ht_waveform_mean(&settings->inflow), inlet->name, area_mm2(inlet), inlet->flow_ml_s);
}

/* Returns the flow that the case gives for its one inlet, first of all that of its patient's heart;
 * 0: none. A waveform's file then gives the shape alone. */
static double flow_of_case(const ht_case *settings, const ht_opening *inlet) {
  const ht_solver_options *solver = &settings->solver;
  double least_pa_s, most_pa_s;
  ht_blood_range(&solver->blood, solver->viscosity_pa_s, &least_pa_s, &most_pa_s);
  double heart_l_min = ht_case_heart(settings).output_l_min;
  if (heart_l_min > 0) return 1000 * heart_l_min / 60;
  if (settings->inlet_flow_ml_s > 0) return settings->inlet_flow_ml_s;
  if (settings->inlet_reynolds > 0)
    return ht_flow_of_reynolds(settings->inlet_reynolds, 2e-3 * inlet->radius_mm, least_pa_s,
                               solver->density_kg_m3);
  return 0;
}

/* Warns of values that are usual at the patient's age, and not measured. The pressure has its own
 * warning, where it is used (place_outlets.c). */
static void warn_of_age(const ht_case *settings) {
  ht_patient patient = ht_case_patient(settings);
  char rate[40] = "", output[40] = "";
  int has_rate = patient.heart_rate_per_min > settings->patient.heart_rate_per_min;
  int has_output = patient.cardiac_output_l_min > settings->patient.cardiac_output_l_min;
  if (has_rate) snprintf(rate, sizeof rate, "%g beats a minute", patient.heart_rate_per_min);
  if (has_output)
    snprintf(output, sizeof output, "%s%g L/min", has_rate ? " and " : "",
             patient.cardiac_output_l_min);
  if (!has_rate && !has_output) return;
  ht_console_warn("patient: taken from the age of %g years, because it was not given: %s%s, the "
                  "mean of healthy people at rest; a patient's own may differ by a fifth and more: "
                  "set it with %s%s%s",
                  patient.age_years, rate, output, has_rate ? "--heart-rate" : "",
                  has_rate && has_output ? " and " : "", has_output ? "--cardiac-output" : "");
}

/* Describes the flow that an artery of the head would get, and why this vessel does not. */
static void describe_refused(ht_body body, double mm, char *text, size_t size) {
  int fits = mm >= HT_USUAL_FLOW_LEAST_MM && mm <= HT_USUAL_FLOW_MOST_MM;
  if (body == HT_BODY_OTHER)
    snprintf(text, size, ", and this is not of head or neck");
  else if (body == HT_BODY_UNKNOWN && fits)
    snprintf(
        text, size,
        "; nothing says that this is one: `patient: {kind: head}` in the case file (hemotile run: "
        "--set patient.kind=head) does, and takes %.2g mL/s",
        ht_usual_flow_ml_s(HT_PI * mm * mm / 4));
  else
    text[0] = 0;
}

static ht_status refuse_usual(ht_body body, const ht_opening *inlet, double mm) {
  char why[200];
  describe_refused(body, mm, why, sizeof why);
  return ht_fail(HT_ERR_CASE,
                 "the flow into '%s' is not known, and it is %.1f mm wide: give it in mL/s with "
                 "--flow, %sor as 'flow_ml_s' in the case's openings (usual, mL/s: %s). It is "
                 "taken from the width only of internal carotid and vertebral arteries, %g to %g "
                 "mm wide%s",
                 inlet->name, mm,
                 mm > HT_USUAL_FLOW_MOST_MM ? "in L/min with --cardiac-output, " : "",
                 ht_usual_flows_text(mm), HT_USUAL_FLOW_LEAST_MM, HT_USUAL_FLOW_MOST_MM, why);
}

/* Returns the width of the vessel beyond the inlet, across it; where it was not measured, at the
 * inlet. */
static double even_mm(const ht_opening *inlet) {
  return inlet->even_mm2 > 0 ? 2 * sqrt(inlet->even_mm2 / HT_PI) : 2 * inlet->radius_mm;
}

static ht_status take_usual(ht_body body, int inlets, ht_opening *inlet) {
  double mm = even_mm(inlet);
  if (body != HT_BODY_HEAD || mm < HT_USUAL_FLOW_LEAST_MM || mm > HT_USUAL_FLOW_MOST_MM)
    return refuse_usual(body, inlet, mm);
  inlet->flow_ml_s = ht_usual_flow_ml_s(HT_PI * mm * mm / 4);
  ht_console_warn("the flow into '%s' was not given: taken as %.3g mL/s, the usual flow of an "
                  "internal carotid or vertebral artery %.2f mm wide%s (Cebral et al. 2008). "
                  "Measured flows are up to %g times as large (usual, mL/s: %s): set it with %s",
                  inlet->name, inlet->flow_ml_s, mm,
                  inlet->even_mm2 > 0 ? ", as it is one to six diameters beyond the inlet" : "",
                  HT_USUAL_FLOW_SPREAD, ht_usual_flows_text(mm),
                  inlets > 1 ? "'flow_ml_s' of its entry in the case's openings" : "--flow");
  return HT_OK;
}

static ht_status set_flow(const ht_case *settings, ht_body body, int inlets, ht_opening *inlet) {
  if (inlet->flow_ml_s > 0) return HT_OK;
  const char *file = ht_case_file(settings);
  double of_case = flow_of_case(settings, inlet);
  double given = of_case > 0 ? of_case : flow_of_file(settings, inlet);
  if (given > 0 && inlets > 1)
    return ht_fail(HT_ERR_CASE,
                   "%s: one flow (%g mL/s) is known but there are %d inlets: instead give "
                   "'flow_ml_s' for each in the case's openings",
                   file, given, inlets);
  inlet->flow_ml_s = given;
  if (!(given > 0)) return take_usual(body, inlets, inlet);
  if (!(of_case > 0)) warn_of_velocity(settings, inlet);
  return HT_OK;
}

/* Warns that the file's own mean is not used where the case gives a flow: it may be another
 * person's. */
static void warn_of_shape(const ht_case *settings, const ht_openings *openings) {
  double flow_ml_s = 0, own = 0;
  int inlets = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *inlet = &openings->item[i];
    if (inlet->role != HT_ROLE_INLET) continue;
    flow_ml_s += inlet->flow_ml_s;
    own = settings->inflow_facts.is_velocity || inlets == 0 ? own + flow_of_file(settings, inlet)
                                                            : own;
    inlets++;
  }
  if (!(own > 0) || fabs(flow_ml_s - own) <= same_flow * own) return;
  ht_console_warn(
      "the waveform's own mean flow, %.4g mL/s%s, is not used: the case gives %.4g mL/s, "
      "and only the shape of the waveform counts; leave the other flow out (--flow, "
      "flow.inlet_flow_ml_s, inlet_reynolds, flow_ml_s of openings, the patient's "
      "output) if the file's is meant",
      own, settings->inflow_facts.is_velocity ? " (velocity times area)" : "", flow_ml_s);
}

ht_status ht_place_flows(const ht_case *settings, ht_openings *openings) {
  int inlets = 0;
  ht_body body = ht_body_of(settings);
  warn_of_age(settings);
  for (int i = 0; i < openings->count; i++) inlets += openings->item[i].role == HT_ROLE_INLET;
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role == HT_ROLE_INLET) {
      HT_TRY(set_flow(settings, body, inlets, &openings->item[i]));
      warn_of_speed(&openings->item[i]);
      warn_of_aorta(settings, &openings->item[i]);
    } else {
      openings->item[i].flow_ml_s = 0;
    }
  warn_of_shape(settings, openings);
  return HT_OK;
}
