/* The levels of the flow's lattice in three views: their slices, before the vessel behind them. */
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include "export/pictures/pictures.h"
#include "export/pixels/slicing.h"
#include <math.h>
#include <stdio.h>

enum { LEVELS = 3, LEGEND_ROW = 30, MOST_HEIGHT = 900 };

/* Colours from the finest level on: told apart without colours, too, by their brightness. */
static const ht_rgb level_colour[LEVELS] = {{250, 220, 120}, {64, 160, 176}, {72, 84, 140}};
static const double behind = 0.35; /* opacity of the vessel before and behind a slice */

typedef struct {
  const ht_mask *mask;
  const uint8_t *coarser;
  ht_lookup lookup;
} source;

/* Returns how fine the lattice is at a position: LEVELS on the finest level, 1 on the coarsest that
 * there may be, 0 outside the vessel. */
static float fineness_at(const void *of, const double position_mm[3]) {
  const source *from = of;
  int at[3];
  for (int a = 0; a < 3; a++) {
    double index = from->lookup.shift[a];
    for (int r = 0; r < 3; r++) index += from->lookup.row[a][r] * position_mm[r];
    at[a] = (int)floor(index + 0.5);
  }
  if (!ht_voxel_in_grid(from->mask->grid.dim, at)) return 0;
  const int64_t voxel = ht_voxel_index(from->mask->grid.dim, at);
  return from->mask->inside[voxel] ? (float)(LEVELS - from->coarser[voxel]) : 0;
}

static void paint(ht_canvas *canvas, const ht_panel *panel, const ht_field *field, double opacity) {
  for (int j = 0; j < panel->height; j++)
    for (int i = 0; i < panel->width; i++) {
      const float value = field->value[(size_t)j * (size_t)field->width + (size_t)i];
      const int fineness = (int)lroundf(value); /* a value beside the vessel's edge is of both */
      if (fineness > 0)
        ht_canvas_blend(canvas, panel->x + i, panel->y + j, level_colour[LEVELS - fineness],
                        opacity);
    }
}

static ht_status draw_view(ht_canvas *canvas, const ht_panel *panel, const source *from,
                           const ht_box_mm *box) {
  const ht_projection projection = {.panel = panel,
                                    .within = box,
                                    .pitch_mm =
                                        ht_projection_pitch(panel, &from->mask->grid, 1, box),
                                    .sample = fineness_at,
                                    .source = from};
  ht_field field;
  char title[96];
  ht_canvas_rect(canvas, panel->x, panel->y, panel->width, panel->height, ht_empty);
  HT_TRY(ht_field_project(&projection, &field));
  paint(canvas, panel, &field, behind);
  ht_field_free(&field);
  HT_TRY(ht_field_slice(panel, fineness_at, from, &field));
  paint(canvas, panel, &field, 1);
  ht_field_free(&field);
  ht_slice_title(panel, title, sizeof title);
  ht_annotate_panel(canvas, panel, title);
  return HT_OK;
}

/* Draws a row for each level that has nodes; returns the place below them. */
static int draw_legend(ht_canvas *canvas, int y, const source *from) {
  double voxels[LEVELS] = {0};
  char text[160];
  for (int64_t v = 0; v < ht_grid_voxels(&from->mask->grid); v++)
    if (from->mask->inside[v]) voxels[from->coarser[v]]++;
  for (int level = 0; level < LEVELS; level++) {
    if (voxels[level] == 0) continue;
    ht_canvas_rect(canvas, HT_PICTURE_MARGIN, y, 26, 18, level_colour[level]);
    snprintf(text, sizeof text, "a node every %.3g mm: %.3g nodes, %.0f %% of the volume",
             ldexp(from->mask->grid.spacing_mm[0], level), ldexp(voxels[level], -3 * level),
             100 * voxels[level] / (voxels[0] + voxels[1] + voxels[2]));
    ht_font_draw(canvas, HT_PICTURE_MARGIN + 40, y + 2, 15, ht_ink, text);
    y += LEGEND_ROW;
  }
  return y;
}

ht_status ht_picture_levels(const char *path, const ht_domain *domain, const uint8_t *coarser,
                            const ht_picture_text *text) {
  const ht_mask *mask = &domain->mask;
  const source from = {mask, coarser, ht_mask_source_make(mask, 0).lookup};
  ht_canvas canvas = {0};
  ht_panel panel[3];
  ht_box_mm box;
  double plane_mm[3];
  ht_status status = HT_OK;
  HT_TRY(ht_vessel_extent(mask, 0, &box, plane_mm));
  ht_box_widen(&box, 0.03, 1);
  ht_box_balance(&box);
  const int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, MOST_HEIGHT, panel);
  const int legend = HT_HEADER_HEIGHT + row + HT_FOOTER_GAP;
  HT_TRY(ht_canvas_alloc(HT_PICTURE_WIDTH, legend + LEVELS * LEGEND_ROW + 2 * HT_NOTE_HEIGHT,
                         ht_ground, &canvas));
  ht_annotate_title(&canvas, "Levels of the lattice", text);
  for (int v = 0; v < 3; v++) {
    panel[v].depth_mm = plane_mm[panel[v].view->through];
    HT_TRY_DONE(draw_view(&canvas, &panel[v], &from, &box));
  }
  ht_annotate_note(&canvas, draw_legend(&canvas, legend, &from) + 4,
                   "Bright: the slice that shows the largest section. Dim: the finest level before "
                   "and behind it. With the flow extensions.");
  HT_TRY_DONE(ht_canvas_write(&canvas, path));
done:
  ht_canvas_free(&canvas);
  return status;
}
