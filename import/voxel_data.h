/* Are all voxels of an NRRD or MetaImage file there, and does its header say what ITK would make
 * up? ITK fills what is missing with zeros, takes 1 mm where no size is given and LPS where no
 * space is. Private to import/. Headers: https://teem.sourceforge.net/nrrd/format.html and
 * https://itk.org/Wiki/ITK/MetaIO/Documentation.
 */
#ifndef HT_VOXEL_DATA_H
#define HT_VOXEL_DATA_H

#include "file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 where a header claims more bytes of voxels than the file at `path` can hold, and what is wrong
 * in `problem`: nothing that is stored shrinks by more than zlib's 1032 : 1. Asked before that
 * memory is. */
int ht_voxel_data_claims_more(const char *path, double bytes, char problem[128]);

/* The file at `path`, or the one that its header names, has the `expected` bytes of voxels;
 * compressed ones are inflated to their checksum; with 0 expected only the file has to be there.
 * The header has to tell the size of the voxels, in mm, and an NRRD's what its axes are to the
 * patient. Only raw and gzip (zlib) data in one file are read. HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_voxel_data_check_meta(const char *path, double expected);
ht_status ht_voxel_data_check_nrrd(const char *path, double expected);

/* The file that holds the voxels: the same, or the one that its header names. Errors of damaged
 * headers as above. */
ht_status ht_voxel_data_file(const char *path, int nrrd, char data[HT_PATH_MAX]);

/* 1 where an axis of an NRRD file is of the kind "list", as 3D Slicer writes of images in time. */
int ht_voxel_data_nrrd_list(const char *path);

#ifdef __cplusplus
}
#endif
#endif
