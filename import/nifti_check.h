/* What ITK does not check in a NIfTI file. Private to import/.
 *
 * ITK fills what a truncated file lacks with zeros, ignores a failed CRC, takes the voxel size from
 * one place and the axes from another, and drops the shear of an sform. Each gives an image that
 * looks right and is not. Header: https://nifti.nimh.nih.gov/nifti-1/documentation (nifti1.h).
 */
#ifndef HT_NIFTI_CHECK_H
#define HT_NIFTI_CHECK_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The header is a NIfTI-1 header of one file, in numbers that can be. HT_ERR_NOT_FOUND,
 * HT_ERR_FORMAT; where the file is sound but not a scan (several time points, vectors, colour,
 * shear, other units) the reason comes in `problem` (256) instead, else "". */
ht_status ht_nifti_check_header(const char *path, char problem[256]);

/* All voxels that the header promises are in the file, and a compressed one is whole. Reads the
 * whole file. HT_ERR_FORMAT. */
ht_status ht_nifti_check_size(const char *path);

#ifdef __cplusplus
}
#endif
#endif
