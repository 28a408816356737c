/* The sound of a pulse on the lattice: the speed that the plan needs, and has. Private to solver/.
 */
#ifndef HT_PLAN_SOUND_H
#define HT_PLAN_SOUND_H

#include "solver/plan/flow_plan.h"

/* Finds the least speed of sound that a pulse needs, after the ports are planned. HT_ERR_MEMORY; as
 * ht_outlet_shares. */
ht_status ht_plan_sound(const ht_domain *domain, const ht_solver_options *options, ht_plan *plan);

/* Returns the least speed of sound that the plan's lines need, with or without jets; 0: any. */
double ht_plan_least_sound(const ht_plan *plan, const ht_solver_options *options, int has_jets);

/* Predicts the deviation of the flow out that the plan's step leads to. */
void ht_plan_predict_deviation(const ht_solver_options *options, ht_plan *plan);

/* Returns the deviation of the flow out that the step aims at, slightly below the largest; 0:
 * any. */
double ht_plan_sound_aim(const ht_solver_options *options, int has_jets);

/* Returns the speed of the lattice's sound with the plan's spacing and step, m/s. */
double ht_plan_sound_m_s(const ht_plan *plan);

/* Tells whether the longest step is short enough (1) for the sound that the beat needs; 0: the
 * collision's least tau stands against it. */
int ht_plan_keeps_sound(const ht_plan *plan, const ht_solver_options *options);

/* Returns the cheapest collision from `cheapest` on that keeps it; the most capable where none
 * does. */
ht_collision ht_plan_collision_for_sound(const ht_plan *plan, const ht_solver_options *options,
                                         ht_collision cheapest);

#endif
