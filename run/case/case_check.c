#include "run/case/case.h"
#include "solver/inflow/published_waveforms.h"
#include "run/case/usual_heart.h"
#include "core/text/words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void ht_case_defaults(ht_case *settings) {
  memset(settings, 0, sizeof *settings);
  ht_segment_defaults(&settings->segment);
  settings->segment.nodes_across = 0; /* chosen when the flow is known: ht_run_choose_lattice */
  ht_extend_defaults(&settings->extensions);
  settings->extensions.outlet_diameters = -1; /* chosen by the jet: ht_run_extensions */
  ht_solver_defaults(&settings->solver);
  settings->solver.walls = HT_WALLS_INTERPOLATED;
  settings->solver.max_cycles = 10;
  settings->solver.averages = 1;
  settings->solver.coarse_start = 1;
  settings->refine = HT_REFINE_AUTO;
  settings->refine_jet_diameters = HT_REFINE_USUAL_JET;
  settings->refine_across = HT_REFINE_USUAL_ACROSS;
  settings->refine_dx_plus = HT_REFINE_USUAL_DX_PLUS;
  settings->fields_at = -1;
  settings->checkpoint_minutes = 10;
  settings->phantom_seed = 1;
  settings->sac.find = 1;
  strcpy(settings->waveform, ht_waveform_words[HT_WAVEFORM_CONSTANT]);
  settings->profile = settings->collision = settings->outlets = -1;
  settings->measured_profile.harmonics = -1;
  ht_waveform_constant(1, &settings->inflow);
}

static ht_status check_source(const ht_case *settings) {
  const char *file = ht_case_file(settings);
  int sources = !!settings->scan[0] + !!settings->mask[0] + !!settings->phantom[0];
  if (sources == 1) return HT_OK;
  if (settings->scan[0] && settings->mask[0] && !settings->phantom[0])
    return ht_fail(
        HT_ERR_CASE,
        "%s: both 'scan' and 'mask' are given, but exactly one is needed: for the flow in "
        "the ready vessel remove the line `scan:` (the pictures then show the mask); to "
        "find the vessel in the scan remove the line `mask:`",
        file);
  return ht_fail(HT_ERR_CASE,
                 "%s: %s of 'scan', 'mask' and 'phantom' is given, but exactly one is needed", file,
                 sources ? "more than one" : "none");
}

int ht_case_name_is_made_up(const char *name) {
  enum { NUMBER_MOST = 3 };
  static const char *const role[] = {"inlet", "outlet", "wall"};
  for (size_t i = 0; i < sizeof role / sizeof *role; i++) {
    size_t length = strlen(role[i]);
    if (strncasecmp(name, role[i], length) != 0) continue;
    const char *rest = name + length;
    if (strlen(rest) <= NUMBER_MOST && rest[strspn(rest, "-_ 0123456789")] == 0) return 1;
  }
  return 0;
}

const char *ht_case_opening_file(const ht_case *settings, const ht_case_opening *opening) {
  return opening->from_markups ? settings->markups : ht_case_file(settings);
}

void ht_case_opening_where(const ht_case *settings, const ht_case_opening *opening,
                           char where[HT_WHERE_MAX]) {
  if (opening->point > 0)
    snprintf(where, HT_WHERE_MAX, "point %d", opening->point);
  else if (opening->line == 0)
    snprintf(where, HT_WHERE_MAX, opening->name[0] ? "opening '%s'" : "an opening%s",
             opening->name);
  else
    snprintf(where, HT_WHERE_MAX, "%s:%d:%d", ht_case_opening_file(settings, opening),
             opening->line, opening->column);
}

static int may_have_windkessels(const ht_case *settings) {
  if (settings->outlets < 0) return ht_case_is_aorta(settings);
  return settings->outlets == HT_OUTLETS_WINDKESSEL;
}

/* Tells whether a compliance and its distal resistance have the time, s, of some artery. With less
 * the pressure of a large flow follows each step of the lattice, and the flow becomes unstable. */
static int has_usual_time(const double windkessel[3]) {
  return windkessel[1] == 0 || ht_range_holds(HT_RANGE(0.001, 100), windkessel[1] * windkessel[2]);
}

static ht_status check_opening(const ht_case *settings, const ht_case_opening *opening) {
  const char *problem = NULL;
  if (opening->has_normal && !opening->has_centre)
    problem = "'normal' goes with 'centre_mm'";
  else if (opening->finds_side && !opening->has_centre)
    problem = "'either_way' goes with 'centre_mm' and 'normal'";
  else if ((opening->has_near && opening->has_centre) ||
           !(opening->has_near || opening->has_centre || opening->point > 0))
    problem = "an opening needs either 'near_mm' or 'centre_mm' (with 'normal', or along the "
              "vessel), or 'point' of vessel.points";
  else if (opening->point > settings->segment.points)
    problem = "'point' is the number of a point in vessel.points, and there are fewer points";
  else if (opening->has_normal && opening->normal[0] == 0 && opening->normal[1] == 0 &&
           opening->normal[2] == 0)
    problem = "'normal' is [0, 0, 0]: give the direction out of the vessel";
  else if (opening->flow_ml_s > 0 && opening->role > HT_ROLE_INLET)
    problem = "'flow_ml_s' is for inlets only";
  else if (opening->pressure_pa != 0 && opening->role != HT_ROLE_OUTLET)
    problem = "'pressure_pa' is for outlets only: add 'role: outlet'";
  else if ((opening->flow_fraction > 0 || opening->has_windkessel) &&
           opening->role != HT_ROLE_OUTLET)
    problem = "'flow_fraction' and 'windkessel_mmhg_ml_s' are for outlets only: add 'role: outlet'";
  else if (opening->flow_fraction > 0 && settings->outlets != HT_OUTLETS_FRACTIONS &&
           !(settings->patient.kind == HT_PATIENT_AORTA && may_have_windkessels(settings)))
    problem = "'flow_fraction' needs 'model: fractions' under 'outlets', or a 'patient'";
  else if (opening->has_windkessel && !may_have_windkessels(settings))
    problem = "'windkessel_mmhg_ml_s' needs 'model: windkessel' under 'outlets'";
  else if (!has_usual_time(opening->windkessel))
    problem = "'windkessel_mmhg_ml_s': its compliance times its last resistance, s, is not from "
              "0.001 to 100 (an artery has 0.1 to 2): check the units, mmHg s/mL and mL/mmHg";
  if (!problem) return HT_OK;
  if (opening->line == 0) return ht_fail(HT_ERR_CASE, "opening '%s': %s", opening->name, problem);
  return ht_fail(HT_ERR_CASE, "%s:%d:%d: %s", ht_case_opening_file(settings, opening),
                 opening->line, opening->column, problem);
}

static ht_status check_points(const ht_case *settings) {
  const ht_segment_options *segment = &settings->segment;
  ht_segment_options usual;
  ht_segment_defaults(&usual);
  if (segment->points == 1)
    return ht_fail(HT_ERR_CASE,
                   "%s: vessel.points has one point: give at least two, in the vessel at its inlet "
                   "and where the blood leaves",
                   ht_case_file(settings));
  if (segment->points == 0 && segment->branch_diameters != usual.branch_diameters)
    return ht_fail(HT_ERR_CASE,
                   "%s: vessel.branches (--branches) is for a vessel between points: give "
                   "vessel.points too (--points, or --from and --to)",
                   ht_case_file(settings));
  for (int a = 0; a < segment->points; a++)
    for (int b = 0; b < a; b++)
      if (memcmp(segment->point_mm[a], segment->point_mm[b], sizeof *segment->point_mm) == 0)
        return ht_fail(HT_ERR_CASE, "%s: the points %d and %d are the same place: remove one",
                       ht_case_file(settings), b + 1, a + 1);
  for (int a = 0; a < settings->openings; a++)
    for (int b = 0; b < a; b++) {
      const ht_case_opening *one = &settings->opening[a];
      if (one->point > 0 && one->point == settings->opening[b].point)
        return ht_fail(HT_ERR_CASE, "%s:%d:%d: two openings have 'point: %d'",
                       ht_case_opening_file(settings, one), one->line, one->column, one->point);
    }
  return HT_OK;
}

static ht_status check_names(const ht_case *settings) {
  for (int a = 0; a < settings->openings; a++) { /* also those from a file of 3D Slicer */
    const ht_case_opening *one = &settings->opening[a];
    if (ht_text_has_control(one->name))
      return ht_fail(HT_ERR_CASE, "%s:%d:%d: the opening's name holds a control character",
                     ht_case_opening_file(settings, one), one->line, one->column);
    if (strchr(one->name, '='))
      return ht_fail(HT_ERR_CASE, "the opening's name '%s' has a '=', which ends the name in --set",
                     one->name);
  }
  for (int a = 0; a < settings->openings; a++)
    for (int b = 0; b < a; b++) {
      const ht_case_opening *one = &settings->opening[a];
      if (one->name[0] && strcmp(one->name, settings->opening[b].name) == 0)
        return ht_fail(HT_ERR_CASE, "%s:%d:%d: two openings are called '%s'",
                       ht_case_opening_file(settings, one), one->line, one->column, one->name);
    }
  return HT_OK;
}

static ht_status check_region(const ht_case *settings) {
  if (settings->has_region_min != settings->has_region_max)
    return ht_fail(HT_ERR_CASE, "%s: region: a box needs both min_mm and max_mm",
                   ht_case_file(settings));
  const ht_segment_options *segment = &settings->segment;
  if (segment->has_sphere != (segment->sphere_radius_mm > 0))
    return ht_fail(HT_ERR_CASE, "%s: region: a ball needs both centre_mm and radius_mm",
                   ht_case_file(settings));
  return HT_OK;
}

/* Checks that the method `file` and a ready mask come together. */
static ht_status check_method(const ht_case *settings) {
  const char *file = ht_case_file(settings);
  ht_segment_method method = settings->segment.method;
  int is_mask = settings->mask[0] != 0;
  if (method == HT_SEGMENT_FILE && !is_mask)
    return ht_fail(HT_ERR_CASE,
                   "%s: segment.method is file, but no 'mask' is given: write `mask: FILE` instead "
                   "of the scan, or choose another method",
                   file);
  if (is_mask && method != HT_SEGMENT_FILE && method != HT_SEGMENT_AUTO)
    return ht_fail(HT_ERR_CASE,
                   "%s: segment.method is %s, but 'mask' is a ready vessel: leave the method out, "
                   "or give 'scan' instead of 'mask'",
                   file, ht_segment_method_words[method]);
  return HT_OK;
}

/* Refuses a flow for the only inlet in addition to flows of the inlets. The same value twice does
 * no harm. */
static ht_status check_given_twice(const ht_case *settings) {
  static const double rounding = 1e-4; /* as the folder's case.yaml lists what was found */
  double asked = settings->inlet_flow_ml_s;
  for (int i = 0; i < settings->openings && (asked > 0 || settings->inlet_reynolds > 0); i++) {
    const ht_case_opening *one = &settings->opening[i];
    if (!(one->flow_ml_s > 0) || fabs(one->flow_ml_s - asked) <= rounding * asked) continue;
    char where[HT_WHERE_MAX];
    ht_case_opening_where(settings, one, where);
    return ht_fail(HT_ERR_CASE,
                   "%s: the mean flow is given twice: %g mL/s here ('flow_ml_s'), and %s %g: "
                   "remove one of them",
                   where, one->flow_ml_s,
                   asked > 0 ? "flow.inlet_flow_ml_s" : "by flow.inlet_reynolds",
                   asked > 0 ? asked : settings->inlet_reynolds);
  }
  return HT_OK;
}

/* Refuses a measured profile without the measured flow, or the file of the one that it became. */
static ht_status check_profile(const ht_case *settings) {
  if (settings->profile != HT_PROFILE_MEASURED || ht_case_waveform_is_file(settings)) return HT_OK;
  return ht_fail(HT_ERR_CASE, "%s: flow.profile is measured, and there is no flow.measured",
                 ht_case_file(settings));
}

/* Refuses a flow, a waveform or a beat beside a measured flow, which gives them all. */
static ht_status check_measured(const ht_case *settings) {
  const ht_patient *patient = &settings->patient;
  char where[HT_WHERE_MAX];
  if (!settings->measured[0]) return check_profile(settings);
  for (int i = 0; i < settings->openings; i++) {
    if (!(settings->opening[i].flow_ml_s > 0)) continue;
    ht_case_opening_where(settings, &settings->opening[i], where);
    return ht_fail(HT_ERR_CASE,
                   "%s: 'flow_ml_s' is given, and flow.measured, which measures it: remove one",
                   where);
  }
  const char *other = settings->inlet_flow_ml_s > 0  ? "flow.inlet_flow_ml_s"
                      : settings->inlet_reynolds > 0 ? "flow.inlet_reynolds"
                      : strcmp(settings->waveform, ht_waveform_words[HT_WAVEFORM_CONSTANT]) != 0
                          ? "flow.waveform"
                      : settings->period_s > 0            ? "flow.period_s"
                      : settings->waveform_period_s > 0   ? "flow.waveform_period_s"
                      : patient->cardiac_output_l_min > 0 ? "patient.cardiac_output_l_min"
                      : patient->heart_rate_per_min > 0   ? "patient.heart_rate_per_min"
                      : patient->state != HT_STATE_REST   ? "patient.state"
                                                          : NULL;
  if (!other) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: %s is given, and flow.measured, which measures the flow, its course and the "
                 "beat: remove one of them",
                 ht_case_file(settings), other);
}

static ht_status check_flow(const ht_case *settings) {
  const char *file = ht_case_file(settings);
  HT_TRY(check_measured(settings));
  HT_TRY(check_given_twice(settings));
  if (settings->inlet_flow_ml_s > 0 && settings->inlet_reynolds > 0)
    return ht_fail(HT_ERR_CASE, "%s: flow: give either inlet_flow_ml_s or inlet_reynolds", file);
  if (settings->steps > 0 && settings->solver.max_steps > 0)
    return ht_fail(HT_ERR_CASE, "%s: flow: give either steps (the exact number) or max_steps",
                   file);
  if (settings->period_s > 0 && ht_case_flow_is_constant(settings) && !ht_case_is_aorta(settings))
    return ht_fail(HT_ERR_CASE, "%s: flow: period_s is for a waveform, and the flow is constant",
                   file);
  return HT_OK;
}

/* Asks for an infant's own values: they change by the week, and those of an adult are far off. */
static ht_status check_infant(const ht_case *settings) {
  const ht_patient *patient = &settings->patient;
  int is_file = ht_case_waveform_is_file(settings);
  int has_flow = patient->cardiac_output_l_min > 0 || ht_case_has_flow(settings);
  int has_rate =
      patient->heart_rate_per_min > 0 || settings->period_s > 0 || is_file || settings->measured[0];
  if (!(patient->age_years > 0) || patient->age_years >= HT_USUAL_LEAST_YEARS) return HT_OK;
  if (has_flow && has_rate && patient->blood_pressure_mmhg[0] > 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "patient: age_years is %g, and usual values are known from %d year on only: give "
                 "cardiac_output_l_min, heart_rate_per_min and blood_pressure_mmhg",
                 patient->age_years, HT_USUAL_LEAST_YEARS);
}

/* Checks that each quantity has one value. */
static ht_status check_patient(const ht_case *settings) {
  const ht_patient *patient = &settings->patient;
  int flows = settings->inlet_flow_ml_s > 0 || settings->inlet_reynolds > 0;
  for (int i = 0; i < settings->openings; i++) flows |= settings->opening[i].flow_ml_s > 0;
  HT_TRY(ht_patient_check(patient));
  HT_TRY(check_infant(settings));
  if (patient->cardiac_output_l_min > 0 && flows)
    return ht_fail(HT_ERR_CASE, "the mean flow is given twice: give either "
                                "patient.cardiac_output_l_min or a flow of the inlet");
  if (patient->heart_rate_per_min > 0 && settings->period_s > 0)
    return ht_fail(HT_ERR_CASE, "the length of a beat is given twice: give either "
                                "patient.heart_rate_per_min or flow.period_s");
  return HT_OK;
}

/* Checks the ranges and orders that the stages require. */
static ht_status check_stages(const ht_case *settings) {
  ht_solver_options solver = ht_case_solver(settings);
  HT_TRY(check_patient(settings));
  HT_TRY(ht_segment_check(&settings->segment));
  return ht_solver_check(&solver);
}

/* Checks the plane of a sac's neck: both or none. */
static ht_status check_sac(const ht_case *settings) {
  const ht_case_sac *sac = &settings->sac;
  const double *n = sac->neck_normal;
  if (sac->has_neck != sac->has_normal)
    return ht_fail(HT_ERR_CASE, "%s: sac: 'neck_mm' and 'neck_normal' go together",
                   ht_case_file(settings));
  if (!sac->has_normal || n[0] != 0 || n[1] != 0 || n[2] != 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: sac: 'neck_normal' is [0, 0, 0]: give the direction across the "
                 "neck's plane",
                 ht_case_file(settings));
}

ht_status ht_case_check(const ht_case *settings) {
  HT_TRY(check_source(settings));
  HT_TRY(check_region(settings));
  HT_TRY(check_method(settings));
  HT_TRY(check_names(settings));
  for (int i = 0; i < settings->openings; i++)
    HT_TRY(check_opening(settings, &settings->opening[i]));
  HT_TRY(check_points(settings));
  HT_TRY(check_sac(settings));
  HT_TRY(check_flow(settings));
  ht_status status = check_stages(settings);
  return status == HT_OK ? HT_OK : ht_fail_in(status, ht_case_file(settings));
}

static int has_choice(const ht_case *settings) {
  return settings->has_within_choice && settings->within_s > 0 &&
         settings->within_choice[0] == settings->within_s;
}

double ht_case_within_across(const ht_case *settings) {
  return has_choice(settings) ? settings->within_choice[1] : 0;
}

int ht_case_within_beats(const ht_case *settings) {
  return has_choice(settings) ? (int)settings->within_choice[2] : 0;
}

int ht_case_within_chooses(const ht_case *settings) {
  return settings->within_s > 0 && !has_choice(settings);
}

ht_solver_options ht_case_solver(const ht_case *settings) {
  ht_solver_options options = settings->solver;
  options.waveform = &settings->inflow;
  options.measured = &settings->measured_profile;
  options.mean_pressure_pa = settings->mean_pressure_mmhg * HT_PA_PER_MMHG;
  options.compliance_m3_pa = settings->compliance_ml_mmhg * 1e-6 / HT_PA_PER_MMHG;
  int pulsatile = settings->inflow.period_s > 0;
  options.collision = (ht_collision)(settings->collision < 0 ? 0 : settings->collision);
  options.outlets = (ht_outlet_model)(settings->outlets < 0 ? 0 : settings->outlets);
  if (settings->profile >= 0)
    options.profile = (ht_profile)settings->profile;
  else
    options.profile = pulsatile ? HT_PROFILE_WOMERSLEY : HT_PROFILE_PARABOLIC;
  if (ht_case_within_beats(settings) > 0) {
    options.cycles = ht_case_within_beats(settings);
    options.max_cycles = options.cycles + HT_LEAST_BEATS - 1;
  }
  if (settings->steps > 0) {
    options.max_steps = settings->steps;
    options.stop_at_max_steps = 1;
  }
  return options;
}

void ht_case_keep_beats(ht_case *settings) {
  const ht_solver_options solver = ht_case_solver(settings);
  settings->solver.cycles = solver.cycles;
  settings->solver.max_cycles = solver.max_cycles;
  settings->within_s = HT_WITHIN_NO;
}

ht_status ht_case_add_mask(ht_case *settings, const char *path) {
  size_t length = strlen(settings->more_masks), room = sizeof settings->more_masks - length;
  int written = snprintf(settings->more_masks + length, room, "%s%s", length ? "\n" : "", path);
  if (written >= 0 && (size_t)written < room) return HT_OK;
  settings->more_masks[length] = 0;
  return ht_fail(HT_ERR_CASE,
                 "the paths of the surface's files are longer than %zu characters in all: move the "
                 "files to a folder with a shorter path, or join the caps into the wall",
                 sizeof settings->more_masks);
}
