/* Tunes the Windkessels of an aorta during a run, so that the pressure computed at the inlet has
 * the cuff's systolic and diastolic values. Private to solver/. */
#ifndef HT_FIT_BLOOD_PRESSURE_H
#define HT_FIT_BLOOD_PRESSURE_H

#include "solver/run/solve_run.h"

/* Fits the lumped model of the run's inflow to options->cuff_pa: the outlets come with that fit,
 * divided by their shares. Does nothing where no cuff is given or nothing pulses. Errors as
 * ht_windkessel_fit. */
ht_status ht_cuff_begin(ht_solve_run *run);

/* Tells whether period number `period` is one to tune after. The first begins at rest, and the last
 * two keep their Windkessels, so that they show whether the flow is periodic. */
int ht_cuff_tunes(const ht_solve_run *run, int64_t period);

/* Tunes the Windkessels after such a period, with the highest and lowest pressure of each port in
 * it, [ports]; those of the main inlet count. What the vessel adds to the lumped model's pressures
 * is taken from its targets, and all outlets get the new fit in the same proportion. Targets that
 * cannot be reached leave the Windkessels as they are, and are counted. */
void ht_cuff_tune(ht_solve_run *run, const double *highest_pa, const double *lowest_pa);

/* Records the tuned Windkessels in the results. */
void ht_cuff_record(const ht_cuff *cuff, ht_flow_stats *stats);

#endif
