#include "app/compare/measured/judge.h"
#include "app/compare/compare_folder.h"
#include "app/compare/compare_settings.h"
#include "app/compare/measured/judge_files.h"
#include "import/image/image.h"
#include "import/phase_contrast/pc_plan.h"
#include "run/folder/folder.h"
#include "run/measured/measured_correct.h"
#include "run/measured/measured_file.h"
#include "run/measured/measured_frame.h"
#include "run/numbers/run_outcome.h"
#include "run/process/console.h"
#include "run/record/manifest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Delay, as a part of the beat, and gain in correlation from which a delay is advised. */
static const double DELAY = 0.05, GAIN = 0.02;

/* Least correlation of mean velocities, and factor between flows, that are not warned of. */
static const double CORRELATED = 0.3, SIZE = 3;

/* Computed flow at the scan's times against its mean, % of this, that is warned of. */
static const double BETWEEN = 3;

/* Part of the voxels whose velocities were unwrapped that is warned of. */
static const double WRAPPED = 0.01;

/* Time between two time points that is warned of: a part of the beat, and of even time points. */
static const double GAP = 0.1, EVEN = 2;

int ht_judge_is_measured(const char *path) {
  if (ht_measured_file_is(path)) return 1;
  if (ht_compared_is_foreign(path) || !ht_file_exists(path)) return 0;
  if (ht_path_ends(path, ".yaml") || ht_path_ends(path, ".yml") || ht_path_ends(path, ".json"))
    return 0; /* without the key `velocity` */
  return !ht_folder_exists(path) || !ht_folder_is_case(path);
}

typedef struct {
  const ht_judge_options *options;
  ht_compared_case one;
  ht_judged judged;
  ht_import_notes notes;
  char description[HT_PC_TEXT]; /* of the measured flow */
  ht_manifest manifest;
} judge;

/* ---- reading ---- */

static ht_status refuse_image(const char *path) {
  return ht_fail(HT_ERR_USAGE,
                 "%s: an image file does not say what its velocities mean: write a small file "
                 "flow.yaml with `velocity: %s`, `unit: m/s` and what else is known, and give that "
                 "(docs/measured-flow.md)",
                 path, ht_path_name(path));
}

static ht_status read_measured(judge *j, ht_flow_corrections *wanted) {
  const char *path = j->options->measured_path;
  if (!ht_measured_file_is(path) && ht_image_named(path)) return refuse_image(path);
  ht_status status =
      ht_measured_file_read(path, 0, ht_console_progress(), &j->notes, wanted, &j->judged.measured);
  if ((status == HT_ERR_NOT_FOUND || status == HT_ERR_FORMAT) && ht_folder_exists(path)) {
    char why[1024];
    snprintf(why, sizeof why, "%s", ht_error_message());
    return ht_fail(
        HT_ERR_NOT_FOUND,
        "%s: neither a case folder of hemotile nor a wall of another program (.vtp), and "
        "no measured flow: %s",
        path, why);
  }
  return status;
}

static ht_status correct(judge *j, const ht_flow_corrections *wanted) {
  ht_measured_flow *measured = &j->judged.measured;
  HT_TRY(ht_measured_correct(measured, &j->judged.results.vessel, wanted, &j->notes,
                             &j->judged.corrected));
  ht_pc_describe(measured, measured->magnitude != NULL, j->description);
  if (*j->notes.warning) ht_console_warn("the measured flow: %s", j->notes.warning);
  return HT_OK;
}

static ht_status read_case(judge *j) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_compared_case_read(j->options->case_path, NULL, NULL, &j->one));
  HT_TRY(ht_results_read(j->options->case_path, &j->judged.results));
  HT_TRY(ht_path_join(path, j->options->case_path, HT_FILE_MANIFEST));
  return ht_manifest_read(path, &j->manifest);
}

/* Checks that both have one frame of reference, unless the user, or the case, takes them as one. */
static ht_status check_frame(const judge *j) {
  const char *frame = ht_value_text(&j->one.record, "options.flow.measured_frame");
  if (j->options->same_frame || (frame && strcmp(frame, "same") == 0)) return HT_OK;
  return ht_measured_frame_check(&j->judged.measured, &j->manifest.study,
                                 "--same-frame takes both as the same; `landmarks` in the "
                                 "measured flow's file move it (docs/measured-flow.md)");
}

/* ---- warnings ---- */

/* Returns the longest time between two time points as a part of the beat. */
static double longest_gap(const ht_measured_flow *flow) {
  double longest = flow->time_s[0] + flow->period_s - flow->time_s[flow->times - 1];
  for (int t = 1; t < flow->times; t++)
    longest = fmax(longest, flow->time_s[t] - flow->time_s[t - 1]);
  return flow->period_s > 0 ? longest / flow->period_s : 0;
}

/* Warns of velocities whose sign may be the other one: no number shows it. */
static void warn_of_sign(const ht_judged *of) {
  const ht_agreement *along = &of->velocity[HT_JUDGED_MEAN][HT_JUDGED_ALONG];
  const int is_against = of->flow[HT_JUDGED_MEAN].count > 0 ? of->flow[HT_JUDGED_MEAN].mean_y < 0
                                                            : along->correlation < 0;
  if (is_against)
    ht_console_warn("the measured blood flows against the computed: the sign of its velocities is "
                    "wrong, or it was measured elsewhere than the case lies");
  else if (of->sign_taken)
    ht_console_warn(
        "the images leave the sign of the measured velocities open: it was taken so that "
        "the blood flows as computed; `sign` in the measured flow's file gives it");
}

/* Warns of velocities that have little in common with the computed, or are of another size. */
static void warn_of_size(const ht_judged *of) {
  const ht_agreement *mean =
      &of->velocity[HT_JUDGED_MEAN][of->parts == 3 ? HT_JUDGED_SPEED : HT_JUDGED_ALONG];
  const ht_agreement *flow = &of->flow[HT_JUDGED_MEAN];
  const int is_alike = fabs(mean->correlation) >= CORRELATED;
  const double times = fabs(flow->count > 0 ? flow->mean_y / flow->mean_x
                            : is_alike      ? mean->slope
                                            : 1);
  char text[24] = "none";
  if (isfinite(mean->correlation)) snprintf(text, sizeof text, "%.2f", mean->correlation);
  if (mean->count > 2 && !is_alike)
    ht_console_warn("the measured velocities vary in another way than the computed ones "
                    "(correlation: %s): look in measured_slices.png whether the measured flow "
                    "lies within the vessel; if not, this is another vessel or place, or its "
                    "coordinates are wrong",
                    text);
  if (times > SIZE || times * SIZE < 1)
    ht_console_warn("the measured %s is %.3g times the computed: check the unit and the velocity "
                    "encoding (`unit`, `venc_m_s`), and the flow of the case",
                    flow->count > 0 ? "flow" : "velocity", times);
}

/* Returns 1 where a measured velocity of a voxel lies beyond the velocity encoding at some time. */
static int was_wrapped(const ht_measured_flow *flow, int64_t voxel) {
  for (int t = 0; t < flow->times; t++)
    for (int e = 0; e < flow->encodings; e++)
      if (fabs(ht_measured_part(flow, t, e)[voxel]) > flow->encoding[e].venc_m_s) return 1;
  return 0;
}

static void warn_of_wrapping(const ht_judged *of) {
  int64_t count = 0;
  if (of->corrected.unwrapped == 0) return;
  for (int64_t n = 0; n < of->compared; n++)
    count += was_wrapped(&of->measured, of->voxels.voxel[of->entry[n]]);
  if ((double)count < WRAPPED * (double)of->compared) return;
  ht_console_warn("in %lld of the compared voxels a velocity was beyond the velocity encoding and "
                  "was unwrapped: where measured_slices.png has a ring or a spot in the vessel, "
                  "some are still wrapped, and the measured flow is wrong",
                  (long long)count);
}

static void warn(const judge *j) {
  const ht_judged *of = &j->judged;
  const double run_s = of->results.stats.period_s, scan_s = of->measured.period_s;
  const ht_setting_table none = {.rows = 0};
  const char *inflow = ht_value_text(&j->one.record, "measured_flow.source");
  ht_compare_warn(&j->one, 1, &none);
  if (inflow && *inflow)
    ht_console_warn("the inflow of the case was measured, too: where it is this measurement, "
                    "agreement at its inlet is no test of the computed flow");
  if (of->measured.times == 1 && run_s > 0)
    ht_console_warn("the measured flow has one time point, which is compared with the mean of the "
                    "computed beat");
  if (of->measured.times > 1 && run_s == 0)
    ht_console_warn("the computed flow is steady: it is compared with the mean of the measured "
                    "beat");
  const double gap = longest_gap(&of->measured);
  if (of->measured.times > 1 && gap > fmax(GAP, EVEN / of->measured.times))
    ht_console_warn("%.0f %% of the beat have no measured time point: the mean is interpolated "
                    "there",
                    100 * gap);
  if (run_s > 0 && of->measured.times > 1 && of->results.series.samples < 2)
    ht_console_warn(
        "the case has no samples of its beat, so velocities are compared as means "
        "alone: `hemotile solve %s --beat-files vtk`, then `hemotile export %s`, keep them",
        j->options->case_path, j->options->case_path);
  if (run_s > 0 && scan_s > 0 && fabs(run_s / scan_s - 1) > 0.05)
    ht_console_warn("the computed beat has %.3g s, the measured one %.3g s: times are compared as "
                    "parts of the beat",
                    run_s, scan_s);
  if (fabs(remainder(of->best_delay_s - of->delay_s, scan_s)) > DELAY * scan_s &&
      of->best_correlation > of->flow[HT_JUDGED_BEAT].correlation + GAIN)
    ht_console_warn("the flows over the beat agree best where the computed beat begins %.0f ms "
                    "%s the R wave (correlation %.3f instead of %.3f): `--delay %.3g` shifts it",
                    1000 * fabs(of->best_delay_s), of->best_delay_s < 0 ? "before" : "after",
                    of->best_correlation, of->flow[HT_JUDGED_BEAT].correlation, of->best_delay_s);
  const double between =
      100 * (of->flow[HT_JUDGED_BEAT].mean_x / of->flow[HT_JUDGED_MEAN].mean_x - 1);
  if (fabs(between) > BETWEEN)
    ht_console_warn(
        "at the %d time points of the scan the computed flow is on average %.0f %% %s than "
        "over its beat, so steep is its pulse between them: trust the means more than "
        "each time",
        of->measured.times, fabs(between), between < 0 ? "lower" : "higher");
  warn_of_wrapping(of);
  warn_of_sign(of);
  warn_of_size(of);
}

/* ---- writing ---- */

static ht_status write_all(judge *j, FILE *stream) {
  const char *folder = j->options->folder;
  const ht_picture_text text = {
      .name = j->one.label,
      .mark = ht_flow_fault_words(ht_flow_fault_of(&j->judged.results.stats))};
  ht_judge_content content = {
      .one = &j->one, .judged = &j->judged, .notes = j->notes.text, .measured = j->description};
  HT_TRY(ht_compare_folder_begin(folder));
  HT_TRY(ht_judge_tables_write(folder, &content));
  HT_TRY(ht_judge_pictures(folder, &j->judged, &text, content.picture, &content.pictures));
  HT_TRY(ht_judge_page_write(folder, &content));
  ht_judge_print(stream, &content);
  return HT_OK;
}

static ht_status run(judge *j, FILE *stream) {
  ht_flow_corrections wanted;
  HT_TRY(ht_input_check(j->options->case_path));
  HT_TRY(ht_input_check(j->options->measured_path));
  HT_TRY(ht_compare_folder_check(j->options->folder));
  HT_TRY(read_measured(j, &wanted));
  HT_TRY(read_case(j));
  HT_TRY(check_frame(j));
  HT_TRY(correct(j, &wanted));
  HT_TRY(ht_judge_velocities(&j->judged));
  HT_TRY(ht_judge_flows(&j->judged));
  warn(j);
  return write_all(j, stream);
}

ht_status ht_judge_run(const ht_judge_options *options, FILE *stream) {
  judge *j;
  HT_TRY(ht_alloc((void **)&j, 1, sizeof *j, "the comparison"));
  j->options = options;
  j->judged.delay_s = options->delay_s;
  ht_status status = run(j, stream);
  ht_compared_case_free(&j->one);
  ht_judged_free(&j->judged);
  free(j);
  return status;
}
