/* Messages about the openings of a mask: found, guessed, closed, or changed. */
#ifndef HT_PLACE_WARN_H
#define HT_PLACE_WARN_H

#include "run/case/case.h"
#include "core/vessel/domain.h"
#include "run/openings/placed.h"

/* Prints a line for each: name, role, radius, place. */
void ht_place_tell(const ht_openings *openings);

/* Warns of openings that are closed, or cut off at an edge of the region. */
void ht_place_warn_of_closed(const ht_placed *placed);
/* Warns of planes that are turned against the vessel, and vessels that run along a border. */
void ht_place_warn_of_turned(const ht_placed *placed);
/* Warns of extensions that follow the normal because they have no room along the vessel. */
void ht_place_warn_of_straight(const ht_openings *openings, const ht_domain *domain);
/* Warns of ends inside the mask that nobody requested: a gap in the mask, or the vessel's own
 * end. */
void ht_place_warn_of_ends(const ht_case *settings, const ht_placed *placed);
/* Warns of guessed roles. */
void ht_place_warn_of_guess(const ht_case *settings, const ht_openings *openings);
/* Warns of an outlet that is far wider than every inlet: the roles may be exchanged. */
void ht_place_warn_of_narrow_inlet(const ht_openings *openings);

/* Warns of every opening that is gone, is new or has another role than before, where the case does
 * not prescribe that role. */
void ht_place_compare(const ht_case *settings, const ht_openings *before, const ht_openings *now);

/* Checks a mask that was edited by hand: HT_ERR_OPENINGS, with what to list, where it has more
 * openings than before and the case does not list one of them. A bulge that ends flat after
 * resampling is taken for an opening, and the flow would leave there. */
ht_status ht_place_check_new(const ht_case *settings, const ht_openings *before,
                             const ht_openings *now);

#endif
