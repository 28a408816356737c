/* Tunes the Windkessels of an aorta during a run, so that the pressure computed at the inlet has
 * the cuff's systolic and diastolic values. Private to solver/. */
#ifndef HT_FIT_BLOOD_PRESSURE_H
#define HT_FIT_BLOOD_PRESSURE_H

#include "solver/inflow/windkessel_fit.h"
#include "solver/plan/solve_setup.h"
#include "solver/run/ports/outlet_state.h"

/* The lumped model after all outlets, as tuned to a cuff's pressures. A struct without pointers: a
 * checkpoint has its bytes. */
typedef struct {
  int is_used, tuned;  /* tuned: how often */
  int refused;         /* how often no Windkessel had the pressures that were wanted of it */
  double target_pa[2]; /* systolic, diastolic, of the lumped model */
  ht_windkessel whole; /* of all outlets together */
  ht_windkessel_beat beat;
} ht_cuff;

/* Fits the lumped model of the run's inflow to options->cuff_pa: the outlets come with that fit,
 * divided by their shares. Does nothing where no cuff is given or nothing pulses, nor to a model
 * that the coarse lattice left. Errors as ht_windkessel_fit. */
ht_status ht_cuff_begin(const ht_solve_setup *setup, ht_cuff *cuff);

/* Tunes the Windkessels after a period, with the highest and lowest pressure of each port in
 * it, [ports]; those of the main inlet count. What the vessel adds to the lumped model's pressures
 * is taken from its targets, and all outlets get the new fit in the same proportion. Targets that
 * cannot be reached leave the Windkessels as they are, and are counted. */
void ht_cuff_tune(const ht_solve_setup *setup, const double *highest_pa, const double *lowest_pa,
                  ht_outlet_states *outlets, ht_cuff *cuff);

/* Records the tuned Windkessels in the results. */
void ht_cuff_record(const ht_cuff *cuff, ht_flow_stats *stats);

#endif
