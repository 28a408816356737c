/* Shear-thinning blood (Carreau-Yasuda) in a pipe: pressure gradient and velocity against the
 * numerical solution across the pipe (pipe_theory.h), at mean shear rates where the viscosity
 * changes most.
 */
#include "validation/known/pipe_theory.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include "validation/flows/validation_tube.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>

static const double diameter_mm = 4;
enum { LEVELS = 2 };

static double viscosity_pa_s(const void *context, double shear_rate) {
  const ht_blood *blood = context;
  double fast = pow(1 + pow(blood->carreau_time_s * shear_rate, blood->carreau_yasuda),
                    (blood->carreau_index - 1) / blood->carreau_yasuda);
  return blood->carreau_high_pa_s + (blood->carreau_rest_pa_s - blood->carreau_high_pa_s) * fast;
}

/* Relative L2 of the velocity over the nodes of the vessel, and its pressure gradient over the
 * theory's. */
static void compare(const ht_tube_flow *flow, const ht_pipe_flow *theory, double *velocity,
                    double *gradient) {
  double off = 0, size = 0, axial, pressure;
  ht_slope pressures = {0};
  for (int64_t v = 0; v < ht_grid_voxels(&flow->flow.grid); v++) {
    ht_tube_place place;
    if (flow->domain.mask.inside[v] != HT_VESSEL) continue;
    if (!ht_tube_flow_at(flow, v, &place, &axial, &pressure)) continue;
    double exact = ht_pipe_flow_velocity(theory, 1e-3 * place.off_mm);
    off += pow(axial - exact, 2);
    size += exact * exact;
    ht_slope_add(&pressures, place.along_mm, pressure);
  }
  *velocity = sqrt(off / size);
  *gradient = -1e3 * ht_slope_of(&pressures) / theory->gradient;
}

static ht_status draw(const ht_tube_flow *flow, const ht_pipe_flow *theory, double rate,
                      ht_validation_figure *figure) {
  enum { PLACES = 41 };
  double r[PLACES], u[PLACES], exact[PLACES], velocity[3], p;
  for (int i = 0; i < PLACES; i++) {
    r[i] = 0.5 * diameter_mm * i / (PLACES - 1);
    ht_tube_flow_sample(flow, 0.5 * flow->tube.length_mm, r[i], velocity, &p);
    u[i] = velocity[2] / ht_pipe_flow_velocity(theory, 0);
    exact[i] = ht_pipe_flow_velocity(theory, 1e-3 * r[i]) / ht_pipe_flow_velocity(theory, 0);
  }
  HT_TRY(ht_validation_draw(figure, 1, PLACES, r, exact, "theory, mean rate %g /s", rate));
  return ht_validation_draw(figure, 0, PLACES, r, u, "computed, %g /s", rate);
}

/* Runs the flow. `rate`: the mean shear rate 8 U / D, U the mean velocity. */
static ht_status run(const ht_validation_options *options, double rate, int across,
                     ht_validation_figure *figure, ht_validation_result *result, double *velocity) {
  const double radius_mm = 0.5 * diameter_mm;
  const double flow_m3_s = rate * 1e-3 * diameter_mm / 8 * HT_PI * 1e-6 * radius_mm * radius_mm;
  const ht_tube_shape tube = {.direction = {0, 0, 1},
                              .length_mm = 5 * diameter_mm,
                              .extension_mm = 2 * diameter_mm,
                              .spacing_mm = diameter_mm / across,
                              .flow_ml_s = 1e6 * flow_m3_s,
                              .most_radius_mm = radius_mm,
                              .radius_mm = ht_tube_constant_radius,
                              .context = &radius_mm};
  ht_solver_options solver = ht_validation_solver(options, HT_LBGK);
  ht_tube_flow flow;
  ht_pipe_flow theory;
  double gradient;
  solver.precision = HT_FP64;
  solver.blood.model = HT_CARREAU_YASUDA;
  solver.max_velocity_lu = 0.02 * 24 / across;
  ht_pipe_flow_solve(1e-3 * radius_mm, flow_m3_s, viscosity_pa_s, &solver.blood, &theory);
  ht_status status = ht_tube_flow_run(&tube, &solver, options->progress, &flow);
  if (status == HT_OK) {
    compare(&flow, &theory, velocity, &gradient);
    ht_validation_error(result, *velocity, across >= 24 ? 0.02 : NAN,
                        "8 U/D %g /s, %d across: velocity, L2", rate, across);
    ht_validation_compare(result, gradient * theory.gradient, theory.gradient,
                          across >= 24 ? 0.05 : NAN, "  pressure gradient, Pa/m");
    snprintf(result->device, sizeof result->device, "%s", flow.stats.device);
    if (figure) status = draw(&flow, &theory, rate, figure);
  }
  ht_tube_flow_free(&flow);
  return status;
}

ht_status ht_validate_carreau(const ht_validation_options *options, ht_validation_result *result) {
  static const double rates[] = {5, 50};
  int finest;
  HT_TRY(ht_validation_nodes(options, 24, 48, 24, 128, &finest));
  ht_validation_figure *figure =
      ht_validation_plot(result, "velocity", "Carreau-Yasuda blood in a pipe: velocity",
                         "distance from the axis, mm", "velocity over that on the axis");
  snprintf(result->notes, sizeof result->notes,
           "%s, fp64, blood of Cho & Kensey (1991); rates 8 U/D",
           ht_validation_model(options, HT_LBGK));
  for (int i = 0; i < 2; i++) {
    double velocity[LEVELS];
    for (int k = 0; k < LEVELS; k++)
      HT_TRY(run(options, rates[i], finest >> (1 - k), k ? figure : NULL, result, &velocity[k]));
    ht_validation_show(result, log2(velocity[0] / velocity[1]), "  order of the velocity");
  }
  return HT_OK;
}
