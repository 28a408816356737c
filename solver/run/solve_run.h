/* The state of one run of the solver. Private to solver/. From the bottom up: solve_drive.c sets
 * the ports and follows the outlets, solve_step.c steps and watches, pulse.c runs the periods of a
 * pulsatile flow, solve.c begins and ends the run and finds the steady state. */
#ifndef HT_SOLVE_RUN_H
#define HT_SOLVE_RUN_H

#include "core/work/side_work.h"
#include "solver/lattice/backend.h"
#include "solver/lattice/lattice.h"
#include "solver/samples/opening_nodes.h"
#include "solver/plan/plan.h"
#include "solver/inflow/windkessel_fit.h"

/* Sums for the fit of an outlet's loss (outlet_loss.h): the moments' number, and their sums of
 * flow, flow |flow| and the loss, of flow^2, flow^2 |flow|, flow^4, and of the loss times flow and
 * times flow |flow|; the largest |flow|. With the rate of the inflow: of rate^2, flow and loss
 * times rate. */
typedef struct {
  double moments, flow, steep, plain, flow2, mixed, flow4, loss, loss_steep, most_m3_s;
  double rate2, flow_rate, loss_rate;
} ht_loss_sums;

/* The state of an outlet with a Windkessel, or with a pressure. */
typedef struct {
  int is_plain; /* 1: a given pressure in place of the Windkessel */
  ht_windkessel model;
  double flow_m3_s;      /* out of the vessel, filtered, for the proximal resistance */
  double lag_s;          /* of the filter */
  double pressure_pa;    /* at the vessel's end */
  double loss[2];        /* from there to the port: Pa s/m3, Pa s2/m6, */
  double offset_pa;      /* and what does not go with the flow, */
  double offset_now_pa;  /* of which this part is taken over */
  double loss_coarse;    /* loss[0] on the coarse lattice; 0: there was none */
  double loss_flow_m3_s; /* filtered, for it */
  double loss_most_m3_s; /* largest flow of the fit */
  double port_pa;        /* prescribed over the face: the pressure less the loss */
  double head_pa;        /* of the blood that comes in, mean over the face; see drive() */
  ht_loss_sums sums;
} ht_outlet_state;

/* The lumped model after all outlets, as tuned to a cuff's pressures. */
typedef struct {
  int is_used, tuned;  /* tuned: how often */
  int refused;         /* how often no Windkessel had the pressures that were wanted of it */
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
  ht_opening_nodes openings; /* of this flow; owned */
  ht_flow_stats *stats;
  ht_side_work *side_work; /* takes samples while the lattice steps; NULL: nothing does */
  int64_t step;            /* done */
  ht_outlet_state *outlet[HT_OPENINGS_MAX]; /* NULL: none. Owned */
  int64_t outlet_steps;                     /* between two updates of them; 0: none */
  int64_t outlet_step;                      /* of the latest update */
  double through_lu[HT_OPENINGS_MAX];       /* volume through each port, summed at these updates */
  double through_asked_lu[HT_OPENINGS_MAX]; /* the same of the prescribed flow */
  int64_t through_steps, through_from;      /* number of steps, and the first of them */
  int has_sponge;
  int64_t loss_step; /* of the latest fit of a steady flow's loss; 0: none yet */
  int waits;         /* checks at which a steady flow's outlets did not have their pressures yet */
  ht_cuff cuff;
  double *coefficient; /* of the waveform's modes; owned */
  double stepping, reported_at,
      snapshot_at; /* seconds; snapshot_at 0: no snapshot, or an early one only */
  double last_change;
  int64_t last_check;
  int has_snapshot;   /* flow holds a good state, after stats->steps steps */
  double total;       /* expected number of steps, for the progress; 0: unknown */
  double likely;      /* the first estimate of it, for a steady flow */
  int is_restless;    /* a steady inflow whose flow does not come to rest: it takes all steps */
  int64_t mark_step;  /* where its change was last looked at for that, */
  double mark_change; /* and the change there */
  /* State of a start from a coarse lattice (coarse_start.h): */
  const char *lattice_note; /* of the progress; "" */
  int64_t first_beat;       /* of a pulse on this lattice, from 0 */
  int64_t last_beat;        /* > 0: the coarse lattice, which ends after this number; else 0 */
  double inflow_factor[HT_OPENINGS_MAX]; /* that the inlets' velocity was corrected by */
  double swing_off[HT_OPENINGS_MAX];     /* and its harmonics also by 1 + this */
  /* State that is kept (solve_state.h): */
  int from_coarse;  /* 1: this run began from the coarse lattice's flow */
  ht_state *resume; /* to load the state from; NULL: a new run, or loaded */
  int stops;        /* 1: asked to stop: keeps the state, and ends */
  double kept_at;   /* seconds, the last state */
  ht_status (*move_loop)(void *loop, ht_state *stream); /* the state of the loop that steps */
  void *loop;
  /* Called, if not NULL, with the lattice's tables instead of making the lattice (backend.h) */
  ht_status (*look)(void *user, const ht_lattice_tables *tables);
  void *look_user;
} ht_solve_run;

#endif
