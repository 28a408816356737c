/* A place for a point at which the vessel cannot be cut. */
#ifndef HT_MOVE_POINT_H
#define HT_MOVE_POINT_H

#include "run/mask/choose_vessel.h"

/* Adds to the message of a failure to cut the vessel at a point (run->vessel.placed.lost_point)
 * where the point may go: up to two radii along the vessel, where `decide` succeeds with a section
 * of about the vessel's width. Adds nothing where there is no such place. `before`: the settings as
 * they were before the failure. Returns HT_ERR_OPENINGS, HT_ERR_INTERRUPTED or HT_ERR_MEMORY. */
ht_status ht_suggest_point(const ht_run *run, ht_case *before, ht_decide *decide);

#endif
