/* A triangle surface drawn into a panel: orthographic, with a depth buffer, four samples a pixel.
 */
#ifndef HT_MESH_RASTER_H
#define HT_MESH_RASTER_H

#include "export/drawing/colormap.h"
#include "export/wall/wall.h"
#include "export/drawing/panel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a surface over the panel's image. The colour is that of values / high, `values` [points],
 * plain where it is NULL; the inner side of the wall is darker. Triangles with a corner that is not
 * a finite position, or a point number out of range, are left out. HT_ERR_MEMORY. */
ht_status ht_mesh_draw(ht_canvas *canvas, const ht_panel *panel, const ht_surface *surface,
                       const float *values, ht_map map, double high);

#ifdef __cplusplus
}
#endif
#endif
