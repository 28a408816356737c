/* The plane cavity at Re 100 to 5000 against Ghia, Ghia & Shin (1982). */
#include "bench/papers/plane_flows/plane_cavity.h"
#include "validation/flows/validation_cavity.h"
#include "bench/papers/plane_flows/plane_flows.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

static const double lid = 0.1;

/* `quick` and `full`: nodes a side. The slower the core spins up, the smaller the tolerance. The
 * tables have errors of their own: at Re 1000 up to 3 % of Botella & Peyret's extremes, and more at
 * higher Reynolds numbers; there the bars are wider, and for the full size only. The stream
 * function is that of table III. */
typedef struct {
  int reynolds, quick, full;
  double tolerance, quick_bar, full_bar, stream;
} one;

static const one runs[] = {
    {100, 64, 128, 2e-8, 0.01, 0.01, NAN},        {400, 128, 256, 2e-8, 0.01, 0.01, NAN},
    {1000, 128, 256, 1e-8, 0.01, 0.01, NAN},      {3200, 128, 512, 4e-9, NAN, 0.02, -0.120377},
    {5000, 128, 512, 4e-9, NAN, 0.02, -0.118966},
};
enum { RUNS = sizeof runs / sizeof *runs };

static ht_status judge(const one *r, const ht_plane_cavity_flow *flow, double bar,
                       ht_validation_result *result) {
  ht_cavity_error error;
  HT_TRY(ht_cavity_compare(&flow->plane, HT_CAVITY_PLANE, r->reynolds, &error));
  ht_validation_error(result, error.rms, bar, "Re %d, %d nodes: velocities, RMS over the lid's",
                      r->reynolds, flow->plane.n);
  ht_validation_error(result, error.most, NAN, "Re %d: largest difference over the lid's",
                      r->reynolds);
  ht_cavity_extremes got, known;
  if (ht_cavity_known_extremes(r->reynolds, &known)) {
    ht_cavity_find_extremes(&flow->plane, &got);
    ht_validation_compare(result, got.u_least, known.u_least, 0.03,
                          "Re %d: least u (Botella & Peyret)", r->reynolds);
    ht_validation_compare(result, got.v_most, known.v_most, 0.03, "Re %d: largest v", r->reynolds);
    ht_validation_compare(result, got.v_least, known.v_least, 0.03, "Re %d: least v", r->reynolds);
  }
  if (isfinite(r->stream))
    ht_validation_compare(result, ht_plane_cavity_vortex(flow), r->stream, NAN,
                          "Re %d: stream function of the main vortex", r->reynolds);
  return HT_OK;
}

static ht_status run(const ht_validation_options *options, const one *r,
                     ht_validation_figure *figure[2], ht_validation_result *result) {
  int n = options->nodes_across ? options->nodes_across : options->full ? r->full : r->quick;
  const ht_plane_cavity cavity = {.n = n,
                                  .reynolds = r->reynolds,
                                  .lid_speed = lid,
                                  .collision = HT_MRT,
                                  .tolerance = r->tolerance,
                                  .device = options->device,
                                  .threads = options->threads,
                                  .progress = options->progress};
  ht_plane_cavity_flow flow;
  ht_status status = ht_plane_cavity_run(&cavity, &flow);
  if (status == HT_OK) status = judge(r, &flow, options->full ? r->full_bar : r->quick_bar, result);
  if (status == HT_OK)
    snprintf(result->device, sizeof result->device, "%s", ht_plane_device(flow.box.plane));
  if (status == HT_OK)
    status = ht_validation_draw_cavity(figure, &flow.plane, HT_CAVITY_PLANE, r->reynolds);
  ht_plane_cavity_free(&flow);
  return status;
}

ht_status ht_validate_plane_cavity(const ht_validation_options *options,
                                   ht_validation_result *result) {
  ht_validation_figure *figure[2];
  if (options->nodes_across && (options->nodes_across < 16 || options->nodes_across > 1024))
    return ht_fail(HT_ERR_USAGE, "--nodes-across is %d; allowed is 16 to 1024",
                   options->nodes_across);
  ht_validation_plot_cavity(result, "Plane cavity", figure);
  snprintf(result->notes, sizeof result->notes, "D2Q9, MRT, fp64, lid %g; dots: Ghia et al. (1982)",
           lid);
  for (int i = 0; i < RUNS; i++) HT_TRY(run(options, &runs[i], figure, result));
  return HT_OK;
}
