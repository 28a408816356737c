/* A small RGB canvas: anti-aliased lines and filled shapes, written as PNG.
 *
 * Coordinates are pixels, x to the right and y down; pixel (i, j) covers [i, i+1) x [j, j+1), so
 * its centre is (i + 0.5, j + 0.5). Positions outside the canvas, or that are not finite, are not
 * drawn.
 */
#ifndef HT_CANVAS_H
#define HT_CANVAS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned char r, g, b;
} ht_rgb;

typedef struct {
  int width, height;
  unsigned char *rgb; /* [height][width][3], owned; free with ht_canvas_free */
} ht_canvas;

/* Makes a canvas of one colour. HT_ERR_MEMORY. */
ht_status ht_canvas_alloc(int width, int height, ht_rgb colour, ht_canvas *canvas);
void ht_canvas_free(ht_canvas *canvas);

/* The colour between a (t = 0) and b (t = 1). */
ht_rgb ht_rgb_mix(ht_rgb a, ht_rgb b, double t);

/* Blends a colour into one pixel: opacity 0 to 1. */
void ht_canvas_blend(ht_canvas *canvas, int x, int y, ht_rgb colour, double opacity);
void ht_canvas_rect(ht_canvas *canvas, int x, int y, int width, int height, ht_rgb colour);
/* Draws the outline of a rectangle, one pixel wide, just inside it. */
void ht_canvas_frame(ht_canvas *canvas, int x, int y, int width, int height, ht_rgb colour);
/* Draws a line with round ends; from == to gives a dot. */
void ht_canvas_line(ht_canvas *canvas, const double from[2], const double to[2], double width,
                    ht_rgb colour);
void ht_canvas_disc(ht_canvas *canvas, const double centre[2], double radius, ht_rgb colour);
void ht_canvas_ring(ht_canvas *canvas, const double centre[2], double radius, double width,
                    ht_rgb colour);
/* Draws an arrow: a shaft with a filled head; the tip lies on `to`. */
void ht_canvas_arrow(ht_canvas *canvas, const double from[2], const double to[2], double width,
                     ht_rgb colour);

/* The square of the distance of a point from the line segment from a to b. */
double ht_segment_distance2(const double point[2], const double a[2], const double b[2]);

/* Writes the canvas as PNG, whole or not at all (file.h). HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_canvas_write(const ht_canvas *canvas, const char *path);

#ifdef __cplusplus
}
#endif
#endif
