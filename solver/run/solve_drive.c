/* The ports of a run: their prescribed values at every step, and the outlets that follow the flow.
 */
#include "solver/run/solve_drive.h"
#include "solver/lattice/backend.h"
#include "solver/run/outlet_loss.h"
#include "solver/inflow/sponge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A Windkessel gets a new pressure at least OUTLET_UPDATES times a period, and so often that its
 * filter lags by at most 1 / OUTLET_LAGS of a period (in steady flow 100 000 steps count as a
 * period). The small loss after a given pressure, without sponges, needs fewer. Where the interval
 * is 16 steps or more it is a multiple of 16, the steps of a CUDA graph. */
enum {
  OUTLET_UPDATES = 1000,
  PLAIN_UPDATES = 500,
  OUTLET_LAGS = 100,
  OUTLET_STEPS_MAX = 128,
  GRAPH_STEPS = 16
};

/* ---- prescribed values ---- */

static int is_pulsatile(const ht_solve_run *run) {
  return run->plan.cycle_steps > 0;
}

/* The inlet's velocity changes with time, apart from the ramp. */
static int is_driven(const ht_solve_run *run, const ht_inlet_modes *inlet) {
  return is_pulsatile(run) || inlet->noise_modes > 0;
}

static double share_at(const ht_solve_run *run, int64_t step) {
  return ht_inflow_share(step, run->plan.ramp_steps);
}

/* The mean flow into a port, voxels per step. */
static double flow_unit_lu(const ht_solve_run *run, int p) {
  return ht_units_flow_lu(&run->plan.units, run->plan.inflow_m3_s[p]);
}

void ht_solve_asked(const ht_solve_run *run, int64_t step, double *flow_lu) {
  double share = share_at(run, step), time_s = (double)step * run->plan.units.dt_s;
  for (int p = 0; p < run->domain->ports; p++) {
    const ht_inlet_modes *inlet = run->plan.inlet[p];
    flow_lu[p] = 0;
    if (inlet)
      flow_lu[p] = share * flow_unit_lu(run, p) * ht_waveform_value(&inlet->waveform, time_s);
  }
}

/* ---- pressure of the outlets ---- */

/* The mean of the outlets. Only pressure differences drive the flow; a common pressure would
 * compress the fluid of the lattice, so the lattice leaves it out. */
double ht_solve_reference_pa(const ht_solve_run *run) {
  double sum = 0, count = 0;
  for (int p = 0; p < run->domain->ports; p++) {
    if (!run->outlet[p]) continue;
    sum += run->outlet[p]->port_pa;
    count++;
  }
  return count > 0 ? sum / count : run->plan.reference_pa;
}

/* ---- the drive of the lattice ---- */

static int is_harmonic(const ht_inlet_modes *inlet, int mode) {
  return mode > 0 && mode < inlet->modes - inlet->noise_modes;
}

/* Sets the modes' coefficients at a step. Where blood comes in and jets may reach the outlets, they
 * prescribe the total pressure. It is above an outlet's pressure by the mean head of that blood, so
 * that the mean over the face is the outlet's pressure. A flow that turns back as a whole, out of
 * the vessel that goes on there, meets this pressure; a vortex finds less where it draws blood in
 * fastest, as what is added is the same all over the face and does no work on it.
 *
 * All ports have the same waveform, so the modes' coefficients are computed once; those of noise,
 * which are the last, for each. */
static void drive(void *user, int64_t step, double *coefficient) {
  ht_solve_run *run = user;
  int known = 0;
  double share = share_at(run, step), reference_pa = ht_solve_reference_pa(run);
  for (int p = 0; p < run->domain->ports; p++) {
    const ht_inlet_modes *inlet = run->plan.inlet[p];
    if (run->outlet[p]) {
      double pressure_pa = run->outlet[p]->port_pa + run->outlet[p]->head_pa - reference_pa;
      *coefficient++ = share * (ht_units_density_lu(&run->plan.units, pressure_pa) - 1);
    } else if (inlet && is_driven(run, inlet)) {
      if (!known || inlet->noise_modes > 0)
        ht_inlet_modes_at(inlet, (double)step * run->plan.units.dt_s, run->coefficient);
      known = 1;
      double unit = share * flow_unit_lu(run, p), swing = unit * (1 + run->swing_off[p]);
      for (int m = 0; m < inlet->modes; m++)
        *coefficient++ = (is_harmonic(inlet, m) ? swing : unit) * run->coefficient[m];
    }
  }
}

/* ---- set-up ---- */

static void set_pressure(const ht_solve_run *run, int p, ht_lattice_port *out) {
  const ht_plan *plan = &run->plan;
  out->is_total = run->has_sponge;
  out->modes = run->outlet[p] ? 1 : 0;
  out->density_lu = 1;
  if (out->modes) return;
  double pressure_pa = run->domain->port[p].opening.pressure_pa - plan->reference_pa;
  out->density_lu = ht_units_density_lu(&plan->units, pressure_pa) - 1;
}

/* Sets the velocity of a port. Steady: the speeds themselves, [nodes]; driven: the modes,
 * [modes][nodes]. */
static ht_status set_velocity(const ht_solve_run *run, int p, double **speed,
                              ht_lattice_port *out) {
  const ht_inlet_modes *inlet = run->plan.inlet[p];
  out->kind = HT_PORT_VELOCITY;
  out->modes = is_driven(run, inlet) ? inlet->modes : 0;
  out->speed_lu = inlet->shape;
  if (out->modes) return HT_OK;
  double flow_lu = flow_unit_lu(run, p);
  HT_TRY(ht_alloc((void **)speed, (size_t)out->nodes, sizeof(double), "the inlet profile"));
  for (int64_t i = 0; i < out->nodes; i++) (*speed)[i] = flow_lu * inlet->shape[i];
  out->speed_lu = *speed;
  return HT_OK;
}

static ht_status set_port(const ht_solve_run *run, int p, double **speed, ht_lattice_port *out) {
  const ht_port *port = &run->domain->port[p];
  *out = (ht_lattice_port){.kind = HT_PORT_PRESSURE,
                           .axis = port->axis,
                           .inward = port->inward,
                           .nodes = port->nodes,
                           .voxel = port->node};
  memcpy(out->direction, port->direction, sizeof out->direction);
  if (run->plan.inlet[p]) return set_velocity(run, p, speed, out);
  set_pressure(run, p, out);
  return HT_OK;
}

/* Allocates an outlet's Windkessel. */
static ht_status make_outlet(ht_solve_run *run, int p) {
  ht_outlet_state *outlet;
  HT_TRY(ht_alloc((void **)&run->outlet[p], 1, sizeof *outlet, "the outlets"));
  outlet = run->outlet[p];
  ht_outlet_settings settings = ht_plan_outlet_settings(run->options);
  return ht_windkessel_make(run->domain, p, &settings, run->plan.share[p], run->plan.flow_m3_s,
                            &outlet->model);
}

static double resistance(const ht_outlet_state *outlet) {
  return outlet->model.proximal_pa_s_m3 + outlet->model.distal_pa_s_m3;
}

/* A change of pressure enters the vessel as sound, with a change of flow over the impedance Z =
 * density * speed of sound / area; a proximal resistance R above Z would return a larger change
 * than it received. The filter's lag is R / Z times T, the time between two updates, as in an
 * implicit step with that response: with p = R q, p' = (q R + a p) / (1 + a), a = R / Z, and a
 * vessel of inertance L, q' = q - p' T / L, this is stable where R T / L < 4 a + 2: where sound
 * crosses the vessel at most 4 times in T. (Pressures that are linear between updates need R T / L
 * < 2 and are unstable.) */
static double lag_steps(const ht_solve_run *run, int p) {
  const ht_units *units = &run->plan.units;
  double sound_pa_s_m3 = units->density_kg_m3 * units->dx_m / (units->dt_s * sqrt(3)) /
                         ht_port_area_m2(run->domain, p);
  return run->outlet[p]->model.proximal_pa_s_m3 / sound_pa_s_m3;
}

static void choose_outlet_steps(ht_solve_run *run) {
  double cycle = is_pulsatile(run) ? (double)run->plan.cycle_steps : 100000, lag = 0;
  for (int p = 0; p < run->domain->ports; p++)
    if (run->outlet[p] && !run->outlet[p]->is_plain) lag = fmax(lag, lag_steps(run, p));
  int is_slow = !run->has_sponge && run->options->outlets != HT_OUTLETS_WINDKESSEL;
  double updates = is_slow ? PLAIN_UPDATES : OUTLET_UPDATES;
  double steps = fmin(OUTLET_STEPS_MAX, cycle / fmax(updates, OUTLET_LAGS * lag));
  run->outlet_steps = steps < 1 ? 1 : (int64_t)steps;
  if (steps >= GRAPH_STEPS) run->outlet_steps -= run->outlet_steps % GRAPH_STEPS;
}

static void start_outlet(ht_solve_run *run, int p, double pressure_pa) {
  ht_outlet_state *outlet = run->outlet[p];
  double behind_pa = run->domain->port[p].opening.pressure_pa;
  outlet->flow_m3_s = (pressure_pa - behind_pa) / resistance(outlet);
  outlet->model.stored_pa = outlet->model.distal_pa_s_m3 * outlet->flow_m3_s;
  outlet->pressure_pa = pressure_pa;
  double start_pa = run->domain->port[p].opening.windkessel_start_pa;
  if (start_pa > 0) {
    outlet->flow_m3_s = 0;
    outlet->model.stored_pa = start_pa;
    outlet->pressure_pa = behind_pa + start_pa;
  }
  outlet->port_pa = outlet->pressure_pa;
  outlet->lag_s = (double)run->outlet_steps * run->plan.units.dt_s * lag_steps(run, p);
}

static ht_status make_outlets(ht_solve_run *run) {
  double conductance = 0, driven = 0;
  for (int p = 0; p < run->domain->ports; p++) {
    if (run->domain->port[p].opening.role != HT_ROLE_OUTLET) continue;
    HT_TRY(make_outlet(run, p));
    conductance += 1 / resistance(run->outlet[p]);
    driven += run->domain->port[p].opening.pressure_pa / resistance(run->outlet[p]);
  }
  choose_outlet_steps(run);
  for (int p = 0; p < run->domain->ports; p++)
    if (run->outlet[p]) start_outlet(run, p, (run->plan.flow_m3_s + driven) / conductance);
  return HT_OK;
}

/* Outlets of a given pressure. */
static ht_status make_plain_outlets(ht_solve_run *run) {
  for (int p = 0; p < run->domain->ports; p++) {
    if (run->plan.inlet[p]) continue;
    HT_TRY(ht_alloc((void **)&run->outlet[p], 1, sizeof *run->outlet[p], "the outlets"));
    double given_pa = run->domain->port[p].opening.pressure_pa;
    *run->outlet[p] =
        (ht_outlet_state){.is_plain = 1, .pressure_pa = given_pa, .port_pa = given_pa};
  }
  choose_outlet_steps(run);
  return HT_OK;
}

static ht_status make_coefficients(ht_solve_run *run) {
  int most = 1;
  for (int p = 0; p < run->domain->ports; p++)
    if (run->plan.inlet[p] && run->plan.inlet[p]->modes > most) most = run->plan.inlet[p]->modes;
  return ht_alloc((void **)&run->coefficient, (size_t)most, sizeof(double), "the inlet profile");
}

ht_status ht_solve_make_lattice(ht_solve_run *run) {
  ht_lattice_port port[HT_OPENINGS_MAX];
  ht_sponge sponge = {0};
  double *speed[HT_OPENINGS_MAX] = {NULL};
  ht_status status = HT_OK;
  run->has_sponge = ht_plan_has_jets(&run->plan, run->options);
  if (run->options->outlets == HT_OUTLETS_WINDKESSEL)
    HT_TRY(make_outlets(run));
  else
    HT_TRY(make_plain_outlets(run));
  HT_TRY(make_coefficients(run));
  for (int p = 0; p < run->domain->ports && status == HT_OK; p++)
    status = set_port(run, p, &speed[p], &port[p]);
  if (status == HT_OK && run->has_sponge) status = ht_sponge_make(run->domain, &sponge);
  ht_lattice_setup setup = {
      .tiling = run->tiling,
      .tau = run->plan.tau,
      .law = ht_blood_law(&run->options->blood, run->options->viscosity_pa_s, &run->plan.units),
      .precision = run->options->precision,
      .collision = run->options->collision,
      .compressibility = run->options->compressibility,
      .device = run->options->device,
      .threads = run->options->threads,
      .ramp_steps = run->plan.ramp_steps,
      .drive = drive,
      .drive_user = run,
      .ports = run->domain->ports,
      .port = port,
      .sponge_nodes = sponge.nodes,
      .sponge_voxel = sponge.voxel,
      .sponge_lu = sponge.viscosity_lu,
      .corrects_diagonals = ht_plan_corrects_diagonals(&run->plan, run->options),
      .wall_distance =
          run->options->walls == HT_WALLS_INTERPOLATED ? run->domain->wall_distance : NULL};
  if (status == HT_OK)
    status = run->look ? ht_lattice_look(&setup, run->look, run->look_user)
                       : ht_lattice_create(&setup, &run->lattice);
  for (int p = 0; p < run->domain->ports; p++) free(speed[p]);
  ht_sponge_free(&sponge);
  return status;
}

void ht_solve_free_drive(ht_solve_run *run) {
  for (int p = 0; p < HT_OPENINGS_MAX; p++) free(run->outlet[p]);
  free(run->coefficient);
}

/* ---- updating the outlets ---- */

/* The new pressure is that at the end of the next steps, as in an implicit step. The compliance
 * takes the measured flow, the proximal resistance the filtered one. */
static void follow_windkessel(const ht_solve_run *run, int p, double flow_m3_s, double time_s) {
  ht_outlet_state *outlet = run->outlet[p];
  outlet->flow_m3_s += time_s / (time_s + outlet->lag_s) * (flow_m3_s - outlet->flow_m3_s);
  ht_windkessel_step(&outlet->model, flow_m3_s, time_s);
  ht_windkessel ahead = outlet->model;
  ht_windkessel_step(&ahead, flow_m3_s, time_s);
  outlet->pressure_pa =
      run->domain->port[p].opening.pressure_pa + ht_windkessel_pressure(&ahead, outlet->flow_m3_s);
}

void ht_solve_forget_through(ht_solve_run *run) {
  memset(run->through_lu, 0, sizeof run->through_lu);
  memset(run->through_asked_lu, 0, sizeof run->through_asked_lu);
  run->through_steps = 0;
  run->through_from = run->step;
}

void ht_solve_mean_through(const ht_solve_run *run, double *flow_lu, double *asked_lu) {
  if (run->through_steps == 0) return;
  for (int p = 0; p < run->domain->ports; p++) {
    flow_lu[p] = run->through_lu[p] / (double)run->through_steps;
    if (asked_lu) asked_lu[p] = run->through_asked_lu[p] / (double)run->through_steps;
  }
}

/* Sums the flow through the ports. Not while the inflow rises from rest, nor where all outlets have
 * constant pressures and no jet reaches them: there the samples of a beat are enough. */
static void sum_through(ht_solve_run *run, const double *flow_lu) {
  double asked_lu[HT_OPENINGS_MAX];
  if (!run->has_sponge && run->options->outlets != HT_OUTLETS_WINDKESSEL) return;
  int64_t from = run->outlet_step > run->through_from ? run->outlet_step : run->through_from;
  int64_t steps = run->step - from;
  if (run->step <= run->plan.ramp_steps) return;
  ht_solve_asked(run, run->step, asked_lu);
  for (int p = 0; p < run->domain->ports; p++) {
    run->through_lu[p] += (double)steps * flow_lu[p];
    run->through_asked_lu[p] += (double)steps * asked_lu[p];
  }
  run->through_steps += steps;
}

ht_status ht_solve_follow_outlets(ht_solve_run *run) {
  double flow_lu[HT_OPENINGS_MAX], head_lu[HT_OPENINGS_MAX];
  double time_s = (double)(run->step - run->outlet_step) * run->plan.units.dt_s;
  HT_TRY(ht_lattice_port_head(run->lattice, flow_lu, head_lu));
  sum_through(run, flow_lu);
  for (int p = 0; p < run->domain->ports; p++) {
    ht_outlet_state *outlet = run->outlet[p];
    if (!outlet) continue;
    double flow_m3_s = -ht_units_flow_m3_s(&run->plan.units, flow_lu[p]);
    if (!outlet->is_plain) follow_windkessel(run, p, flow_m3_s, time_s);
    outlet->port_pa = outlet->pressure_pa - ht_outlet_loss_follow(outlet, flow_m3_s);
    outlet->head_pa =
        ht_units_pressure_pa(&run->plan.units, 1 + head_lu[p] / (double)run->domain->port[p].nodes);
  }
  run->outlet_step = run->step;
  return HT_OK;
}
