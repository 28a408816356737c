/* The speed of the blood: its maximum along three views, and three slices with arrows. */
#include "export/drawing/annotate.h"
#include "export/pictures/pictures.h"
#include "export/pixels/speed_field.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two images of a panel. */
typedef struct {
  ht_field speed, vessel;
} speed_image;

static void free_images(speed_image image[6]) {
  for (int i = 0; i < 6; i++) {
    ht_field_free(&image[i].speed);
    ht_field_free(&image[i].vessel);
  }
}

static ht_status slice(const ht_speed_source *source, const ht_panel *panel, speed_image *image) {
  HT_TRY(ht_field_slice(panel, ht_sample_speed, source, &image->speed));
  return ht_field_slice(panel, ht_sample_mask, &source->vessel, &image->vessel);
}

enum { ARROW_EVERY = 32, ARROW_ROWS = 18, ARROW_LONGEST = 30, ARROW_SHORTEST = 6 }; /* pixels */

/* The velocity within a slice at the i-th place of the j-th row of arrows, in pixel directions
 * (m/s); 0 outside the vessel. Every other row is shifted by half. */
static int arrow_at(const ht_speed_source *source, const ht_panel *panel, const speed_image *image,
                    int i, int j, double pixel[2], double along[2]) {
  const ht_view *view = panel->view;
  int x = ARROW_EVERY / 2 * (1 + j % 2) + i * ARROW_EVERY, y = ARROW_ROWS / 2 + j * ARROW_ROWS;
  double at[3];
  float u[3];
  if (x >= panel->width || y >= panel->height) return 0;
  if (!(image->vessel.value[(size_t)y * (size_t)panel->width + (size_t)x] >= 0.5f)) return 0;
  pixel[0] = panel->x + x + 0.5;
  pixel[1] = panel->y + y + 0.5;
  ht_panel_position(panel, pixel, at);
  if (!ht_velocity_at(source, at, u)) return 0;
  along[0] = u[view->across];
  along[1] = view->down * u[view->vertical];
  return isfinite(along[0]) && isfinite(along[1]);
}

static double fastest_arrow(const ht_speed_source *source, const ht_panel panel[3],
                            const speed_image image[3]) {
  double fastest = 0, pixel[2], along[2];
  for (int v = 0; v < 3; v++)
    for (int j = 0; j < panel[v].height / ARROW_ROWS; j++)
      for (int i = 0; i < panel[v].width / ARROW_EVERY; i++)
        if (arrow_at(source, &panel[v], &image[v], i, j, pixel, along))
          fastest = fmax(fastest, hypot(along[0], along[1]));
  return fastest;
}

static void draw_arrows(ht_canvas *canvas, const ht_speed_source *source, const ht_panel *panel,
                        const speed_image *image, double fastest) {
  static const ht_rgb rim = {16, 20, 26}, light = {255, 255, 255};
  double pixel[2], along[2];
  for (int j = 0; j < panel->height / ARROW_ROWS; j++)
    for (int i = 0; i < panel->width / ARROW_EVERY; i++) {
      if (!arrow_at(source, panel, image, i, j, pixel, along)) continue;
      double scale = ARROW_LONGEST / fastest;
      if (!(hypot(along[0], along[1]) * scale >= ARROW_SHORTEST)) continue;
      double from[2], to[2];
      for (int a = 0; a < 2; a++) {
        from[a] = pixel[a] - 0.5 * scale * along[a];
        to[a] = pixel[a] + 0.5 * scale * along[a];
      }
      ht_canvas_line(canvas, from, to, 4, rim);
      ht_canvas_arrow(canvas, from, to, 1.8, light);
    }
}

static void write_notes(ht_canvas *canvas, int y, const ht_speed_range *range, double fastest) {
  char text[320], clipped[96] = "";
  if (range->max > range->high * (1 + 1e-6))
    snprintf(clipped, sizeof clipped, " (above %.3g m/s: the last colour)", range->high);
  snprintf(
      text, sizeof text,
      "Upper row: the largest speed along the view; lower row: slices where they show most of the "
      "vessel. Arrows: velocity within the slice, the longest %.3g m/s.",
      fastest);
  ht_annotate_note(canvas, y, text);
  snprintf(text, sizeof text,
           "99.9 %% of the blood has at most %.3g m/s; largest speed %.3g m/s%s. The patient's "
           "right is on "
           "the viewer's left.",
           range->p999, range->max, clipped);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT, text);
  if (!range->bad) return;
  snprintf(text, sizeof text,
           "WARNING: the velocity is not a number at %lld places in the vessel (magenta).",
           (long long)range->bad);
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT, text);
}

/* The panels 0..2 are the projections, 3..5 the slices. */
typedef struct {
  ht_panel panel[6];
  speed_image image[6];
  int bar, legend, notes, height; /* rows of pixels */
} layout;

static void place(const ht_box_mm *vessel, const double plane_mm[3], const ht_openings *openings,
                  int bad, layout *l) {
  ht_box_mm box = *vessel;
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 600, l->panel);
  int lower = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP + HT_PANEL_TITLE_HEIGHT;
  memcpy(l->panel + 3, l->panel, 3 * sizeof *l->panel);
  for (int v = 3; v < 6; v++) {
    l->panel[v].y = lower;
    l->panel[v].depth_mm = plane_mm[l->panel[v].view->through];
  }
  l->bar = lower + row + HT_FOOTER_GAP;
  l->legend = l->bar + HT_COLOUR_BAR_HEIGHT;
  l->notes = l->legend + ht_legend_height(openings);
  l->height = l->notes + (bad ? 4 : 3) * HT_NOTE_HEIGHT;
}

static ht_status draw_panels(ht_canvas *canvas, layout *l, const ht_speed_source *source,
                             const ht_box_mm *vessel, const ht_openings *openings,
                             const ht_speed_range *range) {
  char title[96];
  for (int v = 0; v < 3; v++) {
    HT_TRY(ht_project_speed(source, vessel, &l->panel[v], &l->image[v].speed));
    HT_TRY(ht_project_vessel(source, vessel, &l->panel[v], &l->image[v].vessel));
    HT_TRY(slice(source, &l->panel[v + 3], &l->image[v + 3]));
  }
  double fastest = fastest_arrow(source, l->panel + 3, l->image + 3);
  for (int v = 0; v < 6; v++) {
    const ht_panel *panel = &l->panel[v];
    ht_draw_speed(canvas, panel, &l->image[v].speed, &l->image[v].vessel, range->high);
    if (v >= 3) draw_arrows(canvas, source, panel, &l->image[v], fastest);
    snprintf(title, sizeof title, "largest speed, %s", panel->view->from);
    if (v >= 3) ht_slice_title(panel, title, sizeof title);
    ht_annotate_panel(canvas, panel, title);
    if (v < 3) ht_annotate_openings(canvas, panel, openings, INFINITY);
  }
  write_notes(canvas, l->notes, range, fastest);
  return HT_OK;
}

ht_status ht_picture_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                              const ht_picture_text *text) {
  ht_empty_space space = {.away = NULL};
  ht_speed_source source = {ht_mask_source_make(&domain->mask, HT_VESSEL), flow, &space, 1};
  ht_openings openings;
  ht_canvas canvas = {0};
  ht_speed_range range;
  layout l;
  ht_box_mm vessel;
  double plane_mm[3];
  ht_status status = HT_OK;
  memset(&l, 0, sizeof l);
  HT_TRY(ht_check_flow_grid(domain, flow));
  HT_TRY(ht_vessel_extent(&domain->mask, HT_VESSEL, &vessel, plane_mm));
  HT_TRY(ht_find_speed_range(domain, flow, &range));
  if (text && text->speed_high_m_s > 0) range.high = text->speed_high_m_s;
  ht_openings_of_ports(domain, &openings);
  place(&vessel, plane_mm, &openings, range.bad > 0, &l);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, l.height, ht_ground, &canvas));
  HT_TRY_DONE(ht_empty_space_make(&domain->mask, &space));
  HT_TRY_DONE(draw_panels(&canvas, &l, &source, &vessel, &openings, &range));
  ht_annotate_title(&canvas, "Speed of the blood", text);
  ht_annotate_colour_bar(&canvas, l.bar, HT_MAP_VIRIDIS, range.high, "speed, m/s");
  ht_annotate_legend(&canvas, l.legend, &openings);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_empty_space_free(&space);
  free_images(l.image);
  ht_canvas_free(&canvas);
  return status;
}
