/* Known openings on another lattice, or on a mask that is cut at them. */
#ifndef HT_PLACE_KNOWN_H
#define HT_PLACE_KNOWN_H

#include "run/case/case.h"
#include "run/openings/placed.h"

/* Returns the opening that a plane of the case has become: requested in the same place, or an end
 * that was found there and returned as a plane; -1: none. */
int ht_place_of_plane(const ht_placed *known, const ht_case_opening *asked);

/* Nodes of an opening below which its share of the flow is uncertain. */
enum { HT_PLACE_ENOUGH_NODES = 12 };

/* Returns the nodes of an opening on a lattice of this spacing. */
double ht_place_nodes(const ht_opening *one, double voxel_mm);

/* Fills `found` with the known openings except those in `placed`, in their order: at the border as
 * the mask has them there, inside the mask unchanged. Keeps made-up names, and in `placed` what was
 * closed. Warns of one at the border that has too few nodes here. HT_ERR_OPENINGS,
 * HT_ERR_MEMORY. */
ht_status ht_place_find_known(const ht_mask *mask, const ht_placed *known, ht_placed *placed,
                              ht_openings *found);

#endif
