/* Windows moved over an image of floats, along one axis after the other: the nearest of squared
 * distances, the largest, the Gaussian mean. Works in place, or panel by panel on a source that may
 * take less than a float per voxel. Private to segment/. */
#ifndef HT_WINDOWS_H
#define HT_WINDOWS_H

#include "core/status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* fminf and fmaxf are calls, for the sake of NaN; these are one instruction for many values. */
static inline float ht_lesser(float a, float b) {
  return a < b ? a : b;
}
static inline float ht_greater(float a, float b) {
  return a > b ? a : b;
}

enum { HT_WINDOW_REACH = 8 /* at most */, HT_WINDOW_LINES = 16, HT_PANEL_WIDTH = 32 };

typedef struct {
  int dim[3];
  float *value; /* [dim[2]][dim[1]][dim[0]] */
} ht_image;

typedef struct ht_window {
  int reach; /* values on each side */
  float weight[2 * HT_WINDOW_REACH + 1];
  /* `from` [n + 2 reach][width]: `width` lines side by side, from where the window of the first
   * begins; `to` [n][width]. */
  void (*apply)(const struct ht_window *window, const float *from, int n, int width, float *to);
} ht_window;

/* min(value + d^2), d the places along the axis: over all axes, the squared distance from the
 * nearest 0 (Felzenszwalb & Huttenlocher, Theory of Computing 8 (2012) 415). */
ht_window ht_window_nearest2(int reach);
ht_window ht_window_largest(int reach);
ht_window ht_window_gaussian(double sigma, int reach);

/* Filters along all axes, in place; the first and the last value of a line are repeated beyond its
 * ends. A line of one single value stays (along the axes 1 and 2: HT_WINDOW_LINES adjacent lines).
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_window_pass(const ht_image *image, const ht_window *window);

/* Source of panels: an image in any form. */
typedef struct {
  int dim[3];
  const void *values;
  void (*read)(const void *values, int64_t from, int count, float *to); /* in the image's order */
  const uint8_t *same; /* [dim[2]][dim[1]] 1: a row has a single value (ht_window_rows_same). NULL:
                                                    not needed, as the window does not change equal
                          values */
} ht_window_source;

/* Computes columns first to first + panel->dim[0] as ht_window_pass does for the source, bit for
 * bit. `first` is a multiple of HT_PANEL_WIDTH; the panel has that width (the last one: the rest)
 * and the other two sizes of the source. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_window_panel(const ht_window_source *source, const ht_window *window, int first,
                          const ht_image *panel);

void ht_window_rows_same(const ht_image *image, uint8_t *same);

#ifdef __cplusplus
}
#endif
#endif
