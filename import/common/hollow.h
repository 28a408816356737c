/* Checks that a vessel's mask is not hollow, the wall of a model for printing in place of the
 * blood. Private to import/. */
#ifndef HT_HOLLOW_H
#define HT_HOLLOW_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns HT_ERR_VESSEL where the mask encloses, slice after slice, a lumen of at least a fifth of
 * its own volume that is twice as long as it is wide: the flow would go through the wall. A ring of
 * vessels and a hole are shorter, a catheter is thinner. HT_ERR_MEMORY. */
ht_status ht_hollow_check(const char *path, const ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
