/* The wall of the vessel in three views, coloured by the wall shear stress or a result of the
 * cycle. */
#include "export/drawing/annotate.h"
#include "export/pictures/pictures.h"
#include "export/pixels/mesh_raster.h"
#include "export/pixels/wall_mean.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status surface_box(const ht_surface *surface, ht_box_mm *box) {
  int64_t usable = 0;
  for (int r = 0; r < 3; r++) box->low[r] = INFINITY, box->high[r] = -INFINITY;
  for (int64_t p = 0; p < surface->points; p++) {
    const float *at = surface->point_mm + 3 * p;
    if (!(fabsf(at[0]) < 1e7f && fabsf(at[1]) < 1e7f && fabsf(at[2]) < 1e7f)) continue;
    for (int r = 0; r < 3; r++) {
      box->low[r] = fmin(box->low[r], at[r]);
      box->high[r] = fmax(box->high[r], at[r]);
    }
    usable++;
  }
  if (surface->triangles > 0 && usable > 0) return HT_OK;
  return ht_fail(HT_ERR_VESSEL,
                 "the wall has no triangle to draw (%lld points, %lld triangles): is "
                 "the mask empty?",
                 (long long)surface->points, (long long)surface->triangles);
}

/* The meaning of the colours. */
typedef struct {
  const float *values; /* [points], >= 0; NULL: the bare wall */
  const char *title, *label, *unit;
  double high;     /* of the colour bar; 0: from the values */
  const char *bad; /* the quantity, in the warning of values that are not a number */
} quantity;

typedef struct {
  double high; /* of the colour bar */
  ht_wall_spread spread;
  int64_t bad; /* points whose value is not a number */
} value_range;

static void find_range(const ht_surface *surface, const quantity *what, value_range *range) {
  memset(range, 0, sizeof *range);
  range->high = 1;
  if (!what->values) return;
  for (int64_t p = 0; p < surface->points; p++) range->bad += !isfinite(what->values[p]);
  ht_surface_spread(surface, what->values, &range->spread);
  double p99 = range->spread.p99;
  range->high = what->high > 0 ? what->high
                               : ht_nice_above(isfinite(p99) && p99 > 0 ? p99 : range->spread.max);
}

/* Makes the numbers that the colours show: the means around each point, owned; NULL: the values
 * themselves. */
static ht_status make_means(const ht_surface *surface, const float *values,
                            const ht_picture_text *text, float **means) {
  ht_wall_mean mean;
  *means = NULL;
  if (!values || !text || !(text->lattice_mm > 0)) return HT_OK;
  HT_TRY(ht_alloc((void **)means, (size_t)surface->points, sizeof(float), "the wall's colours"));
  HT_TRY(ht_wall_mean_make(surface, HT_WALL_MEAN_SPACINGS * text->lattice_mm, &mean));
  ht_wall_mean_of(&mean, values, *means);
  ht_wall_mean_free(&mean);
  return HT_OK;
}

static void write_notes(ht_canvas *canvas, int y, const quantity *what, const value_range *range,
                        double mean_mm) {
  char text[400], clipped[96] = "", around[200] = "";
  const ht_wall_spread *spread = &range->spread;
  if (spread->max > range->high * (1 + 1e-6))
    snprintf(clipped, sizeof clipped, " (above %.3g%s: the last colour)", range->high, what->unit);
  snprintf(
      text, sizeof text,
      "Mean over the wall %.3g%s; 99 %% of the wall has at most %.3g%s; largest value %.3g%s%s.",
      spread->mean, what->unit, spread->p99, what->unit, spread->max, what->unit, clipped);
  ht_annotate_note(canvas, y, text);
  if (mean_mm > 0)
    snprintf(around, sizeof around,
             "A colour is the mean of the wall within %.2g mm (%g lattice spacings), against the "
             "scan's noise; numbers are not averaged. ",
             mean_mm, HT_WALL_MEAN_SPACINGS);
  snprintf(text, sizeof text, "%sWhere the wall is seen from inside it is darker.", around);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT, text);
  if (!range->bad) return;
  snprintf(text, sizeof text, "WARNING: %s is not a number at %lld points (magenta).", what->bad,
           (long long)range->bad);
  ht_annotate_note(canvas, y + 2 * HT_NOTE_HEIGHT, text);
}

static ht_status draw_views(ht_canvas *canvas, const ht_panel panel[3], const ht_surface *surface,
                            const float *shown, const ht_openings *openings, double high) {
  for (int v = 0; v < 3; v++) {
    char title[96];
    ht_canvas_rect(canvas, panel[v].x, panel[v].y, panel[v].width, panel[v].height, ht_empty);
    HT_TRY(ht_mesh_draw(canvas, &panel[v], surface, shown, HT_MAP_PLASMA, high));
    snprintf(title, sizeof title, "%s", panel[v].view->from);
    ht_annotate_panel(canvas, &panel[v], title);
    ht_annotate_openings(canvas, &panel[v], openings, INFINITY);
  }
  return HT_OK;
}

static ht_status draw_wall(const char *path, const ht_surface *surface, const quantity *what,
                           const ht_openings *openings, const ht_picture_text *text) {
  int loaded = what->values != NULL;
  float *means = NULL;
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm box;
  value_range range;
  ht_status status = HT_OK;
  HT_TRY(surface_box(surface, &box));
  find_range(surface, what, &range);
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  int bar = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  int legend = bar + (loaded ? HT_COLOUR_BAR_HEIGHT : 0);
  int notes = legend + ht_legend_height(openings);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + (range.bad ? 4 : 3) * HT_NOTE_HEIGHT,
                              ht_ground, &canvas));
  ht_annotate_title(&canvas, what->title, text);
  HT_TRY_DONE(make_means(surface, what->values, text, &means));
  HT_TRY_DONE(
      draw_views(&canvas, panel, surface, means ? means : what->values, openings, range.high));
  if (loaded) {
    ht_annotate_colour_bar(&canvas, bar, HT_MAP_PLASMA, range.high, what->label);
    write_notes(&canvas, notes, what, &range, means ? HT_WALL_MEAN_SPACINGS * text->lattice_mm : 0);
  }
  ht_annotate_legend(&canvas, legend, openings);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  free(means);
  ht_canvas_free(&canvas);
  return status;
}

ht_status ht_picture_wall(const char *path, const ht_surface *surface, const ht_openings *openings,
                          const ht_picture_text *text) {
  const quantity what = {.values = surface->wss_mag_pa,
                         .title = surface->wss_mag_pa ? "Wall shear stress" : "Wall of the vessel",
                         .label = "wall shear stress, Pa",
                         .unit = " Pa",
                         .high = text ? text->wss_high_pa : 0,
                         .bad = "the wall shear stress"};
  return draw_wall(path, surface, &what, openings, text);
}

static ht_status check_cycle(const ht_surface *surface, const ht_wall_cycle *cycle) {
  if (cycle->tawss_pa && cycle->points == surface->points) return HT_OK;
  return ht_fail(HT_ERR_INTERNAL, "the cycle has %lld points on the wall, the surface %lld",
                 (long long)cycle->points, (long long)surface->points);
}

ht_status ht_picture_tawss(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                           const ht_openings *openings, const ht_picture_text *text) {
  const quantity what = {.values = cycle->tawss_pa,
                         .title = "Wall shear stress over the beat (TAWSS)",
                         .label = "mean magnitude of wall shear stress over the beat (TAWSS), Pa",
                         .unit = " Pa",
                         .high = text ? text->wss_high_pa : 0,
                         .bad = "the time-averaged wall shear stress"};
  HT_TRY(check_cycle(surface, cycle));
  return draw_wall(path, surface, &what, openings, text);
}

ht_status ht_picture_osi(const char *path, const ht_surface *surface, const ht_wall_cycle *cycle,
                         const ht_openings *openings, const ht_picture_text *text) {
  const quantity what = {.values = cycle->osi,
                         .title = "Oscillatory shear index",
                         .label =
                             "oscillatory shear index, no unit (0: one direction; 0.5: to and fro)",
                         .unit = "",
                         .high = 0.5,
                         .bad = "the oscillatory shear index"};
  HT_TRY(check_cycle(surface, cycle));
  return draw_wall(path, surface, &what, openings, text);
}
