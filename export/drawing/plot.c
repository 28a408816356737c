#include "export/drawing/plot.h"
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 1400, LEFT = 110, TOP = 150, ROOM_RIGHT = 36, HEIGHT = 560, BELOW = 96 };
enum { LEGEND_ROW = 28, LEGEND_COLUMN = 420 };

static const ht_rgb grid_line = {40, 47, 56}, frame_line = {96, 105, 117};

static int plot_width(void) {
  return WIDTH - LEFT - ROOM_RIGHT;
}

void ht_plot_place(const ht_plot *plot, double x, double y, double pixel[2]) {
  pixel[0] = LEFT + plot_width() * (x - plot->x.low) / (plot->x.high - plot->x.low);
  pixel[1] = TOP + HEIGHT * (plot->y.high - y) / (plot->y.high - plot->y.low);
}

static int ticks(const ht_plot_axis *axis) {
  return (int)floor((axis->high - axis->low) / axis->step + 1e-6);
}

static void draw_grid(ht_canvas *canvas, const ht_plot *plot) {
  char text[32];
  double at[2];
  for (int i = 0; i <= ticks(&plot->x); i++) {
    double x = plot->x.low + i * plot->x.step;
    ht_plot_place(plot, x, plot->y.low, at);
    ht_canvas_rect(canvas, (int)lround(at[0]), TOP, 1, HEIGHT, grid_line);
    snprintf(text, sizeof text, "%g", round(x * 1e6) / 1e6);
    ht_font_draw(canvas, at[0] - 0.5 * ht_font_width(14, text), TOP + HEIGHT + 12, 14, ht_ink,
                 text);
  }
  for (int i = 0; i <= ticks(&plot->y); i++) {
    double y = plot->y.low + i * plot->y.step;
    ht_plot_place(plot, plot->x.low, y, at);
    ht_canvas_rect(canvas, LEFT, (int)lround(at[1]), plot_width(), 1, grid_line);
    snprintf(text, sizeof text, "%g", round(y * 1e6) / 1e6);
    ht_font_draw(canvas, LEFT - 12 - ht_font_width(14, text), at[1] - 7, 14, ht_ink, text);
  }
  ht_canvas_frame(canvas, LEFT, TOP, plot_width() + 1, HEIGHT + 1, frame_line);
  ht_font_draw(canvas, LEFT, TOP - 32, 16, ht_ink, plot->y.label);
  ht_font_draw(canvas, LEFT + 0.5 * (plot_width() - ht_font_width(16, plot->x.label)),
               TOP + HEIGHT + 46, 16, ht_ink, plot->x.label);
}

static int is_shown(const ht_plot *plot, double x, double y) {
  return x >= plot->x.low && x <= plot->x.high && y >= plot->y.low && y <= plot->y.high;
}

/* Draws a series. A value between two gaps, which no line reaches, is a dot, too. */
static void draw_series(ht_canvas *canvas, const ht_plot *plot, const ht_plot_series *series) {
  double before[2], at[2];
  int was_shown = 0;
  for (int i = 0; i < series->count; i++) {
    int shown = is_shown(plot, series->x[i], series->y[i]);
    int alone = !was_shown &&
                (i + 1 == series->count || !is_shown(plot, series->x[i + 1], series->y[i + 1]));
    if (shown) ht_plot_place(plot, series->x[i], series->y[i], at);
    if (shown && (!series->joined || alone))
      ht_canvas_disc(canvas, at, series->joined ? series->width : 0.5 * series->width,
                     series->colour);
    if (shown && was_shown && series->joined)
      ht_canvas_line(canvas, before, at, series->width, series->colour);
    was_shown = shown;
    before[0] = at[0], before[1] = at[1];
  }
}

static void draw_names(ht_canvas *canvas, const ht_plot *plot, const ht_plot_series *series) {
  const double size = 13, off = 0.5 * series->width + 6;
  for (int i = 0; series->name && i < series->count; i++) {
    double at[2];
    if (!series->name[i] || !is_shown(plot, series->x[i], series->y[i])) continue;
    ht_plot_place(plot, series->x[i], series->y[i], at);
    double x = series->beside ? at[0] + off : at[0] - 0.5 * ht_font_width(size, series->name[i]);
    double y = series->beside ? at[1] - 0.5 * size : at[1] + off - 3;
    ht_font_draw(canvas, x, y, size, ht_faint_ink, series->name[i]);
  }
}

static int legend_rows(const ht_plot *plot) {
  int labels = 0;
  for (int i = 0; i < plot->series; i++) labels += plot->one[i].label != NULL;
  return (labels + 2) / 3;
}

static void draw_legend(ht_canvas *canvas, const ht_plot *plot) {
  for (int i = 0, n = 0; i < plot->series; i++) {
    const ht_plot_series *series = &plot->one[i];
    if (!series->label) continue;
    double x = LEFT + LEGEND_COLUMN * (n % 3), y = TOP + HEIGHT + BELOW + LEGEND_ROW * (n / 3);
    double from[2] = {x + (series->joined ? 0 : 14), y + 7};
    double to[2] = {x + (series->joined ? 28 : 14), y + 7};
    ht_canvas_line(canvas, from, to, series->width, series->colour);
    ht_font_draw(canvas, x + 40, y, 15, ht_ink, series->label);
    n++;
  }
}

ht_status ht_plot_write(const char *path, const ht_plot *plot) {
  const int notes = TOP + HEIGHT + BELOW + LEGEND_ROW * legend_rows(plot) + 8;
  int count = 0;
  ht_canvas canvas;
  while (count < HT_PLOT_NOTES && plot->note[count]) count++;
  HT_TRY(ht_canvas_alloc(WIDTH, notes + (count + 1) * HT_NOTE_HEIGHT, ht_ground, &canvas));
  ht_annotate_title(&canvas, plot->title, &(ht_picture_text){.mark = plot->mark});
  draw_grid(&canvas, plot);
  for (int i = 0; i < plot->series; i++) draw_series(&canvas, plot, &plot->one[i]);
  for (int i = 0; i < plot->series; i++) draw_names(&canvas, plot, &plot->one[i]);
  draw_legend(&canvas, plot);
  for (int i = 0; i < count; i++)
    ht_annotate_note(&canvas, notes + i * HT_NOTE_HEIGHT, plot->note[i]);
  ht_status status = ht_canvas_write(&canvas, path);
  ht_canvas_free(&canvas);
  return status;
}
