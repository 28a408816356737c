#include "solver/plan/plan.h"
#include "solver/plan/collision_limits.h"
#include "solver/inflow/inlet_noise.h"
#include "solver/inflow/thinning_profile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_walls_words[] = {"half-way", "interpolated", NULL};

/* Above tau_max half-way walls slip visibly (He et al., J. Stat. Phys. 87 (1997) 115). The other
 * limits are those of the collision (collision_limits.h). */
static const double tau_max = 1.0;

/* Limit of the mean velocity over the throat's section: compressibility errors grow with its
 * square. */
static const double throat_velocity_lu = 0.12;

/* Limit of that mean where the flow leaves the throat as a jet: at its edges velocities of 2.5
 * times the mean were seen, and a run ends at 0.3. */
static const double jet_velocity_lu = 0.1;

double ht_cell_reynolds_max(const ht_solver_options *options) {
  return ht_collision_limits_of(options->collision)->cell_reynolds_max;
}

void ht_plan_tau_range(ht_collision collision, double *least, double *most) {
  *least = ht_collision_limits_of(collision)->tau_min;
  *most = tau_max;
}

void ht_solver_defaults(ht_solver_options *options) {
  *options = (ht_solver_options){.device = HT_DEVICE_AUTO,
                                 .precision = HT_FP32,
                                 .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3,
                                 .viscosity_pa_s = HT_BLOOD_VISCOSITY_PA_S,
                                 .profile = HT_PROFILE_PARABOLIC,
                                 .cycles = 5,
                                 .samples = 50,
                                 .murray_exponent = 3,
                                 .max_velocity_lu = 0.05,
                                 .steady_tolerance = 1e-7,
                                 .diagonal_correction = 1};
  ht_blood_defaults(&options->blood);
}

const ht_solver_ranges ht_solver_allowed = {.density_kg_m3 = {500, 2000, 0},
                                            .viscosity_pa_s = {5e-4, 0.05, 0},
                                            .max_velocity_lu = {1e-4, 0.15, 0},
                                            .sound_deviation = {0, 1, 0},
                                            .steady_tolerance = {1e-12, 1e-2, 0},
                                            .max_steps = {0, 1e12, 0},
                                            .cycles = {1, 1000, 0},
                                            .max_cycles = {0, 1000, 0},
                                            .samples = {1, 10000, 0},
                                            .inlet_noise = {0, 0.3, 0},
                                            .noise_seed = {0, 1e9, 0},
                                            .murray_exponent = {0, 10, 0},
                                            .threads = {0, HT_THREADS_MAX, 0}};

ht_status ht_solver_check(const ht_solver_options *options) {
  const ht_solver_ranges *allowed = &ht_solver_allowed;
  HT_TRY(ht_blood_check(&options->blood));
  HT_TRY(ht_check_range("density_kg_m3", options->density_kg_m3, &allowed->density_kg_m3));
  HT_TRY(ht_check_range("viscosity_pa_s", options->viscosity_pa_s, &allowed->viscosity_pa_s));
  HT_TRY(ht_check_range("max_velocity_lu", options->max_velocity_lu, &allowed->max_velocity_lu));
  HT_TRY(ht_check_range("sound_deviation", options->sound_deviation, &allowed->sound_deviation));
  HT_TRY(ht_check_range("steady_tolerance", options->steady_tolerance, &allowed->steady_tolerance));
  HT_TRY(ht_check_range("max_steps", (double)options->max_steps, &allowed->max_steps));
  HT_TRY(ht_check_range("cycles", options->cycles, &allowed->cycles));
  HT_TRY(ht_check_range("max_cycles", options->max_cycles, &allowed->max_cycles));
  HT_TRY(ht_check_range("samples", options->samples, &allowed->samples));
  HT_TRY(ht_check_range("inlet_noise", options->inlet_noise, &allowed->inlet_noise));
  HT_TRY(ht_check_range("noise_seed", (double)options->noise_seed, &allowed->noise_seed));
  HT_TRY(ht_check_range("murray_exponent", options->murray_exponent, &allowed->murray_exponent));
  return ht_check_range("threads", options->threads, &allowed->threads);
}

/* ---- inlets ---- */

/* The waveform with a mean of 1. */
static ht_status unit_waveform(const ht_solver_options *options, ht_waveform *waveform) {
  ht_waveform_constant(1, waveform);
  if (!options->waveform || options->waveform->period_s == 0) return HT_OK;
  *waveform = *options->waveform;
  return ht_waveform_scale(waveform, 1);
}

/* The steady shape of shear-thinning blood at the mean flow; a pulse's harmonics stay Womersley's,
 * with the viscosity at high shear. */
static ht_status plan_thinning(const ht_domain *domain, int p, const ht_solver_options *options,
                               ht_plan *plan) {
  const ht_units si = {1, 1, options->density_kg_m3};
  ht_viscosity_law law = ht_blood_law(&options->blood, options->viscosity_pa_s, &si);
  law.eddies = 0;
  if (options->profile == HT_PROFILE_PLUG || ht_viscosity_is_constant(&law)) return HT_OK;
  return ht_thinning_profile(domain->mask.grid.dim, &domain->port[p], &law, plan->inflow_m3_s[p],
                             plan->units.dx_m, plan->inlet[p]->shape);
}

/* A port whose velocity is prescribed. */
static ht_status plan_profile(const ht_domain *domain, int p, const ht_solver_options *options,
                              ht_plan *plan) {
  const int moments = 256;
  const ht_port *port = &domain->port[p];
  ht_waveform *waveform;
  double dx = plan->units.dx_m;
  HT_TRY(ht_alloc((void **)&plan->inlet[p], 1, sizeof *plan->inlet[p], "the inlet profile"));
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = unit_waveform(options, waveform);
  if (status == HT_OK)
    status =
        ht_inlet_modes_make(domain->mask.grid.dim, port, options->profile, waveform, dx,
                            plan->least_viscosity_pa_s / options->density_kg_m3, plan->inlet[p]);
  free(waveform);
  HT_TRY(status);
  HT_TRY(plan_thinning(domain, p, options, plan));
  if (options->inlet_noise > 0 && port->opening.role == HT_ROLE_INLET)
    HT_TRY(ht_inlet_noise_add(domain->mask.grid.dim, port, options->inlet_noise,
                              (int64_t)options->noise_seed * HT_OPENINGS_MAX + p,
                              plan->inflow_m3_s[p], dx, plan->inlet[p]));
  double slant = fabs(port->direction[port->axis]);
  double peak =
      ht_inlet_modes_peak(plan->inlet[p], moments) * fabs(plan->inflow_m3_s[p]) / (dx * dx) / slant;
  plan->peak_speed_m_s = fmax(plan->peak_speed_m_s, peak);
  return HT_OK;
}

static ht_status plan_inlet(const ht_domain *domain, int p, const ht_solver_options *options,
                            ht_plan *plan) {
  const ht_port *port = &domain->port[p];
  double dx = plan->units.dx_m, flow_m3_s = port->opening.flow_ml_s * 1e-6;
  if (!(flow_m3_s > 0))
    return ht_fail(
        HT_ERR_CASE,
        "the inlet '%s' has a flow of %g mL/s; give a flow above 0 (flow_ml_s in the case "
        "file, or --flow)",
        port->opening.name, port->opening.flow_ml_s);
  plan->inflow_m3_s[p] = flow_m3_s;
  HT_TRY(plan_profile(domain, p, options, plan));
  plan->flow_m3_s += flow_m3_s;
  double area_m2 = (double)port->nodes * dx * dx * fabs(port->direction[port->axis]);
  double diameter_m = sqrt(4 * area_m2 / HT_PI);
  double reynolds =
      flow_m3_s / area_m2 * diameter_m * options->density_kg_m3 / plan->least_viscosity_pa_s;
  plan->reynolds = fmax(plan->reynolds, reynolds);
  return HT_OK;
}

/* ---- outlets ---- */

/* Sets the lattice's zero pressure to the mean of the outlets: only differences of pressure matter
 * to the flow. */
static void plan_pressures(const ht_domain *domain, const ht_solver_options *options,
                           ht_plan *plan) {
  double sum = 0, count = 0, low = INFINITY, high = -INFINITY;
  for (int p = 0; p < domain->ports; p++) {
    const ht_opening *opening = &domain->port[p].opening;
    if (opening->role != HT_ROLE_OUTLET || plan->inflow_m3_s[p] != 0) continue;
    sum += opening->pressure_pa;
    count++;
    low = fmin(low, opening->pressure_pa);
    high = fmax(high, opening->pressure_pa);
  }
  if (count == 0) return;
  plan->reference_pa = sum / count;
  plan->driven_speed_m_s = sqrt(2 * (high - low) / options->density_kg_m3);
}

ht_outlet_settings ht_plan_outlet_settings(const ht_solver_options *options) {
  return (ht_outlet_settings){.model = options->outlets,
                              .murray_exponent = options->murray_exponent,
                              .density_kg_m3 = options->density_kg_m3,
                              .mean_pressure_pa = options->mean_pressure_pa,
                              .compliance_m3_pa = options->compliance_m3_pa,
                              .wave_speed_m_s = options->wave_speed_m_s};
}

/* A split prescribes the flow at every outlet except the widest. */
static ht_status plan_outlets(const ht_domain *domain, const ht_solver_options *options,
                              ht_plan *plan) {
  int free_outlet = ht_widest_outlet(domain);
  ht_outlet_settings settings = ht_plan_outlet_settings(options);
  if (options->outlets != HT_OUTLETS_PRESSURE)
    HT_TRY(ht_outlet_shares(domain, &settings, plan->share));
  for (int p = 0; p < domain->ports && options->outlets != HT_OUTLETS_WINDKESSEL; p++) {
    if (plan->share[p] == 0 || p == free_outlet) continue;
    plan->inflow_m3_s[p] = -plan->share[p] * plan->flow_m3_s;
    HT_TRY(plan_profile(domain, p, options, plan));
  }
  plan_pressures(domain, options, plan);
  return HT_OK;
}

/* ---- the time step ---- */

/* Names settings that can be run, slightly inside the limit, so that rounding does not refuse them
 * again. */
static ht_status refuse(const ht_plan *plan, const ht_solver_options *options,
                        double cell_reynolds) {
  double most = ht_cell_reynolds_max(options);
  double share = 0.98 * most / cell_reynolds, dx_mm = plan->units.dx_m * 1e3;
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

/* The time step for the viscosity at rest is too short for that at high shear. */
static ht_status refuse_range(const ht_plan *plan, double tau_min) {
  double most = (tau_max - 0.5) / (tau_min - 0.5);
  return ht_fail(HT_ERR_UNSTABLE,
                 "the blood's viscosity goes from %g Pa s at high shear to %g Pa s at rest, %.0f "
                 "times as much; at most %.0f times is allowed (relaxation times %.4f to %.1f): "
                 "give a lower viscosity at rest",
                 plan->least_viscosity_pa_s, plan->most_viscosity_pa_s,
                 plan->most_viscosity_pa_s / plan->least_viscosity_pa_s, most, tau_min, tau_max);
}

/* The speed that sets the step is driven by pressures, which are usually a slip. */
static ht_status refuse_pressures(const ht_plan *plan, double density_kg_m3) {
  double pascal = density_kg_m3 * pow(plan->driven_speed_m_s, 2) / 2;
  return ht_fail(HT_ERR_UNSTABLE,
                 "the pressures of the outlets differ by %.0f Pa (%.3g mmHg), which drives blood "
                 "with up to %.3g m/s: too fast for this lattice and this collision. Check "
                 "'pressure_pa' of every outlet: in Pa, not mmHg, and 0 where none is given; to "
                 "prescribe how the flow divides use outlets.model",
                 pascal, pascal / HT_PA_PER_MMHG, plan->driven_speed_m_s);
}

static ht_status refuse_tau(const ht_plan *plan, const ht_solver_options *options) {
  double tau_min = ht_collision_limits_of(options->collision)->tau_min;
  if (plan->most_tau > tau_max * (1 - 1e-9)) return refuse_range(plan, tau_min);
  if (0.5 * plan->driven_speed_m_s > plan->peak_speed_m_s)
    return refuse_pressures(plan, options->density_kg_m3);
  return ht_fail(
      HT_ERR_UNSTABLE,
      "the relaxation time would be %.5f, at least %.4f is needed: raise max_velocity_lu "
      "from %g to %.3g",
      plan->tau, tau_min, options->max_velocity_lu,
      options->max_velocity_lu * (tau_min - 0.5) / (plan->tau - 0.5) * 1.01);
}

static int64_t longest_side(const ht_domain *domain) {
  const int *dim = domain->mask.grid.dim;
  int64_t most = dim[0] > dim[1] ? dim[0] : dim[1];
  return most > dim[2] ? most : dim[2];
}

/* Returns the steps to settle. `flush`: steps in which the volume passes; `develop`: steps of a
 * developing profile, R^2 / (5.78 nu), the slowest mode of start-up pipe flow. */
static double settle_steps(const ht_domain *domain, const ht_plan *plan) {
  double nodes = (double)ht_mask_count(&domain->mask), widest = 0;
  for (int p = 0; p < domain->ports; p++) widest = fmax(widest, (double)domain->port[p].nodes);
  double flush = nodes / ht_units_flow_lu(&plan->units, plan->flow_m3_s);
  double develop = widest / HT_PI / (5.78 * (plan->tau - 0.5) / 3);
  return flush + develop;
}

double ht_plan_likely_steps(const ht_domain *domain, const ht_plan *plan) {
  for (int p = 0; p < domain->ports; p++) /* a flow with noise does not come to rest */
    if (plan->inlet[p] && plan->inlet[p]->noise_modes > 0) return (double)plan->max_steps;
  return (double)plan->ramp_steps + 1.6 * settle_steps(domain, plan);
}

/* The limit is several times the expected number of steps. */
static int64_t settle_limit(const ht_domain *domain, const ht_plan *plan) {
  return (int64_t)fmax(20000, 12 * settle_steps(domain, plan));
}

/* Samples and periods begin with a step: the time step is shortened a little to fit. */
static void fit_cycle(const ht_solver_options *options, ht_plan *plan) {
  double period_s = options->waveform ? options->waveform->period_s : 0;
  if (period_s == 0) return;
  double steps = ceil(period_s / plan->units.dt_s / options->samples);
  plan->cycle_steps = (int64_t)steps * options->samples;
  plan->units.dt_s = period_s / (double)plan->cycle_steps;
}

/* ---- sound ---- */

static void describe_end(const ht_domain *domain, int p, ht_sound_end *end) {
  const ht_port *port = &domain->port[p];
  double section = (double)port->nodes * fabs(port->direction[port->axis]);
  *end = (ht_sound_end){.radius = sqrt(section / HT_PI),
                        .is_inlet = port->opening.role == HT_ROLE_INLET};
  for (int64_t i = 0; i < port->nodes; i++) {
    int at[3];
    ht_voxel_place(domain->mask.grid.dim, port->node[i], at);
    for (int a = 0; a < 3; a++) end->centre[a] += (double)at[a] / (double)port->nodes;
  }
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

/* Cell Reynolds number at the fastest place. */
static double cell_reynolds_of(const ht_plan *plan, const ht_solver_options *options) {
  return fmax(plan->peak_speed_m_s, plan->throat_speed_m_s) * plan->units.dx_m *
         options->density_kg_m3 / plan->least_viscosity_pa_s;
}

/* Measured deviations are up to 1.15 of those foretold (docs/notes/solver/sound.md). */
static const double sound_to_spare = 0.85;

double ht_plan_sound_aim(const ht_solver_options *options, int has_jets) {
  double most = options->sound_deviation;
  if (!(most > 0)) most = has_jets ? HT_SOUND_DEVIATION_JETS : HT_SOUND_DEVIATION;
  return most < 1 ? sound_to_spare * most : 0;
}

static ht_status plan_sound(const ht_domain *domain, const ht_solver_options *options,
                            ht_plan *plan) {
  ht_sound_end end[HT_OPENINGS_MAX];
  if (!ht_solver_is_pulse(options)) return HT_OK;
  ht_sound_pulse pulse = pulse_of(options, plan);
  HT_TRY(describe_ends(domain, options, plan, end));
  HT_TRY(ht_sound_lines_make(&domain->mask, domain->ports, end, &plan->sound));
  int jets = ht_collision_is_for_jets(ht_collision_for(cell_reynolds_of(plan, options)));
  plan->sound_m_s = ht_sound_least_speed(&plan->sound, &pulse, ht_plan_sound_aim(options, jets));
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

/* The throat's speed at the beat's peak flow. */
static ht_status plan_throat(const ht_solver_options *options, ht_plan *plan) {
  ht_waveform *waveform;
  if (!(options->throat_speed_m_s > 0)) return HT_OK;
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = unit_waveform(options, waveform);
  if (status == HT_OK)
    plan->throat_speed_m_s = options->throat_speed_m_s * ht_waveform_peak(waveform);
  free(waveform);
  return status;
}

ht_status ht_plan_speeds(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  memset(plan, 0, sizeof *plan);
  HT_TRY(ht_solver_check(options));
  plan->units.dx_m = domain->mask.grid.spacing_mm[0] * 1e-3;
  plan->units.density_kg_m3 = options->density_kg_m3;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &plan->least_viscosity_pa_s,
                 &plan->most_viscosity_pa_s);
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].opening.role == HT_ROLE_INLET) HT_TRY(plan_inlet(domain, p, options, plan));
  HT_TRY(plan_outlets(domain, options, plan));
  if (plan->peak_speed_m_s == 0)
    return ht_fail(HT_ERR_OPENINGS, "the vessel has no inlet: give one opening the role inlet");
  HT_TRY(plan_throat(options, plan));
  return plan_sound(domain, options, plan);
}

/* Returns a step with a tau slightly above `tau`, also after fit_cycle. */
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
  double dt_tau = (tau_max - 0.5) / 3 * dx * dx / thickest;
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

ht_status ht_plan_make(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  if (ht_solver_is_pulse(options) && options->max_steps > 0) {
    memset(plan, 0, sizeof *plan);
    return ht_fail(HT_ERR_CASE, "a pulsatile flow runs over cycles: give cycles, and neither steps "
                                "nor max_steps");
  }
  HT_TRY(ht_plan_speeds(domain, options, plan));
  plan->units.dt_s = ht_plan_step_s(plan, options);
  fit_cycle(options, plan);
  plan->tau = ht_units_tau(&plan->units, plan->least_viscosity_pa_s);
  plan->most_tau = ht_units_tau(&plan->units, plan->most_viscosity_pa_s);
  double cell_reynolds =
      plan->peak_speed_m_s * plan->units.dx_m * options->density_kg_m3 / plan->least_viscosity_pa_s;
  if (cell_reynolds > ht_cell_reynolds_max(options)) return refuse(plan, options, cell_reynolds);
  if (plan->tau < ht_collision_limits_of(options->collision)->tau_min)
    return refuse_tau(plan, options);
  if (ht_solver_is_pulse(options)) {
    ht_sound_pulse pulse = pulse_of(options, plan);
    plan->sound_off = ht_sound_deviation(&plan->sound, &pulse, ht_plan_sound_m_s(plan));
  }
  plan->ramp_steps = 4 * longest_side(domain);
  if (plan->cycle_steps / 4 > plan->ramp_steps) plan->ramp_steps = plan->cycle_steps / 4;
  plan->max_steps = options->max_steps ? options->max_steps : settle_limit(domain, plan);
  return HT_OK;
}

int ht_plan_has_jets(const ht_plan *plan, const ht_solver_options *options) {
  return ht_collision_has_jets(options->collision, cell_reynolds_of(plan, options));
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
    stats->dx_m = plan.units.dx_m;
    stats->dt_s = plan.units.dt_s;
    stats->tau = plan.tau;
    stats->reynolds = plan.reynolds;
  }
  ht_plan_free(&plan);
  return status;
}
