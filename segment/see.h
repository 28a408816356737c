/* What the network sees in a scan, as the segmentation takes it. */
#ifndef HT_SEE_H
#define HT_SEE_H

#include "segment/learned/learned_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the network (segment/learned/) on the scan and gives each voxel its most probable kind
 * (HT_SEEN_...). The network's input is scaled by the brightest voxels, so that blood is dim next
 * to much bone: where more than 0.5 % of the scan is brighter than tissue and twice the contrast of
 * the arteries seen, it runs once more with these voxels darkened to that. HT_ERR_MEMORY,
 * HT_ERR_DEVICE, HT_ERR_FORMAT, HT_ERR_INTERRUPTED. The caller frees `seen`. */
ht_status ht_see(const ht_volume *scan, const ht_learned_options *options, ht_mask *seen);

#ifdef __cplusplus
}
#endif
#endif
