/* Resamples slices that are no regular volume to a regular grid. Private to import/. */
#ifndef HT_SLICE_RESAMPLE_H
#define HT_SLICE_RESAMPLE_H

#include "core/work/progress.h"
#include "import/slices/slice_stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the pixels of a slice, [rows][columns]. */
typedef ht_status (*ht_slice_reader)(void *user, const ht_slice *slice, float *values);

/* Fills the volume, allocated on the stack's grid, from the `count` slices after ht_stack_check:
 * linear within a slice (along the rows and columns by which it is shifted) and between the two
 * neighbours of a plane; a slice within HT_PLANE_EXACT_MM of a plane is taken alone. Voxels that no
 * slice covers get the smallest value. Two slices are in memory at a time. Errors of the reader,
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
#define HT_PLANE_EXACT_MM 1e-3
ht_status ht_stack_resample(const ht_slice *slice, int count, ht_slice_reader reader, void *user,
                            const ht_progress *progress, ht_volume *volume);

/* Replaces NAN, where no slice has a value, by the smallest value: never a vessel. HT_ERR_FORMAT:
 * no voxel has a value. */
ht_status ht_fill_uncovered(ht_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
