#include "solver/plan/plan_ports.h"
#include "solver/inflow/inlet_noise.h"
#include "solver/inflow/thinning_profile.h"
#include <stdlib.h>

/* Returns the spacing of the lattice at a port: of several the one that is asked for there. */
static double spacing_there_m(const ht_domain *domain, int p, const ht_solver_options *options) {
  const ht_port *port = &domain->port[p];
  int halvings = options->halvings;
  for (int64_t i = 0; i < port->nodes && options->coarser; i++)
    halvings =
        options->coarser[port->node[i]] < halvings ? options->coarser[port->node[i]] : halvings;
  return 1e-3 * ldexp(ht_port_grid(domain, p).spacing_mm[0], halvings);
}

/* ---- inlets ---- */

/* Scales the waveform to a mean of 1. */
static ht_status unit_waveform(const ht_solver_options *options, ht_waveform *waveform) {
  ht_waveform_constant(1, waveform);
  if (!options->waveform || options->waveform->period_s == 0) return HT_OK;
  *waveform = *options->waveform;
  return ht_waveform_scale(waveform, 1);
}

/* Finds the steady shape of shear-thinning blood at the mean flow; a pulse's harmonics stay
 * Womersley's, with the viscosity at high shear. */
static ht_status plan_thinning(const ht_domain *domain, int p, const ht_solver_options *options,
                               ht_plan *plan) {
  const ht_units si = {1, 1, options->density_kg_m3};
  ht_viscosity_law law = ht_blood_law(&options->blood, options->viscosity_pa_s, &si);
  law.eddies = 0;
  if (options->profile == HT_PROFILE_PLUG || ht_viscosity_is_constant(&law)) return HT_OK;
  const ht_grid grid = ht_port_grid(domain, p);
  return ht_thinning_profile(grid.dim, &domain->port[p], &law, plan->inflow_m3_s[p],
                             1e-3 * grid.spacing_mm[0], plan->inlet[p]->shape);
}

/* Plans a port whose velocity is prescribed. */
static ht_status plan_profile(const ht_domain *domain, int p, const ht_solver_options *options,
                              ht_plan *plan) {
  const int moments = 256;
  const ht_port *port = &domain->port[p];
  const ht_grid grid = ht_port_grid(domain, p);
  const double dx = 1e-3 * grid.spacing_mm[0];
  ht_waveform *waveform;
  HT_TRY(ht_alloc((void **)&plan->inlet[p], 1, sizeof *plan->inlet[p], "the inlet profile"));
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = unit_waveform(options, waveform);
  if (status == HT_OK)
    status =
        ht_inlet_modes_make(grid.dim, port, options->profile, waveform, dx,
                            plan->least_viscosity_pa_s / options->density_kg_m3, plan->inlet[p]);
  free(waveform);
  HT_TRY(status);
  HT_TRY(plan_thinning(domain, p, options, plan));
  if (options->profile == HT_PROFILE_MEASURED && port->opening.role == HT_ROLE_INLET)
    HT_TRY(ht_measured_profile_apply(&domain->mask.grid, port, options->measured, plan->inlet[p]));
  if (options->inlet_noise > 0 && port->opening.role == HT_ROLE_INLET)
    HT_TRY(ht_inlet_noise_add(grid.dim, port, options->inlet_noise,
                              (int64_t)options->noise_seed * HT_OPENINGS_MAX + p,
                              plan->inflow_m3_s[p], dx, plan->inlet[p]));
  double slant = fabs(port->direction[port->axis]);
  double peak =
      ht_inlet_modes_peak(plan->inlet[p], moments) * fabs(plan->inflow_m3_s[p]) / (dx * dx) / slant;
  plan->peak_speed_m_s = fmax(plan->peak_speed_m_s, peak);
  plan->peak_cell_m2_s = fmax(plan->peak_cell_m2_s, peak * spacing_there_m(domain, p, options));
  return HT_OK;
}

static ht_status plan_inlet(const ht_domain *domain, int p, const ht_solver_options *options,
                            ht_plan *plan) {
  const ht_port *port = &domain->port[p];
  double dx = 1e-3 * ht_port_grid(domain, p).spacing_mm[0];
  double flow_m3_s = port->opening.flow_ml_s * 1e-6;
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

ht_status ht_plan_inlets(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan) {
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].opening.role == HT_ROLE_INLET) HT_TRY(plan_inlet(domain, p, options, plan));
  if (plan->peak_speed_m_s > 0) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS, "the vessel has no inlet: give one opening the role inlet");
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

/* Prescribes the flow of a split at every outlet except the widest. */
ht_status ht_plan_outlets(const ht_domain *domain, const ht_solver_options *options,
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

/* ---- the throat ---- */

ht_status ht_plan_throat(const ht_solver_options *options, ht_plan *plan) {
  ht_waveform *waveform;
  if (!(options->throat_speed_m_s > 0)) return HT_OK;
  HT_TRY(ht_alloc((void **)&waveform, 1, sizeof *waveform, "the waveform"));
  ht_status status = unit_waveform(options, waveform);
  if (status == HT_OK)
    plan->throat_speed_m_s = options->throat_speed_m_s * ht_waveform_peak(waveform);
  free(waveform);
  return status;
}
