/* NIfTI-1 and NIfTI-2 files: the place of the image, and its voxels. Private to import/.
 *
 * The files are read here and not by ITK, whose reader would fill the rest of a truncated file with
 * zeros, replace NaN by 0 (which is water in a CT), apply the intercept of a file without a slope,
 * take the voxel size from one place and the axes from another, and drop the shear of an sform.
 * Each gives an image that looks right and is not. ITK 5.2 also reads no NIfTI-2.
 *
 * Of the two places that a header may hold, the one whose code is not 0 is taken; of two that agree
 * to HT_NIFTI_AGREE voxels, the sform. Where they disagree, the place with code 1 (the scanner's
 * own coordinates) is taken, with a note, where just one has it; else the sform. An sform must be a
 * turned box of the voxel size in pixdim. Where its slices are boxes and only shifted against each
 * other (a gantry tilt) the image is sheared back (nifti_tilt.h). The qform replaces it only where
 * the codes and another first voxel show that the sform is a registration; else the file is
 * refused: a qform made of a sheared sform is centimetres off. Mirror images of each other are
 * refused. */
#ifndef HT_NIFTI_FILE_H
#define HT_NIFTI_FILE_H

#include "core/vessel/volume.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest distance, in voxels, of a corner by sform and by qform that counts as the same place. */
#define HT_NIFTI_AGREE 0.01

typedef struct {
  ht_grid grid;      /* dim 0 where there is a problem */
  int dim[3];        /* voxels that the file stores; those of the grid, unless it is tilted */
  int tilted;        /* 1: the grid is that of the image sheared back (nifti_tilt.h) */
  int volumes;       /* images in time; usually 1 */
  char problem[256]; /* why it is not a scan, though the file is sound (vectors, colour, shear,
                        other units, no orientation); "" where it is */
  char remark[256];  /* sform and qform disagree: the choice; "" where they do not */
} ht_nifti_info;

/* Reads the header. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (also where it claims more than its file can
 * hold), HT_ERR_MEMORY. */
ht_status ht_nifti_header_info(const char *path, ht_nifti_info *info);

/* Checks that an uncompressed file is long enough; call it before memory is allocated.
 * HT_ERR_FORMAT. */
ht_status ht_nifti_check_length(const char *path);

/* Reads the voxels of image number `volume` (from 0), after slope and intercept; NaN and infinity
 * as they are. Reads a compressed file to its end: HT_ERR_FORMAT where voxels are missing or a
 * checksum fails. `values` NULL: only checks that those of all images are there. Only for a file
 * whose info has no problem. */
ht_status ht_nifti_read_voxels(const char *path, int volume, float *values);

#ifdef __cplusplus
}
#endif
#endif
