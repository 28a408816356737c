/* NIfTI image whose slices are shifted against each other, as a tilted CT gantry leaves them: the
 * sform's third axis is off the slices' normal. Its slices are treated as those of a DICOM series
 * with a tilt (slice_stack.h). Private to import/. */
#ifndef HT_NIFTI_TILT_H
#define HT_NIFTI_TILT_H

#include "import/image/nifti_header.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the grid of the image after shearing back, and a note for the user, from a header whose
 * sform has rows and columns at right angles. HT_ERR_SERIES (tilted by more than HT_TILT_MOST),
 * HT_ERR_FORMAT, HT_ERR_MEMORY; the grid then has dim 0. */
ht_status ht_nifti_tilt_grid(ht_nifti_header *header, ht_grid *grid, char remark[128]);

/* Shears an image back. *volume holds the voxels of the file at `path` as they are stored, and
 * becomes the image on the grid above; voxels that no slice covers get the smallest value. Errors
 * as above, HT_ERR_INTERRUPTED; *volume is then as before. `progress` may be NULL. */
ht_status ht_nifti_shear_back(const char *path, const ht_progress *progress, ht_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
