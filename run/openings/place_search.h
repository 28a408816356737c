/* Openings that a search of the mask finds. */
#ifndef HT_PLACE_SEARCH_H
#define HT_PLACE_SEARCH_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Fills `found` with the openings at the border, the branches that the report (NULL: none) lists as
 * cut off, and the other ends inside the mask, except those in `placed`. Openings that are too
 * thin, for the lattice or below a fifth of the widest, are counted there (ignored, thin_ends,
 * closed); one that the case names by its place (near_mm) is found anyway. HT_ERR_OPENINGS,
 * HT_ERR_MEMORY. */
ht_status ht_place_search(const ht_case *settings, const ht_segment_report *report,
                          const ht_mask *mask, const ht_placed *before, ht_placed *placed,
                          ht_openings *found);

#endif
