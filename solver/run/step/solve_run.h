/* One run of the solver on one lattice, from its parts. Private to solver/. Only what steps the
 * lattice and reads it takes the whole run; other functions take the parts that they need. */
#ifndef HT_SOLVE_RUN_H
#define HT_SOLVE_RUN_H

#include "solver/run/ports/fit_blood_pressure.h"
#include "solver/run/ports/port_drive.h"
#include "solver/run/ports/port_volume.h"
#include "solver/run/step/checkpoint_time.h"
#include "solver/run/step/solve_progress.h"
#include "solver/run/step/solve_results.h"
#include "solver/samples/level_flow.h"

/* The part of a run that this lattice does, where a coarse one begins. Zeroed: all of it. */
typedef struct {
  int from_coarse;    /* 1: begins from the coarse lattice's flow */
  int64_t first_beat; /* of a pulse, from 0 */
  int64_t last_beat;  /* coarse lattice of a pulse: ends after this number of beats; else 0 */
} ht_solve_span;

/* The levels of a lattice of several spacings; the run's domain and lattice are the coarsest, with
 * the ports of all levels. */
typedef struct {
  const ht_level_domain *domain;             /* NULL: the lattice has one spacing. Borrowed */
  ht_levels *levels;                         /* owned, as the next two */
  ht_level_flow flow;                        /* what is read of them */
  ht_opening_nodes openings[HT_LEVELS_MOST]; /* of the ports on each */
} ht_solve_levels;

/* The run; it stays where it is as long as its lattice lives (ht_port_lattice_set_up). */
typedef struct {
  ht_solve_setup setup;
  ht_solve_span span;
  ht_lattice *lattice; /* owned; with levels theirs */
  ht_solve_levels levels;
  int64_t step; /* number of steps done */
  ht_outlet_states outlets;
  ht_cuff cuff; /* to which these are tuned */
  ht_port_drive drive;
  ht_port_volume volume;
  ht_solve_results results;
  ht_solve_progress progress;
  ht_solve_checkpoint checkpoint;
} ht_solve_run;

#endif
