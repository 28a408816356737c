/* Slices of a measured flow, of the computed flow as the scan shows it, and of their difference. */
#include "app/compare/measured/judge_pictures.h"
#include "core/numbers/vector3.h"
#include "export/drawing/annotate.h"
#include "export/drawing/font.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PANELS = 3, SLICES = 4, TITLE_SIZE = 16, LETTER_SIZE = 14, AROUND = 4, HIGHEST = 420 };
/* Line around the compared voxels: on the colours of a speed, and of a signed velocity. */
static const ht_rgb outlines[2] = {{245, 245, 245}, {20, 20, 20}};

typedef struct {
  const ht_judged *of;
  int moment;          /* 0: the mean */
  int32_t *number;     /* [voxels.count] in the compared ones; -1: not compared */
  int low[2], size[2]; /* voxels that are shown */
  int slices, slice[SLICES];
  double high_m_s, off_m_s; /* ends of the colours */
  int width, height;        /* of a panel, pixels */
} sheet;

static int is_vector(const sheet *s) {
  return s->of->parts == 3;
}

/* ---- values ---- */

static int64_t compared_at(const sheet *s, int64_t voxel) {
  const int32_t entry = s->of->voxels.entry[voxel];
  return entry < 0 ? -1 : s->number[entry];
}

/* Returns the speed, or the part along the direction, of the measured flow at any voxel. */
static double measured_at(const sheet *s, int64_t voxel) {
  const ht_measured_flow *flow = &s->of->measured;
  double sum[3] = {0}, along = 0;
  for (int t = 0; t < flow->times; t++) {
    const double part = s->moment == 0 ? s->of->weight[t] : t == s->moment - 1;
    double v[3];
    if (part == 0) continue;
    ht_measured_velocity(flow, t, voxel, v);
    along += part * ht_measured_part(flow, t, 0)[voxel];
    for (int r = 0; r < 3; r++) sum[r] += part * v[r];
  }
  return is_vector(s) ? ht_length(sum) : along;
}

static double computed_at(const sheet *s, int64_t n) {
  return ht_judged_value(s->of, s->of->computed_m_s, s->moment, n,
                         is_vector(s) ? HT_JUDGED_SPEED : HT_JUDGED_ALONG);
}

/* ---- what is shown ---- */

static ht_status number_voxels(sheet *s) {
  const ht_scan_voxels *voxels = &s->of->voxels;
  HT_TRY(ht_alloc((void **)&s->number, (size_t)voxels->count, sizeof *s->number, "a picture"));
  for (int64_t i = 0; i < voxels->count; i++) s->number[i] = -1;
  for (int64_t n = 0; n < s->of->compared; n++) s->number[s->of->entry[n]] = (int32_t)n;
  return HT_OK;
}

static void place_of(const sheet *s, int64_t n, int at[3]) {
  ht_voxel_place(s->of->measured.grid.dim, s->of->voxels.voxel[s->of->entry[n]], at);
}

/* Finds the part of the images around the vessel, and slices with an equal number of compared
 * voxels between them. */
static void choose(sheet *s) {
  const ht_grid *grid = &s->of->measured.grid;
  int high[2] = {0, 0}, at[3];
  for (int a = 0; a < 2; a++) s->low[a] = grid->dim[a];
  for (int64_t n = 0; n < s->of->compared; n++) {
    place_of(s, n, at);
    for (int a = 0; a < 2; a++) {
      if (at[a] < s->low[a]) s->low[a] = at[a];
      if (at[a] > high[a]) high[a] = at[a];
    }
    const double computed = fabs(computed_at(s, n));
    const double measured = fabs(measured_at(s, s->of->voxels.voxel[s->of->entry[n]]));
    s->high_m_s = fmax(s->high_m_s, fmax(computed, measured));
  }
  for (int a = 0; a < 2; a++) {
    s->low[a] = s->low[a] > AROUND ? s->low[a] - AROUND : 0;
    high[a] = high[a] + AROUND < grid->dim[a] ? high[a] + AROUND : grid->dim[a] - 1;
    s->size[a] = high[a] - s->low[a] + 1;
  }
  for (int k = 0; k < SLICES; k++) { /* voxels are listed slice by slice */
    place_of(s, (int64_t)((k + 0.5) / SLICES * (double)s->of->compared), at);
    if (s->slices == 0 || at[2] != s->slice[s->slices - 1]) s->slice[s->slices++] = at[2];
  }
  s->high_m_s = ht_nice_above(s->high_m_s);
  s->off_m_s = s->high_m_s / 2;
}

static void find_size(sheet *s) {
  const double *mm = s->of->measured.grid.spacing_mm;
  const double wide = s->size[0] * mm[0], tall = s->size[1] * mm[1];
  const int room =
      (HT_PICTURE_WIDTH - 2 * HT_PICTURE_MARGIN - (PANELS - 1) * HT_PANEL_GAP) / PANELS;
  const double scale = fmin(room / wide, ht_panel_height(HIGHEST) / tall);
  s->width = (int)fmax(1, wide * scale);
  s->height = (int)fmax(1, tall * scale);
}

/* ---- drawing ---- */

static int64_t voxel_at(const sheet *s, int slice, int x, int y) {
  const int at[3] = {s->low[0] + x * s->size[0] / s->width, s->low[1] + y * s->size[1] / s->height,
                     slice};
  return ht_voxel_index(s->of->measured.grid.dim, at);
}

static ht_rgb colour_at(const sheet *s, int panel, int64_t voxel) {
  const int64_t n = compared_at(s, voxel);
  if (panel > 0 && n < 0) return ht_empty;
  const double value = panel == 0   ? measured_at(s, voxel)
                       : panel == 1 ? computed_at(s, n)
                                    : measured_at(s, voxel) - computed_at(s, n);
  if (panel < 2 && is_vector(s)) return ht_map_colour(HT_MAP_VIRIDIS, value / s->high_m_s);
  return ht_map_colour(HT_MAP_DIFFERENCE,
                       0.5 + 0.5 * value / (panel == 2 ? s->off_m_s : s->high_m_s));
}

static int is_edge(const sheet *s, int slice, int x, int y) {
  const int inside = compared_at(s, voxel_at(s, slice, x, y)) >= 0;
  return (x + 1 < s->width && (compared_at(s, voxel_at(s, slice, x + 1, y)) >= 0) != inside) ||
         (y + 1 < s->height && (compared_at(s, voxel_at(s, slice, x, y + 1)) >= 0) != inside);
}

static void draw_sides(const sheet *s, int left, int top, ht_canvas *canvas) {
  for (int axis = 0; axis < 2; axis++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double direction[3];
      for (int r = 0; r < 3; r++) direction[r] = s->of->measured.grid.direction[r][axis];
      const char letter[2] = {ht_side_letter(direction, sign), 0};
      const double far[2] = {sign > 0 ? s->width - LETTER_SIZE - 4 : 6,
                             sign > 0 ? s->height - LETTER_SIZE - 6 : 6};
      const double x = axis == 0 ? far[0] : 0.5 * s->width - 5;
      const double y = axis == 1 ? far[1] : 0.5 * s->height - 7;
      ht_font_draw_rimmed(canvas, left + x, top + y, LETTER_SIZE, ht_ink, ht_ground, letter);
    }
}

static void draw_panel(const sheet *s, int row, int panel, int top, ht_canvas *canvas) {
  static const char *const titles[PANELS] = {"measured", "computed, as the scan shows it",
                                             "measured less computed"};
  const int left = HT_PICTURE_MARGIN + panel * (s->width + HT_PANEL_GAP);
  char title[96];
  snprintf(title, sizeof title, panel ? "%s" : "%s, slice %d", titles[panel], s->slice[row] + 1);
  ht_font_draw(canvas, left, top - 29, TITLE_SIZE, ht_ink, title);
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++) {
      const ht_rgb colour = is_edge(s, s->slice[row], x, y)
                                ? outlines[panel == 0 && !is_vector(s)]
                                : colour_at(s, panel, voxel_at(s, s->slice[row], x, y));
      ht_canvas_rect(canvas, left + x, top + y, 1, 1, colour);
    }
  ht_canvas_frame(canvas, left - 1, top - 1, s->width + 2, s->height + 2, ht_faint_ink);
  draw_sides(s, left, top, canvas);
}

static void draw(const sheet *s, int bars, const ht_picture_text *text, ht_canvas *canvas) {
  const char *label = is_vector(s) ? "speed, m/s" : "velocity along the measured direction, m/s";
  char note[200];
  ht_annotate_title(canvas, "Measured and computed velocity", text);
  for (int row = 0; row < s->slices; row++)
    for (int panel = 0; panel < PANELS; panel++)
      draw_panel(s, row, panel, HT_HEADER_HEIGHT + row * (s->height + HT_PANEL_TITLE_HEIGHT),
                 canvas);
  if (is_vector(s))
    ht_annotate_colour_bar(canvas, bars, HT_MAP_VIRIDIS, s->high_m_s, label);
  else
    ht_annotate_colour_scale(canvas, bars, HT_MAP_DIFFERENCE, -s->high_m_s, s->high_m_s, 4, label);
  ht_annotate_colour_scale(canvas, bars + HT_COLOUR_BAR_HEIGHT, HT_MAP_DIFFERENCE, -s->off_m_s,
                           s->off_m_s, 4,
                           is_vector(s) ? "difference of speed (red: faster measured), m/s"
                                        : "measured less computed velocity, m/s");
  char when[64] = "Mean over the beat";
  if (s->moment > 0)
    snprintf(when, sizeof when, "%.0f ms after the R wave",
             1000 * s->of->measured.time_s[s->moment - 1]);
  snprintf(note, sizeof note, "%s. Within the line: voxels that are compared.%s", when,
           is_vector(s) ? "" : " Red: along the measured direction, blue: against it.");
  ht_annotate_note(canvas, bars + 2 * HT_COLOUR_BAR_HEIGHT, note);
}

ht_status ht_judge_slices(const char *path, const ht_judged *judged, const ht_picture_text *text) {
  sheet s = {.of = judged, .moment = ht_judged_peak(judged)};
  ht_canvas canvas = {0};
  ht_status status = number_voxels(&s);
  if (status != HT_OK) return status;
  choose(&s);
  find_size(&s);
  const int bars = HT_HEADER_HEIGHT + s.slices * (s.height + HT_PANEL_TITLE_HEIGHT) +
                   HT_FOOTER_GAP - HT_PANEL_TITLE_HEIGHT;
  status = ht_canvas_alloc(HT_PICTURE_WIDTH, bars + 2 * HT_COLOUR_BAR_HEIGHT + 2 * HT_NOTE_HEIGHT,
                           ht_ground, &canvas);
  if (status == HT_OK) draw(&s, bars, text, &canvas);
  if (status == HT_OK) status = ht_canvas_write(&canvas, path);
  ht_canvas_free(&canvas);
  free(s.number);
  return status;
}
