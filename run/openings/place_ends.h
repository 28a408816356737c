/* Openings where the vessel ends inside the mask. */
#ifndef HT_PLACE_ENDS_H
#define HT_PLACE_ENDS_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Adds the ends inside the mask to the openings `found` at the border, largest first, but not those
 * at openings in `placed`: the branches that the report (NULL: none) says were cut off, and where
 * else the vessel ends. placed->closed: those that are too thin for an opening. HT_ERR_OPENINGS,
 * HT_ERR_MEMORY. */
ht_status ht_place_find_ends(const ht_case *settings, const ht_segment_report *report,
                             const ht_mask *mask, const ht_placed *before, ht_placed *placed,
                             ht_openings *found);

/* 1: an entry of the case names a place (near_mm) that lies at this opening, and nearer to it than
 * to all that are found. */
int ht_place_is_named(const ht_case *settings, const ht_openings *found, const ht_opening *one);

/* Says where the vessel has blind ends, in the order of their width. */
void ht_place_tell_blind(const ht_case *settings, const ht_mask *mask, const ht_placed *placed);

/* Cuts the mask at the openings placed that are such ends and no wall; *cuts grows by the number of
 * cuts. HT_ERR_OPENINGS, HT_ERR_MEMORY. */
ht_status ht_place_cut_ends(ht_mask *mask, ht_placed *placed, int *cuts);

/* 1: the mask ends at the plane of the opening. */
int ht_place_ends_at(const ht_mask *mask, const ht_opening *opening);

#endif
