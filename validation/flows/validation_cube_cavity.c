/* The cube cavity: Re 1000 against Albensoeder & Kuhlmann (2005); Re 100 and 400, without a
 * published table, against itself on finer grids. */
#include "validation/runs/cavity_run.h"
#include "validation/flows/validation_cavity.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

static ht_status run(const ht_validation_options *options, int reynolds, int n, double lid,
                     ht_validation_result *result, ht_cavity_flow *flow) {
  const ht_cavity cavity = {.kind = HT_CAVITY_CUBE,
                            .n = n,
                            .reynolds = reynolds,
                            .lid_speed = lid,
                            .collision = reynolds >= 400 ? HT_MRT : HT_LBGK,
                            .precision = HT_FP64,
                            .device = options->device,
                            .threads = options->threads,
                            .progress = options->progress};
  HT_TRY(ht_cavity_run(&cavity, flow));
  snprintf(result->device, sizeof result->device, "%s", flow->device);
  if (flow->change <= 1e-5) return HT_OK;
  return ht_fail(HT_ERR_NOT_STEADY,
                 "cube cavity, Re %d, %d nodes: it still changes by %.1e in %g "
                 "steps",
                 reynolds, n, flow->change, n / lid);
}

/* ---- Re 1000 ---- */

/* Published extremes of a line, and our values at the same places. */
static void judge_extremes(const ht_cavity_plane *plane, int along_lid,
                           const ht_cavity_points *points, double bar,
                           ht_validation_result *result) {
  int least = 0, most = 0;
  for (int i = 0; i < points->count; i++) {
    if (points->value[i] < points->value[least]) least = i;
    if (points->value[i] > points->value[most]) most = i;
  }
  ht_validation_compare(result, ht_cavity_at(plane, along_lid, points->at[least]),
                        points->value[least], bar, "Re 1000: least %s", along_lid ? "u" : "v");
  if (along_lid) return; /* the largest is next to the lid */
  ht_validation_compare(result, ht_cavity_at(plane, along_lid, points->at[most]),
                        points->value[most], bar, "Re 1000: largest v");
}

static ht_status judge(const ht_cavity_plane *plane, double rms_bar, double extreme_bar,
                       ht_validation_result *result) {
  ht_cavity_error error;
  HT_TRY(ht_cavity_compare(plane, HT_CAVITY_CUBE, 1000, &error));
  ht_validation_error(result, error.rms, rms_bar,
                      "Re 1000, %d nodes: velocities, RMS over the lid's", plane->n);
  ht_validation_error(result, error.most, NAN, "Re 1000: largest difference over the lid's");
  for (int along_lid = 0; along_lid < 2; along_lid++) {
    ht_cavity_points points;
    HT_TRY(ht_cavity_published(HT_CAVITY_CUBE, 1000, along_lid, &points));
    judge_extremes(plane, along_lid, &points, extreme_bar, result);
  }
  return HT_OK;
}

static ht_status run_1000(const ht_validation_options *options, int n, double lid,
                          ht_validation_figure *figure[2], ht_validation_result *result) {
  ht_cavity_flow flow;
  ht_status status = run(options, 1000, n, lid, result, &flow);
  /* The bar is for 128 nodes; with fewer it grows in proportion to the spacing. */
  double times = n < 128 ? 128.0 / n : 1;
  if (status == HT_OK) status = judge(&flow.plane, 0.01 * times, 0.03 * times, result);
  if (status == HT_OK)
    status = ht_validation_draw_cavity(figure, &flow.plane, HT_CAVITY_CUBE, 1000);
  ht_cavity_free(&flow);
  return status;
}

/* ---- Re 100 and 400 ---- */

/* Runs n, 2 n, 4 n nodes with the lid's speed proportional to 1/n, so that tau is constant. */
static ht_status run_order(const ht_validation_options *options, int reynolds, int n,
                           ht_validation_figure *figure[2], ht_validation_result *result) {
  ht_cavity_flow flow[3] = {{0}};
  ht_status status = HT_OK;
  for (int i = 0; i < 3; i++)
    HT_TRY_DONE(run(options, reynolds, n << i, 1.6 / (n << i), result, &flow[i]));
  double coarse = ht_cavity_apart(&flow[0].plane, &flow[1].plane);
  double fine = ht_cavity_apart(&flow[1].plane, &flow[2].plane);
  ht_validation_error(result, fine, NAN, "Re %d: %d to %d nodes change the velocities by (RMS)",
                      reynolds, 2 * n, 4 * n);
  ht_validation_error(result, fine / (coarse / fine - 1), 0.01,
                      "Re %d: error left at %d nodes (Richardson)", reynolds, 4 * n);
  ht_validation_band(result, log2(coarse / fine), 1.7, INFINITY, 0, "Re %d: order", reynolds);
  HT_TRY_DONE(ht_validation_draw_cavity(figure, &flow[2].plane, HT_CAVITY_CUBE, reynolds));
done:
  for (int i = 0; i < 3; i++) ht_cavity_free(&flow[i]);
  return status;
}

ht_status ht_validate_cube_cavity(const ht_validation_options *options,
                                  ht_validation_result *result) {
  ht_validation_figure *figure[2];
  int n;
  HT_TRY(ht_validation_nodes(options, 48, 128, 16, 512, &n));
  ht_validation_plot_cavity(result, "Cube cavity", figure);
  snprintf(result->notes, sizeof result->notes,
           "D3Q19, fp64, MRT from Re 400; dots: Albensoeder & Kuhlmann (2005)");
  HT_TRY(run_order(options, 100, options->full ? 24 : 8, figure, result));
  if (options->full) HT_TRY(run_order(options, 400, 32, figure, result));
  return run_1000(options, n, options->full ? 0.05 : 0.1, figure, result);
}
