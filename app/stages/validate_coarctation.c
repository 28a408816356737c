#include "app/stages/validate_coarctation.h"
#include "app/stages/command_stage.h"
#include "run/process/console.h"
#include "app/common/phantom_write.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

enum { SEVERITIES = 4, QUICK = 13, LEAST = 8, MOST = 200 };

static const double severity_percent[SEVERITIES] = {40, 55, 70, 80};

typedef struct {
  double spacing_mm;
  ht_gradient of[SEVERITIES];
} study;

/* ---- one severity ---- */

static ht_status make_phantom(double percent, const char *folder) {
  ht_phantom_request wanted = {.kind = "coarctation", .folder = folder};
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &wanted.options);
  wanted.options.severity_percent = percent;
  return ht_phantom_write(&wanted);
}

static ht_status settings_of(const ht_validation_options *options, const char *phantom, int nodes,
                             ht_case **settings) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, phantom, HT_FILE_CASE));
  HT_TRY(ht_command_settings(path, settings));
  (*settings)->segment.nodes_across = nodes;
  (*settings)->within_s = HT_WITHIN_NO;
  (*settings)->solver.device = options->device;
  (*settings)->solver.threads = options->threads;
  return HT_OK;
}

static ht_status take_result(const ht_run *run, double percent, ht_validation_result *result,
                             ht_gradient *gradient) {
  *gradient = run->measured.gradient;
  snprintf(result->device, sizeof result->device, "%s", run->solved.stats.device);
  ht_validation_error(result, fabs(run->solved.stats.mass_imbalance), HT_PERIODIC_IMBALANCE,
                      "%g %%: (in - out) / in over the beat", percent);
  if (gradient->is_narrow) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS,
                 "the coarctation of %g %% is not found as a narrowing: set more --nodes-across",
                 percent);
}

/* Runs one severity. A stopped run resumes from its folder's checkpoint. A run whose beats do not
 * repeat has the means of its beats; one that is not steady has its imbalance as a missed bar. */
static ht_status run_one(const ht_validation_options *options, double percent, int nodes,
                         ht_validation_result *result, study *s, ht_gradient *gradient) {
  char phantom[HT_PATH_MAX], folder[HT_PATH_MAX], name[48];
  ht_case *settings;
  ht_run *run;
  snprintf(name, sizeof name, "coarctation/%g/phantom", percent);
  HT_TRY(ht_path_join(phantom, options->folder, name));
  snprintf(name, sizeof name, "coarctation/%g/result", percent);
  HT_TRY(ht_path_join(folder, options->folder, name));
  HT_TRY(make_phantom(percent, phantom));
  HT_TRY(settings_of(options, phantom, nodes, &settings));
  ht_console_next();
  ht_console_note("---- %g %% of the area: %s", percent, folder);
  ht_status status = ht_run_begin(settings, folder, HT_STAGE_IMPORT, HT_STAGE_EXPORT, 0, &run);
  if (status == HT_OK) status = ht_run_stages(run);
  if (status == HT_ERR_INTERRUPTED)
    ht_console_note("the same `hemotile validate` resumes from there");
  if (status == HT_OK || status == HT_ERR_NOT_STEADY)
    status = take_result(run, percent, result, gradient);
  if (status == HT_OK) s->spacing_mm = 1e3 * run->solved.stats.dx_m;
  ht_run_free(run);
  return status == HT_OK ? HT_OK : ht_fail_in(status, folder);
}

/* ---- all of them ---- */

static void add_rows(double percent, const ht_gradient *g, ht_validation_result *result) {
  ht_validation_show(result, g->highest_mmhg, "%g %%: highest drop, mmHg (+- %.1f)", percent,
                     g->highest_error_mmhg);
  ht_validation_show(result, g->peak_to_peak_mmhg, "%g %%: peak to peak, mmHg (+- %.1f)", percent,
                     g->peak_to_peak_error_mmhg);
  ht_validation_show(result, g->mean_mmhg, "%g %%: mean over the beat, mmHg (+- %.2f)", percent,
                     g->mean_error_mmhg);
  ht_validation_compare(result, g->to_jet_mmhg, g->bernoulli_full_mmhg, NAN,
                        "%g %%: to the jet, mmHg; full Bernoulli", percent);
  ht_validation_compare(result, g->to_jet_mmhg, g->bernoulli_simplified_mmhg, NAN,
                        "%g %%: to the jet, mmHg; simplified Bernoulli", percent);
}

/* Results of a severity. */
typedef struct {
  double spacing_mm;
  ht_gradient gradient;
} kept;

static ht_status run_part(const ht_validation_options *options, int i, int nodes,
                          ht_validation_result *result, study *s) {
  kept now = {0, {0}};
  if (!ht_validation_part_done(options, &now, sizeof now)) {
    HT_TRY(run_one(options, severity_percent[i], nodes, result, s, &s->of[i]));
    add_rows(severity_percent[i], &s->of[i], result);
    now = (kept){s->spacing_mm, s->of[i]};
    ht_validation_part_end(options, &now, sizeof now);
  }
  s->spacing_mm = now.spacing_mm;
  s->of[i] = now.gradient;
  return HT_OK;
}

static ht_status add_curve(const study *s, size_t member, int joined, const char *label,
                           ht_validation_figure *figure) {
  double value[SEVERITIES];
  for (int i = 0; i < SEVERITIES; i++)
    value[i] = *(const double *)(const void *)((const char *)&s->of[i] + member);
  return ht_validation_draw(figure, joined, SEVERITIES, severity_percent, value, "%s", label);
}

#define CURVE(member, joined, label)                                                               \
  HT_TRY(add_curve(s, offsetof(ht_gradient, member), joined, label, figure))

static ht_status draw(const study *s, ht_validation_result *result) {
  ht_validation_figure *figure =
      ht_validation_plot(result, "gradient", "Coarctation: pressure drop over severity",
                         "severity, % of the area", "pressure drop, mmHg");
  CURVE(highest_mmhg, 1, "highest");
  CURVE(peak_to_peak_mmhg, 1, "peak to peak");
  CURVE(to_jet_mmhg, 1, "to the jet, highest");
  CURVE(bernoulli_full_mmhg, 0, "full Bernoulli, 4 (v2^2 - v1^2)");
  CURVE(bernoulli_simplified_mmhg, 0, "simplified Bernoulli, 4 v2^2");
  return HT_OK;
}

static ht_status run(const ht_validation_options *options, ht_validation_result *result) {
  study s = {.spacing_mm = 0};
  int nodes = 0; /* at the full size as in the case: 20 across the throat, where 96 allow it */
  if (!options->full || options->nodes_across > 0)
    HT_TRY(ht_validation_nodes(options, QUICK, QUICK, LEAST, MOST, &nodes));
  for (int i = 0; i < SEVERITIES; i++) HT_TRY(run_part(options, i, nodes, result, &s));
  snprintf(result->notes, sizeof result->notes, "80 mL/s, 140 over 75 mmHg; the last at %.3g mm",
           s.spacing_mm);
  return draw(&s, result);
}

const ht_validation_flow ht_validate_coarctation = {
    .name = "coarctation",
    .summary = "pressure drop over a patient's coarctation, from the scan on",
    .reference = "simplified and full Bernoulli of the computed velocities",
    .quick = "20 min",
    .full = "10 min",
    .run = run};
