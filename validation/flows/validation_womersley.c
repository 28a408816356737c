/* Oscillating flow in a pipe, mean + mean cos(wt), at alpha 4, 8, 12 and angles to the lattice:
 * against Womersley's solution over the last period, in velocity and in wall shear stress. Mean
 * Reynolds number 10.
 *
 * The time step follows from the lattice's low speed of sound: a pipe with a velocity at one end
 * and a pressure at the other is a resonator with the period of four lengths over the speed of
 * sound, so the flow in its middle is off by 3/8 (w length / sound)^2. The step makes this 1 % at
 * 24 nodes across, and a quarter of it with each halving of the spacing; otherwise it would hide
 * the order of convergence. */
#include "export/wall/wall.h"
#include "validation/known/pipe_theory.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double diameter_mm = 4, reynolds = 10;
static const ht_collision own = HT_LBGK; /* what `collision: auto` takes for flows this slow */
static const double spin_up_s = 1;       /* about five times radius^2 / viscosity / 5.78 */
enum { SAMPLES = 40, RADII = 200, PHASES = 4, MOST_CYCLES = 60 };

/* The last period, moment by moment. */
typedef struct {
  ht_tube_flow flow;   /* the domain is made when the run begins */
  ht_womersley theory; /* m, s, m3/s */
  ht_surface wall;
  int samples;
  double velocity_off, velocity_size;     /* sums of squares over nodes and moments */
  double wss_off, wss_mean_off, wss_size; /* over points and moments; of the mean over the points */
  double time[SAMPLES], wss[SAMPLES], wss_exact[SAMPLES];
  ht_validation_figure *profiles; /* may be NULL */
} watch;

static double mean_m3_s(void) {
  double nu = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;
  return reynolds * nu * HT_PI * 0.25 * diameter_mm * 1e-3;
}

static double theory_at(const double *table, double off_mm) {
  double at = 2 * off_mm / diameter_mm * RADII;
  int i = (int)at;
  return i >= RADII ? 0 : table[i] + (at - i) * (table[i + 1] - table[i]);
}

static void compare_nodes(watch *w, const ht_flow *flow, const double *table) {
  const ht_mask *mask = &w->flow.domain.mask;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double point[3], square = 0;
    if (mask->inside[v] != HT_VESSEL || ht_flow_node(flow, v) < 0) continue;
    ht_grid_voxel_position(&mask->grid, v, point);
    ht_tube_place place = ht_tube_locate(&w->flow.tube, &mask->grid, point);
    double exact = theory_at(table, place.off_mm);
    const float *u = flow->velocity_m_s + 3 * ht_flow_node(flow, v);
    for (int a = 0; a < 3; a++) square += pow(u[a] - exact * w->flow.tube.direction[a], 2);
    w->velocity_off += square;
    w->velocity_size += exact * exact;
  }
}

static ht_status compare_wall(watch *w, double time_s, const ht_flow *flow) {
  double exact = HT_BLOOD_VISCOSITY_PA_S * ht_womersley_wall(&w->theory, time_s), sum = 0, off = 0;
  if (w->wall.points == 0) HT_TRY(ht_surface_build(&w->flow.domain, &w->wall));
  HT_TRY(ht_surface_load(&w->wall, &w->flow.domain, flow));
  for (int64_t p = 0; p < w->wall.points; p++) {
    double along = 0, square = 0;
    for (int a = 0; a < 3; a++) {
      double wanted = exact * w->flow.tube.direction[a];
      along += w->wall.wss_pa[3 * p + a] * w->flow.tube.direction[a];
      square += pow(w->wall.wss_pa[3 * p + a] - wanted, 2);
    }
    sum += along;
    off += square;
  }
  double points = (double)w->wall.points;
  w->wss_off += off / points;
  w->wss_mean_off += pow(sum / points - exact, 2);
  w->wss_size += exact * exact;
  w->time[w->samples] = time_s / w->theory.period;
  w->wss[w->samples] = sum / points;
  w->wss_exact[w->samples] = exact;
  return HT_OK;
}

static ht_status draw_profile(watch *w, double time_s, const double *table) {
  double r[RADII + 1];
  for (int i = 0; i <= RADII; i++) r[i] = 0.5 * diameter_mm * i / RADII;
  HT_TRY(ht_validation_draw(w->profiles, 1, RADII + 1, r, table, "theory, phase %.2f",
                            time_s / w->theory.period));
  return HT_OK;
}

static ht_status draw_computed(watch *w, double time_s, const ht_flow *flow) {
  enum { PLACES = 41 };
  double r[PLACES], u[PLACES], velocity[3], pressure;
  double middle_mm = 0.5 * w->flow.tube.length_mm;
  ht_tube_flow sampled = w->flow;
  sampled.flow = *flow;
  for (int i = 0; i < PLACES; i++) {
    r[i] = 0.5 * diameter_mm * i / (PLACES - 1);
    ht_tube_flow_sample(&sampled, middle_mm, r[i], velocity, &pressure);
    u[i] = 0;
    for (int a = 0; a < 3; a++) u[i] += velocity[a] * w->flow.tube.direction[a];
  }
  return ht_validation_draw(w->profiles, 0, PLACES, r, u, "computed, phase %.2f",
                            time_s / w->theory.period);
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  watch *w = user;
  const ht_flow *flow = sample->flow;
  double time_s = sample->time_s;
  double table[RADII + 1];
  if (w->samples == SAMPLES) return HT_OK;
  for (int i = 0; i <= RADII; i++)
    table[i] = ht_womersley_velocity(&w->theory, w->theory.radius * i / RADII, time_s);
  compare_nodes(w, flow, table);
  HT_TRY(compare_wall(w, time_s, flow));
  if (w->profiles && w->samples % (SAMPLES / PHASES) == 0) {
    HT_TRY(draw_profile(w, time_s, table));
    HT_TRY(draw_computed(w, time_s, flow));
  }
  w->samples++;
  return HT_OK;
}

/* ---- one pipe ---- */

typedef struct {
  double alpha;
  int angle, across;
} wanted;

/* Both ends of an inclined pipe lie a diameter farther away. Its outlet imposes one pressure on a
 * plane over which the true pressure varies; in fast oscillating flow that error (its first
 * azimuthal mode) decays by exp(-1.84) per radius. At the inlet the profile is prescribed on an
 * oblique plane; that error is of first order, and what it has of the mean flow decays by exp(-0.6)
 * per radius only: at alpha 4 and 45 degrees it would hide the order of convergence. */
static ht_tube_shape make_tube(const wanted *want, const double *radius_mm) {
  double turn = want->angle * HT_PI / 180, more = want->angle > 0 ? 1 : 0;
  return (ht_tube_shape){.direction = {sin(turn), 0, cos(turn)},
                         .length_mm = (2.5 + 2 * more + tan(turn)) * diameter_mm,
                         .extension_mm = (1 + more + 0.5 * tan(turn)) * diameter_mm,
                         .spacing_mm = diameter_mm / want->across,
                         .flow_ml_s = 1e6 * mean_m3_s(),
                         .most_radius_mm = *radius_mm,
                         .radius_mm = ht_tube_constant_radius,
                         .context = radius_mm};
}

/* The largest inlet velocity, lattice units, at the time step that the speed of sound needs. */
static double inlet_speed_lu(const ht_womersley *theory, const ht_tube_shape *tube) {
  double length = tube->length_mm / tube->spacing_mm, fastest = 0;
  double resonance = 0.01 * pow(24 * tube->spacing_mm / diameter_mm, 2);
  double steps = 2 * HT_PI * length * sqrt(3) / sqrt(resonance * 8 / 3); /* of a period */
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < RADII; k++)
      fastest = fmax(fastest, ht_womersley_velocity(theory, theory->radius * k / RADII,
                                                    theory->period * i / SAMPLES));
  return fastest * theory->period / steps / (1e-3 * tube->spacing_mm);
}

static ht_status solve(const ht_validation_options *options, const wanted *want, watch *w) {
  const double radius_mm = 0.5 * diameter_mm;
  const ht_tube_shape tube = make_tube(want, &radius_mm);
  ht_solver_options solver = ht_validation_solver(options, own);
  ht_waveform *waveform;
  ht_harmonics series = {.period_s = w->theory.period,
                         .mean_ml_s = 1e6 * w->theory.mean,
                         .harmonics = 1,
                         .cosine_ml_s = {1e6 * w->theory.amplitude}};
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = ht_waveform_series(&series, waveform);
  solver.precision = HT_FP64;
  solver.profile = HT_PROFILE_WOMERSLEY;
  solver.waveform = waveform;
  solver.cycles = (int)fmin(MOST_CYCLES, ceil(spin_up_s / w->theory.period) + 2);
  solver.samples = SAMPLES;
  solver.observe = observe;
  solver.observe_user = w;
  solver.max_velocity_lu = inlet_speed_lu(&w->theory, &tube);
  if (status == HT_OK) status = ht_tube_flow_run(&tube, &solver, options->progress, &w->flow);
  free(waveform);
  return status;
}

static ht_status draw_wss(const watch *w, const wanted *want, ht_validation_figure *figure) {
  HT_TRY(ht_validation_draw(figure, 1, w->samples, w->time, w->wss_exact, "theory, alpha %g",
                            want->alpha));
  return ht_validation_draw(figure, 0, w->samples, w->time, w->wss,
                            "alpha %g, %d degrees, %d across", want->alpha, want->angle,
                            want->across);
}

/* Bar of the wall shear stress: 5 % at 24 nodes across, 2 % at 48. */
static double wss_bar(int across) {
  return across < 24 ? NAN : across < 48 ? 0.05 : 0.02;
}

static ht_status run(const ht_validation_options *options, const wanted *want,
                     ht_validation_figure *figure[2], ht_validation_result *result,
                     double *velocity) {
  double nu = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3, radius_m = 0.5e-3 * diameter_mm;
  watch w = {.theory = {.radius = radius_m,
                        .alpha = want->alpha,
                        .period = ht_womersley_period(radius_m, nu, want->alpha),
                        .mean = mean_m3_s(),
                        .amplitude = mean_m3_s()},
             .profiles = figure[0]};
  ht_status status = solve(options, want, &w);
  if (status == HT_OK && w.samples < SAMPLES)
    status = ht_fail(HT_ERR_INTERNAL, "only %d moments of the last period were seen", w.samples);
  if (status == HT_OK) {
    *velocity = sqrt(w.velocity_off / w.velocity_size);
    ht_validation_error(result, *velocity, NAN, "alpha %g, %d degrees, %d across: velocity, L2",
                        want->alpha, want->angle, want->across);
    ht_validation_error(result, sqrt(w.wss_mean_off / w.wss_size), NAN,
                        "  wall shear stress, mean of the points, over time");
    ht_validation_error(result, sqrt(w.wss_off / w.wss_size), wss_bar(want->across),
                        "  wall shear stress, RMS over points and time");
    snprintf(result->device, sizeof result->device, "%s", w.flow.stats.device);
    if (figure[1]) status = draw_wss(&w, want, figure[1]);
  }
  ht_surface_free(&w.wall);
  ht_tube_flow_free(&w.flow);
  return status;
}

/* A pipe whose flow diverged gets a row of its own, so that hours of other pipes in the table are
 * not lost. */
static ht_status run_or_say(const ht_validation_options *options, const wanted *want,
                            ht_validation_figure *figure[2], ht_validation_result *result,
                            double *velocity) {
  ht_status status = run(options, want, figure, result, velocity);
  if (status != HT_ERR_DIVERGED) return status;
  *velocity = NAN;
  ht_validation_error(result, NAN, 0, "alpha %g, %d degrees, %d across: unstable", want->alpha,
                      want->angle, want->across);
  return HT_OK;
}

static ht_status run_levels(const ht_validation_options *options, double alpha, int angle,
                            int finest, ht_validation_figure *figure[2],
                            ht_validation_result *result) {
  ht_validation_figure *none[2] = {NULL, NULL};
  double velocity[2];
  if (ht_validation_part_done(options, NULL, 0)) return HT_OK;
  for (int k = 0; k < 2; k++) {
    const wanted want = {alpha, angle, finest >> (1 - k)};
    HT_TRY(run_or_say(options, &want, k ? figure : none, result, &velocity[k]));
  }
  ht_validation_band(result, log2(velocity[0] / velocity[1]), 1.8, INFINITY, 0,
                     "  order of the velocity");
  ht_validation_part_end(options, NULL, 0);
  return HT_OK;
}

ht_status ht_validate_womersley(const ht_validation_options *options,
                                ht_validation_result *result) {
  static const double alphas[] = {4, 8, 12};
  static const int angles[] = {0, 17, 45};
  int finest;
  HT_TRY(ht_validation_nodes(options, 24, 48, 24, 200, &finest));
  ht_validation_figure *profiles =
      ht_validation_plot(result, "velocity", "Womersley flow, alpha 8: velocity along the pipe",
                         "distance from the axis, mm", "velocity, m/s");
  ht_validation_figure *stress =
      ht_validation_plot(result, "wall_shear_stress", "Womersley flow: wall shear stress",
                         "time over period", "mean along the pipe, Pa");
  snprintf(result->notes, sizeof result->notes,
           "%s, fp64, mean Re %g, interpolated walls, flow mean (1 + cos)",
           ht_validation_model(options, own), reynolds);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      if (!options->full && (alphas[a] == 8 ? angles[i] != 17 : angles[i] != 0)) continue;
      ht_validation_figure *figure[2] = {alphas[a] == 8 && angles[i] == 17 ? profiles : NULL,
                                         angles[i] == 45 ? NULL : stress};
      HT_TRY(run_levels(options, alphas[a], angles[i], finest, figure, result));
    }
  return HT_OK;
}
