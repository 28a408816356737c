/* Guess of the openings that bring blood, where the case does not say. */
#ifndef HT_PLACE_SUPPLIES_H
#define HT_PLACE_SUPPLIES_H

#include "run/case/case.h"

/* Makes inlets in head and neck (usual_flow.h), where blood comes from below: if no opening is an
 * inlet yet and the widest leads down, this one and all others without a role that lead down next
 * to it and are nearly as wide (both carotids, the basilar artery of a circle of Willis). Elsewhere
 * nothing changes. Returns the number of inlets that it made. */
int ht_place_guess_supplies(const ht_case *settings, ht_openings *openings);

#endif
