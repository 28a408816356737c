/* Stack of slices: its tolerances, and the volume that it makes. Private to import/. */
#ifndef HT_STACK_H
#define HT_STACK_H

#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest distance of two positions that count as one. */
#define HT_SAME_POSITION_MM 0.01
/* Tolerance of the distances between neighbouring slices: this fraction of their median, or to
 * HT_SAME_POSITION_MM where that is more. */
#define HT_GAP_TOLERANCE 0.01
/* Largest distance of a slice from its place on the regular grid, as a fraction of the spacing. */
#define HT_PLACE_TOLERANCE 0.05
/* Largest angle, in radians, between the slices' normal and the line of their origins: that of
 * ht_grid_check. 0.06 degrees. */
#define HT_TILT_TOLERANCE 1e-3
/* Tolerance of pixel spacing (relative) and direction cosines (absolute) of two slices. */
#define HT_SAME_SPACING   1e-4
#define HT_SAME_DIRECTION 1e-3

/* Multiple of the median distance of neighbours from which on slices are missing. */
#define HT_GAP_MISSING 1.5
/* Least distance of neighbours in a regular stack, as a fraction of the median. */
#define HT_GAP_LEAST 0.25
/* Largest gantry tilt that is sheared back, degrees. CT gantries tilt by 30 at most. */
#define HT_TILT_MOST 45.0

enum { HT_STACK_REMARK = 400 };

/* Decisions of the user. */
typedef struct {
  double allow_gaps_mm; /* interpolates across gaps up to this; 0: no slice may be missing */
  int phase;            /* wanted one of several images at each position, from 1; 0: no wish */
} ht_stack_options;

/* Volume that the slices make. */
typedef struct {
  ht_grid grid;                 /* of the volume */
  int resampled;                /* 0: slice k is plane k of the grid; 1: through slice_resample.h */
  int has_velocity;             /* the series has velocity images, which were left out */
  char remark[HT_STACK_REMARK]; /* a note for the user on the changes made; "" where there are none
                                 */
} ht_stack;

/* Adds a sentence to the remark, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ht_stack_remark(ht_stack *stack, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
