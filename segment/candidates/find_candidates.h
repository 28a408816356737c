/* Finds the vessels of a scan that a person may mean, as stretches between two ends. Private to
 * segment/.
 *
 * The ends of a piece of vessel are the places farther away along it than all around them
 * (geodesic.h). Its centrelines are the trees of fronts (front_tree.h) from its wide ends at the
 * scan's border, the widest first. A candidate is the way from an end to the nearest wide one. */
#ifndef HT_FIND_CANDIDATES_H
#define HT_FIND_CANDIDATES_H

#include "segment/level/agent.h"
#include "core/vessel/candidates.h"
#include "segment/voxels/pieces.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the candidates in `pieces` (of vessel, on `grid`, a box of the scan's voxels), best first.
 * Pieces of less than 0.02 mL, and those after the twelve largest, do not count. Two candidates
 * share less than 70 % of the length of the one with the lower score; a score is at least 0.02.
 * Works on isotropic voxels of the smallest spacing, larger where a piece's box would have more
 * than 1e7: vessels thinner than three of these may be missed. `signs`: scan_signs.h; 0: none are
 * known. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees. */
ht_status ht_candidates_find(const ht_volume *scan, const ht_agent *agent, unsigned signs,
                             const ht_grid *grid, const ht_pieces *pieces,
                             const ht_progress *progress, ht_candidates *candidates);

#ifdef __cplusplus
}
#endif
#endif
