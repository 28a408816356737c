/* One run of the solver: what its parts share. solve.c begins and ends it and goes to the steady
 * state, pulse.c goes over periods, solve_drive.c sets the ports and follows the outlets. Private
 * to solver/. */
#ifndef HT_SOLVE_RUN_H
#define HT_SOLVE_RUN_H

#include "backend.h"
#include "flow_read.h"
#include "outlets.h"
#include "plan.h"

/* An outlet with a Windkessel. */
typedef struct {
  ht_windkessel model;
  double flow_m3_s; /* out of the vessel, filtered, for the proximal resistance */
  double lag_s;     /* of the filter */
  double pressure_pa;
} ht_outlet_state;

typedef struct {
  const ht_domain *domain;
  const ht_tiling *tiling;
  const ht_solver_options *options;
  const ht_progress *progress;
  ht_plan plan;
  ht_lattice *lattice;
  ht_flow *flow;
  ht_flow_stats *stats;
  int64_t step;                              /* done */
  ht_outlet_state *outlet[HT_OPENINGS_MAX];  /* NULL: no Windkessel. Owned */
  int64_t outlet_steps;                      /* between two values of theirs; 0: there are none */
  int64_t outlet_step;                       /* of the latest value */
  double *coefficient;                       /* of the waveform's modes; owned */
  double stepping, reported_at, snapshot_at; /* seconds; the last 0: none but an early one */
  double last_change;
  int64_t last_check;
  int has_snapshot; /* flow holds a state that was good, of stats->steps */
  double total;     /* steps expected, for the progress; 0: not known yet */
  double likely;    /* the first guess of it, for a steady flow */
} ht_solve_run;

/* Steps up to `until`, in pieces short enough to report and to be interrupted, and to follow the
 * outlets; `note` goes with the report. */
ht_status ht_solve_advance(ht_solve_run *run, int64_t until, const char *note);

/* HT_ERR_DIVERGED where the state is none. */
ht_status ht_solve_watch(ht_solve_run *run, ht_lattice_monitor *seen);

/* Keeps the state, which is good, in `run->flow`, from time to time. */
ht_status ht_solve_keep(ht_solve_run *run);

/* Multiplies the velocity of every port that has it prescribed so that `flow_lu` becomes
 * `asked_lu`, both [ports], by 1.1 at most. */
ht_status ht_solve_correct(ht_solve_run *run, const double *flow_lu, const double *asked_lu);

/* The state as it is; `flow` is allocated. */
ht_status ht_solve_read(ht_solve_run *run, ht_flow *flow);

/* Seconds of a clock that never goes back. */
double ht_solve_clock(void);

/* The periods of a pulsatile flow. `run->flow` is then the mean of the last. (pulse.c) */
ht_status ht_solve_periods(ht_solve_run *run);

/* ---- solve_drive.c ---- */

/* Makes the ports, and the lattice with them. */
ht_status ht_solve_make_lattice(ht_solve_run *run);
void ht_solve_free_drive(ht_solve_run *run);

/* After `outlet_steps` steps: measures the flow of the outlets and finds their pressures. */
ht_status ht_solve_follow_outlets(ht_solve_run *run);

/* Pressure of the lattice's zero at the present step. */
double ht_solve_reference_pa(const ht_solve_run *run);

/* What is asked for at a step, voxels a step: [ports]; 0 where pressure is prescribed. */
void ht_solve_asked(const ht_solve_run *run, int64_t step, double *flow_lu);

#endif
