/* A stroke font of our own, drawn anti-aliased at any size: the printable characters of ASCII.
 * Text is UTF-8: Latin letters with a mark are drawn without it, any other character as '?'. */
#ifndef HT_FONT_H
#define HT_FONT_H

#include "export/drawing/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws text. `size` is the height of a capital letter in pixels; x, y the left end of the top of
 * the capitals. The strokes reach 0.3 * size below the base line, for letters such as g. */
void ht_font_draw(ht_canvas *canvas, double x, double y, double size, ht_rgb colour,
                  const char *text);

/* Draws text with a dark rim, for use over an image. */
void ht_font_draw_rimmed(ht_canvas *canvas, double x, double y, double size, ht_rgb colour,
                         ht_rgb rim, const char *text);

/* The width of the text in pixels. */
double ht_font_width(double size, const char *text);

#ifdef __cplusplus
}
#endif
#endif
