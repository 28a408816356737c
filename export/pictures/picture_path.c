/* The vessel straightened along its centreline: two views through the scan, across each other. */
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include "export/pictures/path_view.h"
#include "export/pictures/pictures.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>

enum { VIEWS = 2, STACKED_HEIGHT = 350, BESIDE_HEIGHT = 450, AXIS_HEIGHT = 58, MARK = 12 };

/* An image on the canvas: the path runs to the right, its vector `across` upwards. */
typedef struct {
  int x, y, width, height, across;
  double mm_per_px;
  const ht_path_frame *column; /* [width]; borrowed */
} view;

static double length_of(const ht_vessel_path *path) {
  return path->station[path->stations - 1].along_mm;
}

/* Places the two views one above the other, or side by side where that shows more. */
static int place(const ht_vessel_path *path, const ht_path_frame *frame, const ht_volume *scan,
                 view views[VIEWS]) {
  double widest = ht_path_widest(frame, path->stations), length_mm = length_of(path);
  double half_mm = fmax(1.8 * widest, widest + 6 * ht_scan_voxel_mm(scan));
  int room = HT_PICTURE_WIDTH - 2 * HT_PICTURE_MARGIN, part = (room - HT_PANEL_GAP) / 2;
  double stacked = fmax(length_mm / room, 2 * half_mm / ht_panel_height(STACKED_HEIGHT));
  double beside = fmax(length_mm / part, 2 * half_mm / ht_panel_height(BESIDE_HEIGHT));
  double mm_per_px = fmin(stacked, beside);
  int width = (int)fmax(16, floor(length_mm / mm_per_px));
  int height = (int)fmax(16, floor(2 * half_mm / mm_per_px));
  for (int k = 0; k < VIEWS; k++) {
    views[k] = (view){HT_PICTURE_MARGIN, HT_HEADER_HEIGHT, width, height, k, mm_per_px, NULL};
    if (beside < stacked) views[k].x += k * (width + HT_PANEL_GAP);
    if (!(beside < stacked)) views[k].y += k * (height + AXIS_HEIGHT + HT_PANEL_TITLE_HEIGHT);
  }
  return views[1].y + height + AXIS_HEIGHT;
}

/* Finds the path's frame at each column. */
static ht_status make_columns(const ht_vessel_path *path, const ht_path_frame *frame,
                              view views[VIEWS], ht_path_frame **column) {
  HT_TRY(ht_alloc((void **)column, (size_t)views[0].width, sizeof **column, "a path's frames"));
  for (int i = 0; i < views[0].width; i++)
    ht_path_frame_at(frame, path->stations, (i + 0.5) * views[0].mm_per_px, *column + i);
  for (int k = 0; k < VIEWS; k++) views[k].column = *column;
  return HT_OK;
}

/* A pixel's place in the patient. */
static void position_of(const void *with, int i, int j, double position_mm[3]) {
  const view *of = with;
  const ht_path_frame *at = &of->column[i];
  double up_mm = (0.5 * of->height - (j + 0.5)) * of->mm_per_px;
  for (int r = 0; r < 3; r++) position_mm[r] = at->centre_mm[r] + up_mm * at->across[of->across][r];
}

static ht_status sample(const view views[VIEWS], const ht_volume *scan, const ht_mask *mask,
                        ht_scan_images *images) {
  ht_scan_source scan_source = ht_scan_source_make(scan);
  ht_mask_source mask_source = ht_mask_source_make(mask, 0);
  for (int k = 0; k < VIEWS; k++) {
    HT_TRY(ht_field_sample(views[k].width, views[k].height, position_of, &views[k], ht_sample_scan,
                           &scan_source, &images->grey[k]));
    HT_TRY(ht_field_sample(views[k].width, views[k].height, position_of, &views[k], ht_sample_mask,
                           &mask_source, &images->vessel[k]));
  }
  return HT_OK;
}

static void tick(ht_canvas *canvas, double x, double y, double length, ht_rgb colour) {
  ht_canvas_line(canvas, (double[2]){x, y}, (double[2]){x, y + length}, 2, colour);
}

/* Draws a bar at the lower edge where the vessel is thin. */
static void draw_thin(ht_canvas *canvas, const view *of, double voxel_mm) {
  for (int i = 0; i < of->width; i++)
    if (2 * of->column[i].radius_mm < HT_PATH_VOXELS_LEAST * voxel_mm)
      ht_canvas_rect(canvas, of->x + i, of->y + of->height - 7, 1, 7, ht_path_thin);
}

/* The column half-way between a station and its neighbour. */
static double edge_of(const view *of, const ht_vessel_path *path, int s, int side) {
  int beside = s + side, last = path->stations - 1;
  double here_mm = path->station[s].along_mm;
  if (beside >= 0 && beside <= last) here_mm = (here_mm + path->station[beside].along_mm) / 2;
  return of->x + here_mm / of->mm_per_px;
}

/* Draws a bar at the lower edge where a section is not the vessel's alone. */
static void draw_mixed(ht_canvas *canvas, const view *of, const ht_vessel_path *path) {
  for (int s = 0; s < path->stations; s++) {
    if (!path->station[s].is_mixed) continue;
    int from = (int)edge_of(of, path, s, -1), to = (int)edge_of(of, path, s, 1);
    ht_canvas_rect(canvas, from, of->y + of->height - 7, to - from, 7, ht_path_mixed);
  }
}

static void draw_axis(ht_canvas *canvas, const view *of) {
  double length_mm = of->width * of->mm_per_px, step_mm = ht_nice_below(length_mm / 5);
  double y = of->y + of->height + 2;
  for (int n = 0; n * step_mm <= length_mm; n++) {
    char text[32];
    double x = of->x + n * step_mm / of->mm_per_px;
    snprintf(text, sizeof text, n ? "%g" : "%g mm", n * step_mm);
    tick(canvas, x, y, 7, ht_faint_ink);
    double left = n ? x - 0.5 * ht_font_width(14, text) : x;
    if (left + ht_font_width(14, text) <= of->x + of->width + 20)
      ht_font_draw(canvas, left, y + 13, 14, ht_ink, text);
  }
}

/* Draws the numbers of the sections at the top of the view, and ticks at both its edges. */
static void draw_marks(ht_canvas *canvas, const view *of, const ht_vessel_path *path,
                       const ht_path_marks *marks) {
  double free_from = of->x;
  for (int m = 0; m < marks->count; m++) {
    char text[16];
    double x = of->x + path->station[marks->station[m]].along_mm / of->mm_per_px;
    snprintf(text, sizeof text, "%d", m + 1);
    tick(canvas, x, of->y + 1, MARK, ht_ink);
    tick(canvas, x, of->y + of->height - 1 - MARK, MARK, ht_ink);
    double width = ht_font_width(15, text), most = of->x + of->width - 4 - width;
    double left = fmax(free_from, fmin(most, x - 0.5 * width));
    ht_font_draw_rimmed(canvas, left, of->y + MARK + 6, 15, ht_ink, ht_ground, text);
    free_from = left + width + 9;
  }
}

static const char *nearest_name(const ht_openings *openings, const double at[3]) {
  const ht_opening *best = NULL;
  for (int i = 0; openings && i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (!best || ht_distance(one->centre_mm, at) < ht_distance(best->centre_mm, at)) best = one;
  }
  return best ? best->name : "";
}

/* Writes above the view where the path begins and ends. */
static void draw_title(ht_canvas *canvas, const view *of, const ht_vessel_path *path,
                       const ht_openings *openings) {
  char from[HT_NAME_MAX + 32], to[HT_NAME_MAX + 32];
  snprintf(from, sizeof from, "view %d, from %s", of->across + 1,
           nearest_name(openings, path->station[0].centre_mm));
  snprintf(to, sizeof to, "to %s",
           nearest_name(openings, path->station[path->stations - 1].centre_mm));
  ht_font_draw(canvas, of->x, of->y - 29, 16, ht_ink, from);
  double left = of->x + of->width - ht_font_width(16, to);
  if (left > of->x + ht_font_width(16, from) + 20)
    ht_font_draw(canvas, left, of->y - 29, 16, ht_ink, to);
}

static void draw_view(ht_canvas *canvas, const view *of, const ht_field *grey,
                      const ht_field *vessel, const double window[2]) {
  const ht_panel panel = {
      .x = of->x, .y = of->y, .width = of->width, .height = of->height, .mm_per_px = of->mm_per_px};
  ht_draw_grey(canvas, &panel, grey, window);
  ht_field_outline(canvas, &panel, vessel, 0.5f, 2, ht_vessel_line);
  ht_canvas_frame(canvas, of->x - 1, of->y - 1, of->width + 2, of->height + 2, ht_faint_ink);
}

static void write_notes(ht_canvas *canvas, int y, const ht_volume *scan,
                        const ht_scan_images *images) {
  char text[320], grey[96] = "";
  int has_grey = !ht_scan_is_mask(scan);
  if (has_grey) ht_scan_grey_words(scan, images->window, grey);
  snprintf(text, sizeof text,
           "Green: outline of the vessel that was found.%s%s The line should follow the edge of "
           "the bright "
           "vessel in both views.",
           has_grey ? " " : "", grey);
  ht_annotate_note(canvas, y, text);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT,
                   "Straightened along the centreline, one scale along and across; view 2 is "
                   "turned by 90 degrees about it. Numbers: the sections in sections.png.");
  ht_annotate_note(
      canvas, y + 2 * HT_NOTE_HEIGHT,
      "Amber bar: thinner than 4 voxels of the scan. Blue bar: a sac or a junction, no "
      "section of the vessel alone. In a sharp bend the surroundings are distorted.");
}

ht_status ht_picture_straightened(const char *path, const ht_volume *scan, const ht_mask *mask,
                                  const ht_openings *openings, const ht_vessel_path *along,
                                  const ht_picture_text *text) {
  ht_path_frame *frame = NULL, *column = NULL;
  ht_scan_images images = {0};
  ht_canvas canvas = {0};
  ht_path_marks marks;
  view views[VIEWS];
  ht_status status = HT_OK;
  HT_TRY(ht_path_frames(along, &frame));
  ht_path_marks_find(along, &marks);
  int notes = place(along, frame, scan, views);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + 4 * HT_NOTE_HEIGHT, ht_ground, &canvas));
  HT_TRY_DONE(make_columns(along, frame, views, &column));
  HT_TRY_DONE(sample(views, scan, mask, &images));
  HT_TRY_DONE(ht_scan_window(scan, mask, VIEWS, &images));
  ht_annotate_title(&canvas, "The vessel straightened along its centreline", text);
  for (int k = 0; k < VIEWS; k++) {
    draw_view(&canvas, &views[k], &images.grey[k], &images.vessel[k], images.window);
    draw_thin(&canvas, &views[k], ht_scan_voxel_mm(scan));
    draw_mixed(&canvas, &views[k], along);
    draw_marks(&canvas, &views[k], along, &marks);
    draw_axis(&canvas, &views[k]);
    draw_title(&canvas, &views[k], along, openings);
  }
  write_notes(&canvas, notes, scan, &images);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  free(frame), free(column);
  ht_scan_images_free(&images);
  ht_canvas_free(&canvas);
  return status;
}
