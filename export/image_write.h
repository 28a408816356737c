/* Writing an array of voxels as an image file through ITK. */
#ifndef HT_IMAGE_WRITE_H
#define HT_IMAGE_WRITE_H

#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_VOXEL_UINT8, HT_VOXEL_INT16, HT_VOXEL_FLOAT } ht_voxel_type;

/* Writes [nz][ny][nx][components]; the format by the ending (.nii.gz, .nii, .nrrd, .mha). Three
 * components are a vector in LPS. The file is read back and compared before it gets its name: ITK
 * does not report every failed write (NIfTI on a full disk). HT_ERR_USAGE: another ending.
 * HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_image_write(const char *path, const ht_grid *grid, ht_voxel_type type, int components,
                         const void *voxels);

#ifdef __cplusplus
}
#endif
#endif
