/* NIfTI-1 files: checks of the header, and the voxels. Private to import/.
 *
 * ITK reads the places from the header, and no more: it would fill what a truncated file lacks with
 * zeros, replace NaN by 0 (which is water in a CT), apply the intercept of a file without a slope,
 * take the voxel size from one place and the axes from another, and drop the shear of an sform.
 * Each gives an image that looks right and is not. Header: nifti1.h of
 * https://nifti.nimh.nih.gov/nifti-1/documentation.
 */
#ifndef HT_NIFTI_FILE_H
#define HT_NIFTI_FILE_H

#include "volume.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The header is a NIfTI-1 header of one file, in numbers that can be. HT_ERR_NOT_FOUND,
 * HT_ERR_FORMAT; where the file is sound but not a scan (several time points, vectors, colour,
 * shear, other units, no orientation) the reason comes in `problem` (256) instead, else "". */
ht_status ht_nifti_check_header(const char *path, char problem[256]);

/* The grid of a header that has an sform and no qform: *known 1. ITK 5.2 would build a quaternion
 * from it, and refuses turned images far from the origin for the float's rounding. Where there is a
 * qform *known is 0: ITK decides. Only after ht_nifti_check_header without a problem.
 * HT_ERR_FORMAT. */
ht_status ht_nifti_grid(const char *path, ht_grid *grid, int *known);

/* Reads the `count` voxels that the header promises, after slope and intercept; NaN and infinity as
 * they are. Reads a compressed file to its end: HT_ERR_FORMAT where voxels are missing or a
 * checksum fails. `values` NULL: only checks that they are there. Only after ht_nifti_check_header
 * without a problem. */
ht_status ht_nifti_read_voxels(const char *path, int64_t count, float *values);

#ifdef __cplusplus
}
#endif
#endif
