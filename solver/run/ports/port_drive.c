#include "solver/run/ports/port_drive.h"
#include "solver/lattice/backend.h"
#include "solver/run/ports/outlet_pressure.h"
#include <math.h>
#include <stdlib.h>

ht_status ht_port_drive_make(const ht_solve_setup *setup, const ht_outlet_states *outlets,
                             ht_port_drive *drive) {
  int most = 1;
  *drive = (ht_port_drive){.setup = setup, .outlets = outlets};
  for (int l = 0; l < HT_LEVELS_MOST; l++) drive->of_level[l] = (ht_level_drive){drive, l};
  for (int p = 0; p < HT_OPENINGS_MAX; p++) {
    const ht_inlet_modes *inlet = setup->plan.inlet[p];
    drive->inflow_factor[p] = 1;
    if (inlet && inlet->modes > most) most = inlet->modes;
  }
  return ht_alloc((void **)&drive->coefficient, (size_t)most, sizeof(double), "the inlet profile");
}

void ht_port_drive_free(ht_port_drive *drive) {
  free(drive->coefficient);
  *drive = (ht_port_drive){0};
}

/* ---- prescribed values ---- */

int ht_port_is_driven(const ht_solve_setup *setup, const ht_inlet_modes *inlet) {
  return ht_solve_is_pulse(setup) || inlet->noise_modes > 0;
}

double ht_port_mean_flow_lu(const ht_solve_setup *setup, int port) {
  return ht_units_flow_lu(&setup->plan.units, setup->plan.inflow_m3_s[port]);
}

void ht_prescribed_flow(const ht_solve_setup *setup, int64_t step, double *flow_lu) {
  double share = ht_inflow_share(step, setup->plan.ramp_steps),
         time_s = (double)step * setup->plan.units.dt_s;
  for (int p = 0; p < setup->domain->ports; p++) {
    const ht_inlet_modes *inlet = setup->plan.inlet[p];
    flow_lu[p] = 0;
    if (inlet)
      flow_lu[p] =
          share * ht_port_mean_flow_lu(setup, p) * ht_waveform_value(&inlet->waveform, time_s);
  }
}

static int is_harmonic(const ht_inlet_modes *inlet, int mode) {
  return mode > 0 && mode < inlet->modes - inlet->noise_modes;
}

/* Sets outlets by their pressure, inlets by the modes of their velocity. Where blood comes in and
 * jets may reach the outlets, they prescribe the total pressure. It is
 * above an outlet's pressure by the mean head of that blood, so that the mean over the face is the
 * outlet's pressure. A flow that turns back as a whole, out of the vessel that goes on there, meets
 * this pressure; a vortex finds less where it draws blood in fastest, as what is added is the same
 * all over the face and does no work on it.
 *
 * All ports have the same waveform, so the modes' coefficients are computed once; those of noise,
 * which are the last, for each. */
void ht_port_drive_at(void *level_drive, int64_t step, double *coefficient) {
  const ht_level_drive *of = level_drive;
  ht_port_drive *drive = of->drive;
  const ht_solve_setup *setup = drive->setup;
  const ht_units *units = &setup->plan.units;
  int known = 0;
  const double time_s = (double)step * ldexp(units->dt_s, -of->level);
  double share = ht_inflow_share(step, setup->plan.ramp_steps << of->level);
  double reference_pa = ht_outlets_reference_pa(setup, drive->outlets);
  for (int p = 0; p < setup->domain->ports; p++) {
    const ht_inlet_modes *inlet = setup->plan.inlet[p];
    const ht_outlet_state *outlet = drive->outlets->of[p];
    if (setup->domain->port[p].halvings != of->level) continue;
    if (outlet) {
      double pressure_pa = outlet->port_pa + outlet->head_pa - reference_pa;
      *coefficient++ = share * (ht_units_density_lu(units, pressure_pa) - 1);
    } else if (inlet && ht_port_is_driven(setup, inlet)) {
      if (!known || inlet->noise_modes > 0) ht_inlet_modes_at(inlet, time_s, drive->coefficient);
      known = 1;
      double unit = share * ldexp(ht_port_mean_flow_lu(setup, p), 2 * of->level);
      double swing = unit * (1 + drive->swing_off[p]);
      for (int m = 0; m < inlet->modes; m++)
        *coefficient++ = (is_harmonic(inlet, m) ? swing : unit) * drive->coefficient[m];
    }
  }
}

/* ---- measuring the flow ---- */

static int has_level(const ht_domain *domain, int level) {
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].halvings == level) return 1;
  return 0;
}

ht_status ht_port_drive_measure(const ht_port_drive *drive, double *flow_lu, double *head_lu) {
  const ht_domain *domain = drive->setup->domain;
  for (int l = 0; l < HT_LEVELS_MOST; l++) {
    double flow[HT_OPENINGS_MAX], head[HT_OPENINGS_MAX];
    if (!has_level(domain, l)) continue;
    HT_TRY(head_lu ? ht_lattice_port_head(drive->lattice[l], flow, head)
                   : ht_lattice_port_flow(drive->lattice[l], flow));
    for (int p = 0; p < domain->ports; p++) {
      if (domain->port[p].halvings != l) continue;
      flow_lu[p] = ldexp(flow[p], -2 * l);
      if (head_lu) head_lu[p] = head[p];
    }
  }
  return HT_OK;
}

/* ---- correcting the velocity ---- */

ht_status ht_port_drive_scale(int port, double factor, ht_port_drive *drive) {
  const int level = drive->setup->domain->port[port].halvings;
  HT_TRY(ht_lattice_scale_inflow(drive->lattice[level], port, factor));
  drive->inflow_factor[port] *= factor;
  return HT_OK;
}

ht_status ht_port_drive_correct(const double *flow_lu, const double *prescribed_lu,
                                ht_port_drive *drive) {
  for (int p = 0; p < drive->setup->domain->ports; p++) {
    if (prescribed_lu[p] == 0 || !(flow_lu[p] / prescribed_lu[p] > 0.5)) continue;
    double factor = fmax(0.9, fmin(prescribed_lu[p] / flow_lu[p], 1.1));
    HT_TRY(ht_port_drive_scale(p, factor, drive));
  }
  return HT_OK;
}

ht_status ht_port_drive_move(ht_port_drive *drive, ht_state *stream) {
  HT_TRY(HT_STATE_OF(stream, drive->inflow_factor));
  return HT_STATE_OF(stream, drive->swing_off);
}
