/* Image whose header gives the place and storage of its voxels (MetaImage, NRRD): tells whether it
 * is a scan, and reads its voxels. Private to import/.
 *
 * The voxels are read here and not by ITK, whose readers (MetaIO, NrrdIO) fill the rest of a
 * truncated file with zeros, take 1 mm where no size is given, parse a damaged header in their own
 * way, and end the program where a header's line is longer than their message. */
#ifndef HT_STORED_IMAGE_H
#define HT_STORED_IMAGE_H

#include "import/image/image.h"
#include "import/image/voxel_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of dimensions, as in MetaIO. */
enum { HT_STORED_DIMENSIONS = 10 };

/* Header of such an image. */
typedef struct {
  ht_voxel_file file;
  int dimensions;
  double size[HT_STORED_DIMENSIONS]; /* voxels along each axis; whole numbers >= 1 */
  double spacing_mm[HT_STORED_DIMENSIONS], origin_mm[HT_STORED_DIMENSIONS]; /* LPS */
  double axes[HT_STORED_DIMENSIONS * HT_STORED_DIMENSIONS]; /* [dimensions][dimensions] row a is
                                                               the unit vector of axis a, LPS */
  int type;        /* of core/formats/nifti_codes.h; 0: another */
  int channels;    /* numbers per voxel */
  int interleaved; /* 1: the images in time (axis 3) are stored voxel by voxel, not one by one */
  int swapped;     /* 1: they are in the other byte order than this machine's */
} ht_stored_image;

/* Fills the grid, the number of images in time and the problem. `path` is that of the header, as
 * below. HT_ERR_FORMAT: the file of the voxels is not there. */
ht_status ht_stored_info(const char *path, const ht_stored_image *stored, ht_image_info *info);

/* Checks that the voxels of all images are there, and no more; compressed ones are inflated. Only
 * for an image whose info has no problem, as below. HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_stored_check_voxels(const char *path, const ht_stored_image *stored);

/* Reads the voxels of image number `volume` (from 0), [nz][ny][nx], after ht_stored_check_voxels.
 * HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_stored_read_voxels(const char *path, const ht_stored_image *stored, int volume,
                                float *values);

#ifdef __cplusplus
}
#endif
#endif
