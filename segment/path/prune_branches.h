/* Side branches are kept for some diameters, the vessel up to its points. Private to segment/. */
#ifndef HT_PRUNE_BRANCHES_H
#define HT_PRUNE_BRANCHES_H

#include "segment/path/way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes out of `vessel` what lies farther along a side branch than `diameters` of the branch and
 * half a diameter, from the wall of the way's tube. A sac is less deep than that in its own
 * diameters and stays whole, and so does a branch that ends within a diameter behind.
 * Fronts move into the branches; each adds its thickness over its own diameter.
 * Beyond the points at the ends a stretch of a diameter stays, so that a plane can be cut there.
 * Keeps what is connected to the way. `station` as of ht_flood_vessel.
 *
 * The report gets the branches that were cut off: each at the last place up to `diameters` where
 * its fronts have one width and do not part for half a diameter to both sides; of several behind
 * one such place that one. HT_ERR_MEMORY. */
ht_status ht_prune_branches(const ht_way *way, const int32_t *station, double diameters,
                            ht_mask *vessel, ht_segment_report *report);

#ifdef __cplusplus
}
#endif
#endif
