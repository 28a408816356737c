/* Choice of the vessel in a scan, where the case does not say which. */
#ifndef HT_CHOOSE_VESSEL_H
#define HT_CHOOSE_VESSEL_H

#include "run/case/points_file.h"
#include "run/state/run_state.h"

/* Finds the vessel and decides on its openings, as for a run; HT_ERR_OPENINGS where that fails. */
typedef ht_status ht_decide(ht_run *run);

/* Checks that the vessel found is the intended one, after the search for the vessel
 * (run->vessel.found) and its openings, which ended with `placed`. Returns `placed` where the case
 * says where the vessel is (points, seed, region, mask, openings), or where it is clear: one piece
 * of vessel is more than twice as large as all others, and has one to six openings, including those
 * that are too thin. Where only the pieces are similar, the best candidate of all pieces
 * (segment/candidates/) has to be the piece found, and to score 1.5 times the next. A piece without
 * an opening is clear only where there is no candidate. Else writes candidates.json and
 * pictures/candidates.png and fails with HT_ERR_VESSEL. A candidate for which `decide` fails is not
 * offered. */
ht_status ht_choose_vessel(ht_run *run, ht_status placed, ht_decide *decide);

/* Finds whether one piece of vessel with one to six openings stands out, by its size alone.
 * `placed` as above. HT_ERR_MEMORY. */
ht_status ht_vessel_stands_out(const ht_run *run, ht_status placed, int *found);

/* Returns 1 where the case does not say where the vessel is. */
int ht_vessel_is_free(const ht_case *settings);

/* Decides as if the case had these points, without a trace in the run. `placed` (may be NULL) gets
 * the openings. The failure is that of `decide`. */
ht_status ht_try_points(const ht_run *run, const ht_points *points, ht_decide *decide,
                        ht_placed *placed);

/* Makes the ends of candidate `number` of the case folder the points of the case. HT_ERR_USAGE,
 * HT_ERR_FORMAT. */
ht_status ht_take_candidate(const char *folder, int number, ht_case *settings);

#endif
