/* Turbulent flow in a periodic pipe at Re 5300, driven by a body force, along an axis of the
 * lattice and at 45 degrees: friction, and the profile in wall units. The small size is the laminar
 * flow at Re 50. */
#include "solver/plan/collision_limits.h"
#include "validation/runs/periodic_pipe.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_keep.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

static const double turbulent_reynolds = 5300, laminar_reynolds = 50;

/* Darcy: direct simulation of G. K. El Khoury, P. Schlatter, A. Noorani, P. F. Fischer, G.
 * Brethouwer & A. V. Johansson, Flow Turbul. Combust. 91 (2013) 475, whose u_tau / U is 0.068322.
 */
static const double reference_friction = 8 * 0.068322 * 0.068322;
/* Velocity at the axis over U: direct simulation of J. G. M. Eggels et al., J. Fluid Mech. 268
 * (1994) 175. */
static const double reference_centre = 1.31;

/* Bar of the friction by nodes across; the wall layer, 5 nu / u_tau thick, has 1.2 spacings at
 * 90. */
static double friction_bar(int across) {
  if (across >= 90) return 0.03;
  return across >= 60 ? 0.06 : NAN;
}

static ht_periodic_pipe base(const ht_validation_options *options, int across, int diagonal) {
  return (ht_periodic_pipe){.across = across,
                            .diagonal = diagonal,
                            .collision = ht_validation_turbulent(),
                            .device = options->device,
                            .threads = options->threads,
                            .progress = options->progress};
}

static const char *angle(int diagonal) {
  return diagonal ? "45 degrees" : "along an axis";
}

static void note(const ht_periodic_pipe *pipe, const ht_periodic_pipe_flow *flow,
                 ht_validation_result *result) {
  snprintf(result->device, sizeof result->device, "%s", flow->device);
  snprintf(result->notes, sizeof result->notes,
           "%s, fp32, U %g, %d across: %.2f M nodes, tau %.5f, %lld steps",
           ht_collision_words[pipe->collision], pipe->speed_lu, pipe->across,
           1e-6 * (double)flow->nodes, flow->tau, (long long)flow->steps);
}

/* ---- laminar ---- */

static ht_status run_laminar(const ht_validation_options *options, int across, int diagonal,
                             int half_way, ht_validation_result *result) {
  ht_periodic_pipe pipe = base(options, across, diagonal);
  static ht_periodic_pipe_flow flow;
  pipe.lengths = 1;
  pipe.half_way = half_way;
  pipe.reynolds = laminar_reynolds;
  pipe.speed_lu = 0.05;
  pipe.settle = 10; /* from the analytic flow; a radius^2 / viscosity is 12.5 D/U */
  pipe.average = 1;
  HT_TRY(ht_periodic_pipe_run(&pipe, &flow));
  note(&pipe, &flow, result);
  ht_validation_compare(result, flow.friction.mean, 64 / flow.reynolds, half_way ? NAN : 0.02,
                        "Re %g, %s, %s walls: friction factor", laminar_reynolds, angle(diagonal),
                        half_way ? "half-way" : "interpolated");
  return HT_OK;
}

static ht_status run_all_laminar(const ht_validation_options *options, int across,
                                 ht_validation_result *result) {
  for (int half_way = 0; half_way < 2; half_way++)
    for (int diagonal = 0; diagonal < 2; diagonal++)
      HT_TRY(run_laminar(options, across, diagonal, half_way, result));
  return HT_OK;
}

/* ---- turbulent ---- */

static void judge(const ht_periodic_pipe *pipe, const ht_periodic_pipe_flow *flow,
                  ht_validation_result *result) {
  ht_validation_compare(result, flow->friction.mean, reference_friction, friction_bar(pipe->across),
                        "%d across, %s: friction factor (+- %.2g)", pipe->across,
                        angle(pipe->diagonal), flow->friction.error);
  ht_validation_compare(result, flow->reynolds, turbulent_reynolds, 1e-3, "  Reynolds number");
  ht_validation_compare(result, flow->centre, reference_centre, NAN, "  velocity at the axis / U");
  ht_validation_band(result, flow->across_rms, 0.4, INFINITY, 0,
                     "  RMS across the pipe / u_tau (turbulent: above 0.4)");
  ht_validation_error(result, fabs(flow->density), 1e-3, "  mass gained or lost");
  ht_validation_show(result, flow->most_lu, "  largest velocity, lattice units");
}

static ht_status draw(const ht_periodic_pipe *pipe, const ht_periodic_pipe_flow *flow,
                      ht_validation_figure *mean, ht_validation_figure *rms) {
  HT_TRY(ht_validation_draw(mean, 1, flow->rings, flow->wall_units, flow->axial, "%d across, %s",
                            pipe->across, angle(pipe->diagonal)));
  return ht_validation_draw(rms, 1, flow->rings, flow->wall_units, flow->axial_rms, "%d across, %s",
                            pipe->across, angle(pipe->diagonal));
}

/* u+ = y+ in the viscous layer; 2.5 ln y+ + 5.5, what pipes of this Reynolds number have (Eggels et
 * al.), outside it. */
static ht_status draw_laws(ht_validation_figure *figure) {
  enum { STEPS = 25 };
  double y[STEPS], u[STEPS];
  for (int i = 0; i < STEPS; i++) y[i] = u[i] = 0.4 * i;
  HT_TRY(ht_validation_draw(figure, 0, STEPS, y, u, "u+ = y+"));
  for (int i = 0; i < STEPS; i++) {
    y[i] = 30 + 150.0 * i / (STEPS - 1);
    u[i] = 2.5 * log(y[i]) + 5.5;
  }
  return ht_validation_draw(figure, 0, STEPS, y, u, "2.5 ln y+ + 5.5");
}

static ht_status run_turbulent(const ht_validation_options *options, int across, int diagonal,
                               ht_validation_figure *mean, ht_validation_figure *rms,
                               ht_validation_result *result) {
  ht_periodic_pipe pipe = base(options, across, diagonal);
  static ht_periodic_pipe_flow flow;
  if (ht_validation_part_done(options, NULL, 0)) return HT_OK;
  pipe.keeping = ht_validation_part_keeping(options, NULL);
  pipe.lengths = 5;
  pipe.reynolds = turbulent_reynolds;
  pipe.speed_lu = 0.07;
  pipe.disturbance = 0.3;
  pipe.settle = 60;
  pipe.average = 150;
  pipe.samples = 25;
  pipe.corrects_diagonals =
      ht_collision_has_jets(pipe.collision, reference_centre * turbulent_reynolds / across);
  HT_TRY(ht_periodic_pipe_run(&pipe, &flow));
  note(&pipe, &flow, result);
  judge(&pipe, &flow, result);
  HT_TRY(draw(&pipe, &flow, mean, rms));
  ht_validation_part_end(options, NULL, 0);
  return HT_OK;
}

static ht_status run_all_turbulent(const ht_validation_options *options, int across,
                                   ht_validation_result *result) {
  ht_validation_figure *mean =
      ht_validation_plot(result, "profile", "Turbulent pipe, Re 5300: mean velocity",
                         "distance from the wall, y+", "velocity, u+");
  ht_validation_figure *rms =
      ht_validation_plot(result, "fluctuation", "Turbulent pipe, Re 5300: fluctuation along it",
                         "distance from the wall, y+", "RMS, u+");
  for (int k = options->nodes_across ? 1 : 0; k < 2; k++)
    for (int diagonal = 0; diagonal < 2; diagonal++)
      HT_TRY(run_turbulent(options, k ? across : 60, diagonal, mean, rms, result));
  return draw_laws(mean);
}

ht_status ht_validate_turbulent_pipe(const ht_validation_options *options,
                                     ht_validation_result *result) {
  int across;
  HT_TRY(ht_validation_nodes(options, 12, 90, 12, 200, &across));
  return options->full ? run_all_turbulent(options, across, result)
                       : run_all_laminar(options, across, result);
}
