/* The state of one run of the solver. Private to solver/. From the bottom up: solve_drive.c sets
 * the ports and follows the outlets, solve_step.c steps and watches, pulse.c runs the periods of a
 * pulsatile flow, solve.c begins and ends the run and finds the steady state. */
#ifndef HT_SOLVE_RUN_H
#define HT_SOLVE_RUN_H

#include "lattice.h"
#include "plan.h"
#include "windkessel_fit.h"

/* The state of an outlet with a Windkessel. */
typedef struct {
  ht_windkessel model;
  double flow_m3_s; /* out of the vessel, filtered, for the proximal resistance */
  double lag_s;     /* of the filter */
  double pressure_pa;
} ht_outlet_state;

/* The lumped model behind all outlets, as tuned to a cuff's pressures. */
typedef struct {
  int is_used, tuned;  /* tuned: how often */
  double target_pa[2]; /* systolic, diastolic, of the lumped model */
  ht_windkessel whole; /* of all outlets together */
  ht_windkessel_beat beat;
} ht_cuff;

typedef struct {
  const ht_domain *domain;
  const ht_tiling *tiling;
  const ht_solver_options *options;
  const ht_progress *progress;
  ht_plan plan;
  ht_lattice *lattice;
  ht_flow *flow;
  ht_flow_stats *stats;
  int64_t step;                             /* done */
  ht_outlet_state *outlet[HT_OPENINGS_MAX]; /* NULL: no Windkessel. Owned */
  int64_t outlet_steps;                     /* between two updates of them; 0: no Windkessel */
  int64_t outlet_step;                      /* of the latest update */
  ht_cuff cuff;
  double *coefficient; /* of the waveform's modes; owned */
  double stepping, reported_at,
      snapshot_at; /* seconds; snapshot_at 0: no snapshot, or an early one only */
  double last_change;
  int64_t last_check;
  int has_snapshot; /* flow holds a good state, after stats->steps steps */
  double total;     /* expected number of steps, for the progress; 0: unknown */
  double likely;    /* the first estimate of it, for a steady flow */
} ht_solve_run;

#endif
