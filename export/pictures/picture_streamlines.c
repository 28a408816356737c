/* Streamlines in three views, coloured by the speed of the blood, in front of the vessel's outline.
 */
#include "export/drawing/annotate.h"
#include "export/pixels/line_raster.h"
#include "export/pictures/pictures.h"
#include "export/pixels/speed_field.h"
#include "export/lines/streamlines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ht_rgb lumen = {40, 47, 57}, wall_line = {128, 138, 150};

typedef struct {
  ht_speed_source source;
  ht_box_mm vessel;
  ht_openings openings;
  ht_streamlines lines;
  ht_speed_range range;
  ht_panel panel[3];
  int bar, legend, notes, height; /* rows of pixels */
} sheet;

static void place(sheet *of) {
  ht_box_mm box = of->vessel;
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, of->panel);
  of->bar = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  of->legend = of->bar + HT_COLOUR_BAR_HEIGHT;
  of->notes = of->legend + ht_legend_height(&of->openings);
  of->height = of->notes + (of->range.bad ? 4 : 3) * HT_NOTE_HEIGHT;
}

static ht_status trace(const ht_domain *domain, const ht_flow *flow, ht_streamlines *lines) {
  double(*seed_mm)[3] = NULL;
  HT_TRY(ht_alloc((void **)&seed_mm, HT_STREAMLINE_SEEDS, sizeof *seed_mm, "streamlines"));
  int seeds = ht_streamline_seeds(domain, seed_mm);
  ht_status status = ht_streamlines_trace(domain, flow, (const double(*)[3])seed_mm, seeds,
                                          flow->grid.spacing_mm[0], lines);
  free(seed_mm);
  return status;
}

static void fill_lumen(ht_canvas *canvas, const ht_panel *panel, const ht_field *outline) {
  ht_canvas_rect(canvas, panel->x, panel->y, panel->width, panel->height, ht_empty);
  for (int j = 0; j < panel->height; j++)
    for (int i = 0; i < panel->width; i++)
      if (outline->value[(size_t)j * (size_t)panel->width + (size_t)i] >= 0.5f)
        ht_canvas_blend(canvas, panel->x + i, panel->y + j, lumen, 1);
  ht_field_outline(canvas, panel, outline, 0.5f, 1.3, wall_line);
}

static ht_status draw_view(ht_canvas *canvas, const sheet *of, const ht_panel *panel) {
  ht_field outline = {0};
  ht_status status = ht_project_vessel(&of->source, &of->vessel, panel, &outline);
  if (status == HT_OK) {
    fill_lumen(canvas, panel, &outline);
    status = ht_lines_draw(canvas, panel, &of->lines, HT_MAP_VIRIDIS, of->range.high);
  }
  ht_field_free(&outline);
  if (status != HT_OK) return status;
  ht_annotate_panel(canvas, panel, panel->view->from);
  ht_annotate_openings(canvas, panel, &of->openings, INFINITY);
  return HT_OK;
}

static void write_notes(ht_canvas *canvas, const sheet *of) {
  char text[400], clipped[96] = "";
  if (of->range.max > of->range.high * (1 + 1e-6))
    snprintf(clipped, sizeof clipped, " Above %.3g m/s: the last colour.", of->range.high);
  snprintf(text, sizeof text,
           "%lld lines, along which the blood moves: two thirds begin at the inlets, the others "
           "all over the vessel. A nearer line hides a farther one.",
           (long long)of->lines.lines);
  ht_annotate_note(canvas, of->notes, text);
  snprintf(text, sizeof text,
           "The number of lines at a place says nothing about the flow there; the colour does. "
           "Largest speed in the vessel: %.3g m/s.%s",
           of->range.max, clipped);
  ht_annotate_note(canvas, of->notes + HT_NOTE_HEIGHT, text);
  if (!of->range.bad) return;
  snprintf(
      text, sizeof text,
      "WARNING: the velocity is not a number at %lld places in the vessel; no line passes there.",
      (long long)of->range.bad);
  ht_annotate_note(canvas, of->notes + 2 * HT_NOTE_HEIGHT, text);
}

static ht_status draw(const char *path, const sheet *of, const ht_picture_text *text) {
  ht_canvas canvas = {0};
  ht_status status = ht_canvas_alloc(HT_PICTURE_WIDTH, of->height, ht_ground, &canvas);
  for (int v = 0; v < 3 && status == HT_OK; v++) status = draw_view(&canvas, of, &of->panel[v]);
  if (status == HT_OK) {
    ht_annotate_title(&canvas, "Streamlines", text);
    ht_annotate_colour_bar(&canvas, of->bar, HT_MAP_VIRIDIS, of->range.high, "speed, m/s");
    ht_annotate_legend(&canvas, of->legend, &of->openings);
    write_notes(&canvas, of);
    status = ht_canvas_write(&canvas, path);
  }
  ht_canvas_free(&canvas);
  return status;
}

ht_status ht_picture_streamlines(const char *path, const ht_domain *domain, const ht_flow *flow,
                                 const ht_picture_text *text) {
  ht_empty_space space = {.away = NULL};
  sheet of = {.source = {ht_mask_source_make(&domain->mask, HT_VESSEL), flow, &space, 0}};
  double plane_mm[3];
  ht_status status;
  HT_TRY(ht_check_flow_grid(domain, flow));
  HT_TRY(ht_vessel_extent(&domain->mask, HT_VESSEL, &of.vessel, plane_mm));
  HT_TRY(ht_find_speed_range(domain, flow, &of.range));
  if (text && text->speed_high_m_s > 0) of.range.high = text->speed_high_m_s;
  ht_openings_of_ports(domain, &of.openings);
  place(&of);
  HT_TRY_DONE(ht_empty_space_make(&domain->mask, &space));
  HT_TRY_DONE(trace(domain, flow, &of.lines));
  HT_TRY_DONE(draw(path, &of, text));
done:
  ht_streamlines_free(&of.lines);
  ht_empty_space_free(&space);
  return status;
}
