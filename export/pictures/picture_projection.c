/* The maximum projection of the scan with the vessel tinted, and its openings by name. */
#include "export/drawing/annotate.h"
#include "export/pictures/pictures.h"
#include "export/pixels/scan_panel.h"
#include <math.h>
#include <stdio.h>

/* Projects scan and mask through the part of the box within the scan. */
static ht_status project(const ht_volume *scan, const ht_mask *mask, const ht_box_mm *box,
                         const ht_box_mm *vessel, const ht_panel panel[3],
                         const ht_empty_space *space, ht_scan_images *images) {
  ht_scan_source scan_source = ht_scan_source_make(scan);
  ht_mask_source mask_source = ht_mask_source_make(mask, 0);
  ht_box_mm whole;
  ht_box_of_grid(&scan->grid, &whole);
  for (int v = 0; v < 3; v++) {
    const ht_view *view = panel[v].view;
    ht_box_mm seen = whole;
    seen.low[view->through] = fmax(whole.low[view->through], box->low[view->through]);
    seen.high[view->through] = fmin(whole.high[view->through], box->high[view->through]);
    const ht_projection of_scan = {.panel = &panel[v],
                                   .within = &seen,
                                   .pitch_mm =
                                       ht_projection_pitch(&panel[v], &scan->grid, 0.7, box),
                                   .beyond = NAN,
                                   .sample = ht_sample_scan,
                                   .source = &scan_source};
    const ht_projection of_vessel = {.panel = &panel[v],
                                     .within = vessel,
                                     .pitch_mm =
                                         ht_projection_pitch(&panel[v], &mask->grid, 0.6, vessel),
                                     .sample = ht_sample_mask,
                                     .source = &mask_source,
                                     .vessel = &mask_source,
                                     .space = space};
    HT_TRY(ht_field_project(&of_scan, &images->grey[v]));
    HT_TRY(ht_field_project(&of_vessel, &images->vessel[v]));
  }
  return HT_OK;
}

static void tint(ht_canvas *canvas, const ht_panel *panel, const ht_field *vessel) {
  for (int j = 0; j < vessel->height; j++)
    for (int i = 0; i < vessel->width; i++) {
      float inside = vessel->value[(size_t)j * (size_t)vessel->width + (size_t)i];
      ht_canvas_blend(canvas, panel->x + i, panel->y + j, ht_vessel_line,
                      inside >= 0.5f ? 0.16 : 0);
    }
}

static void draw_projections(ht_canvas *canvas, const ht_panel panel[3],
                             const ht_scan_images *images, const ht_openings *openings) {
  for (int v = 0; v < 3; v++) {
    char title[96];
    ht_draw_grey(canvas, &panel[v], &images->grey[v], images->window);
    tint(canvas, &panel[v], &images->vessel[v]);
    ht_field_outline(canvas, &panel[v], &images->vessel[v], 0.5f, 1.6, ht_vessel_line);
    snprintf(title, sizeof title, "%s, %s", panel[v].view->name, panel[v].view->from);
    ht_annotate_panel(canvas, &panel[v], title);
    ht_annotate_openings(canvas, &panel[v], openings, INFINITY);
  }
}

static void write_notes(ht_canvas *canvas, int y, const ht_volume *scan, const ht_box_mm *box,
                        const ht_scan_images *images) {
  char text[320];
  const char *grey = ht_scan_is_mask(scan) ? "the mask as given" : "the largest scan value";
  snprintf(text, sizeof text,
           "Green: the vessel that was found (the mask). Grey: %s along the view, within x %.0f to "
           "%.0f, y %.0f to %.0f, z %.0f to %.0f mm (LPS); %.3g (black) to %.3g (white)%s.",
           grey, box->low[0], box->high[0], box->low[1], box->high[1], box->low[2], box->high[2],
           images->window[0], images->window[1], images->unit);
  ht_annotate_note(canvas, y, text);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT,
                   "The patient's right is on the viewer's left. Radius: that of the circle with "
                   "the area of the section across the vessel.");
}

ht_status ht_picture_projection(const char *path, const ht_volume *scan, const ht_mask *mask,
                                const ht_openings *openings, const ht_picture_text *text) {
  ht_scan_images images = {0};
  ht_empty_space space = {.away = NULL};
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm box, vessel;
  double plane_mm[3];
  ht_status status = HT_OK;
  HT_TRY(ht_scan_region(scan, mask, &box, plane_mm));
  HT_TRY(ht_vessel_extent(mask, 0, &vessel, plane_mm));
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  int legend = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  int notes = legend + ht_legend_height(openings);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + 3 * HT_NOTE_HEIGHT, ht_ground, &canvas));
  HT_TRY_DONE(ht_empty_space_make(mask, &space));
  HT_TRY_DONE(project(scan, mask, &box, &vessel, panel, &space, &images));
  HT_TRY_DONE(ht_scan_window(scan, mask, 3, &images));
  ht_annotate_title(&canvas, "The vessel and its openings (maximum projection)", text);
  draw_projections(&canvas, panel, &images, openings);
  ht_annotate_legend(&canvas, legend, openings);
  write_notes(&canvas, notes, scan, &box, &images);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_empty_space_free(&space);
  ht_scan_images_free(&images);
  ht_canvas_free(&canvas);
  return status;
}
