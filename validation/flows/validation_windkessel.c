/* A pipe that ends in a 3-element Windkessel: the pressure at its outlet against the solution of
 * the Windkessel's equation for the inflow (the fluid is nearly incompressible): P = Rp Q + S, C
 * dS/dt = Q - S / Rd;  Q = mean + amplitude cos(wt): P = (Rp + Rd) mean + Re[(Rp + Rd / (1
 * + i w Rd C)) amplitude e^(iwt)] Two settings: time constant Rd C of half a period, and of a
 * tenth.
 */
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double diameter_mm = 4, period_s = 0.8, mean_ml_s = 0.5, share = 0.8;
static const double mean_pa = 20, proximal_share = 0.15; /* of the resistance */
enum { SAMPLES = 40 };

typedef struct {
  ht_tube_flow flow;
  double proximal, compliance, distal; /* SI */
  int samples;
  double time[SAMPLES], pressure[SAMPLES], exact[SAMPLES];
} watch;

static double exact_pa(const watch *w, double time_s) {
  double omega = 2 * HT_PI / period_s, mean = 1e-6 * mean_ml_s;
  double complex impedance = w->proximal + w->distal / (1 + I * omega * w->distal * w->compliance);
  return (w->proximal + w->distal) * mean +
         creal(impedance * share * mean * cexp(I * omega * time_s));
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  watch *w = user;
  const ht_flow *flow = sample->flow;
  const ht_port *outlet = &w->flow.domain.port[1];
  double sum = 0;
  if (w->samples == SAMPLES) return HT_OK;
  for (int64_t n = 0; n < outlet->nodes; n++)
    sum += flow->pressure_pa[ht_flow_node(flow, outlet->node[n])];
  w->time[w->samples] = sample->time_s;
  w->pressure[w->samples] = sum / (double)outlet->nodes;
  w->exact[w->samples] = exact_pa(w, sample->time_s);
  w->samples++;
  return HT_OK;
}

static ht_status solve(const ht_validation_options *options, int across, watch *w) {
  const double radius_mm = 0.5 * diameter_mm;
  const ht_tube_shape tube = {.direction = {0, 0, 1},
                              .length_mm = 2 * diameter_mm,
                              .extension_mm = 0.5 * diameter_mm,
                              .spacing_mm = diameter_mm / across,
                              .flow_ml_s = mean_ml_s,
                              .most_radius_mm = radius_mm,
                              .windkessel = {w->proximal, w->compliance, w->distal},
                              .radius_mm = ht_tube_constant_radius,
                              .context = &radius_mm};
  ht_solver_options solver = ht_validation_solver(options, HT_LBGK);
  ht_waveform *waveform;
  ht_harmonics series = {.period_s = period_s,
                         .mean_ml_s = mean_ml_s,
                         .harmonics = 1,
                         .cosine_ml_s = {share * mean_ml_s}};
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = ht_waveform_series(&series, waveform);
  solver.precision = HT_FP64;
  solver.profile = HT_PROFILE_WOMERSLEY;
  solver.waveform = waveform;
  solver.outlets = HT_OUTLETS_WINDKESSEL;
  solver.cycles = 6;
  solver.samples = SAMPLES;
  solver.observe = observe;
  solver.observe_user = w;
  if (status == HT_OK) status = ht_tube_flow_run(&tube, &solver, options->progress, &w->flow);
  free(waveform);
  return status;
}

/* RMS of the difference over the largest minus the least of the exact pressure. */
static double error_of(const watch *w) {
  double sum = 0, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < w->samples; i++) {
    sum += pow(w->pressure[i] - w->exact[i], 2);
    low = fmin(low, w->exact[i]);
    high = fmax(high, w->exact[i]);
  }
  return sqrt(sum / w->samples) / (high - low);
}

static ht_status run(const ht_validation_options *options, int across, double storage,
                     ht_validation_figure *figure, ht_validation_result *result) {
  double resistance = mean_pa / (1e-6 * mean_ml_s), sum = 0, exact = 0;
  watch w = {.proximal = proximal_share * resistance, .distal = (1 - proximal_share) * resistance};
  w.compliance = storage * period_s / w.distal;
  ht_status status = solve(options, across, &w);
  if (status == HT_OK && w.samples < SAMPLES)
    status = ht_fail(HT_ERR_INTERNAL, "only %d moments of the last period were seen", w.samples);
  if (status == HT_OK) {
    for (int i = 0; i < SAMPLES; i++) sum += w.pressure[i] / SAMPLES, exact += w.exact[i] / SAMPLES;
    ht_validation_compare(result, sum, exact, 0.01, "Rd C %g periods: mean pressure, Pa", storage);
    ht_validation_error(result, error_of(&w), 0.02, "  pressure over time, RMS over its pulse");
    snprintf(result->device, sizeof result->device, "%s", w.flow.stats.device);
    status =
        ht_validation_draw(figure, 1, SAMPLES, w.time, w.exact, "theory, Rd C %g periods", storage);
  }
  if (status == HT_OK)
    status = ht_validation_draw(figure, 0, SAMPLES, w.time, w.pressure, "computed, %g", storage);
  ht_tube_flow_free(&w.flow);
  return status;
}

ht_status ht_validate_windkessel(const ht_validation_options *options,
                                 ht_validation_result *result) {
  int across;
  HT_TRY(ht_validation_nodes(options, 12, 32, 8, 128, &across));
  ht_validation_figure *figure = ht_validation_plot(
      result, "pressure", "Windkessel: pressure at the outlet", "time, s", "pressure, Pa");
  snprintf(result->notes, sizeof result->notes, "%s, fp64, %d nodes across",
           ht_validation_model(options, HT_LBGK), across);
  HT_TRY(run(options, across, 0.5, figure, result));
  return run(options, across, 0.1, figure, result);
}
