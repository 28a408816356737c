/* The beat of an internal carotid in a long, slow pipe: flow out against flow in at each moment,
 * wall shear stress at both ends and the pressure drop against Womersley's solution, harmonic by
 * harmonic. The lattice's sound would store a part of the inflow (solver/plan/sound.h).
 *
 * By the balance of momentum the pressure gradient is density / A dQ/dt + 2 tau / R, tau the wall
 * shear stress. */
#include "validation/known/pipe_theory.h"
#include "solver/inflow/published_waveforms.h"
#include "core/numbers/units.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "export/wall/wall.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double diameter_mm = 4, flow_ml_s = 0.4;
static const ht_collision own = HT_CUMULANT; /* what `collision: auto` takes for these steps */
enum { SAMPLES = 50, ENDS = 2 };

typedef struct {
  ht_tube_flow flow;
  ht_harmonics series; /* of the inflow, mL/s */
  ht_surface wall;
  int samples;
  double time[SAMPLES], in[SAMPLES], out[SAMPLES];
  double wss[ENDS][SAMPLES], exact[SAMPLES]; /* Pa; of the first and the last quarter */
  double drop[SAMPLES], drop_exact[SAMPLES]; /* Pa, between the openings */
} watch;

static double kinematic(void) {
  return HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;
}

static double vessel_mm(const watch *w) {
  return w->flow.tube.length_mm - 2 * w->flow.tube.extension_mm;
}

/* Womersley's solution of one harmonic at a time that makes it amplitude * cos. */
static double wall_pa(const ht_harmonics *series, double time_s) {
  double radius = 0.5e-3 * diameter_mm, sum = 0;
  for (int k = 1; k <= series->harmonics; k++) {
    double period = series->period_s / k, cosine = series->cosine_ml_s[k - 1];
    double sine = series->sine_ml_s[k - 1];
    const ht_womersley one = {.radius = radius,
                              .alpha = radius * sqrt(2 * HT_PI / period / kinematic()),
                              .period = period,
                              .mean = k == 1 ? 1e-6 * series->mean_ml_s : 0,
                              .amplitude = 1e-6 * hypot(cosine, sine)};
    sum += ht_womersley_wall(&one, time_s - atan2(sine, cosine) / (2 * HT_PI) * period);
  }
  return HT_BLOOD_VISCOSITY_PA_S * sum;
}

/* Rate of change of the flow, mL/s2. */
static double rate(const ht_harmonics *series, double time_s) {
  double sum = 0;
  for (int k = 1; k <= series->harmonics; k++) {
    double w = 2 * HT_PI * k / series->period_s;
    sum += w * (series->sine_ml_s[k - 1] * cos(w * time_s) -
                series->cosine_ml_s[k - 1] * sin(w * time_s));
  }
  return sum;
}

static double drop_pa(const watch *w, double time_s) {
  double radius = 0.5e-3 * diameter_mm, area = HT_PI * radius * radius;
  double inertia = HT_BLOOD_DENSITY_KG_M3 / area * 1e-6 * rate(&w->series, time_s);
  return 1e-3 * vessel_mm(w) * (inertia + 2 * wall_pa(&w->series, time_s) / radius);
}

/* Mean of the wall shear stress along the pipe, of the vessel's first and last quarter. */
static ht_status take_wall(watch *w, const ht_flow *flow) {
  double sum[ENDS] = {0}, count[ENDS] = {0};
  if (w->wall.points == 0) HT_TRY(ht_surface_build(&w->flow.domain, &w->wall));
  HT_TRY(ht_surface_load(&w->wall, &w->flow.domain, flow));
  for (int64_t p = 0; p < w->wall.points; p++) {
    double point[3], along = 0;
    for (int a = 0; a < 3; a++) {
      point[a] = w->wall.point_mm[3 * p + a];
      along += w->wall.wss_pa[3 * p + a] * w->flow.tube.direction[a];
    }
    double at = (ht_tube_locate(&w->flow.tube, &w->flow.domain.mask.grid, point).along_mm -
                 w->flow.tube.extension_mm) /
                vessel_mm(w);
    if (at > 0.25 && at < 0.75) continue;
    sum[at > 0.5] += along;
    count[at > 0.5]++;
  }
  for (int e = 0; e < ENDS; e++) w->wss[e][w->samples] = sum[e] / count[e];
  return HT_OK;
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  watch *w = user;
  if (w->samples == SAMPLES) return HT_OK;
  HT_TRY(take_wall(w, sample->flow));
  w->time[w->samples] = sample->time_s;
  w->in[w->samples] = sample->flow_ml_s[0];
  w->out[w->samples] = sample->flow_ml_s[1];
  w->drop[w->samples] = sample->pressure_pa[0] - sample->pressure_pa[1];
  w->exact[w->samples] = wall_pa(&w->series, sample->time_s);
  w->drop_exact[w->samples] = drop_pa(w, sample->time_s);
  w->samples++;
  return HT_OK;
}

static ht_status solve(const ht_validation_options *options, double length_mm, int across,
                       watch *w) {
  const double radius_mm = 0.5 * diameter_mm;
  const ht_tube_shape tube = {.direction = {0, 0, 1},
                              .length_mm = length_mm + diameter_mm,
                              .extension_mm = 0.5 * diameter_mm,
                              .spacing_mm = diameter_mm / across,
                              .flow_ml_s = flow_ml_s,
                              .most_radius_mm = radius_mm,
                              .radius_mm = ht_tube_constant_radius,
                              .context = &radius_mm};
  ht_solver_options solver = ht_validation_solver(options, own);
  ht_waveform *waveform;
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = ht_waveform_published(HT_WAVEFORM_CAROTID, waveform);
  if (status == HT_OK) status = ht_waveform_scale(waveform, flow_ml_s);
  if (status == HT_OK) ht_waveform_harmonics(waveform, 1e-3, HT_HARMONICS_MAX, &w->series);
  solver.profile = HT_PROFILE_WOMERSLEY;
  solver.waveform = waveform;
  solver.coarse_start = 1;
  solver.samples = SAMPLES;
  solver.observe = observe;
  solver.observe_user = w;
  if (status == HT_OK) status = ht_tube_flow_run(&tube, &solver, options->progress, &w->flow);
  free(waveform);
  return status;
}

/* RMS of the difference over `size`. */
static double off(const double *got, const double *exact, double size) {
  double sum = 0;
  for (int i = 0; i < SAMPLES; i++) sum += pow(got[i] - exact[i], 2) / SAMPLES;
  return sqrt(sum) / size;
}

static double swing(const double *value) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    low = fmin(low, value[i]);
    high = fmax(high, value[i]);
  }
  return high - low;
}

static void compare(const watch *w, ht_validation_result *result) {
  static const char *const end[ENDS] = {"first", "last"};
  const ht_flow_stats *stats = &w->flow.stats;
  double rms = off(w->exact, (const double[SAMPLES]){0}, 1);
  double drop_bar = 1e-3 * diameter_mm / stats->dx_m < 23 ? 0.05 : 0.03;
  ht_validation_error(result, fabs(stats->moment_imbalance), HT_SOUND_DEVIATION,
                      "flow in less flow out, largest of the beat, of the peak inflow");
  for (int e = 0; e < ENDS; e++)
    ht_validation_error(result, off(w->wss[e], w->exact, rms), 0.05,
                        "wall shear stress of the %s quarter, RMS over time", end[e]);
  ht_validation_error(result, off(w->drop, w->drop_exact, swing(w->drop_exact)), drop_bar,
                      "pressure drop, RMS over time over its swing");
  ht_validation_error(result, fabs(stats->mass_imbalance), 1e-3, "mass over the beat");
  ht_validation_show(result, (double)stats->steps, "steps on this lattice");
}

static ht_status draw(const watch *w, ht_validation_result *result) {
  ht_validation_figure *flow =
      ht_validation_plot(result, "flow", "Long slow pipe: flow in and out", "time, s", "mL/s");
  ht_validation_figure *wss = ht_validation_plot(
      result, "wall_shear_stress", "Long slow pipe: wall shear stress", "time, s", "Pa");
  HT_TRY(ht_validation_draw(flow, 1, SAMPLES, w->time, w->in, "in"));
  HT_TRY(ht_validation_draw(flow, 0, SAMPLES, w->time, w->out, "out"));
  HT_TRY(ht_validation_draw(wss, 1, SAMPLES, w->time, w->exact, "theory"));
  HT_TRY(ht_validation_draw(wss, 0, SAMPLES, w->time, w->wss[0], "computed, first quarter"));
  return ht_validation_draw(wss, 0, SAMPLES, w->time, w->wss[1], "computed, last quarter");
}

ht_status ht_validate_slow_pipe(const ht_validation_options *options,
                                ht_validation_result *result) {
  const double length_mm = options->full ? 100 : 40;
  int across;
  watch w = {.samples = 0};
  HT_TRY(ht_validation_nodes(options, 12, 24, 8, 64, &across));
  snprintf(result->notes, sizeof result->notes, "%s, fp32, %d nodes across, %g mm, %g mL/s",
           ht_validation_model(options, own), across, length_mm, flow_ml_s);
  ht_status status = solve(options, length_mm, across, &w);
  if (status == HT_OK && w.samples < SAMPLES)
    status = ht_fail(HT_ERR_INTERNAL, "only %d moments of the last period were seen", w.samples);
  if (status == HT_OK) {
    snprintf(result->device, sizeof result->device, "%s", w.flow.stats.device);
    compare(&w, result);
    status = draw(&w, result);
  }
  ht_surface_free(&w.wall);
  ht_tube_flow_free(&w.flow);
  return status;
}
