#include "solver/plan/time_step.h"
#include "solver/plan/collision_limits.h"

/* Above tau_max half-way walls slip visibly (He et al., J. Stat. Phys. 87 (1997) 115). The other
 * limits are those of the collision (collision_limits.h). */
static const double tau_max = 1.0;

/* Limit on the finest of several levels: near 1 their exchange finds no strain rate. */
static const double tau_max_levels = 0.9;

/* Limit of the mean velocity over the throat's section: compressibility errors grow with its
 * square. */
static const double throat_velocity_lu = 0.12;

/* Limit of that mean where the flow leaves the throat as a jet: at its edges velocities of 2.5
 * times the mean were seen, and a run ends at 0.3. */
static const double jet_velocity_lu = 0.1;

void ht_plan_tau_range(ht_collision collision, double *least, double *most) {
  *least = ht_collision_limits_of(collision)->tau_min;
  *most = tau_max;
}

/* Returns a step with a tau slightly above `tau`, also when it is shortened to fit a period. */
static double least_step_s(const ht_plan *plan, const ht_solver_options *options, double tau) {
  double thinnest = plan->least_viscosity_pa_s / options->density_kg_m3;
  double dt = 1.001 * (tau - 0.5) / 3 * plan->units.dx_m * plan->units.dx_m / thinnest;
  if (!ht_solver_is_pulse(options)) return dt;
  return dt * (1 + options->samples * dt / options->waveform->period_s);
}

double ht_plan_step_s(const ht_plan *plan, const ht_solver_options *options) {
  const ht_collision_limits *limits = ht_collision_limits_of(options->collision);
  double dx = plan->units.dx_m;
  double thickest = plan->most_viscosity_pa_s / options->density_kg_m3;
  /* A difference of pressure between outlets drives at most Bernoulli's speed; friction leaves
   * less: half of it counts. */
  double fastest = fmax(plan->peak_speed_m_s, 0.5 * plan->driven_speed_m_s);
  double dt_mach = options->max_velocity_lu * dx / fastest;
  int halvings = options->halvings + options->finer;
  double dt_tau = ((halvings ? tau_max_levels : tau_max) - 0.5) / 3 * dx * dx / thickest;
  dt_tau /= 1 << halvings; /* the finest tau - 0.5 is as many times that of the coarsest */
  double dt = fmin(dt_mach, dt_tau);
  double most_lu =
      ht_collision_is_for_jets(options->collision) ? jet_velocity_lu : throat_velocity_lu;
  /* A shorter step may not put tau below its least: such a throat is too fast for the collision,
   * and the flow is watched while it runs. */
  double dt_throat = fmax(most_lu, options->max_velocity_lu) * dx / plan->throat_speed_m_s;
  double dt_sound = dx / (sqrt(3) * plan->sound_m_s);
  if (plan->throat_speed_m_s > 0)
    dt = fmin(dt, fmax(dt_throat, least_step_s(plan, options, limits->tau_min)));
  if (plan->sound_m_s > 0)
    dt = fmin(dt, fmax(dt_sound, least_step_s(plan, options, limits->tau_pulse)));
  return dt;
}

void ht_plan_set_step(const ht_solver_options *options, ht_plan *plan) {
  double period_s = options->waveform ? options->waveform->period_s : 0;
  plan->units.dt_s = ht_plan_step_s(plan, options);
  if (period_s == 0) return;
  double steps = ceil(period_s / plan->units.dt_s / options->samples);
  plan->cycle_steps = (int64_t)steps * options->samples;
  plan->units.dt_s = period_s / (double)plan->cycle_steps;
}
