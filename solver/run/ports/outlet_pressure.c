#include "solver/run/ports/outlet_pressure.h"
#include "solver/plan/plan_ports.h"
#include "solver/run/ports/outlet_loss.h"
#include <math.h>
#include <stdlib.h>

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

/* ---- making ---- */

static double resistance(const ht_outlet_state *outlet) {
  return outlet->model.proximal_pa_s_m3 + outlet->model.distal_pa_s_m3;
}

/* Returns the lag of an outlet's filter, in intervals between two updates. A change of pressure
 * enters the vessel as sound, with a change of flow over the impedance Z = density * speed of
 * sound / area; a proximal resistance R above Z would return a larger change than it received. The
 * filter's lag is R / Z times T, the time between two updates, as in an implicit step with that
 * response: with p = R q, p' = (q R + a p) / (1 + a), a = R / Z, and a vessel of inertance L, q' =
 * q - p' T / L, this is stable where R T / L < 4 a + 2: where sound crosses the vessel at most 4
 * times in T. (Pressures that are linear between updates need R T / L < 2 and are unstable.) */
static double lag_of(const ht_solve_setup *setup, int p, const ht_outlet_state *outlet) {
  const ht_units *units = &setup->plan.units;
  double sound_pa_s_m3 = units->density_kg_m3 * units->dx_m / (units->dt_s * sqrt(3)) /
                         ht_port_area_m2(setup->domain, p);
  return outlet->model.proximal_pa_s_m3 / sound_pa_s_m3;
}

static void choose_interval(const ht_solve_setup *setup, ht_outlet_states *outlets) {
  double cycle = ht_solve_is_pulse(setup) ? (double)setup->plan.cycle_steps : 100000, lag = 0;
  for (int p = 0; p < outlets->ports; p++)
    if (outlets->of[p] && !outlets->of[p]->is_plain)
      lag = fmax(lag, lag_of(setup, p, outlets->of[p]));
  int is_slow = !outlets->has_sponge && setup->options->outlets != HT_OUTLETS_WINDKESSEL;
  double updates = is_slow ? PLAIN_UPDATES : OUTLET_UPDATES;
  double steps = fmin(OUTLET_STEPS_MAX, cycle / fmax(updates, OUTLET_LAGS * lag));
  outlets->interval = steps < 1 ? 1 : (int64_t)steps;
  if (steps >= GRAPH_STEPS) outlets->interval -= outlets->interval % GRAPH_STEPS;
}

static ht_status make_windkessel(const ht_solve_setup *setup, int p, ht_outlet_state **outlet) {
  HT_TRY(ht_alloc((void **)outlet, 1, sizeof **outlet, "the outlets"));
  ht_outlet_settings settings = ht_plan_outlet_settings(setup->options);
  return ht_windkessel_make(setup->domain, p, &settings, setup->plan.share[p],
                            setup->plan.flow_m3_s, &(*outlet)->model);
}

static void start_windkessel(const ht_solve_setup *setup, int p, double pressure_pa,
                             int64_t interval, ht_outlet_state *outlet) {
  const ht_opening *opening = &setup->domain->port[p].opening;
  double distal_pa = opening->pressure_pa;
  outlet->flow_m3_s = (pressure_pa - distal_pa) / resistance(outlet);
  outlet->model.stored_pa = outlet->model.distal_pa_s_m3 * outlet->flow_m3_s;
  outlet->pressure_pa = pressure_pa;
  if (opening->windkessel_start_pa > 0) {
    outlet->flow_m3_s = 0;
    outlet->model.stored_pa = opening->windkessel_start_pa;
    outlet->pressure_pa = distal_pa + opening->windkessel_start_pa;
  }
  outlet->port_pa = outlet->pressure_pa;
  outlet->lag_s = (double)interval * setup->plan.units.dt_s * lag_of(setup, p, outlet);
}

static ht_status make_windkessels(const ht_solve_setup *setup, ht_outlet_states *outlets) {
  double conductance = 0, driven = 0;
  for (int p = 0; p < outlets->ports; p++) {
    const ht_opening *opening = &setup->domain->port[p].opening;
    if (opening->role != HT_ROLE_OUTLET) continue;
    HT_TRY(make_windkessel(setup, p, &outlets->of[p]));
    conductance += 1 / resistance(outlets->of[p]);
    driven += opening->pressure_pa / resistance(outlets->of[p]);
  }
  choose_interval(setup, outlets);
  double pressure_pa = (setup->plan.flow_m3_s + driven) / conductance;
  for (int p = 0; p < outlets->ports; p++)
    if (outlets->of[p]) start_windkessel(setup, p, pressure_pa, outlets->interval, outlets->of[p]);
  return HT_OK;
}

/* Makes outlets of a given pressure. */
static ht_status make_plain(const ht_solve_setup *setup, ht_outlet_states *outlets) {
  for (int p = 0; p < outlets->ports; p++) {
    if (setup->plan.inlet[p]) continue;
    HT_TRY(ht_alloc((void **)&outlets->of[p], 1, sizeof *outlets->of[p], "the outlets"));
    double given_pa = setup->domain->port[p].opening.pressure_pa;
    *outlets->of[p] =
        (ht_outlet_state){.is_plain = 1, .pressure_pa = given_pa, .port_pa = given_pa};
  }
  choose_interval(setup, outlets);
  return HT_OK;
}

ht_status ht_outlets_make(const ht_solve_setup *setup, ht_outlet_states *outlets) {
  *outlets = (ht_outlet_states){.ports = setup->domain->ports,
                                .has_sponge = ht_plan_has_jets(&setup->plan, setup->options)};
  if (setup->options->outlets == HT_OUTLETS_WINDKESSEL) return make_windkessels(setup, outlets);
  return make_plain(setup, outlets);
}

void ht_outlets_free(ht_outlet_states *outlets) {
  for (int p = 0; p < HT_OPENINGS_MAX; p++) free(outlets->of[p]);
  *outlets = (ht_outlet_states){0};
}

/* ---- following the flow ---- */

double ht_outlets_reference_pa(const ht_solve_setup *setup, const ht_outlet_states *outlets) {
  double sum = 0, count = 0;
  for (int p = 0; p < outlets->ports; p++) {
    if (!outlets->of[p]) continue;
    sum += outlets->of[p]->port_pa;
    count++;
  }
  return count > 0 ? sum / count : setup->plan.reference_pa;
}

/* Finds the pressure at the end of the next interval, as in an implicit step. The compliance takes
 * the measured flow, the proximal resistance the filtered one. */
static void follow_windkessel(double distal_pa, double flow_m3_s, double time_s,
                              ht_outlet_state *outlet) {
  outlet->flow_m3_s += time_s / (time_s + outlet->lag_s) * (flow_m3_s - outlet->flow_m3_s);
  ht_windkessel_step(&outlet->model, flow_m3_s, time_s);
  ht_windkessel ahead = outlet->model;
  ht_windkessel_step(&ahead, flow_m3_s, time_s);
  outlet->pressure_pa = distal_pa + ht_windkessel_pressure(&ahead, outlet->flow_m3_s);
}

void ht_outlets_follow(const ht_solve_setup *setup, int64_t step, const double *flow_lu,
                       const double *head_lu, ht_outlet_states *outlets) {
  const ht_units *units = &setup->plan.units;
  double time_s = (double)(step - outlets->step) * units->dt_s;
  for (int p = 0; p < outlets->ports; p++) {
    ht_outlet_state *outlet = outlets->of[p];
    const ht_port *port = &setup->domain->port[p];
    if (!outlet) continue;
    double flow_m3_s = -ht_units_flow_m3_s(units, flow_lu[p]);
    if (!outlet->is_plain) follow_windkessel(port->opening.pressure_pa, flow_m3_s, time_s, outlet);
    outlet->port_pa = outlet->pressure_pa - ht_outlet_loss_follow(outlet, flow_m3_s);
    outlet->head_pa = ht_units_pressure_pa(units, 1 + head_lu[p] / (double)port->nodes);
  }
  outlets->step = step;
}

ht_status ht_outlets_move(int64_t step, ht_outlet_states *outlets, ht_state *stream) {
  HT_TRY(ht_state_part(stream, "outlets"));
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    int is_there = outlets->of[p] != NULL;
    HT_TRY(ht_state_int(stream, &is_there, is_there, is_there));
    if (is_there) HT_TRY(ht_state_bytes(stream, outlets->of[p], sizeof *outlets->of[p]));
  }
  return ht_state_count(stream, &outlets->step, 0, step);
}
