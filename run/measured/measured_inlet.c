#include "run/measured/measured_inlet.h"
#include "core/work/progress.h"
#include "export/pictures/picture_measured.h"
#include "import/phase_contrast/pc_plan.h"
#include "run/measured/flow_course.h"
#include "run/measured/measured_correct.h"
#include "run/measured/measured_file.h"
#include "run/measured/measured_frame.h"
#include "run/measured/measured_shares.h"
#include "run/measured/opening_flow.h"
#include "run/measured/profile_fit.h"
#include "run/process/console.h"
#include "solver/inflow/waveform.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double COVERED_LEAST = 0.9; /* part of the beat, below which a warning tells */
static const double GAP_LEAST = 2;       /* mean spacings between time points that are a gap */
static const double BEYOND_MOST =
    0.05;                              /* of the flow, outside the outline, above which one tells */
static const double SPREAD_MOST = 0.1; /* of the inlet's sections, above which a warning tells */
static const double UNEVEN_MOST = 0.2; /* of a spacing of the time points */
static const double NOISE_TOLD = 0.005; /* of the mean flow, from which a note tells the noise */
static const char frame_remedy[] =
    "if the patient lay unmoved and both are in the scanner's coordinates, `measured_frame: same` "
    "under `flow` takes them as the same; else `landmarks` in a file of the measured flow move it "
    "(docs/measured-flow.md)";

/* What is in work. */
typedef struct {
  ht_case *settings;
  ht_measured_vessel *vessel;
  ht_manifest *manifest;
  ht_measured_record *record;
  ht_measured_flow flow;
  int inlet;
} work;

/* ---- Reading and correcting ---- */

/* Prints the notes, one a line, and puts them into the record. What they say of an open sign of all
 * directions does not count: the inlet settles it. */
static void tell_notes(const char *text, char *record, size_t size) {
  static const char open[] = "the sign of the velocities is open";
  for (const char *line = text; *line; line += strspn(line, "\n")) {
    const int length = (int)strcspn(line, "\n");
    const size_t used = strlen(record);
    if (strncmp(line, open, sizeof open - 1) != 0) {
      ht_console_note("measured flow: %.*s", length, line);
      snprintf(record + used, size - used, "%s%.*s", used ? "\n" : "", length, line);
    }
    line += length;
  }
}

static ht_status draw(const work *w, const float *as_read, const ht_flow_corrected *done) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, w->vessel->folder, HT_FOLDER_PICTURES));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_path_join(path, w->vessel->folder, HT_FILE_FLOW_DRAWN));
  return ht_picture_measured(path, &w->flow, as_read, done->noise, w->vessel->mask, NULL);
}

/* Corrects the velocities; keeps them as they were read only for the picture, as a volume is large.
 */
static ht_status correct(work *w, const ht_flow_corrections *wanted, ht_import_notes *notes) {
  const size_t count = (size_t)(ht_grid_voxels(&w->flow.grid) * w->flow.times * w->flow.encodings);
  ht_flow_corrected done = {0};
  float *as_read = NULL;
  if (w->vessel->draws)
    HT_TRY(ht_alloc((void **)&as_read, count, sizeof *as_read, "the velocities"));
  if (as_read) memcpy(as_read, w->flow.velocity_m_s, count * sizeof *as_read);
  ht_status status = ht_measured_correct(&w->flow, w->vessel->mask, wanted, notes, &done);
  if (status == HT_OK && as_read) status = draw(w, as_read, &done);
  w->record->noisy = done.noisy;
  w->record->unwrapped = done.unwrapped;
  w->record->still = done.still;
  ht_flow_corrected_free(&done);
  free(as_read);
  return status;
}

static ht_status check_frame(const work *w) {
  if (w->settings->measured_frame && w->flow.landmarks == 0)
    return w->record->is_frame_taken = 1, HT_OK;
  return ht_measured_frame_check(&w->flow, &w->manifest->study, frame_remedy);
}

static void record_images(work *w) {
  const ht_measured_flow *flow = &w->flow;
  ht_measured_record *record = w->record;
  snprintf(record->source, sizeof record->source, "%s", flow->source);
  snprintf(record->kind, sizeof record->kind, "%s", flow->grid.dim[2] == 1 ? "plane" : "volume");
  record->directions = flow->encodings;
  record->times = flow->times;
  record->period_s = flow->period_s;
  record->venc_m_s = flow->encoding[0].venc_m_s;
  memcpy(record->voxel_mm, flow->grid.spacing_mm, sizeof record->voxel_mm);
}

/* Refuses directions of which some have an open sign: the inlet settles that of all together. */
static ht_status check_signs(const ht_measured_flow *flow) {
  int open = 0;
  for (int e = 0; e < flow->encodings; e++) open += flow->encoding[e].sign == HT_SIGN_OPEN;
  if (open == 0 || open == flow->encodings) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the sign of %d of the %d directions is open, and nothing in the images decides "
                 "it: describe the series in a file with `direction` and the right signs "
                 "(docs/measured-flow.md)",
                 open, flow->encodings);
}

static ht_status read_series(work *w) {
  ht_import_notes notes = {"", ""};
  ht_flow_corrections wanted;
  HT_TRY(ht_measured_file_read(w->settings->measured, 0, ht_console_progress(), &notes, &wanted,
                               &w->flow));
  if (w->flow.grid.dim[2] > 1 && w->flow.encodings == 1)
    return ht_fail(HT_ERR_CASE,
                   "a volume with velocities along one direction: all three are needed; give the "
                   "series of the others, or a plane across the vessel");
  HT_TRY(check_signs(&w->flow));
  HT_TRY(check_frame(w));
  record_images(w);
  HT_TRY(correct(w, &wanted, &notes));
  tell_notes(notes.text, w->record->notes, sizeof w->record->notes);
  if (*notes.warning) ht_console_warn("measured flow: %s", notes.warning);
  return HT_OK;
}

/* ---- The inlet ---- */

static ht_status find_inlet(work *w) {
  const ht_openings *openings = &w->vessel->openings;
  int inlets = 0;
  for (int i = 0; i < openings->count; i++) {
    if (openings->item[i].role != HT_ROLE_INLET) continue;
    if (inlets++ == 0) w->inlet = i;
  }
  if (inlets == 1) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the vessel has %d inlets, and the flow is measured of one: give 'flow_ml_s' of "
                 "each in the case's openings, and the waveform as a file",
                 inlets);
}

/* Turns all directions round. */
static void turn(ht_measured_flow *flow, ht_opening_flow *inlet) {
  for (int e = 0; e < flow->encodings; e++) {
    for (int r = 0; r < 3; r++) flow->encoding[e].direction[r] *= -1;
    flow->encoding[e].sign = HT_SIGN_PHYSICS;
  }
  for (int t = 0; t < flow->times; t++) inlet->flow_ml_s[t] *= -1;
  inlet->mean_ml_s *= -1;
}

/* Makes the mean flow one into the vessel, where the images leave the sign open. */
static ht_status settle_sign(work *w, ht_opening_flow *inlet) {
  const char *name = w->vessel->openings.item[w->inlet].name;
  int open = 1, given = 0;
  for (int e = 0; e < w->flow.encodings; e++) {
    open &= w->flow.encoding[e].sign == HT_SIGN_OPEN;
    given |= w->flow.encoding[e].sign == HT_SIGN_GIVEN;
  }
  if (inlet->mean_ml_s < 0 && !open)
    return ht_fail(HT_ERR_CASE,
                   "the measured flow leaves the vessel at '%s' (%.4g mL/s in the mean), by signs "
                   "that %s: if '%s' is an outlet, exchange the roles in the case's openings; if "
                   "the sign is wrong, %s (docs/measured-flow.md)",
                   name, -inlet->mean_ml_s,
                   given ? "the file of the measured flow gives" : "the images give", name,
                   given ? "change `sign` or `direction` there"
                         : "describe the series in a file with `sign: -1`");
  if (!open) return HT_OK;
  const int turned = inlet->mean_ml_s < 0;
  if (turned) turn(&w->flow, inlet);
  for (int e = 0; e < w->flow.encodings; e++) w->flow.encoding[e].sign = HT_SIGN_PHYSICS;
  ht_console_note("measured flow: the sign of the velocities was open: that with which the blood "
                  "flows into the vessel at '%s' was taken%s",
                  name, turned ? " (turned)" : "");
  return HT_OK;
}

static void record_opening(const work *w, int number, const ht_opening_flow *flow) {
  const ht_opening *opening = &w->vessel->openings.item[number];
  ht_measured_opening *to = &w->record->opening[w->record->openings++];
  snprintf(to->name, sizeof to->name, "%s", opening->name);
  to->sections = flow->sections;
  if (flow->sections == 0) {
    snprintf(to->why_not, sizeof to->why_not, "%.159s", flow->why);
    return;
  }
  to->mean_ml_s = opening->role == HT_ROLE_INLET ? flow->mean_ml_s : -flow->mean_ml_s;
  to->across = flow->across;
  to->area_mm2 = flow->area_mm2;
  memcpy(to->centre_mm, flow->centre_mm, sizeof to->centre_mm);
  memcpy(to->normal, flow->normal, sizeof to->normal);
  to->spread = flow->spread;
  to->beyond = flow->beyond;
}

/* ---- The waveform ---- */

static ht_status write_waveform(const work *w, const double *flow_ml_s, char path[HT_PATH_MAX]) {
  ht_output output;
  HT_TRY(ht_path_join(path, w->vessel->folder, HT_FILE_WAVEFORM));
  HT_TRY(ht_output_open(path, &output));
  fputs("time_s,flow_ml_s\n", output.stream);
  for (int t = 0; t < w->flow.times; t++)
    fprintf(output.stream, "%.9g,%.9g\n", w->flow.time_s[t], flow_ml_s[t]);
  return ht_output_commit(&output);
}

/* Duration from the first time point to the last, s. */
static double span_s(const ht_measured_flow *flow) {
  return flow->time_s[flow->times - 1] - flow->time_s[0];
}

/* Part of the beat outside gaps in the time points, of which the beat's end may be one. */
static double covered(const ht_measured_flow *flow) {
  const double step = span_s(flow) / (flow->times - 1);
  double missing = 0;
  for (int t = 0; t < flow->times; t++) {
    const double next =
        t + 1 < flow->times ? flow->time_s[t + 1] : flow->time_s[0] + flow->period_s;
    const double gap = next - flow->time_s[t];
    if (gap > GAP_LEAST * step || t + 1 == flow->times) missing += fmax(0, gap - step);
  }
  return fmax(0, 1 - missing / flow->period_s);
}

static int is_even(const ht_measured_flow *flow) {
  const double step = flow->period_s / flow->times;
  for (int t = 0; t < flow->times; t++)
    if (fabs(flow->time_s[t] - flow->time_s[0] - t * step) > UNEVEN_MOST * step) return 0;
  return 1;
}

/* Removes the noise from the inflow, where it can be told from the flow. */
static void clean(const work *w, ht_opening_flow *inlet) {
  if (!is_even(&w->flow)) return;
  const double noise = ht_flow_course_clean(w->flow.times, inlet->flow_ml_s);
  w->record->noise_ml_s = noise;
  if (noise > NOISE_TOLD * inlet->mean_ml_s)
    ht_console_note("measured flow: noise of %.2g mL/s was removed from the course of the inflow, "
                    "as harmonics that do not stand out",
                    noise);
}

/* From now on the settings have what was measured. */
static void forget_series(ht_case *settings) {
  settings->measured[0] = 0;
  settings->measured_frame = 0;
}

/* Reads the waveform before there is a profile. */
static ht_status read_waveform_alone(ht_case *settings) {
  const int profile = settings->profile;
  settings->profile = -1;
  const ht_status status = ht_case_read_waveform(settings);
  settings->profile = profile;
  return status;
}

static ht_status take_waveform(work *w, ht_opening_flow *inlet) {
  ht_case *settings = w->settings;
  char path[HT_PATH_MAX];
  if (w->flow.times < HT_WAVEFORM_SAMPLES_MIN)
    return ht_fail(HT_ERR_CASE,
                   "the beat has %d time points, and a waveform needs at least %d (or one, of a "
                   "steady flow)",
                   w->flow.times, HT_WAVEFORM_SAMPLES_MIN);
  if (!(w->flow.period_s > 0))
    return ht_fail(HT_ERR_CASE,
                   "the images do not tell the duration of the beat: describe the series in a "
                   "file with `period_s: 0.8` (docs/measured-flow.md)");
  if (span_s(&w->flow) > 1.001 * w->flow.period_s || 2 * span_s(&w->flow) < w->flow.period_s)
    return ht_fail(HT_ERR_CASE,
                   "the time points span %.0f ms, and the beat is %.0f ms: export all time points "
                   "of a beat, or give its true duration with `period_s` in a file that describes "
                   "the series (docs/measured-flow.md)",
                   1000 * span_s(&w->flow), 1000 * w->flow.period_s);
  clean(w, inlet);
  HT_TRY(write_waveform(w, inlet->flow_ml_s, path));
  snprintf(settings->waveform, sizeof settings->waveform, "%s", path);
  settings->waveform_period_s = w->flow.period_s;
  forget_series(settings);
  HT_TRY(read_waveform_alone(settings));
  memcpy(w->record->waveform_sha256, settings->inflow_facts.sha256, HT_HASH_TEXT);
  w->record->mean_ml_s = ht_waveform_mean(&settings->inflow);
  ht_waveform_range(&settings->inflow, &w->record->least_ml_s, &w->record->most_ml_s);
  w->record->covered = covered(&w->flow);
  return HT_OK;
}

/* Makes the measured profile that of the inlet, where the section is resolved, and the case wants
 * it or says nothing. */
static ht_status take_profile(work *w, const ht_opening_flow *inlet) {
  ht_case *settings = w->settings;
  ht_measured_profile profile = {.harmonics = -1};
  ht_vessel_cut cut;
  char path[HT_PATH_MAX];
  const int wanted = settings->profile == HT_PROFILE_MEASURED;
  const int resolved = inlet->across + 0.05 >= HT_PROFILE_ACROSS_LEAST && is_even(&w->flow);
  if (settings->profile >= 0 && !wanted) return HT_OK;
  if (resolved) {
    HT_TRY(ht_vessel_cut_make(w->vessel->mask, inlet->centre_mm, inlet->normal, &cut));
    const int section = ht_vessel_cut_nearest(&cut, inlet->centre_mm, HUGE_VAL, NULL);
    ht_status status =
        section < 0 ? HT_OK : ht_profile_fit(&w->flow, &cut, section, &profile, &w->record->misfit);
    ht_vessel_cut_free(&cut);
    HT_TRY(status);
  }
  if (profile.harmonics < 0 && wanted)
    return ht_fail(HT_ERR_CASE,
                   "flow.profile is measured, and the vessel is %.1f voxels wide: it needs %d, at "
                   "even times of the beat; leave it auto",
                   inlet->across, HT_PROFILE_ACROSS_LEAST);
  if (profile.harmonics < 0) return HT_OK;
  HT_TRY(ht_path_join(path, w->vessel->folder, HT_FILE_PROFILE));
  HT_TRY(ht_case_profile_write(path, &profile, settings->inflow_facts.sha256));
  settings->profile = HT_PROFILE_MEASURED;
  snprintf(w->record->profile, sizeof w->record->profile, "measured");
  ht_console_note("measured flow: the inlet gets the measured profile, with %d harmonics; it "
                  "leaves out %.0f %% of the velocities, which are noise or finer than it",
                  profile.harmonics, 100 * w->record->misfit);
  return ht_case_read_waveform(settings);
}

static ht_status take_constant(work *w, const ht_opening_flow *inlet) {
  forget_series(w->settings);
  w->settings->inlet_flow_ml_s = inlet->mean_ml_s;
  w->record->mean_ml_s = w->record->least_ml_s = w->record->most_ml_s = inlet->mean_ml_s;
  w->record->covered = 1;
  return ht_case_read_waveform(w->settings);
}

static void tell(const work *w, const ht_opening_flow *inlet) {
  const ht_measured_record *record = w->record;
  const char *name = w->vessel->openings.item[w->inlet].name;
  char beat[80] = "", several[80] = "";
  if (w->flow.times > 1)
    snprintf(beat, sizeof beat, ", highest %.4g, lowest %.4g; a beat of %.4g s", record->most_ml_s,
             record->least_ml_s, record->period_s);
  if (inlet->sections > 1)
    snprintf(several, sizeof several, "; mean of %d sections, which scatter by %.2g %%",
             inlet->sections, 100 * inlet->spread);
  ht_console_note("measured flow: %s", record->description);
  ht_console_note("measured flow into '%s': mean %.4g mL/s%s; through %.4g mm2 at [%.1f, %.1f, "
                  "%.1f], %.1f voxels across%s",
                  name, record->mean_ml_s, beat, inlet->area_mm2, inlet->centre_mm[0],
                  inlet->centre_mm[1], inlet->centre_mm[2], inlet->across, several);
  if (w->flow.times == 1 && w->flow.period_s > 0)
    ht_console_warn(
        "the measured images have one time point, %.0f ms after the R wave, of a beat of "
        "%.0f ms: its flow is taken as a steady one; where it is not the mean over the "
        "beat, export all time points",
        1000 * w->flow.time_s[0], 1000 * w->flow.period_s);
  if (inlet->across < HT_SECTION_GOOD_ACROSS)
    ht_console_warn("the vessel is %.1f voxels of the measured images wide at '%s': below %d, the "
                    "measured flow may be off by more than 5 %%",
                    inlet->across, name, HT_SECTION_GOOD_ACROSS);
  if (fabs(inlet->beyond) > BEYOND_MOST)
    ht_console_warn("next to the vessel's outline at '%s', outside it, the images have a flow of "
                    "%.0f %% of that within: the outline and the images do not fit each other (the "
                    "patient moved, or the vessel is wider), or another vessel lies there; look at "
                    "pictures/measured_flow.png",
                    name, 100 * inlet->beyond);
  if (inlet->spread > SPREAD_MOST)
    ht_console_warn("the measured flow differs by %.0f %% from section to section next to '%s': "
                    "blood is conserved, so the measurement is that uncertain; look at "
                    "pictures/measured_flow.png",
                    100 * inlet->spread, name);
  if (record->covered < COVERED_LEAST)
    ht_console_warn("the measured time points cover %.0f %% of the beat: the rest of the inflow is "
                    "interpolated",
                    100 * record->covered);
}

/* ---- All of it ---- */

static ht_status take_inlet(work *w) {
  ht_opening_flow inlet;
  ht_status status =
      ht_opening_flow_measure(&w->flow, w->vessel->mask, &w->vessel->openings, w->inlet, &inlet);
  if (status == HT_OK && inlet.sections == 0)
    status = ht_fail(HT_ERR_CASE,
                     "%s; the flow into '%s' needs a slice straight across its vessel before the "
                     "first branch, or a volume around that; also check which opening is the inlet "
                     "(docs/measured-flow.md)",
                     inlet.why, w->vessel->openings.item[w->inlet].name);
  if (status == HT_OK) status = settle_sign(w, &inlet);
  if (status == HT_OK)
    status = w->flow.times == 1 ? take_constant(w, &inlet) : take_waveform(w, &inlet);
  if (status == HT_OK && w->flow.times > 1) status = take_profile(w, &inlet);
  if (status == HT_OK) {
    ht_pc_describe(&w->flow, w->flow.magnitude != NULL, w->record->description);
    record_opening(w, w->inlet, &inlet);
    tell(w, &inlet);
  }
  ht_opening_flow_free(&inlet);
  return status;
}

static ht_status take_outlets(work *w) {
  const ht_openings *openings = &w->vessel->openings;
  for (int i = 0; i < openings->count; i++) {
    ht_opening_flow outlet;
    if (openings->item[i].role != HT_ROLE_OUTLET) continue;
    ht_status status = ht_opening_flow_measure(&w->flow, w->vessel->mask, openings, i, &outlet);
    if (status == HT_OK) record_opening(w, i, &outlet);
    ht_opening_flow_free(&outlet);
    HT_TRY(status);
  }
  return ht_measured_shares_take(w->settings, &w->vessel->openings, w->record);
}

static ht_status take(work *w) {
  HT_TRY(find_inlet(w));
  HT_TRY(read_series(w));
  HT_TRY(take_inlet(w));
  return take_outlets(w);
}

ht_status ht_measured_inlet_take(ht_case *settings, ht_measured_vessel *vessel,
                                 ht_manifest *manifest) {
  work w = {.settings = settings, .vessel = vessel, .manifest = manifest};
  w.record = &manifest->measured;
  memset(w.record, 0, sizeof *w.record);
  const ht_status status = take(&w);
  ht_measured_flow_free(&w.flow);
  if (status == HT_OK || status == HT_ERR_MEMORY || status == HT_ERR_INTERRUPTED) return status;
  memset(w.record, 0, sizeof *w.record);
  return ht_fail_in(status, "flow.measured");
}
