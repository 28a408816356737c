/* A beat as a moving picture: the speed of the blood and the load on the wall, side by side. */
#include "export/pictures/animation.h"
#include "export/drawing/annotate.h"
#include "export/pixels/mesh_raster.h"
#include "export/pictures/pictures.h"
#include "export/pixels/speed_field.h"
#include "export/pixels/wall_mean.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, PANEL_HEIGHT = 520, FRAMES_MOST = 25, FRAME_MS = 100 };

/* The state that the frames share. */
typedef struct {
  const ht_domain *domain;
  const ht_surface *surface;
  const ht_beat_series *series;
  const ht_picture_text *text;
  ht_flow flow; /* a frame's flow; it owns its velocity */
  float *wss;   /* [points] a frame's stress */
  ht_wall_mean mean;
  float *shown; /* the wall's colours: means of wss, or wss itself; [points] */
  ht_empty_space space;
  ht_speed_source source;
  ht_box_mm vessel;
  ht_panel panel[2]; /* speed, wall */
  ht_field outline;
  int stride; /* samples from frame to frame */
  double speed_high, wss_high;
  int height;
} film;

/* The view that shows most of the vessel. */
static const ht_view *best_view(const ht_box_mm *box) {
  const ht_view *best = &ht_views[0];
  double largest = 0;
  for (int v = 0; v < 3; v++) {
    const ht_view *view = &ht_views[v];
    double area = (box->high[view->across] - box->low[view->across]) *
                  (box->high[view->vertical] - box->low[view->vertical]);
    if (area > largest) best = view, largest = area;
  }
  return best;
}

static void place(film *of) {
  ht_box_mm box = of->vessel;
  ht_box_widen(&box, 0.06, 1);
  const ht_view *view = best_view(&box);
  const int width = (WIDTH - 2 * HT_PICTURE_MARGIN - HT_PANEL_GAP) / 2;
  double middle[2], side[2];
  const int axis[2] = {view->across, view->vertical};
  for (int a = 0; a < 2; a++) {
    middle[a] = 0.5 * (box.low[axis[a]] + box.high[axis[a]]);
    side[a] = box.high[axis[a]] - box.low[axis[a]];
  }
  const int most = ht_panel_height(PANEL_HEIGHT);
  double scale = fmax(side[0] / width, side[1] / most);
  int height = (int)fmin(most, ceil(fmax(side[1] / scale, 0.6 * width)));
  for (int p = 0; p < 2; p++)
    of->panel[p] = (ht_panel){.view = view,
                              .x = HT_PICTURE_MARGIN + p * (width + HT_PANEL_GAP),
                              .y = HT_HEADER_HEIGHT,
                              .width = width,
                              .height = height,
                              .left_mm = middle[0] - 0.5 * width * scale,
                              .top_mm = middle[1] - view->down * 0.5 * height * scale,
                              .mm_per_px = scale};
  of->height =
      HT_HEADER_HEIGHT + height + HT_FOOTER_GAP + 2 * HT_COLOUR_BAR_HEIGHT + 3 * HT_NOTE_HEIGHT;
}

static ht_status take(film *of, int frame) {
  HT_TRY(ht_beat_series_velocity(of->series, frame * of->stride, of->domain, &of->flow));
  return ht_beat_series_wss(of->series, frame * of->stride, of->wss);
}

static int frames_of(const film *of) {
  return (of->series->samples + of->stride - 1) / of->stride;
}

/* Finds one range of colours for the whole beat. */
static ht_status find_ranges(film *of) {
  double speed = 0, wss = 0;
  for (int n = 0; n < frames_of(of); n++) {
    ht_speed_range range;
    ht_wall_spread spread;
    HT_TRY(take(of, n));
    HT_TRY(ht_find_speed_range(of->domain, &of->flow, &range));
    ht_surface_spread(of->surface, of->wss, &spread);
    speed = fmax(speed, range.p999);
    wss = fmax(wss, spread.p99);
  }
  of->speed_high = ht_nice_above(speed);
  of->wss_high = ht_nice_above(wss);
  if (of->text && of->text->speed_high_m_s > 0) of->speed_high = of->text->speed_high_m_s;
  if (of->text && of->text->wss_high_pa > 0) of->wss_high = of->text->wss_high_pa;
  return HT_OK;
}

static void write_words(const film *of, ht_canvas *canvas, double time_s) {
  char text[200];
  int bar = HT_HEADER_HEIGHT + of->panel[0].height + HT_FOOTER_GAP;
  int notes = bar + 2 * HT_COLOUR_BAR_HEIGHT;
  ht_annotate_title(canvas, "One beat", of->text);
  snprintf(text, sizeof text, "largest speed along the view, %.3f s", time_s);
  ht_annotate_panel(canvas, &of->panel[0], text);
  snprintf(text, sizeof text, "wall shear stress, %.3f s", time_s);
  ht_annotate_panel(canvas, &of->panel[1], text);
  ht_annotate_colour_bar(canvas, bar, HT_MAP_VIRIDIS, of->speed_high, "speed, m/s");
  ht_annotate_colour_bar(canvas, bar + HT_COLOUR_BAR_HEIGHT, HT_MAP_PLASMA, of->wss_high,
                         "wall shear stress, Pa");
  snprintf(text, sizeof text, "Seen %s. A beat of %.3g s, slowed down to %.3g s.",
           of->panel[0].view->from, of->series->period_s, 1e-3 * FRAME_MS * frames_of(of));
  ht_annotate_note(canvas, notes, text);
  ht_annotate_note(canvas, notes + HT_NOTE_HEIGHT,
                   "The colours mean the same at all times. Values above a bar's range have its "
                   "last colour.");
  if (of->mean.points == 0) return;
  snprintf(text, sizeof text,
           "A colour of the wall is the mean within %.2g mm (%g lattice spacings).",
           HT_WALL_MEAN_SPACINGS * of->text->lattice_mm, HT_WALL_MEAN_SPACINGS);
  ht_annotate_note(canvas, notes + 2 * HT_NOTE_HEIGHT, text);
}

static ht_status draw(const film *of, double time_s, ht_canvas *canvas) {
  ht_field speed = {0};
  const ht_panel *wall = &of->panel[1];
  HT_TRY(ht_project_speed(&of->source, &of->vessel, &of->panel[0], &speed));
  ht_draw_speed(canvas, &of->panel[0], &speed, &of->outline, of->speed_high);
  ht_field_free(&speed);
  ht_canvas_rect(canvas, wall->x, wall->y, wall->width, wall->height, ht_empty);
  if (of->mean.points > 0) ht_wall_mean_of(&of->mean, of->wss, of->shown);
  HT_TRY(ht_mesh_draw(canvas, wall, of->surface, of->mean.points > 0 ? of->shown : of->wss,
                      HT_MAP_PLASMA, of->wss_high));
  write_words(of, canvas, time_s);
  return HT_OK;
}

static ht_status add_frame(film *of, int frame, ht_animation *animation) {
  ht_canvas canvas = {0};
  HT_TRY(take(of, frame));
  HT_TRY(ht_canvas_alloc(WIDTH, of->height, ht_ground, &canvas));
  ht_status status = draw(of, of->series->sample[frame * of->stride].time_s, &canvas);
  if (status == HT_OK) status = ht_animation_add(animation, &canvas, FRAME_MS);
  ht_canvas_free(&canvas);
  return status;
}

static ht_status prepare_means(film *of) {
  if (!of->text || !(of->text->lattice_mm > 0)) return HT_OK;
  HT_TRY(ht_alloc((void **)&of->shown, (size_t)of->surface->points + 1, sizeof(float),
                  "the frames of a beat"));
  return ht_wall_mean_make(of->surface, HT_WALL_MEAN_SPACINGS * of->text->lattice_mm, &of->mean);
}

static ht_status prepare(film *of) {
  HT_TRY(ht_alloc((void **)&of->flow.velocity_m_s, (size_t)of->flow.nodes, 3 * sizeof(float),
                  "the frames of a beat"));
  HT_TRY(ht_alloc((void **)&of->wss, (size_t)of->surface->points + 1, sizeof(float),
                  "the frames of a beat"));
  HT_TRY(prepare_means(of));
  HT_TRY(ht_empty_space_make(&of->domain->mask, &of->space));
  place(of);
  HT_TRY(ht_project_vessel(&of->source, &of->vessel, &of->panel[0], &of->outline));
  return find_ranges(of);
}

static ht_status make(film *of, const char *path) {
  ht_animation *animation;
  HT_TRY(prepare(of));
  HT_TRY(ht_animation_begin(WIDTH, of->height, &animation));
  ht_status status = HT_OK;
  for (int n = 0; n < frames_of(of) && status == HT_OK; n++) status = add_frame(of, n, animation);
  if (status == HT_OK) status = ht_animation_write(animation, path);
  ht_animation_free(animation);
  return status;
}

ht_status ht_picture_series(const char *path, const ht_domain *domain, const ht_flow *flow,
                            const ht_surface *surface, const ht_beat_series *series,
                            const ht_picture_text *text) {
  film of = {.domain = domain, .surface = surface, .series = series, .text = text, .flow = *flow};
  double plane_mm[3];
  of.flow.velocity_m_s = NULL;
  of.stride = (series->samples + FRAMES_MOST - 1) / FRAMES_MOST;
  of.source =
      (ht_speed_source){ht_mask_source_make(&domain->mask, HT_VESSEL), &of.flow, &of.space, 0};
  if (surface->points != series->points)
    return ht_fail(HT_ERR_FORMAT, "the samples of the beat belong to another wall");
  HT_TRY(ht_vessel_extent(&domain->mask, HT_VESSEL, &of.vessel, plane_mm));
  ht_status status = make(&of, path);
  free(of.flow.velocity_m_s);
  free(of.wss);
  free(of.shown);
  ht_wall_mean_free(&of.mean);
  ht_field_free(&of.outline);
  ht_empty_space_free(&of.space);
  return status;
}
