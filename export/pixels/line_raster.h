/* Lines in space drawn into a panel: orthographic, with a depth buffer, so that a nearer line hides
 * a farther one. */
#ifndef HT_LINE_RASTER_H
#define HT_LINE_RASTER_H

#include "export/drawing/colormap.h"
#include "export/drawing/panel.h"
#include "export/lines/streamlines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws lines over the panel's image; the colour is that of speed / high. Each line has a dark rim
 * that lies behind it, so that crossing lines are told apart and the parts of one line do not cover
 * each other (Everts, Bekker, Roerdink & Isenberg, IEEE Trans. Vis. Comput. Graph. 15 (2009) 1299).
 * Points that are not a finite position are left out. HT_ERR_MEMORY. */
ht_status ht_lines_draw(ht_canvas *canvas, const ht_panel *panel, const ht_streamlines *lines,
                        ht_map map, double high);

#ifdef __cplusplus
}
#endif
#endif
