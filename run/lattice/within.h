/* The lattice of a run by its time (lattice.within), and the limit for a run that gives none. */
#ifndef HT_WITHIN_H
#define HT_WITHIN_H

#include "run/state/run_state.h"

/* Makes the choice of a run's case, for the vessel just found, and keeps it in the case. The plan
 * is that of the flow: with the walls that are in memory (ht_run_walls), its outlets and
 * extensions. Does nothing without a time, with a choice that is made, or while the flow is not
 * known or refused. HT_ERR_TIME: nothing fits. */
ht_status ht_run_choose_within(ht_run *run);

/* Warns of what a kept choice loses, by the vessel just found on its lattice. */
ht_status ht_run_tell_within(const ht_run *run);

/* Returns 1 where the case allows a flow of `seconds`, the most that is planned: within its time
 * (half as long again where the lattice was chosen by it), or without one HT_WITHIN_UNASKED_S. A
 * repeated run is always allowed. */
int ht_run_allows(const ht_run *run, double seconds);

/* Refuses a run without a time whose flow is far from allowed, as ht_run_check_within, by the
 * vessel on a coarse lattice: before it is found on its own. */
ht_status ht_run_check_early(const ht_run *run);

/* Refuses a flow that is not allowed: HT_ERR_TIME, and a hint with the commands for 15 minutes, an
 * hour and any time. */
ht_status ht_run_check_within(const ht_run *run, double seconds);

/* Prints what 15 minutes and an hour would give, where the planned flow takes longer and has no
 * time that allows it. This and the one above need the run's domain. */
ht_status ht_run_tell_shorter(const ht_run *run, double seconds);

#endif
