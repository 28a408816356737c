/* Image files by their format: NIfTI (nifti_file.h), MetaImage and NRRD (stored_image.h). Private
 * to import/.
 */
#ifndef HT_IMAGE_H
#define HT_IMAGE_H

#include "core/disk/path_list.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Endings that are read, for messages. */
#define HT_IMAGE_ENDINGS ".nii, .nii.gz, .hdr, .nrrd, .nhdr, .mha, .mhd"

/* Contents of a file's header. */
typedef struct {
  char format[16]; /* "NIfTI", "NRRD", "MetaImage" */
  ht_grid grid;    /* dim 0 where there is a problem */
  int dim[3];      /* voxels that the file stores; those of the grid, unless it is tilted */
  int tilted;      /* 1: a NIfTI whose slices are shifted against each other by a gantry tilt: the
                      grid is that of the image once ht_image_shear_back was called */
  int volumes;     /* images in time, of which one is read; usually 1 */
  ht_status status;
  char problem[256]; /* why it is not a scan, though the file is sound; "" where it is */
  char remark[256];  /* a note for the user on how it is read; "" where there is none */
} ht_image_info;

/* Returns 1 where the name ends like one of these formats (large or small letters). */
int ht_image_named(const char *path);

/* Reads the header. HT_ERR_FORMAT where it is not the format of its name, or damaged. */
ht_status ht_image_header(const char *path, ht_image_info *info);

/* Adds the file to the list, and the file with its voxels where that is another. Only for a file
 * that was read without an error. HT_ERR_MEMORY. */
ht_status ht_image_files(const char *path, ht_path_list *files);

/* Checks that all voxels are there; reads compressed ones to their end. Fails as ht_image_voxels
 * does. */
ht_status ht_image_check_voxels(const char *path);

/* Reads the voxels of image `volume` (from 0) of those in time as stored (slope and
 * intercept applied; NaN and infinity kept). HT_ERR_FORMAT (damaged, truncated, or the header's
 * problem), HT_ERR_MEMORY. The caller frees. Those of a tilted image are as stored, on a grid with
 * the right size and no place. */
ht_status ht_image_voxels(const char *path, int volume, ht_volume *image);

/* Resamples a tilted image, without NaN, to the grid of its header; leaves any other unchanged.
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. `progress` may be NULL. */
ht_status ht_image_shear_back(const char *path, const ht_image_info *info,
                              const ht_progress *progress, ht_volume *image);

#ifdef __cplusplus
}
#endif
#endif
