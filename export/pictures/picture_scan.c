/* The vessel's outline on three slices of the scan. */
#include "export/drawing/annotate.h"
#include "export/pictures/pictures.h"
#include "export/pixels/scan_panel.h"
#include <math.h>
#include <stdio.h>

/* Draws ticks at the frame where the other slices cut this one. */
static void draw_cuts(ht_canvas *canvas, const ht_panel *panel, const double plane_mm[3]) {
  double pixel[2];
  ht_panel_pixel(panel, plane_mm, pixel);
  for (int side = 0; side < 2; side++) {
    double x = side ? panel->x + panel->width - 1 : panel->x + 1;
    double y = side ? panel->y + panel->height - 1 : panel->y + 1;
    double dx = side ? -9 : 9;
    ht_canvas_line(canvas, (double[2]){x, pixel[1]}, (double[2]){x + dx, pixel[1]}, 2, ht_ink);
    ht_canvas_line(canvas, (double[2]){pixel[0], y}, (double[2]){pixel[0], y + dx}, 2, ht_ink);
  }
}

static ht_status sample_slices(const ht_scan_source *scan, const ht_mask_source *mask,
                               const ht_panel panel[3], ht_scan_images *images) {
  for (int v = 0; v < 3; v++) {
    HT_TRY(ht_field_slice(&panel[v], ht_sample_scan, scan, &images->grey[v]));
    HT_TRY(ht_field_slice(&panel[v], ht_sample_mask, mask, &images->vessel[v]));
  }
  return HT_OK;
}

static double slab_of(const ht_openings *openings) {
  double widest = 2;
  for (int i = 0; openings && i < openings->count; i++)
    if (isfinite(openings->item[i].radius_mm)) widest = fmax(widest, openings->item[i].radius_mm);
  return widest;
}

static void draw_slices(ht_canvas *canvas, const ht_panel panel[3], const double plane_mm[3],
                        const ht_scan_images *images, const ht_openings *openings) {
  for (int v = 0; v < 3; v++) {
    char title[96];
    ht_draw_grey(canvas, &panel[v], &images->grey[v], images->window);
    ht_field_outline(canvas, &panel[v], &images->vessel[v], 0.5f, 2, ht_vessel_line);
    ht_slice_title(&panel[v], title, sizeof title);
    ht_annotate_panel(canvas, &panel[v], title);
    draw_cuts(canvas, &panel[v], plane_mm);
    ht_annotate_openings(canvas, &panel[v], openings, slab_of(openings));
  }
}

static void write_notes(ht_canvas *canvas, int y, const ht_volume *scan,
                        const ht_scan_images *images, const ht_openings *openings) {
  char text[320], grey[96];
  ht_scan_grey_words(scan, images->window, grey);
  snprintf(
      text, sizeof text,
      "Green: outline of the vessel that was found (the mask). %s Ticks at the frames: where the "
      "other two slices lie.",
      ht_scan_is_mask(scan) ? "White: the mask as given." : grey);
  ht_annotate_note(canvas, y, text);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT,
                   "Patient coordinates in mm: x to the left, y to the back, z to the head (LPS). "
                   "The patient's right is on the viewer's left.");
  if (!openings || openings->count < 1) return;
  snprintf(text, sizeof text,
           "Openings: a filled number lies within %.1f mm of the slice, a ring in front of it or "
           "behind.",
           slab_of(openings));
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT, text);
}

ht_status ht_picture_mask_on_scan(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings, const ht_picture_text *text) {
  ht_scan_source scan_source = ht_scan_source_make(scan);
  ht_mask_source mask_source = ht_mask_source_make(mask, 0);
  ht_scan_images images = {0};
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm vessel;
  double plane_mm[3];
  ht_status status = HT_OK;
  HT_TRY(ht_scan_region(scan, mask, &vessel, plane_mm));
  int row = ht_panels_place(&vessel, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  for (int v = 0; v < 3; v++) panel[v].depth_mm = plane_mm[panel[v].view->through];
  int legend = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  int notes = legend + ht_legend_height(openings);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH,
                              notes + (openings && openings->count > 0 ? 4 : 3) * HT_NOTE_HEIGHT,
                              ht_ground, &canvas));
  HT_TRY_DONE(sample_slices(&scan_source, &mask_source, panel, &images));
  HT_TRY_DONE(ht_scan_window(scan, mask, 3, &images));
  ht_annotate_title(&canvas, ht_scan_is_mask(scan) ? "The vessel" : "The vessel on the scan", text);
  draw_slices(&canvas, panel, plane_mm, &images, openings);
  ht_annotate_legend(&canvas, legend, openings);
  write_notes(&canvas, notes, scan, &images, openings);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_scan_images_free(&images);
  ht_canvas_free(&canvas);
  return status;
}
