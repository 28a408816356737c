/* Functions that write an array of voxels as an image file. */
#ifndef HT_IMAGE_WRITE_H
#define HT_IMAGE_WRITE_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_VOXEL_UINT8, HT_VOXEL_INT16, HT_VOXEL_FLOAT } ht_voxel_type;

/* An array of voxels with its grid, borrowed. Three components are a vector in LPS. */
typedef struct {
  const ht_grid *grid;
  ht_voxel_type type;
  int components;
  const void *voxels; /* [nz][ny][nx][components]; the source for `part` where that is set */
  const char *name;   /* the quantity, at most 15 characters, for formats that keep it; "": none */
  const char *about;  /* with unit and axes, at most 79 characters */
  /* NIfTI: writes component c of voxels [first, first + count) to `out`, so that the whole array is
   * never in memory; called on several cores at a time. NULL: `voxels` is the array. */
  void (*part)(const void *voxels, int component, int64_t first, int64_t count, void *out);
  /* NIfTI: images of a time series, with `part` alone, whose voxels are those of all frames, one
   * frame after the other; 0: no series. Below: the time between frames and the first one's time.
   */
  int frames;
  double frame_s, first_s;
} ht_image_array;

/* Writes a .nii or .nii.gz file. HT_ERR_WRITE, HT_ERR_MEMORY; HT_ERR_USAGE: too large for NIfTI. */
ht_status ht_nifti_write(const char *path, const ht_image_array *image);

/* Writes a .nrrd or .mha file through ITK, compressed; reads it back and compares it before the
 * file gets its name, since ITK does not report every failed write. HT_ERR_USAGE: another ending.
 * HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_itk_write(const char *path, const ht_image_array *image);

#ifdef __cplusplus
}
#endif
#endif
