/* The time step and the quantities that follow from it; refuses what cannot be run stably. Private
 * to solver/. */
#ifndef HT_PLAN_H
#define HT_PLAN_H

#include "solver/inflow/inlet_profile.h"
#include "solver/solver.h"
#include "solver/plan/sound.h"

typedef struct {
  ht_units units;
  double tau, most_tau; /* at the least and the largest viscosity that the blood can have */
  double least_viscosity_pa_s, most_viscosity_pa_s;
  double peak_speed_m_s;   /* of the fastest inlet, along the vessel */
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

/* The speeds and shares alone, refusing nothing for its cell Reynolds number. Free the plan, also
 * after a failure. */
ht_status ht_plan_speeds(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);

/* The longest time step: max_velocity_lu at the fastest inlet, 0.12 in the throat (0.1 with
 * cumulants; or max_velocity_lu, where that is more), the plan's least speed of sound, the
 * collision's range of tau. From the plan's spacing, viscosities and speeds. */
double ht_plan_step_s(const ht_plan *plan, const ht_solver_options *options);

/* The deviation of the flow out that the step aims at, slightly below the largest; 0: any. */
double ht_plan_sound_aim(const ht_solver_options *options, int has_jets);

/* Speed of the lattice's sound with the plan's spacing and step, m/s. */
double ht_plan_sound_m_s(const ht_plan *plan);

/* Tells whether the longest step is short enough (1) for the sound that the beat needs; 0: the
 * collision's least tau stands against it. */
int ht_plan_keeps_sound(const ht_plan *plan, const ht_solver_options *options);

/* The cheapest collision from `cheapest` on that keeps it; the most capable where none does. */
ht_collision ht_plan_collision_for_sound(const ht_plan *plan, const ht_solver_options *options,
                                         ht_collision cheapest);

/* The whole plan: speeds, time step, tau, steps. HT_ERR_UNSTABLE: the collision cannot run it
 * stably; the message names spacing and flow that it can run. HT_ERR_CASE, HT_ERR_OPENINGS,
 * HT_ERR_MEMORY. Free the plan, also after a failure. */
ht_status ht_plan_make(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);
void ht_plan_free(ht_plan *plan);

/* Tells whether the flow is beyond every collision but that for jets, and runs with it: eddies
 * reach the outlets. */
int ht_plan_has_jets(const ht_plan *plan, const ht_solver_options *options);

/* Tells whether the flow along diagonals of the lattice is corrected
 * (options->diagonal_correction). */
int ht_plan_corrects_diagonals(const ht_plan *plan, const ht_solver_options *options);

/* The options of the outlets. */
ht_outlet_settings ht_plan_outlet_settings(const ht_solver_options *options);

/* The largest cell Reynolds number (peak inlet velocity * dx / kinematic viscosity) at which a flow
 * becomes steady: it depends on the collision. */
double ht_cell_reynolds_max(const ht_solver_options *options);
void ht_plan_tau_range(ht_collision collision, double *least, double *most);

/* Steps to the steady state, of the order of: the ramp, and 1.6 times the steps in which the volume
 * passes and a profile develops. (A pipe is steady, 1e-7 a step, after 1.5 to 1.7 times as many.)
 */
double ht_plan_likely_steps(const ht_domain *domain, const ht_plan *plan);

#endif
