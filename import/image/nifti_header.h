/* Header of a NIfTI-1 or NIfTI-2 file, of either byte order, in one file with its voxels (.nii,
 * .nii.gz) or in two (.hdr and .img). Private to import/. Places of the numbers: nifti1.h and
 * nifti2.h of https://nifti.nimh.nih.gov. */
#ifndef HT_NIFTI_HEADER_H
#define HT_NIFTI_HEADER_H

#include "core/disk/file.h"
#include <stdint.h>
#include <zlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char voxels[HT_PATH_MAX]; /* the file that holds them: the same, or the .img of a .hdr */
  int64_t dim[8];
  int type, units, qform, sform;
  int swapped; /* 1: its numbers are in the other byte order than this machine's */
  double pixdim[8], quaternion[3], shift[3], offset, slope, intercept;
  double rows[3][4]; /* of the sform */
} ht_nifti_header;

/* Opens a file for reading, plain or compressed. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is
 * compressed and its name does not end in .gz. Close with gzclose. */
ht_status ht_nifti_open(const char *path, gzFile *file);

/* Returns 1 where the last read failed for lack of memory: the file is then not to blame. */
int ht_nifti_no_memory(gzFile file);

/* Reads the header of `path`, which may be either file of a pair. HT_ERR_NOT_FOUND, HT_ERR_FORMAT
 * (no NIfTI, truncated). Its values are not checked. */
ht_status ht_nifti_header_read(const char *path, ht_nifti_header *header);

#ifdef __cplusplus
}
#endif
#endif
