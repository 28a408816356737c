/* The entries of an NRRD header that ITK's reader does not check: ITK fills missing voxels with
 * zeros, takes 1 mm where no size is given and LPS where no space is. Private to import/. Format:
 * https://teem.sourceforge.net/nrrd/format.html. */
#ifndef HT_NRRD_HEADER_H
#define HT_NRRD_HEADER_H

#include "voxel_data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ht_voxel_file file;
  int is_list;        /* an axis is of the kind "list", as 3D Slicer writes of images in time */
  int has_size;       /* the header has the voxels' axes, and with them their size in mm */
  int is_placed;      /* and the patient's directions of those axes */
  double spacings[3]; /* of a header without axes; 0: not given */
} ht_nrrd_header;

/* Reads the header. It must have the size of the voxels, in mm, and the patient's directions of its
 * axes; only raw and gzip (zlib) data in one file are read. HT_ERR_NOT_FOUND, HT_ERR_FORMAT. */
ht_status ht_nrrd_header_read(const char *path, ht_nrrd_header *header);

#ifdef __cplusplus
}
#endif
#endif
