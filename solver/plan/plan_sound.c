#include "solver/plan/plan_sound.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/plan_ports.h"
#include "solver/plan/time_step.h"
#include <math.h>

static void describe_end(const ht_domain *domain, int p, ht_sound_end *end) {
  const ht_port *port = &domain->port[p];
  const ht_grid grid = ht_port_grid(domain, p);
  const double times = 1 << port->halvings;
  double section = (double)port->nodes * fabs(port->direction[port->axis]) / (times * times);
  *end = (ht_sound_end){.radius = sqrt(section / HT_PI),
                        .is_inlet = port->opening.role == HT_ROLE_INLET};
  for (int64_t i = 0; i < port->nodes; i++) {
    int at[3];
    ht_voxel_place(grid.dim, port->node[i], at);
    for (int a = 0; a < 3; a++) end->centre[a] += (double)at[a] / (double)port->nodes;
  }
  for (int a = 0; a < 3 && times > 1; a++) end->centre[a] = (end->centre[a] + 0.5) / times - 0.5;
}

/* Describes the ends for sound. The run reports what is wrong with an outlet's Windkessel. */
static ht_status describe_ends(const ht_domain *domain, const ht_solver_options *options,
                               const ht_plan *plan, ht_sound_end *end) {
  double share[HT_OPENINGS_MAX];
  ht_outlet_settings settings = ht_plan_outlet_settings(options);
  const ht_outlet_settings by_area = {.model = HT_OUTLETS_AREA};
  HT_TRY(ht_outlet_shares(domain, &by_area, share));
  for (int p = 0; p < domain->ports; p++) {
    describe_end(domain, p, &end[p]);
    end[p].share = plan->share[p] > 0 ? plan->share[p] : share[p];
    if (options->outlets != HT_OUTLETS_WINDKESSEL || end[p].is_inlet) continue;
    if (ht_windkessel_make(domain, p, &settings, plan->share[p], plan->flow_m3_s,
                           &end[p].windkessel) != HT_OK)
      end[p].windkessel = (ht_windkessel){0};
  }
  return HT_OK;
}

static ht_sound_pulse pulse_of(const ht_solver_options *options, const ht_plan *plan) {
  return ht_sound_pulse_of(options->waveform, plan->least_viscosity_pa_s / options->density_kg_m3,
                           options->density_kg_m3);
}

/* Share of the largest deviation to aim at: measured deviations are up to 1.15 of those predicted
 * (docs/notes/solver/sound.md). */
static const double sound_to_spare = 0.85;

double ht_plan_sound_aim(const ht_solver_options *options, int has_jets) {
  double most = options->sound_deviation;
  if (!(most > 0)) most = has_jets ? HT_SOUND_DEVIATION_JETS : HT_SOUND_DEVIATION;
  return most < 1 ? sound_to_spare * most : 0;
}

double ht_plan_least_sound(const ht_plan *plan, const ht_solver_options *options, int has_jets) {
  if (!ht_solver_is_pulse(options)) return 0;
  ht_sound_pulse pulse = pulse_of(options, plan);
  return ht_sound_least_speed(&plan->sound, &pulse, ht_plan_sound_aim(options, has_jets));
}

ht_status ht_plan_sound(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  ht_sound_end end[HT_OPENINGS_MAX];
  if (!ht_solver_is_pulse(options)) return HT_OK;
  HT_TRY(describe_ends(domain, options, plan, end));
  HT_TRY(ht_sound_lines_make(&domain->mask, domain->ports, end, &plan->sound));
  int jets = ht_collision_is_for_jets(ht_collision_for(ht_plan_cell_reynolds(plan, options)));
  plan->sound_m_s = ht_plan_least_sound(plan, options, jets);
  return HT_OK;
}

double ht_plan_sound_m_s(const ht_plan *plan) {
  return plan->units.dx_m / (sqrt(3) * plan->units.dt_s);
}

int ht_plan_keeps_sound(const ht_plan *plan, const ht_solver_options *options) {
  ht_plan stepped = *plan;
  stepped.units.dt_s = ht_plan_step_s(plan, options);
  return ht_plan_sound_m_s(&stepped) >= 0.99 * plan->sound_m_s;
}

ht_collision ht_plan_collision_for_sound(const ht_plan *plan, const ht_solver_options *options,
                                         ht_collision cheapest) {
  ht_solver_options tried = *options;
  for (int c = (int)cheapest; c < (int)ht_collision_most_capable(); c++) {
    tried.collision = (ht_collision)c;
    if (ht_plan_keeps_sound(plan, &tried)) return tried.collision;
  }
  return ht_collision_most_capable();
}

void ht_plan_predict_deviation(const ht_solver_options *options, ht_plan *plan) {
  if (!ht_solver_is_pulse(options)) return;
  ht_sound_pulse pulse = pulse_of(options, plan);
  plan->sound_off = ht_sound_deviation(&plan->sound, &pulse, ht_plan_sound_m_s(plan));
}
