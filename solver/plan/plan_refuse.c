#include "solver/plan/plan_refuse.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/time_step.h"
#include <math.h>
#include <stdio.h>

ht_status ht_plan_refuse_speed(const ht_plan *plan, const ht_solver_options *options,
                               double cell_reynolds) {
  double most = ht_collision_limits_of(options->collision)->cell_reynolds_max;
  double share = 0.98 * most / cell_reynolds;
  double dx_mm = 1e3 * plan->peak_cell_m2_s / plan->peak_speed_m_s;
  double flow_ml_s = 1e6 * plan->flow_m3_s, times = pow(1 / share, 3);
  char mrt[160] = "";
  if (options->collision == HT_LBGK && cell_reynolds < 2 * most)
    snprintf(mrt, sizeof mrt, ", or --collision mrt (up to 50)");
  else if (options->collision == HT_LBGK)
    snprintf(mrt, sizeof mrt,
             "; or --collision mrt (up to 50) with a spacing of %.3g mm (about %.2g times the "
             "memory), or with at most %.4g mL/s",
             dx_mm * 2 * share, times / 8, flow_ml_s * 2 * share);
  return ht_fail(
      HT_ERR_UNSTABLE,
      "this flow cannot be run stably on this lattice: the cell Reynolds number (peak inlet "
      "velocity %.3g m/s * spacing %.4g mm / kinematic viscosity) is %.3g, at most %.0f is "
      "allowed. "
      "Either take a spacing of %.3g mm or finer (about %.*f times the memory), or an inflow of at "
      "most %.4g mL/s in place of %.4g mL/s%s",
      plan->peak_speed_m_s, dx_mm, cell_reynolds, most, dx_mm * share, times < 10 ? 1 : 0, times,
      flow_ml_s * share, flow_ml_s, mrt);
}

/* Refuses blood whose viscosity at rest needs too short a time step for that at high shear. */
static ht_status refuse_range(const ht_plan *plan, double tau_min, double tau_max) {
  double most = (tau_max - 0.5) / (tau_min - 0.5);
  return ht_fail(HT_ERR_UNSTABLE,
                 "the blood's viscosity goes from %g Pa s at high shear to %g Pa s at rest, %.0f "
                 "times as much; at most %.0f times is allowed (relaxation times %.4f to %.1f): "
                 "give a lower viscosity at rest",
                 plan->least_viscosity_pa_s, plan->most_viscosity_pa_s,
                 plan->most_viscosity_pa_s / plan->least_viscosity_pa_s, most, tau_min, tau_max);
}

/* Refuses a speed that pressures drive, which are usually a slip. */
static ht_status refuse_pressures(const ht_plan *plan, double density_kg_m3) {
  double pascal = density_kg_m3 * pow(plan->driven_speed_m_s, 2) / 2;
  return ht_fail(HT_ERR_UNSTABLE,
                 "the pressures of the outlets differ by %.0f Pa (%.3g mmHg), which drives blood "
                 "with up to %.3g m/s: too fast for this lattice and this collision. Check "
                 "'pressure_pa' of every outlet: in Pa, not mmHg, and 0 where none is given; to "
                 "prescribe how the flow divides use outlets.model",
                 pascal, pascal / HT_PA_PER_MMHG, plan->driven_speed_m_s);
}

ht_status ht_plan_refuse_tau(const ht_plan *plan, const ht_solver_options *options) {
  double tau_min, tau_max;
  ht_plan_tau_range(options->collision, &tau_min, &tau_max);
  if (plan->most_tau > tau_max * (1 - 1e-9)) return refuse_range(plan, tau_min, tau_max);
  if (0.5 * plan->driven_speed_m_s > plan->peak_speed_m_s)
    return refuse_pressures(plan, options->density_kg_m3);
  return ht_fail(
      HT_ERR_UNSTABLE,
      "the relaxation time would be %.5f, at least %.4f is needed: raise max_velocity_lu "
      "from %g to %.3g",
      plan->tau, tau_min, options->max_velocity_lu,
      options->max_velocity_lu * (tau_min - 0.5) / (plan->tau - 0.5) * 1.01);
}
