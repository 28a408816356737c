/* Brings corrections to the mask of another lattice. */
#ifndef HT_EDIT_MERGE_H
#define HT_EDIT_MERGE_H

#include "core/work/progress.h"
#include "segment/edit/edit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the mask of another lattice with the corrections: `found` is the same vessel as `base`, the
 * first mask of `edited`, on its own lattice. Within two voxels of what the steps changed, the
 * smooth surface of the corrected mask counts (ht_isosurface_of_mask), elsewhere `found`: there the
 * wall stays where the scan shows it. `scan`: the grid that limits the mask. The caller frees.
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_edited_onto(const ht_edited *edited, const ht_mask *base, const ht_mask *found,
                         const ht_grid *scan, const ht_progress *progress, ht_mask *merged);

#ifdef __cplusplus
}
#endif
#endif
