/* Checks that a mask edited by a person still lies where hemotile's mask lay. */
#ifndef HT_EDITED_MASK_H
#define HT_EDITED_MASK_H

#include "core/vessel/volume.h"

/* Compares the boxes of two images: the mask as hemotile wrote it and as it is now. With the same
 * voxel size the boxes must agree to a tenth of a voxel; with another, to about one of the larger
 * voxels. HT_ERR_FORMAT names both boxes. `folder`: for the command in the message. */
ht_status ht_edited_mask_check(const char *path, const char *folder, const ht_grid *written,
                               const ht_grid *edited);

#endif
