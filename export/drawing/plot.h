/* A plain plot: lines and dots over two linear axes, as PNG, in the style of the pictures.
 */
#ifndef HT_PLOT_H
#define HT_PLOT_H

#include "export/drawing/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *label; /* in the legend; NULL: left out */
  ht_rgb colour;
  int joined;   /* 1: a line through the points; 0: dots */
  double width; /* of the line or the dots, pixels */
  int count;
  const double *x, *y;     /* [count], borrowed; a point that is not finite is left out */
  const char *const *name; /* [count] borrowed; names of the points, NULL: none. May be NULL */
  int beside;              /* 1: names stand to the right of their points, 0: below */
} ht_plot_series;

typedef struct {
  const char *label;      /* the quantity and its unit */
  double low, high, step; /* ends of the axis, distance between ticks */
} ht_plot_axis;

enum { HT_PLOT_NOTES = 4 };

typedef struct {
  const char *title;
  ht_plot_axis x, y;
  int series;
  const ht_plot_series *one;       /* [series], borrowed; later ones are drawn over earlier */
  const char *note[HT_PLOT_NOTES]; /* lines below the plot; NULL: none */
  const char *mark;                /* a warning in the bar of the pictures; NULL: none */
} ht_plot;

/* Writes the plot as PNG. Points beyond the axes are not drawn. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_plot_write(const char *path, const ht_plot *plot);

/* The place of a point of the plot on the canvas, pixels. */
void ht_plot_place(const ht_plot *plot, double x, double y, double pixel[2]);

#ifdef __cplusplus
}
#endif
#endif
