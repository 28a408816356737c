/* Poiseuille flow in a pipe at angles to the lattice: order of the velocity, error of the wall
 * shear stress. Interpolated walls have bars, half-way walls are for information. Reynolds number
 * 20; the largest lattice velocity is proportional to the spacing, so that the relaxation time is
 * the same at every resolution. */
#include "export/wall/wall.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double diameter_mm = 4, reynolds = 20;
static const int angles[] = {0, 17, 45};
enum { ANGLES = sizeof angles / sizeof *angles, LEVELS = 3, MOST_ACROSS = 200 };

/* Relative errors of one pipe. */
typedef struct {
  double velocity;          /* L2 over the nodes of the middle half */
  double gradient;          /* of the pressure there */
  double wss_mean, wss_rms; /* at the points of the wall there */
  double dissipation;       /* of the flow times the pressure's loss there */
  double mass;
} errors;

static double flow_ml_s(void) {
  double nu = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;
  return reynolds * nu * HT_PI * 0.25 * diameter_mm * 1e-3 * 1e6;
}

static double mean_m_s(void) {
  return 4 * flow_ml_s() / (HT_PI * diameter_mm * diameter_mm);
}

/* The disturbance of the ports has decayed two diameters inside; an oblique port also reaches half
 * a diameter times the slope into the pipe. The vessel is one diameter. */
static ht_tube_shape make_tube(int across, int angle, const double *radius_mm) {
  double turn = angle * HT_PI / 180;
  return (ht_tube_shape){.direction = {sin(turn), 0, cos(turn)},
                         .length_mm = (5 + tan(turn)) * diameter_mm,
                         .extension_mm = (2 + 0.5 * tan(turn)) * diameter_mm,
                         .spacing_mm = diameter_mm / across,
                         .flow_ml_s = flow_ml_s(),
                         .most_radius_mm = *radius_mm,
                         .radius_mm = ht_tube_constant_radius,
                         .context = radius_mm};
}

/* ---- velocity and pressure ---- */

static double exact_m_s(double off_mm) {
  double part = 2 * off_mm / diameter_mm;
  return 2 * mean_m_s() * (1 - part * part);
}

static void compare_nodes(const ht_tube_flow *flow, errors *e) {
  double off = 0, size = 0, axial, pressure;
  const double fall =
      -32 * HT_BLOOD_VISCOSITY_PA_S * mean_m_s() / (diameter_mm * diameter_mm) * 1e3;
  ht_slope pressures = {0};
  for (int64_t v = 0; v < ht_grid_voxels(&flow->flow.grid); v++) {
    ht_tube_place place;
    if (flow->domain.mask.inside[v] != HT_VESSEL) continue;
    if (!ht_tube_flow_at(flow, v, &place, &axial, &pressure)) continue;
    double exact = exact_m_s(place.off_mm), square = 0;
    const float *u = flow->flow.velocity_m_s + 3 * ht_flow_node(&flow->flow, v);
    for (int a = 0; a < 3; a++) square += pow(u[a] - exact * flow->tube.direction[a], 2);
    off += square;
    size += exact * exact;
    ht_slope_add(&pressures, place.along_mm, pressure);
  }
  e->velocity = sqrt(off / size);
  e->gradient = ht_slope_of(&pressures) / fall - 1;
}

/* ---- wall shear stress ---- */

static ht_status compare_wall(const ht_tube_flow *flow, errors *e) {
  const double exact = 8 * HT_BLOOD_VISCOSITY_PA_S * mean_m_s() / (diameter_mm * 1e-3);
  double sum = 0, square = 0;
  ht_surface surface = {0};
  ht_status status = ht_surface_build(&flow->domain, &surface);
  if (status == HT_OK) status = ht_surface_load(&surface, &flow->domain, &flow->flow);
  for (int64_t p = 0; status == HT_OK && p < surface.points; p++) {
    double along = 0;
    for (int a = 0; a < 3; a++) along += surface.wss_pa[3 * p + a] * flow->tube.direction[a];
    sum += along / exact - 1;
    square += pow(surface.wss_mag_pa[p] / exact - 1, 2);
  }
  e->wss_mean = sum / (double)surface.points;
  e->wss_rms = sqrt(square / (double)surface.points);
  ht_surface_free(&surface);
  return status;
}

/* ---- one pipe, one angle ---- */

static ht_status draw(const ht_tube_flow *flow, int angle, int across,
                      ht_validation_figure *figure) {
  static double r[MOST_ACROSS * MOST_ACROSS / 4], u[MOST_ACROSS * MOST_ACROSS / 4];
  double axial, pressure;
  int count = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&flow->flow.grid); v++) {
    ht_tube_place place;
    if (!ht_tube_flow_at(flow, v, &place, &axial, &pressure)) continue;
    if (fabs(place.along_mm - 0.5 * flow->tube.length_mm) > 0.5 * flow->tube.spacing_mm) continue;
    if (count == MOST_ACROSS * MOST_ACROSS / 4) break;
    r[count] = place.off_mm;
    u[count++] = axial;
  }
  return ht_validation_draw(figure, 0, count, r, u, "%d degrees, %d across", angle, across);
}

static ht_status draw_exact(ht_validation_figure *figure) {
  enum { PLACES = 101 };
  double r[PLACES], u[PLACES];
  for (int i = 0; i < PLACES; i++) {
    r[i] = 0.5 * diameter_mm * i / (PLACES - 1);
    u[i] = exact_m_s(r[i]);
  }
  return ht_validation_draw(figure, 1, PLACES, r, u, "Poiseuille");
}

static ht_status run(const ht_validation_options *options, ht_walls walls, int across, int angle,
                     ht_validation_figure *figure, ht_validation_result *result, errors *e) {
  const double radius_mm = 0.5 * diameter_mm;
  const ht_tube_shape tube = make_tube(across, angle, &radius_mm);
  ht_solver_options solver = ht_validation_solver(options, HT_LBGK);
  ht_tube_flow flow;
  solver.precision = HT_FP64;
  solver.walls = walls;
  solver.max_velocity_lu = 0.05 * 24 / across;
  /* A flow whose velocity changes by 1e-7 per step is still 3e-4 from the steady one at 48 nodes
   * across, as much as the walls' error there. */
  solver.steady_tolerance = 1e-8;
  ht_status status = ht_tube_flow_run(&tube, &solver, options->progress, &flow);
  if (status == HT_OK) {
    snprintf(result->device, sizeof result->device, "%s", flow.stats.device);
    snprintf(result->notes, sizeof result->notes, "%s, fp64, Re %g, tau %.3f",
             ht_validation_model(options, HT_LBGK), reynolds, flow.stats.tau);
    e->mass = fabs(flow.stats.mass_imbalance);
    compare_nodes(&flow, e);
    e->dissipation = ht_tube_flow_dissipation(&flow) - 1;
    status = compare_wall(&flow, e);
  }
  if (status == HT_OK && figure) status = draw(&flow, angle, across, figure);
  ht_tube_flow_free(&flow);
  return status;
}

/* The bars of the wall shear stress. */
static double wss_bar(ht_walls walls, int across) {
  if (walls != HT_WALLS_INTERPOLATED || across < 24) return NAN;
  return across < 48 ? 0.05 : 0.02;
}

static double dissipation_bar(ht_walls walls, int across) {
  return walls == HT_WALLS_INTERPOLATED && across >= 20 ? 0.02 : NAN;
}

static ht_status run_angle(const ht_validation_options *options, ht_walls walls, int finest,
                           int angle, ht_validation_figure *figure, ht_validation_result *result) {
  errors e[LEVELS];
  int levels = options->full ? LEVELS : LEVELS - 1, last = levels - 1;
  for (int k = 0; k < levels; k++) {
    int across = finest >> (last - k);
    HT_TRY(run(options, walls, across, angle, k == last ? figure : NULL, result, &e[k]));
    ht_validation_error(result, e[k].velocity, NAN, "%s, %d degrees, %d across: velocity, L2",
                        ht_walls_words[walls], angle, across);
    ht_validation_error(result, fabs(e[k].gradient), NAN, "  pressure gradient");
    ht_validation_error(result, fabs(e[k].wss_mean), NAN, "  wall shear stress, mean");
    ht_validation_error(result, e[k].wss_rms, wss_bar(walls, across), "  wall shear stress, RMS");
    ht_validation_error(result, fabs(e[k].dissipation), dissipation_bar(walls, across),
                        "  viscous dissipation over flow times pressure drop");
  }
  ht_validation_error(result, e[last].mass, 1e-3, "  mass: (in - out) / in");
  ht_validation_band(result, log2(e[last - 1].velocity / e[last].velocity), 1.8, INFINITY,
                     walls == HT_WALLS_INTERPOLATED ? 0 : NAN, "  order of the velocity");
  return HT_OK;
}

ht_status ht_validate_pipe(const ht_validation_options *options, ht_validation_result *result) {
  int finest;
  HT_TRY(ht_validation_nodes(options, 24, 48, 24, MOST_ACROSS, &finest));
  ht_validation_figure *figure =
      ht_validation_plot(result, "velocity", "Pipe: velocity along it, in the middle",
                         "distance from the axis, mm", "velocity, m/s");
  HT_TRY(draw_exact(figure));
  for (int i = 0; i < ANGLES; i++) {
    HT_TRY(run_angle(options, HT_WALLS_INTERPOLATED, finest, angles[i], figure, result));
    HT_TRY(run_angle(options, HT_WALLS_HALF_WAY, finest, angles[i], NULL, result));
  }
  return HT_OK;
}
