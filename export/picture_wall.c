/* The wall of the vessel in three views, coloured by the wall shear stress. */
#include "annotate.h"
#include "export.h"
#include "mesh_raster.h"
#include <math.h>
#include <stdio.h>
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

typedef struct {
  double high; /* of the colour bar, Pa */
  ht_wall_stats stats;
  int64_t bad; /* points whose load is not a number */
} load_range;

static void find_range(const ht_surface *surface, load_range *range) {
  memset(range, 0, sizeof *range);
  range->high = 1;
  if (!surface->wss_mag_pa) return;
  for (int64_t p = 0; p < surface->points; p++) range->bad += !isfinite(surface->wss_mag_pa[p]);
  ht_surface_stats(surface, &range->stats);
  double p99 = range->stats.wss_p99_pa;
  range->high = ht_nice_above(isfinite(p99) && p99 > 0 ? p99 : range->stats.wss_max_pa);
}

static void write_notes(ht_canvas *canvas, int y, const load_range *range) {
  char text[320], clipped[96] = "";
  if (range->stats.wss_max_pa > range->high * (1 + 1e-6))
    snprintf(clipped, sizeof clipped, " (above %.3g Pa: the last colour)", range->high);
  snprintf(
      text, sizeof text,
      "Over the wall's area: mean %.3g Pa, 99 %% at most %.3g Pa, largest %.3g Pa%s. Where the "
      "wall is seen from inside it is darker.",
      range->stats.wss_mean_pa, range->stats.wss_p99_pa, range->stats.wss_max_pa, clipped);
  ht_annotate_note(canvas, y, text);
  if (!range->bad) return;
  snprintf(text, sizeof text,
           "WARNING: the wall shear stress is not a number at %lld points (magenta).",
           (long long)range->bad);
  ht_annotate_note(canvas, y + HT_NOTE_HEIGHT, text);
}

static ht_status draw_views(ht_canvas *canvas, const ht_panel panel[3], const ht_surface *surface,
                            const ht_openings *openings, double high) {
  for (int v = 0; v < 3; v++) {
    char title[96];
    ht_canvas_rect(canvas, panel[v].x, panel[v].y, panel[v].width, panel[v].height, ht_empty);
    HT_TRY(ht_mesh_draw(canvas, &panel[v], surface, HT_MAP_PLASMA, high));
    snprintf(title, sizeof title, "%s", panel[v].view->from);
    ht_annotate_panel(canvas, &panel[v], title);
    ht_annotate_openings(canvas, &panel[v], openings, INFINITY);
  }
  return HT_OK;
}

ht_status ht_picture_wall(const char *path, const ht_surface *surface, const ht_openings *openings,
                          const ht_picture_text *text) {
  int loaded = surface->wss_mag_pa != NULL;
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm box;
  load_range range;
  ht_status status = HT_OK;
  HT_TRY(surface_box(surface, &box));
  find_range(surface, &range);
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  int bar = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  int legend = bar + (loaded ? HT_COLOUR_BAR_HEIGHT : 0);
  int notes = legend + ht_legend_height(openings);
  HT_TRY_DONE(ht_canvas_alloc(HT_PICTURE_WIDTH, notes + (range.bad ? 3 : 2) * HT_NOTE_HEIGHT,
                              ht_ground, &canvas));
  ht_annotate_title(&canvas, loaded ? "Wall shear stress" : "Wall of the vessel", text);
  HT_TRY_DONE(draw_views(&canvas, panel, surface, openings, range.high));
  if (loaded) {
    ht_annotate_colour_bar(&canvas, bar, HT_MAP_PLASMA, range.high, "wall shear stress, Pa");
    write_notes(&canvas, notes, &range);
  }
  ht_annotate_legend(&canvas, legend, openings);
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_canvas_free(&canvas);
  return status;
}
