/* The parts around an image that explain it: titles, frames, orientation letters, scale
 * bars, colour bars, numbered openings and their legend. One style for all pictures.
 */
#ifndef HT_ANNOTATE_H
#define HT_ANNOTATE_H

#include "export/drawing/colormap.h"
#include "export/drawing/picture_text.h"
#include "core/vessel/openings.h"
#include "export/drawing/panel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The style: light ink on a very dark ground, as scans are read. */
extern const ht_rgb ht_ground, ht_ink, ht_faint_ink, ht_empty, ht_vessel_line;

enum {
  HT_HEADER_HEIGHT = 136,     /* from the top of the picture to the top of the first panels */
  HT_PANEL_TITLE_HEIGHT = 40, /* between two rows of panels, for the titles of the lower */
  HT_COLOUR_BAR_HEIGHT = 76,
  HT_NOTE_HEIGHT = 26,
  HT_FOOTER_GAP = 22 /* between the panels and the part below */
};

/* Draws the picture's title with the case's name, at the top, and the mark below it, in a bar of
 * its own colour. `text` may be NULL. */
void ht_annotate_title(ht_canvas *canvas, const char *title, const ht_picture_text *text);

/* Draws the frame, the title above it, the orientation letters at the edges and the scale bar. */
void ht_annotate_panel(ht_canvas *canvas, const ht_panel *panel, const char *title);

/* Writes the title of a slice: "axial slice, z = 12.3 mm". */
void ht_slice_title(const ht_panel *panel, char *text, int size);

/* Marks each opening by its number (from 1): a dot at its centre and a disc next to it. Filled
 * where the centre is within slab_mm of the panel's depth, a ring elsewhere; slab_mm INFINITY: all
 * filled. `openings` may be NULL. */
void ht_annotate_openings(ht_canvas *canvas, const ht_panel *panel, const ht_openings *openings,
                          double slab_mm);

/* The legend of the numbers: names, roles and radii, in up to 3 columns. `openings` may be NULL. */
int ht_legend_height(const ht_openings *openings);
void ht_annotate_legend(ht_canvas *canvas, int y, const ht_openings *openings);

/* Draws a colour bar from `low` to `high` with `steps` intervals between ticks; the label says
 * quantity and unit. */
void ht_annotate_colour_scale(ht_canvas *canvas, int y, ht_map map, double low, double high,
                              int steps, const char *label);

/* Draws a colour bar from 0 to `high`, with ticks at round numbers. */
void ht_annotate_colour_bar(ht_canvas *canvas, int y, ht_map map, double high, const char *label);

/* Draws a line of small text below the panels. */
void ht_annotate_note(ht_canvas *canvas, int y, const char *text);

#ifdef __cplusplus
}
#endif
#endif
