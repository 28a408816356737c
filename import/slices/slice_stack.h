/* Checks that slices are one regular volume. Private to import/. */
#ifndef HT_SLICE_STACK_H
#define HT_SLICE_STACK_H

#include "import/slices/slice.h"
#include "import/slices/stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return 1 where the rows and columns of two slices have the same directions; the same spacings. */
int ht_slices_same_direction(const ht_slice *a, const ht_slice *b);
int ht_slices_same_spacing(const ht_slice *a, const ht_slice *b);

/* Finds the shift of slice k's origin from that of slice 0 along its rows and down its columns. */
void ht_stack_shift(const ht_slice *slice, int k, double shift_mm[2]);

/* Sorts the slices of one series along their normal; slices that are not needed (second copies of
 * an image, phase images next to magnitudes, other phases) go to the end: *count becomes the number
 * of slices of the volume. Fills the stack: where it is not resampled origin + k * spacing *
 * direction  is the position of slice k; where it is (gantry tilt, unequal spacing, gaps that were
 * allowed), the grid is orthogonal with the slices' rows and columns, and its planes have the
 * smallest distance of the slices. `options` NULL: the defaults. HT_ERR_SERIES or HT_ERR_FORMAT
 * with the reason; the grid then has dim 0, unless the slices are regular and only cannot be
 * decoded. */
ht_status ht_stack_check(ht_slice *slice, int *count, const ht_stack_options *options,
                         ht_stack *stack);

/* Returns 1, after ht_stack_check, for a series that a request for a scan never means (a report, a
 * single image, a localizer, screenshots); 0 also for a scan that is damaged, irregular or not
 * supported. */
int ht_stack_aside(const ht_slice *slice, int count);

#ifdef __cplusplus
}
#endif
#endif
