/* Keeps side branches for some diameters, and the vessel up to its points. Private to segment/. */
#ifndef HT_PRUNE_BRANCHES_H
#define HT_PRUNE_BRANCHES_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removes from `vessel` what lies farther along a side branch than `diameters` of the branch and
 * half a diameter, from the wall of the way's tube. A sac is less deep than that in its own
 * diameters and stays whole; so does a branch that ends within a diameter after the cut. Fronts
 * move into the branches; each adds its thickness over its own diameter. A stretch of a diameter
 * stays beyond the points at the ends, so that a plane can be cut there. Keeps what is connected to
 * the way. `station` is that of ht_flood_vessel.
 *
 * The report gets the branches that were cut off: each at the last place up to `diameters` where
 * its fronts have one width and do not divide for half a diameter to both sides; several branches
 * beyond one such place are reported as that one. HT_ERR_MEMORY. */
ht_status ht_prune_branches(const ht_way *way, const int32_t *station, double diameters,
                            ht_mask *vessel, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif
