/* Openings of a case: those that it prescribes, those found at the border, their roles. */
#ifndef HT_PLACE_H
#define HT_PLACE_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Cuts the mask where the case prescribes it, finds the openings at the border and where the vessel
 * ends inside (cut there unless the case says wall), matches them with the case's list, gives roles
 * and names: the outlets at points in the order of the points, then by area. `report` (may be NULL)
 * says which branches were cut off. `before` (may be NULL): openings placed earlier, whose cuts are
 * not repeated where the mask still ends at them. *cuts gets the number of cuts that changed the
 * mask. Openings that the case does not name get their names in `settings` too. HT_ERR_OPENINGS. */
ht_status ht_place_openings(ht_case *settings, const ht_segment_report *report, ht_mask *mask,
                            const ht_placed *before, ht_placed *placed, int *cuts);

/* Places the `known` openings on another lattice of the vessel, or later: in their places, with the
 * sections that they have on this lattice; none is searched, so none appears or disappears. The
 * mask is cut at those inside. One with too few nodes on this lattice is closed, with a warning. */
ht_status ht_place_known(ht_case *settings, ht_mask *mask, const ht_placed *known,
                         ht_placed *placed, int *cuts);

/* Warns of openings that are closed, of cuts that nobody requested, and of guessed roles; notes
 * where blind ends are. */
void ht_place_warn(const ht_case *settings, const ht_mask *mask, const ht_placed *placed);

#endif
