/* The header of a MetaImage file (.mha, .mhd), the only parser of it here. Nothing is guessed: a
 * file without the size of its voxels, with voxels as text or in other units than mm is refused.
 * Private to import/. Format: https://itk.org/Wiki/ITK/MetaIO/Documentation.
 */
#ifndef HT_META_HEADER_H
#define HT_META_HEADER_H

#include "voxel_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dimensions at most, as in MetaIO, the format's own library. */
enum { HT_META_DIMENSIONS = 10 };

typedef struct {
  ht_voxel_file file;
  int dimensions;
  double size[HT_META_DIMENSIONS]; /* voxels along each axis; whole numbers >= 1 */
  double spacing_mm[HT_META_DIMENSIONS], origin_mm[HT_META_DIMENSIONS]; /* LPS */
  double axes[HT_META_DIMENSIONS * HT_META_DIMENSIONS]; /* [dimensions][dimensions] row a is the
                                                           unit vector of axis a, LPS */
  int type;     /* of core/formats/nifti_codes.h; 0: another */
  int channels; /* numbers a voxel */
  int swapped;  /* 1: they are in the other byte order than this machine's */
} ht_meta_header;

/* Reads the header at `path`. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (no MetaImage, damaged, or without
 * the needed entries). Does not check whether the voxels are there. */
ht_status ht_meta_header_read(const char *path, ht_meta_header *header);

#ifdef __cplusplus
}
#endif
#endif
