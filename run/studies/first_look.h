/* A first look at the flow: the case's mean flow, steady, on a coarse lattice, within seconds, for
 * whoever waits for a run of minutes or hours. No number may be taken from it: it is kept in
 * first_look/ of the case folder, in files of their own that no other command reads, and goes when
 * the run's results, another vessel or other settings come. The results of the run are bit for bit
 * those without it. */
#ifndef HT_FIRST_LOOK_H
#define HT_FIRST_LOOK_H

#include "run/state/run_state.h"

/* Computes the look of a run whose vessel is tiled, on the coarsest lattice that its openings and
 * its speed allow, from 8 nodes across on, with a bounded number of steps; writes its fields, then
 * first_look.json, which says what it is, or in `none` why there is none. It has no checkpoint: one
 * that is stopped leaves nothing. HT_ERR_INTERRUPTED, HT_ERR_WRITE, HT_ERR_DEVICE, HT_ERR_MEMORY;
 * where the flow itself fails there is none, and no error. */
ht_status ht_run_first_look(ht_run *run);

/* Does so before the flow of the run, unless that takes longer than allowed by its plan (within.h).
 */
ht_status ht_run_first_look_before(ht_run *run);

/* Does so where that flow also takes more than a minute. */
ht_status ht_run_first_look_if_long(ht_run *run);

#endif
