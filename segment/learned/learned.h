/* Vessels found by a network that was trained on synthetic scans: what each voxel of a scan may be,
 * and how far the nearest wall of a vessel is. docs/notes/vessel/learned.md says how it was trained
 * and what it is worth. It never has the last word on the wall.
 *
 * The network knows voxels, not millimetres: spacing and origin do not count. It reads the scan in
 * the order of axes nearest to the patient's (x to the left, y to the back, z to the head), so the
 * order of the scan's own does not count either. It takes the brightness by its ranks in the whole
 * scan, so a part of a scan gives other values than the scan. The weights are part of the program.
 */
#ifndef HT_LEARNED_H
#define HT_LEARNED_H

#include "segment/learned/learned_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the network on a scan of any size: it is filled up to multiples of 8 voxels by brightness 0,
 * that of its darkest voxels. Fewer than 8 voxels along an axis are allowed, but nothing like that
 * was in the training. Values that are NaN or infinite count as such darkest voxels, and not for
 * the ranks. A scan of one value is all of brightness 0. The result does not depend on the number
 * of threads and on the memory; CPU and GPU, and processors with other vector instructions, differ
 * by rounding (1e-4 of a probability; one unit of the outputs above). A scan whose axes have
 * another order than the patient's is copied meanwhile, and so is what is found. The scan is
 * borrowed.
 *
 * HT_ERR_FORMAT: no value of the scan is finite. HT_ERR_MEMORY: most_bytes, or what is free, is too
 * little even for the narrowest strips. HT_ERR_DEVICE: CUDA is asked for and there is none, or it
 * failed. HT_ERR_INTERRUPTED. On a failure `found` is zeroed. */
ht_status ht_learned_find(const ht_volume *scan, const ht_learned_options *options,
                          ht_learned *found);

/* Frees what was found. NULL is allowed. */
void ht_learned_free(ht_learned *found);

#ifdef __cplusplus
}
#endif
#endif
