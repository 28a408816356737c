/* The maximum projection of a scan with the candidate vessels, numbered. */
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include "export/pictures/pictures.h"
#include "export/pixels/scan_panel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 30, COLUMNS = 2, BADGE = 12 };

/* Colours from Paul Tol's "bright" and "light" sets, which colour-blind people can tell apart; the
 * numbers say the same. */
static const ht_rgb colours[HT_CANDIDATES_MAX] = {
    {102, 204, 238}, {238, 102, 119}, {34, 170, 85},  {238, 204, 51},
    {170, 90, 190},  {238, 136, 102}, {68, 119, 255}, {187, 204, 51},
    {255, 170, 187}, {153, 221, 255}, {170, 170, 0},  {221, 221, 221}};
static const ht_rgb dark = {8, 10, 13};

static void badge(ht_canvas *canvas, const double at[2], int number, ht_rgb colour) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  ht_canvas_disc(canvas, at, BADGE + 1.5, dark);
  ht_canvas_disc(canvas, at, BADGE, colour);
  ht_font_draw(canvas, at[0] - 0.5 * ht_font_width(13, text), at[1] - 6.5, 13, dark, text);
}

static void draw_line(ht_canvas *canvas, const ht_panel *panel, const ht_candidate *one,
                      double width, ht_rgb colour) {
  double from[2], to[2];
  for (int s = 1; s < one->stations; s++) {
    ht_panel_pixel(panel, one->station[s - 1], from);
    ht_panel_pixel(panel, one->station[s], to);
    ht_canvas_line(canvas, from, to, width, colour);
  }
}

/* Places a number beyond the line's end, along it. */
static void place_badge(const ht_panel *panel, const ht_candidate *one, int last, double at[2]) {
  int end = last ? one->stations - 1 : 0, many = one->stations < 6 ? one->stations - 1 : 5;
  double inner[2];
  const double edge = BADGE + 4;
  ht_panel_pixel(panel, one->station[end], at);
  ht_panel_pixel(panel, one->station[last ? end - many : many], inner);
  double step[2] = {at[0] - inner[0], at[1] - inner[1]}, length = hypot(step[0], step[1]);
  for (int a = 0; a < 2; a++) at[a] += length > 0 ? 1.5 * BADGE * step[a] / length : 0;
  at[0] = fmin(fmax(at[0], panel->x + edge), panel->x + panel->width - edge);
  at[1] = fmin(fmax(at[1], panel->y + edge), panel->y + panel->height - edge);
}

static void push_apart(double a[2], double b[2]) {
  const double least = 2 * BADGE + 3;
  double apart[2] = {b[0] - a[0], b[1] - a[1]}, distance = hypot(apart[0], apart[1]);
  if (distance >= least) return;
  if (distance < 1e-3) apart[0] = 1, apart[1] = 0, distance = 1;
  for (int d = 0; d < 2; d++) {
    double shift = 0.5 * (least - fmin(distance, least)) * apart[d] / distance;
    a[d] -= shift;
    b[d] += shift;
  }
}

static void draw_panel(ht_canvas *canvas, const ht_panel *panel, const ht_candidates *candidates) {
  double at[2 * HT_CANDIDATES_MAX][2];
  int count = 2 * candidates->count;
  for (int i = candidates->count - 1; i >= 0; i--) { /* the best on top */
    draw_line(canvas, panel, &candidates->item[i], 5, dark);
    draw_line(canvas, panel, &candidates->item[i], 2.6, colours[i]);
  }
  for (int b = 0; b < count; b++) place_badge(panel, &candidates->item[b / 2], b % 2, at[b]);
  for (int round = 0; round < 40; round++)
    for (int a = 0; a < count; a++)
      for (int b = a + 1; b < count; b++) push_apart(at[a], at[b]);
  for (int b = count - 1; b >= 0; b--) badge(canvas, at[b], b / 2 + 1, colours[b / 2]);
}

static int table_height(const ht_candidates *candidates) {
  return (candidates->count + COLUMNS - 1) / COLUMNS * ROW + 12;
}

static void draw_table(ht_canvas *canvas, int y, const ht_candidates *candidates) {
  int rows = (candidates->count + COLUMNS - 1) / COLUMNS;
  int column = (canvas->width - 2 * HT_PICTURE_MARGIN) / COLUMNS;
  for (int i = 0; i < candidates->count; i++) {
    const ht_candidate *one = &candidates->item[i];
    char text[256];
    double at[2] = {HT_PICTURE_MARGIN + BADGE + 2.0 + column * (i / rows),
                    y + BADGE + 2.0 + ROW * (i % rows)};
    badge(canvas, at, i + 1, colours[i]);
    snprintf(text, sizeof text, "%.0f mm, radius %.1f mm, score %.2f%s%s", one->length_mm,
             one->radius_mm, one->score, one->name[0] ? "; " : "", one->name);
    ht_font_draw(canvas, at[0] + BADGE + 12, at[1] - 7.5, 15, ht_ink, text);
  }
}

/* Projects the largest value along the view, through the whole scan. */
static ht_status project(const ht_volume *scan, const ht_panel panel[3], const ht_box_mm *whole,
                         ht_scan_images *images) {
  ht_scan_source source = ht_scan_source_make(scan);
  for (int v = 0; v < 3; v++) {
    const ht_projection of = {.panel = &panel[v],
                              .within = whole,
                              .pitch_mm = ht_projection_pitch(&panel[v], &scan->grid, 1, whole),
                              .beyond = NAN,
                              .sample = ht_sample_scan,
                              .source = &source};
    HT_TRY(ht_field_project(&of, &images->grey[v]));
  }
  return HT_OK;
}

/* Sets the grey window. Black: the darkest 2 per cent; white: as bright as the vessels, or the
 * brightest 0.5 per cent. */
static ht_status set_window(const ht_volume *scan, const ht_candidates *candidates,
                            ht_scan_images *images) {
  ht_scan_source source = ht_scan_source_make(scan);
  const ht_field *grey = &images->grey[2];
  int64_t pixels = (int64_t)grey->width * grey->height, stations = 0, held = 0;
  float *values;
  for (int i = 0; i < candidates->count; i++) stations += candidates->item[i].stations;
  HT_TRY(ht_alloc((void **)&values, (size_t)(pixels + stations), sizeof *values, "a picture"));
  memcpy(values, grey->value, (size_t)pixels * sizeof *values);
  images->window[0] = ht_percentile(values, pixels, 0.02);
  double most = ht_percentile(values, pixels, 0.995);
  for (int i = 0; i < candidates->count; i++)
    for (int s = 0; s < candidates->item[i].stations; s++)
      values[held++] = ht_sample_scan(&source, candidates->item[i].station[s]);
  double blood = held ? ht_percentile(values, held, 0.9) : most;
  if (strcmp(scan->modality, "CT") == 0) images->window[0] = fmax(images->window[0], -200);
  images->window[1] = fmax(fmin(most, 1.3 * blood), images->window[0] + 1);
  free(values);
  return HT_OK;
}

ht_status ht_picture_candidates(const char *path, const ht_volume *scan,
                                const ht_candidates *candidates, const ht_picture_text *text) {
  ht_scan_images images = {.unit = ""};
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm whole;
  ht_status status = HT_OK;
  HT_TRY(ht_grid_check(&scan->grid));
  ht_box_of_grid(&scan->grid, &whole);
  int row = ht_panels_place(&whole, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 1000, panel);
  int table = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP, note = table + table_height(candidates);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, note + 3 * HT_NOTE_HEIGHT, ht_ground, &canvas));
  HT_TRY_DONE(project(scan, panel, &whole, &images));
  HT_TRY_DONE(set_window(scan, candidates, &images));
  ht_annotate_title(&canvas, "Candidate vessels (maximum projection)", text);
  for (int v = 0; v < 3; v++) {
    char title[96];
    snprintf(title, sizeof title, "%s, %s", panel[v].view->name, panel[v].view->from);
    ht_draw_grey(&canvas, &panel[v], &images.grey[v], images.window);
    ht_annotate_panel(&canvas, &panel[v], title);
    draw_panel(&canvas, &panel[v], candidates);
  }
  draw_table(&canvas, table, candidates);
  ht_annotate_note(&canvas, note,
                   candidates->count > 0
                       ? "hemotile segment DIR --vessel NUMBER selects one; each line has its "
                         "number at both ends. Length along the line; score from 0 to 1."
                       : "No vessel was found by itself: hemotile segment DIR --from X,Y,Z --to "
                         "X,Y,Z takes the one between two points, in mm (LPS).");
  ht_annotate_note(&canvas, note + HT_NOTE_HEIGHT,
                   "The patient's right is on the viewer's left. Radius: that of the circle "
                   "with the section's area, averaged along the line.");
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_scan_images_free(&images);
  ht_canvas_free(&canvas);
  return status;
}
