/* Are these slices one regular volume? Private to import/. */
#ifndef HT_SLICE_STACK_H
#define HT_SLICE_STACK_H

#include "dicom.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two positions closer than this are one position. */
#define HT_SAME_POSITION_MM 0.01
/* Distances between neighbouring slices agree to this fraction of their median, or to
 * HT_SAME_POSITION_MM where that is more. */
#define HT_GAP_TOLERANCE 0.01
/* No slice is further than this fraction of the spacing from its place on the regular grid. */
#define HT_PLACE_TOLERANCE 0.05
/* Largest angle, in radians, between the slices' normal and the line of their origins: that of
 * ht_grid_check. 0.06 degrees. */
#define HT_TILT_TOLERANCE 1e-3
/* Pixel spacing (relative) and direction cosines (absolute) of two slices are equal to this. */
#define HT_SAME_SPACING   1e-4
#define HT_SAME_DIRECTION 1e-3

/* Sorts the slices of one series along their normal, to the end what is not needed (second copies
 * of an image): *count becomes the number of slices of the volume. Fills
 * the grid, so that  origin + k * spacing * direction  is the position of slice k.
 * HT_ERR_SERIES or HT_ERR_FORMAT with the reason; the grid then has dim 0, unless the slices are
 * regular and only cannot be decoded. */
ht_status ht_stack_check(ht_slice *slice, int *count, ht_grid *grid);

/* Of a series after ht_stack_check: 1 where nobody means it when asking for a scan (a report, a
 * single image, a localizer, screenshots); 0 also where it is a scan that is damaged, irregular or
 * not read. */
int ht_stack_aside(const ht_slice *slice, int count);

#ifdef __cplusplus
}
#endif
#endif
