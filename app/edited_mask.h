/* A mask that a person saved over hemotile's: does it lie where the one before lay? */
#ifndef HT_EDITED_MASK_H
#define HT_EDITED_MASK_H

#include "volume.h"

/* Compares the boxes of both images, of the mask as hemotile wrote it and as it is now. The same
 * number of voxels has to lie in the same place; another one (resampled, cropped by a voxel) has to
 * fill the same box to two voxels. HT_ERR_FORMAT with both. `folder` is as typed in a
 * command. */
ht_status ht_edited_mask_check(const char *path, const char *folder, const ht_grid *written,
                               const ht_grid *edited);

#endif
