/* Sections across the vessel along its centreline. */
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include "export/pictures/path_view.h"
#include "export/pictures/pictures.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  COLUMNS = 6,
  SIDE = (HT_PICTURE_WIDTH - 2 * HT_PICTURE_MARGIN - 5 * HT_PANEL_GAP) / COLUMNS
};

/* A section's image: a plane through a place that two vectors span. */
typedef struct {
  ht_panel panel;
  ht_view view; /* only its letters */
  double centre_mm[3], right[3], up[3];
} sheet;

static void position_of(const void *with, int i, int j, double position_mm[3]) {
  const sheet *of = with;
  double right_mm = (i + 0.5 - 0.5 * of->panel.width) * of->panel.mm_per_px;
  double up_mm = (0.5 * of->panel.height - (j + 0.5)) * of->panel.mm_per_px;
  for (int r = 0; r < 3; r++)
    position_mm[r] = of->centre_mm[r] + right_mm * of->right[r] + up_mm * of->up[r];
}

/* The distance from the section's centre to its farthest voxel, mm. */
static double extent_of(const ht_vessel_path *path, int station) {
  double farthest = 0, p[3];
  for (int64_t n = path->first[station]; n < path->first[station + 1]; n++) {
    ht_grid_voxel_position(&path->grid, path->voxel[n], p);
    farthest = fmax(farthest, ht_distance(p, path->station[station].centre_mm));
  }
  return farthest;
}

static sheet sheet_of(const ht_vessel_path *path, const ht_path_frame *frame, int station,
                      int number, double voxel_mm) {
  const double *along = path->normal[station];
  const ht_path_frame *at = &frame[station];
  const int side = ht_panel_height(SIDE);
  sheet one = {.panel = {.width = side, .height = side}};
  double half_mm = fmax(2 * at->radius_mm, at->radius_mm + 4 * voxel_mm);
  half_mm = fmax(half_mm, 1.35 * extent_of(path, station));
  one.panel.x = HT_PICTURE_MARGIN + number % COLUMNS * (SIDE + HT_PANEL_GAP);
  one.panel.y = HT_HEADER_HEIGHT + number / COLUMNS * (side + HT_PANEL_TITLE_HEIGHT);
  one.panel.mm_per_px = 2 * half_mm / side;
  memcpy(one.centre_mm, at->centre_mm, sizeof one.centre_mm);
  for (int r = 0; r < 3; r++)
    one.up[r] = at->across[0][r] - ht_dot(at->across[0], along) * along[r];
  ht_normalise(one.up);
  ht_cross(one.up, along, one.right);
  const double *const edge[4] = {one.right, one.right, one.up, one.up};
  for (int e = 0; e < 4; e++) one.view.edge[e] = ht_side_letter(edge[e], e == 1 || e == 2 ? 1 : -1);
  return one;
}

/* The state of the picture. */
typedef struct {
  const ht_volume *scan;
  const ht_mask *mask;
  const ht_vessel_path *along;
  ht_path_frame *frame; /* owned, as are the others */
  ht_path_marks marks;
  sheet sheets[HT_PATH_MARKS_MOST];
  ht_field grey[HT_PATH_MARKS_MOST], vessel[HT_PATH_MARKS_MOST];
  ht_canvas canvas;
} picture;

static void picture_free(picture *of) {
  for (int m = 0; m < HT_PATH_MARKS_MOST; m++) {
    ht_field_free(&of->grey[m]);
    ht_field_free(&of->vessel[m]);
  }
  free(of->frame);
  ht_canvas_free(&of->canvas);
}

static ht_status sample(picture *of) {
  ht_scan_source scan_source = ht_scan_source_make(of->scan);
  ht_mask_source mask_source = ht_mask_source_make(of->mask, 0);
  for (int m = 0; m < of->marks.count; m++) {
    const sheet *one = &of->sheets[m];
    const int side = one->panel.width;
    HT_TRY(
        ht_field_sample(side, side, position_of, one, ht_sample_scan, &scan_source, &of->grey[m]));
    HT_TRY(ht_field_sample(side, side, position_of, one, ht_sample_mask, &mask_source,
                           &of->vessel[m]));
  }
  return HT_OK;
}

/* Writes the diameter into the corner, in mm and in voxels of the scan. */
static void draw_diameter(ht_canvas *canvas, const sheet *of, double diameter_mm, double voxel_mm) {
  char text[48];
  int thin = diameter_mm < HT_PATH_VOXELS_LEAST * voxel_mm;
  snprintf(text, sizeof text, "d %.2f mm", diameter_mm);
  for (int line = 0; line < 2; line++) {
    ht_font_draw_rimmed(canvas, of->panel.x + 8, of->panel.y + 9 + 19 * line, 13,
                        thin ? ht_path_thin : ht_ink, ht_ground, text);
    snprintf(text, sizeof text, "%.1f voxels", diameter_mm / voxel_mm);
  }
}

static void draw_mixed(ht_canvas *canvas, const sheet *of) {
  static const char *const words[] = {"sac or", "junction"};
  for (int line = 0; line < 2; line++)
    ht_font_draw_rimmed(canvas, of->panel.x + 8, of->panel.y + 9 + 19 * line, 13, ht_path_mixed,
                        ht_ground, words[line]);
}

static void write_notes(ht_canvas *canvas, int y, const ht_volume *scan, const double window[2]) {
  char text[320], grey[96] = "";
  int has_grey = !ht_scan_is_mask(scan);
  if (has_grey) ht_scan_grey_words(scan, window, grey);
  snprintf(text, sizeof text,
           "Green: outline of the vessel that was found.%s%s The line should lie on the edge of "
           "the bright "
           "vessel, and hold nothing else.",
           has_grey ? " " : "", grey);
  ht_annotate_note(canvas, y, text);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT,
                   "Each section has its number, its place along the centreline (the scale of "
                   "straightened.png) and the diameter d of the circle with its area, in mm and in "
                   "voxels of the scan.");
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT,
                   "Amber: thinner than 4 voxels. Narrow: the narrowest place. Seen from the "
                   "outlet's side, each at a scale of its own; letters: the patient's side that "
                   "lies nearest.");
}

static void draw_section(picture *of, int m, const double window[2], double voxel_mm) {
  const int station = of->marks.station[m];
  const ht_station *at = &of->along->station[station];
  sheet *one = &of->sheets[m];
  char title[96];
  snprintf(title, sizeof title, "%d: at %.1f mm%s", m + 1, at->along_mm,
           m == of->marks.narrowest ? ", narrow" : "");
  one->panel.view = &one->view;
  ht_draw_grey(&of->canvas, &one->panel, &of->grey[m], window);
  ht_field_outline(&of->canvas, &one->panel, &of->vessel[m], 0.5f, 2, ht_vessel_line);
  ht_annotate_panel(&of->canvas, &one->panel, title);
  if (at->is_mixed)
    draw_mixed(&of->canvas, one);
  else
    draw_diameter(&of->canvas, one, 2 * of->frame[station].radius_mm, voxel_mm);
}

static ht_status draw(picture *of, const ht_picture_text *text) {
  double window[2], voxel_mm = ht_scan_voxel_mm(of->scan);
  HT_TRY(ht_path_frames(of->along, &of->frame));
  ht_path_marks_find(of->along, &of->marks);
  const int count = of->marks.count;
  for (int m = 0; m < count; m++)
    of->sheets[m] = sheet_of(of->along, of->frame, of->marks.station[m], m, voxel_mm);
  int rows = (count - 1) / COLUMNS + 1;
  int notes = HT_HEADER_HEIGHT + rows * (ht_panel_height(SIDE) + HT_PANEL_TITLE_HEIGHT) -
              HT_PANEL_TITLE_HEIGHT + HT_FOOTER_GAP;
  HT_TRY(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + 4 * HT_NOTE_HEIGHT, ht_ground, &of->canvas));
  HT_TRY(sample(of));
  HT_TRY(ht_scan_window_of(of->scan, of->mask, of->grey, count, window));
  ht_annotate_title(&of->canvas, "Sections across the vessel", text);
  for (int m = 0; m < count; m++) draw_section(of, m, window, voxel_mm);
  write_notes(&of->canvas, notes, of->scan, window);
  return HT_OK;
}

ht_status ht_picture_sections(const char *path, const ht_volume *scan, const ht_mask *mask,
                              const ht_vessel_path *along, const ht_picture_text *text) {
  picture of = {.scan = scan, .mask = mask, .along = along};
  ht_status status = draw(&of, text);
  if (status == HT_OK) status = ht_canvas_write(&of.canvas, path);
  picture_free(&of);
  return status;
}
