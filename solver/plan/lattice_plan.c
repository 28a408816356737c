#include "solver/plan/lattice_plan.h"
#include "solver/plan/collision_choice.h"
#include "solver/plan/plan.h"
#include "solver/plan/plan_sound.h"
#include "solver/plan/time_step.h"
#include <math.h>

/* Returns the size on a lattice `ratio` times as fine. */
static ht_plan_size scaled(const ht_plan_size *size, double ratio) {
  return (ht_plan_size){.nodes = size->nodes * pow(ratio, 3),
                        .widest_port = size->widest_port * ratio * ratio,
                        .side = size->side * ratio,
                        .narrowest_m = size->narrowest_m};
}

static double steps_of(const ht_plan_size *size, const ht_solver_options *options,
                       const ht_plan *plan) {
  if (plan->cycle_steps > 0) return (double)plan->cycle_steps * options->cycles;
  if (options->stop_at_max_steps) return (double)plan->max_steps;
  return fmin(ht_plan_likely_steps(size, plan), (double)plan->max_steps);
}

/* Plans a lattice by the speeds of the domain. sound_m_s: least of a flow without and with jets. */
static void plan_at(const ht_plan_size *own, const ht_plan *speeds, const double sound_m_s[2],
                    const ht_solver_options *options, int is_auto, double spacing_mm,
                    ht_lattice_plan *to) {
  const ht_plan_size size = scaled(own, 1e3 * speeds->units.dx_m / spacing_mm);
  ht_plan plan = *speeds;
  ht_solver_options at = *options;
  ht_collision_choice choice;
  plan.units.dx_m = plan.finest_dx_m = 1e-3 * spacing_mm;
  plan.peak_cell_m2_s = plan.peak_speed_m_s * plan.units.dx_m;
  plan.sound_m_s =
      sound_m_s[ht_collision_is_for_jets(ht_collision_for(ht_plan_cell_reynolds(&plan, options)))];
  ht_collision_choose_at(&plan, options, &choice);
  if (is_auto) at.collision = choice.collision;
  ht_plan_set_step(&at, &plan);
  plan.tau = ht_units_tau(&plan.units, plan.least_viscosity_pa_s);
  ht_plan_set_steps(&size, &at, &plan);
  *to = (ht_lattice_plan){.collision = at.collision,
                          .nodes = size.nodes,
                          .inlet_cell_reynolds = choice.inlet_cell_reynolds,
                          .throat_cell_reynolds = choice.throat_cell_reynolds,
                          .tau = plan.tau,
                          .steps = steps_of(&size, &at, &plan),
                          .most_steps = (double)plan.max_steps};
  ht_coarse_choose_at(&plan, size.narrowest_m, &at, &to->coarse);
}

ht_status ht_lattice_plans(const ht_domain *domain, const ht_solver_options *options, int is_auto,
                           int count, const double *spacing_mm, ht_lattice_plan *plan) {
  ht_plan speeds;
  ht_status status = ht_plan_speeds(domain, options, &speeds);
  if (status == HT_OK) {
    const ht_plan_size own = ht_plan_size_of(domain, options);
    const double sound_m_s[2] = {ht_plan_least_sound(&speeds, options, 0),
                                 ht_plan_least_sound(&speeds, options, 1)};
    for (int i = 0; i < count; i++)
      plan_at(&own, &speeds, sound_m_s, options, is_auto, spacing_mm[i], &plan[i]);
  }
  ht_plan_free(&speeds);
  return status;
}
