/* The plan of a flow: the time step, and the quantities that follow from it or lead to it. Private
 * to solver/. */
#ifndef HT_FLOW_PLAN_H
#define HT_FLOW_PLAN_H

#include "solver/inflow/inlet_profile.h"
#include "solver/plan/sound.h"
#include "solver/solver.h"
#include <math.h>

typedef struct ht_plan {
  ht_units units; /* of the coarsest spacing, as tau and all steps */
  double finest_dx_m;
  double tau, most_tau; /* at the least and the largest viscosity that the blood can have */
  double least_viscosity_pa_s, most_viscosity_pa_s;
  double peak_speed_m_s;   /* of the fastest inlet, along the vessel */
  double peak_cell_m2_s;   /* largest product of a port's peak speed and the spacing there */
  double throat_speed_m_s; /* mean over the throat's section, at the beat's peak; 0: not known */
  double driven_speed_m_s; /* that the outlets' pressure difference can drive */
  double sound_m_s;    /* least speed of the lattice's sound that a pulse needs (sound.h); 0: any */
  double sound_off;    /* deviation of the flow out that the plan's step leads to (sound.h) */
  double flow_m3_s;    /* all inlets, mean */
  double reynolds;     /* largest of the inlets */
  double reference_pa; /* mean of the outlets' pressures: 0 on the lattice */
  int64_t ramp_steps, max_steps;
  int64_t cycle_steps;                 /* pulsatile: steps of a period; 0: steady */
  double share[HT_OPENINGS_MAX];       /* of the outflow; 0: inlets, and where none is prescribed */
  double inflow_m3_s[HT_OPENINGS_MAX]; /* mean, of ports whose velocity is prescribed, below 0 where
                                          it goes out; 0: pressure */
  ht_sound_lines sound;                /* of a pulse */
  ht_inlet_modes *inlet[HT_OPENINGS_MAX]; /* profile of these, for a mean flow of 1; NULL:
                                             pressure. Owned */
} ht_plan;

/* Returns the cell Reynolds number at the fastest place: the inlets' peak or the throat's mean
 * velocity * dx / kinematic viscosity. The throat has the finest spacing. */
static inline double ht_plan_cell_reynolds(const ht_plan *plan, const ht_solver_options *options) {
  return fmax(plan->peak_cell_m2_s, plan->throat_speed_m_s * plan->finest_dx_m) *
         options->density_kg_m3 / plan->least_viscosity_pa_s;
}

#endif
