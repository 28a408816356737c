/* Vessels between two points that nobody chose: is one worth offering? */
#ifndef HT_CANDIDATE_DOUBT_H
#define HT_CANDIDATE_DOUBT_H

#include "run/state/run_state.h"

/* Checks a vessel between two points whose openings are decided, before it is offered to a person
 * who chose neither. HT_ERR_OPENINGS, with the reason, where it
 * - has an outlet at a branch as wide as the inlet, or at the point a wider one: blood may come in
 *   there,
 * - has closed ends that take more than half of the inlet's flow by Murray's law, or
 * - touches left-out blood over a section wider than itself. */
ht_status ht_candidate_doubt(const ht_run *run);

#endif
