/* Openings where the vessel ends inside the mask. */
#ifndef HT_PLACE_ENDS_H
#define HT_PLACE_ENDS_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Adds the ends inside the mask to the openings `found` at the border, largest first, except those
 * at openings in `placed`: the branches that the report (NULL: none) lists as cut off, and the
 * other ends of the vessel. placed->closed: those that are too thin for an opening.
 * HT_ERR_OPENINGS, HT_ERR_MEMORY. */
ht_status ht_place_find_ends(const ht_case *settings, const ht_segment_report *report,
                             const ht_mask *mask, const ht_placed *before, ht_placed *placed,
                             ht_openings *found);

/* Returns 1 where an entry of the case names a place (near_mm) that lies at this opening, and
 * nearer to it than to all that are found. */
int ht_place_is_named(const ht_case *settings, const ht_openings *found, const ht_opening *one);

/* Notes where the vessel has blind ends, widest first. */
void ht_place_tell_blind(const ht_case *settings, const ht_mask *mask, const ht_placed *placed);

/* Cuts the mask at the placed openings that are such ends and not walls; *cuts grows by the number
 * of cuts. HT_ERR_OPENINGS, HT_ERR_MEMORY. */
ht_status ht_place_cut_ends(ht_mask *mask, ht_placed *placed, int *cuts);

/* Returns 1 where the mask ends at the plane of the opening. */
int ht_place_ends_at(const ht_mask *mask, const ht_opening *opening);

#endif
