/* Which openings bring blood where nobody says so. */
#ifndef HT_PLACE_SUPPLIES_H
#define HT_PLACE_SUPPLIES_H

#include "run/case/case.h"

/* In head and neck (usual_flow.h) blood comes from below: where no opening is an inlet yet and the
 * widest leads down, this one and all others without a role that lead down beside it and are nearly
 * as wide (both carotids, the basilar artery of a circle of Willis) become inlets. Elsewhere
 * nothing changes. Returns the number of inlets that it made. */
int ht_place_guess_supplies(const ht_case *settings, ht_openings *openings);

#endif
