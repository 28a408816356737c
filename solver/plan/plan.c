#include "solver/plan/plan.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/plan_ports.h"
#include "solver/plan/plan_refuse.h"
#include "solver/plan/plan_sound.h"
#include "solver/plan/time_step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double ht_cell_reynolds_max(const ht_solver_options *options) {
  return ht_collision_limits_of(options->collision)->cell_reynolds_max;
}

ht_status ht_plan_speeds(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  memset(plan, 0, sizeof *plan);
  HT_TRY(ht_solver_check(options));
  plan->units.dx_m = domain->mask.grid.spacing_mm[0] * 1e-3 * (1 << options->halvings);
  plan->finest_dx_m = plan->units.dx_m / (1 << (options->halvings + options->finer));
  plan->units.density_kg_m3 = options->density_kg_m3;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &plan->least_viscosity_pa_s,
                 &plan->most_viscosity_pa_s);
  HT_TRY(ht_plan_inlets(domain, options, plan));
  HT_TRY(ht_plan_outlets(domain, options, plan));
  HT_TRY(ht_plan_throat(options, plan));
  return ht_plan_sound(domain, options, plan);
}

/* ---- the number of steps ---- */

ht_plan_size ht_plan_size_of(const ht_domain *domain, const ht_solver_options *options) {
  const int *dim = domain->mask.grid.dim;
  ht_plan_size size = {.nodes = (double)ht_mask_count(&domain->mask),
                       .side = fmax(dim[0], fmax(dim[1], dim[2])),
                       .narrowest_m = INFINITY};
  for (int p = 0; p < domain->ports; p++) {
    const ht_port *port = &domain->port[p];
    const double dx_m = 1e-3 * ht_port_grid(domain, p).spacing_mm[0];
    double area = (double)port->nodes * dx_m * dx_m * fabs(port->direction[port->axis]);
    size.widest_port = fmax(size.widest_port, ldexp((double)port->nodes, -2 * port->halvings));
    size.narrowest_m = fmin(size.narrowest_m, sqrt(4 * area / HT_PI));
  }
  if (options->throat_mm > 0) size.narrowest_m = fmin(size.narrowest_m, 1e-3 * options->throat_mm);
  size.side /= 1 << options->halvings;
  size.widest_port /= 1 << (2 * options->halvings);
  size.nodes /= 1 << (3 * options->halvings);
  return size;
}

/* Returns the steps to settle. `flush`: steps in which the volume passes; `develop`: steps of a
 * developing profile, R^2 / (5.78 nu), the slowest mode of start-up pipe flow. */
static double settle_steps(const ht_plan_size *size, const ht_plan *plan) {
  double flush = size->nodes / ht_units_flow_lu(&plan->units, plan->flow_m3_s);
  double develop = size->widest_port / HT_PI / (5.78 * (plan->tau - 0.5) / 3);
  return flush + develop;
}

double ht_plan_likely_steps(const ht_plan_size *size, const ht_plan *plan) {
  for (int p = 0; p < HT_OPENINGS_MAX; p++) /* a flow with noise does not come to rest */
    if (plan->inlet[p] && plan->inlet[p]->noise_modes > 0) return (double)plan->max_steps;
  return (double)plan->ramp_steps + 1.6 * settle_steps(size, plan);
}

void ht_plan_set_steps(const ht_plan_size *size, const ht_solver_options *options, ht_plan *plan) {
  plan->ramp_steps = 4 * (int64_t)size->side;
  if (plan->cycle_steps / 4 > plan->ramp_steps) plan->ramp_steps = plan->cycle_steps / 4;
  /* several times the expected number */
  plan->max_steps =
      options->max_steps ? options->max_steps : (int64_t)fmax(20000, 12 * settle_steps(size, plan));
}

/* ---- the whole ---- */

ht_status ht_plan_make(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  if (ht_solver_is_pulse(options) && options->max_steps > 0) {
    memset(plan, 0, sizeof *plan);
    return ht_fail(HT_ERR_CASE, "a pulsatile flow runs over cycles: give cycles, and neither steps "
                                "nor max_steps");
  }
  HT_TRY(ht_plan_speeds(domain, options, plan));
  ht_plan_set_step(options, plan);
  plan->tau = ht_units_tau(&plan->units, plan->least_viscosity_pa_s);
  plan->most_tau = ht_units_tau(&plan->units, plan->most_viscosity_pa_s);
  double cell_reynolds = plan->peak_cell_m2_s * options->density_kg_m3 / plan->least_viscosity_pa_s;
  if (cell_reynolds > ht_cell_reynolds_max(options))
    return ht_plan_refuse_speed(plan, options, cell_reynolds);
  if (plan->tau < ht_collision_limits_of(options->collision)->tau_min)
    return ht_plan_refuse_tau(plan, options);
  ht_plan_predict_deviation(options, plan);
  const ht_plan_size size = ht_plan_size_of(domain, options);
  ht_plan_set_steps(&size, options, plan);
  return HT_OK;
}

int ht_plan_has_jets(const ht_plan *plan, const ht_solver_options *options) {
  return ht_collision_has_jets(options->collision, ht_plan_cell_reynolds(plan, options));
}

int ht_plan_corrects_diagonals(const ht_plan *plan, const ht_solver_options *options) {
  return options->diagonal_correction && options->precision != HT_FP16 &&
         ht_plan_has_jets(plan, options);
}

void ht_plan_free(ht_plan *plan) {
  if (!plan) return;
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    ht_inlet_modes_free(plan->inlet[p]);
    free(plan->inlet[p]);
  }
  ht_sound_lines_free(&plan->sound);
  memset(plan, 0, sizeof *plan);
}

ht_status ht_solver_plan(const ht_domain *domain, const ht_solver_options *options, ht_units *units,
                         ht_flow_stats *stats) {
  ht_plan plan;
  ht_status status = ht_plan_make(domain, options, &plan);
  *units = plan.units;
  if (stats) {
    stats->dx_m = plan.finest_dx_m;
    stats->dt_s = plan.units.dt_s;
    stats->tau = plan.tau;
    stats->reynolds = plan.reynolds;
  }
  ht_plan_free(&plan);
  return status;
}
