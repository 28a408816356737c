/* Colours that mean numbers: perceptually uniform maps, readable by colour-blind people and in
 * greyscale. */
#ifndef HT_COLORMAP_H
#define HT_COLORMAP_H

#include "export/drawing/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_MAP_VIRIDIS,    /* speed */
  HT_MAP_PLASMA,     /* load on the wall */
  HT_MAP_DIFFERENCE, /* blue: less, light grey: none, red: more */
} ht_map;

/* The colour of t in 0..1; below and above it, the first and the last colour. NaN is magenta, which
 * is in neither map. */
ht_rgb ht_map_colour(ht_map map, double t);

/* The smallest number >= value (to a millionth) of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 x 10^n; 1
 * where value is not positive or not finite. */
double ht_nice_above(double value);

/* The largest number <= value of 1, 2, 5 x 10^n. */
double ht_nice_below(double value);

#ifdef __cplusplus
}
#endif
#endif
