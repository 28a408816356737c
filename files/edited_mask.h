/* A mask that a person saved over hemotile's: does it lie where the one before lay? */
#ifndef HT_EDITED_MASK_H
#define HT_EDITED_MASK_H

#include "volume.h"

/* Compares the boxes of both images, of the mask as hemotile wrote it and as it is now. With voxels
 * of the same size it has to be the same box, to a tenth of a voxel; resampled, to about one voxel,
 * of the larger ones. HT_ERR_FORMAT with both. `folder` is as typed in a command. */
ht_status ht_edited_mask_check(const char *path, const char *folder, const ht_grid *written,
                               const ht_grid *edited);

#endif
