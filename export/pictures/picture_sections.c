/* Sections across the vessel along its centreline. */
#include "annotate.h"
#include "font.h"
#include "path_view.h"
#include "pictures.h"
#include "vector3.h"
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

/* The patient's side that a direction points to most. */
static char letter_of(const double direction[3], int sign) {
  int axis = 0;
  for (int r = 1; r < 3; r++)
    if (fabs(direction[r]) > fabs(direction[axis])) axis = r;
  return "RLAPFH"[2 * axis + (sign * direction[axis] > 0)];
}

/* From the section's centre to its farthest voxel. */
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
  for (int e = 0; e < 4; e++) one.view.edge[e] = letter_of(edge[e], e == 1 || e == 2 ? 1 : -1);
  return one;
}

static ht_status sample(const sheet *sheets, int count, const ht_volume *scan, const ht_mask *mask,
                        ht_field *grey, ht_field *vessel) {
  ht_scan_source scan_source = ht_scan_source_make(scan);
  ht_mask_source mask_source = ht_mask_source_make(mask, 0);
  for (int m = 0; m < count; m++) {
    const int side = sheets[m].panel.width;
    HT_TRY(ht_field_sample(side, side, position_of, &sheets[m], ht_sample_scan, &scan_source,
                           &grey[m]));
    HT_TRY(ht_field_sample(side, side, position_of, &sheets[m], ht_sample_mask, &mask_source,
                           &vessel[m]));
  }
  return HT_OK;
}

static void draw_section(ht_canvas *canvas, sheet *of, const ht_field *grey, const ht_field *vessel,
                         const double window[2], const char *title) {
  of->panel.view = &of->view;
  ht_draw_grey(canvas, &of->panel, grey, window);
  ht_field_outline(canvas, &of->panel, vessel, 0.5f, 2, ht_vessel_line);
  ht_annotate_panel(canvas, &of->panel, title);
}

/* In the corner: the diameter in mm and in voxels of the scan. */
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
                   "Each: its number, its place along the centreline (the scale of "
                   "straightened.png), the diameter d of the circle with its area, in mm and in "
                   "voxels of the scan.");
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT,
                   "Amber: thinner than 4 voxels. Narrow: the narrowest place. Seen from the "
                   "outlet's side, each at a scale of its own; letters: the patient's side that "
                   "lies nearest.");
}

static ht_status draw(const char *path, const ht_volume *scan, const ht_mask *mask,
                      const ht_vessel_path *along, const ht_path_frame *frame,
                      const ht_picture_text *text, ht_canvas *canvas, ht_field *grey,
                      ht_field *vessel) {
  sheet sheets[HT_PATH_MARKS_MOST];
  ht_path_marks marks;
  double window[2], voxel_mm = ht_scan_voxel_mm(scan);
  ht_path_marks_find(along, &marks);
  for (int m = 0; m < marks.count; m++)
    sheets[m] = sheet_of(along, frame, marks.station[m], m, voxel_mm);
  int rows = (marks.count - 1) / COLUMNS + 1;
  int notes = HT_HEADER_HEIGHT + rows * (ht_panel_height(SIDE) + HT_PANEL_TITLE_HEIGHT) -
              HT_PANEL_TITLE_HEIGHT + HT_FOOTER_GAP;
  HT_TRY(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + 4 * HT_NOTE_HEIGHT, ht_ground, canvas));
  HT_TRY(sample(sheets, marks.count, scan, mask, grey, vessel));
  HT_TRY(ht_scan_window_of(scan, mask, grey, marks.count, window));
  ht_annotate_title(canvas, "Sections across the vessel", text);
  for (int m = 0; m < marks.count; m++) {
    char title[96];
    const ht_station *at = &along->station[marks.station[m]];
    double diameter_mm = 2 * frame[marks.station[m]].radius_mm;
    snprintf(title, sizeof title, "%d: at %.1f mm%s", m + 1, at->along_mm,
             m == marks.narrowest ? ", narrow" : "");
    draw_section(canvas, &sheets[m], &grey[m], &vessel[m], window, title);
    if (at->is_mixed)
      draw_mixed(canvas, &sheets[m]);
    else
      draw_diameter(canvas, &sheets[m], diameter_mm, voxel_mm);
  }
  write_notes(canvas, notes, scan, window);
  return ht_canvas_write(canvas, path);
}

ht_status ht_picture_sections(const char *path, const ht_volume *scan, const ht_mask *mask,
                              const ht_vessel_path *along, const ht_picture_text *text) {
  ht_field grey[HT_PATH_MARKS_MOST] = {0}, vessel[HT_PATH_MARKS_MOST] = {0};
  ht_path_frame *frame = NULL;
  ht_canvas canvas = {0};
  HT_TRY(ht_path_frames(along, &frame));
  ht_status status = draw(path, scan, mask, along, frame, text, &canvas, grey, vessel);
  for (int m = 0; m < HT_PATH_MARKS_MOST; m++) {
    ht_field_free(&grey[m]);
    ht_field_free(&vessel[m]);
  }
  free(frame);
  ht_canvas_free(&canvas);
  return status;
}
