/* Estimate of how long the solver runs on this machine, before it begins. */
#ifndef HT_RUN_TIME_H
#define HT_RUN_TIME_H

#include "solver/plan/coarse_choice.h"

typedef struct {
  double seconds;    /* time of the whole run */
  double sampling_s; /* part of it for reading the flow of a pulse for its samples; 0 without a
                        pulse */
  double rate;       /* node updates per second; 0: no device */
} ht_run_time;

/* Returns the expected time of a run with this number of nodes and steps. *copy_rate: the copy rate
 * of the CPU's memory, bytes a second, this machine's (kept_rate.h) where it is 0 and a long run
 * needs it; kept for further calls. NULL: found for this one. */
ht_run_time ht_run_expected_time(const ht_solver_options *options, double nodes, double steps,
                                 double *copy_rate);

/* Returns the beats on the vessel's own lattice that a start from the coarse one leaves. */
double ht_run_fine_beats(const ht_coarse_choice *coarse, const ht_solver_options *options);

/* Returns the number of steps on the vessel's own lattice that such a start leaves of `steps`, plus
 * the coarse steps by their cost. share: node updates of the lattice's levels over those of one
 * spacing. Steady flows: measured (docs/notes/solver/coarse-start.md). */
double ht_run_steps_after(const ht_coarse_choice *coarse, const ht_solver_options *options,
                          double share, double steps);

/* Returns the most such steps: jets and noise seldom come to rest or repeat, and the run then goes
 * on to the last beat, or without a pulse to `most`. After a coarse start another flow may need one
 * more beat. */
double ht_run_most_steps(const ht_coarse_choice *coarse, const ht_solver_options *options,
                         double share, double steps, double most);

#endif
