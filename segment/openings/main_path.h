/* The main way through a vessel: from the inlet with the most flow to the widest outlet. */
#ifndef HT_MAIN_PATH_H
#define HT_MAIN_PATH_H

#include "openings.h"
#include "vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The centreline between the two (that of fronts' centres, as in throat.h, smoothed and moved to
 * the centroids of the sections across it), with a section about every two voxels, at most 500, the
 * first and the last a voxel inside the openings. Within a radius or so of an opening the sections
 * are parallel to its plane. Where another
 * opening's vessel leaves, a section has a part of it: at_branch. `mask` is
 * isotropic and one piece. Of two outlets equally wide the first counts. No inlet with a flow, no
 * outlet, or no way between them: a path without stations. HT_ERR_MEMORY. The caller frees. */
ht_status ht_main_path_find(const ht_mask *mask, const ht_openings *openings, ht_vessel_path *path);

#ifdef __cplusplus
}
#endif
#endif
