/* Main path through a vessel: from the main inlet to the widest outlet. */
#ifndef HT_MAIN_PATH_H
#define HT_MAIN_PATH_H

#include "core/vessel/openings.h"
#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the centreline between the two, with a section about every two voxels, at most 500
 * sections, the first and the last a voxel inside the openings. It is the deepest way through the
 * vessel, past the necks of sacs (axis_way.h), smoothed, and moved to the centroids of the sections
 * across it where these are the vessel's. The narrowest section of a narrowing (below 3/4 of the
 * median area) is moved to the place of least area. The direction of the centreline is taken over a
 * diameter; within a radius or so of an opening the sections are parallel to its plane. A section
 * with a part of a sac or of another vessel is marked is_mixed: one that is far larger than its
 * neighbours and lies to one side, and all in the mouth of another opening's vessel. `mask` is
 * isotropic and one piece. Of two equally wide outlets the first counts. The inlet may have no flow
 * yet. No inlet, no outlet, or no way between them: a path without stations. HT_ERR_MEMORY. The
 * caller frees. */
ht_status ht_main_path_find(const ht_mask *mask, const ht_openings *openings, ht_vessel_path *path);

#ifdef __cplusplus
}
#endif
#endif
